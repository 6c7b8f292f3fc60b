package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/egress/egresstest"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// escape is a session in a real box, a site that tries to get out, and detectors.
type escape struct {
	*gateway
	home    *home
	friend  *canary // on the allow list: what arrives here was tried
	enemy   *canary // on no list: nothing may arrive here
	names   *egresstest.Names
	packets *packets
	tabs    []string // in addition to the first
	as      curl
	session string
}

// TestWaysOut lets a hostile page and a hostile process in a box try to get out
// in every way there is.
func TestWaysOut(t *testing.T) {
	testenv.Heavy(t)
	e := newEscape(t)
	t.Run("AllowedHostsAreReached", e.friendly)
	t.Run("ForbiddenHostsAreNot", e.hostile)
	e.silent(t)
	t.Run("AddressesAndSchemesAreRefused", e.spelled)
	t.Run("AProcessFindsNoWayAround", func(t *testing.T) { e.process(t, direct) })
	t.Run("AProcessGetsNothingPastTheDoor", func(t *testing.T) { e.process(t, proxied) })
	t.Run("AClientOfTheProtocolGetsNoOtherProxy", e.client)
	t.Run("WithoutWallsTheyAre", withoutWalls)
	e.nothingArrived(t)
	e.trailHolds(t)
}

func newEscape(t *testing.T) *escape {
	t.Helper()
	names, err := egresstest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(names.Close)
	e := &escape{names: names, friend: newCanary(t, "friend.test"), enemy: newCanary(t, "enemy.test")}
	names.Set("*.friend.test", "127.0.0.1")
	names.Set("*.enemy.test", "127.0.0.1")
	e.home = newHome(t, e.friend, e.enemy)
	e.packets = sniff(t)
	// Four pages of frames of a hundred hosts, each with a process: 512m ends some.
	e.gateway = start(t, settings{env: append(e.environment(), "GLOVEBOX_SECURITY_EFFECTS_DEFAULT=free"), sandbox: "container: {memory_limit: 2g, cpus: 2, pids_limit: 2048}"})
	e.as = e.curl(t, "agent")
	e.session = e.as.open(`{}`)
	return e
}

// environment allows the home, and the friend's hosts one by one: they are on
// a private address.
func (e *escape) environment() []string {
	plain, secure := e.friend.ports()
	enemy, enemySecure := e.enemy.ports()
	allowed := []string{"localhost:" + port(e.home.server.URL)}
	for _, w := range pageWays() {
		ports := []int{plain, secure}
		if strings.Contains(w.page, "{tcp}") {
			ports = append(ports, e.friend.sockets["tcp"+w.name])
		}
		for _, p := range ports {
			allowed = append(allowed, fmt.Sprintf("%s.friend.test:%d", w.name, p))
		}
	}
	network := "GLOVEBOX_SECURITY_NETWORK_"
	return []string{
		network + "NAVIGATION=localhost", network + "RESOLVER=" + e.names.Address(), network + "ALLOW_PRIVATE=" + strings.Join(allowed, ","),
		network + fmt.Sprintf("PORTS=80,443,%d,%d,%d,%d", plain, secure, enemy, enemySecure),
		"GLOVEBOX_SECURITY_MAX_ACTIONS_PER_SESSION=-1",
	}
}

// visit lets the session's pages try all ways at a canary: first those that use
// the whole tab, until done reports their end.
func (e *escape) visit(t *testing.T, at *canary, done func(name string) bool) {
	t.Helper()
	for _, w := range pageWays() {
		if w.alone {
			e.as.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q, "waitUntil": "domcontentloaded", "timeout": 120000}`, e.home.url("/way/"+at.suffix+"/"+w.name)))
			testwait.For(t, w.name, func() bool { return w.control == never || done(w.name) })
		}
	}
	for part := range waysParts {
		address := e.home.url(fmt.Sprintf("/ways/%s/%d", at.suffix, part))
		if part > 0 {
			tab := e.as.post("/v1/browser/tabs", `{}`).object(http.StatusCreated)["id"].(string)
			e.tabs = append(e.tabs, tab)
		}
		e.as.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q, "waitUntil": "domcontentloaded", "timeout": 120000}`, address)).object(http.StatusOK)
	}
}

// leave closes the pages of a visit, so that they take nothing from the next.
func (e *escape) leave(t *testing.T) {
	t.Helper()
	for _, tab := range e.tabs {
		e.as.do(http.MethodDelete, "/v1/browser/tabs/"+tab, "")
	}
	e.tabs = nil
	e.as.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q, "timeout": 120000}`, e.home.url("/rest"))).object(http.StatusOK)
}

func (e *escape) friendly(t *testing.T) {
	e.as.t = t
	began := time.Now()
	e.visit(t, e.friend, func(name string) bool {
		there, _ := e.friend.arrived()
		return there[name]
	})
	arrive(t, e.friend, func(w way) bool { return w.control == everywhere })
	e.leave(t)
	t.Logf("took %s", time.Since(began))
}

// arrive waits until all ways that should have reached a canary have.
func arrive(t *testing.T, c *canary, should func(way) bool) {
	t.Helper()
	missing := map[string]bool{}
	for _, w := range pageWays() {
		if should(w) {
			missing[w.name] = true
		}
	}
	ctx := testwait.Context(t)
	for {
		there, _ := c.arrived()
		maps.DeleteFunc(missing, func(name string, _ bool) bool { return there[name] })
		if len(missing) == 0 {
			return
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
			t.Errorf("these did not arrive where they may: %v\narrived %v", slices.Sorted(maps.Keys(missing)), slices.Sorted(maps.Keys(there)))
			return
		}
	}
}

func (e *escape) hostile(t *testing.T) {
	e.as.t = t
	began := time.Now()
	e.visit(t, e.enemy, func(name string) bool { return e.blocked(t)[name].Seq > 0 })
	e.recorded(t)
	e.leave(t)
	t.Logf("took %s", time.Since(began))
}

// recorded waits until each refusal is in the trail, with the page that asked.
func (e *escape) recorded(t *testing.T) {
	t.Helper()
	blocked := map[string]action.Record{}
	missing := func() (names []string) {
		for _, w := range pageWays() {
			if _, there := blocked[w.name]; (w.stop == byProxy || w.stop == byEngine) && !there {
				names = append(names, w.name)
			}
		}
		return names
	}
	defer func() {
		if names := missing(); len(names) > 0 {
			t.Errorf("the trail does not have %v", names)
		}
		for _, w := range pageWays() {
			if r, there := blocked[w.name]; there && !w.quiet && !strings.Contains(r.URL, "localhost:"+port(e.home.server.URL)) {
				t.Errorf("%s was asked for by %q (%s)", w.name, r.URL, r.Detail)
			}
		}
	}()
	testwait.For(t, "refusals in the trail", func() bool {
		blocked = e.blocked(t)
		return len(missing()) == 0
	})
}

// blocked returns the refusals of the enemy's hosts that are in the trail.
func (e *escape) blocked(t *testing.T) map[string]action.Record {
	t.Helper()
	all := map[string]action.Record{}
	for _, r := range e.trail(t) {
		if name, found := strings.CutSuffix(r.Domain, ".enemy.test"); found && r.EventType == "blocked" {
			all[name] = r
		}
	}
	return all
}

// withoutWalls does the same in a browser without isolation, which proves that
// ways which are stopped by more than a list were really tried.
func withoutWalls(t *testing.T) {
	began := time.Now()
	c := newCanary(t, "canary.test")
	h := newHome(t, c)
	browser := browsertest.EagerFor(t, "--host-resolver-rules=MAP *.canary.test 127.0.0.1", "--ignore-certificate-errors")
	conn := cdp.Open(browser.Transport(), 0, func(cdp.Event) {})
	t.Cleanup(func() { browser.Stop(); <-conn.Done() })
	var pages []string
	for _, w := range pageWays() {
		if w.control == unwalled {
			pages = append(pages, "/way/canary.test/"+w.name)
		}
	}
	for _, path := range pages {
		target := map[string]string{"url": h.url(path)}
		if err := conn.Root().Call(t.Context(), "Target.createTarget", target, nil); err != nil {
			t.Fatal(err)
		}
	}
	arrive(t, c, func(w way) bool { return w.control == unwalled })
	t.Logf("took %s", time.Since(began))
}

// nothingArrived checks all detectors.
func (e *escape) nothingArrived(t *testing.T) {
	t.Helper()
	if there, connections := e.enemy.arrived(); len(there)+connections > 0 {
		t.Errorf("%d connections and datagrams arrived: %v", connections, slices.Sorted(maps.Keys(there)))
	}
	for _, name := range e.names.Asked() {
		if strings.Contains(name, "enemy") {
			t.Errorf("the name server was asked for %s", name)
		}
	}
	if e.packets != nil {
		if n, one := e.packets.count(e.enemy.every()); n > 0 {
			t.Errorf("%d packets went to the ports of the enemy, such as %s", n, one)
		}
		if n, _ := e.packets.count(e.friend.every()); n == 0 {
			t.Error("no packet is seen going to the friend: the counter does not count")
		}
	}
}

// silent checks the counters of the box before a process in it sends anything
// itself: the browser has sent nothing except to its own loopback.
func (e *escape) silent(t *testing.T) {
	t.Helper()
	read := func(path string) string {
		out, err := exec.CommandContext(t.Context(), "docker", "exec", e.boxes()[0], "cat", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		return string(out)
	}
	interfaces := strings.Split(strings.TrimSpace(read("/proc/net/dev")), "\n")[2:]
	if len(interfaces) != 1 || !strings.HasPrefix(strings.TrimSpace(interfaces[0]), "lo:") {
		t.Errorf("interfaces %q", interfaces)
	}
	lines := strings.Split(read("/proc/net/snmp"), "\n")
	sent := map[string]string{}
	for i := 0; i+1 < len(lines); i += 2 {
		names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		for j := range min(len(names), len(values)) {
			sent[names[0]+names[j]] = values[j]
		}
	}
	if sent["Udp:OutDatagrams"] != "0" || sent["Icmp:OutMsgs"] != "0" || sent["Tcp:ActiveOpens"] == "0" {
		t.Errorf("the box sent %v", sent)
	}
}

// spelled lets the agent open forbidden addresses, and what is not a web page.
func (e *escape) spelled(t *testing.T) {
	e.as.t = t
	plain, _ := e.enemy.ports()
	for _, to := range spellings(plain, e.address, ownAddress(t)) {
		answer := e.as.post("/v1/browser/navigate", fmt.Sprintf(`{"url": %q}`, to))
		var problem struct{ Code string }
		if err := json.Unmarshal(answer.body, &problem); err != nil {
			t.Fatal(err)
		}
		if code := problem.Code; code != string(fault.BlockedDomain) && code != string(fault.InvalidURL) && code != string(fault.DeniedByPolicy) {
			t.Errorf("%s: %d %s", to, answer.status, answer.body)
		}
	}
}

// spellings are forbidden addresses, in forms that some parser got wrong, and
// schemes that do not belong to the web.
func spellings(port int, gateway, own string) (all []string) {
	for _, host := range []string{
		"127.0.0.1", "2130706433", "0177.0.0.1", "0x7f000001", "0x7f.1", "127.1", "127.0.0.1.", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
		"[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]", "169.254.169.254", "2852039166", "metadata.google.internal", "172.17.0.1", own,
		"%31%32%37.0.0.1", "\u2460\u2461\u2466.0.0.1", "127\u30020.0.1", "localhost", "a.localhost", "localhost.", "friend.test@enemy.test", "enemy.test",
	} {
		all = append(all, fmt.Sprintf("http://%s:%d/", host, port))
	}
	return append(all, "http://"+gateway+"/v1/health", "file:///etc/passwd", "data:text/html,x", "view-source:http://localhost/", "blob:http://localhost/x",
		"chrome://version", "chrome-untrusted://x", "devtools://devtools/bundled/inspector.html", "filesystem:http://localhost/temporary/x", "ftp://localhost/",
		"intent://x#Intent;scheme=http;end", "mailto:x@enemy.test", "javascript:alert(1)", "about:version", "chrome-extension://x/y", "ws://localhost/", "gopher://x/")
}

// client requests, as an operator's program can, a context that bypasses the
// proxy.
func (e *escape) client(t *testing.T) {
	conn := e.attach(t, e.session)
	for _, params := range []string{`{"proxyServer": "direct://"}`, `{"proxyBypassList": "*"}`} {
		call := `{"id": 77, "method": "Target.createBrowserContext", "params": ` + params + `}`
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(call)); err != nil {
			t.Fatal(err)
		}
		for {
			_, message, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(message), `"id":77`) {
				if !strings.Contains(string(message), `"error"`) {
					t.Errorf("%s: %s", params, message)
				}
				break
			}
		}
	}
}
