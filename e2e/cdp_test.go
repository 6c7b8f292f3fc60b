package e2e

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testcache"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// journey runs a script of a client against the gateway's most recent session.
func (g *gateway) journey(t *testing.T, script, session string, with ...string) {
	t.Helper()
	node := exec.CommandContext(testwait.Context(t), "node", script)
	node.Dir = testcache.Project(t, "cdp")
	node.Env = append(os.Environ(), "BASE=http://"+g.address, "TOKEN="+g.token("operator"), "SITE="+g.site, "SESSION="+session)
	node.Env = append(node.Env, with...)
	if out, err := node.CombinedOutput(); err != nil || !strings.HasSuffix(string(bytes.TrimSpace(out)), "ok") {
		t.Fatalf("%s: %v\n%s\n%s", script, err, out, g.log.String())
	}
}

func TestClientsOfTheProtocol(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	g := start(t, settings{})
	c := g.curl(t, "operator")
	for _, script := range []string{"playwright.mjs", "puppeteer.mjs", "cri.mjs"} {
		t.Run(script, func(t *testing.T) {
			id := c.open(`{}`)
			out, complaint, status := g.command(t, "cdp", "url", "-s", id, "--for", "10m")
			ticket, _, _ := strings.Cut(out, "\n")
			if status != 0 || !strings.HasPrefix(ticket, "ws://") {
				t.Fatalf("%d %s%s", status, out, complaint)
			}
			g.journey(t, script, "", "TICKET="+ticket)
			c.post("/v1/sessions/"+id+"/close", "")
			trail := string(c.get("/v1/audit?session=" + id + "&limit=1000").body)
			for _, recorded := range []string{"cdp.attach", "Page.navigate: ", "refused", "left after"} {
				if !strings.Contains(trail, recorded) {
					t.Errorf("the audit lacks %q", recorded)
				}
			}
			_, secret, _ := strings.Cut(ticket, "access_token=")
			if all := trail + g.log.String(); strings.Contains(all, g.token("operator")) || strings.Contains(all, secret) {
				t.Error("a token is in the audit or the log")
			}
		})
	}
}

// attach connects a client to the gateway's newest session, and makes a call to
// make sure that it is served.
func (g *gateway) attach(t *testing.T, session string) *websocket.Conn {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + g.token("operator")}}
	conn, _, err := websocket.Dial(t.Context(), "ws://"+g.address+"/v1/sessions/"+session+"/browser/cdp", &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"method":"Browser.getVersion"}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestClientsLearnHowTheirBrowserEnded(t *testing.T) {
	testenv.Heavy(t)
	for name, ending := range map[string]struct {
		end  func(g *gateway, id string)
		code websocket.StatusCode
	}{
		"killed": {func(g *gateway, _ string) {
			for _, pid := range g.chromium(t, "browser") {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		}, websocket.StatusInternalError},
		"closed": {func(g *gateway, id string) {
			g.curl(t, "operator").post("/v1/sessions/"+id+"/close", "").object(http.StatusOK)
		}, websocket.StatusNormalClosure},
		"shutdown": {func(g *gateway, _ string) { g.end(syscall.SIGTERM) }, websocket.StatusServiceRestart},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, settings{})
			id := g.curl(t, "operator").open(`{}`)
			conn := g.attach(t, id)
			told := make(chan error, 1)
			go func() {
				_, _, err := conn.Read(t.Context())
				told <- err
			}()
			ending.end(g, id)
			if err := testwait.Receive(t, told, "the client to be told"); websocket.CloseStatus(err) != ending.code {
				t.Errorf("told %v, want %d", err, ending.code)
			}
		})
	}
}

func TestAgentsAndUnknownCallersCannotAttach(t *testing.T) {
	g := start(t, settings{})
	g.curl(t, "operator").open(`{}`)
	upgrade := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	g.curl(t, "agent").get("/v1/browser/cdp", upgrade...).problem(fault.DeniedByPolicy)
	g.curl(t, "operator").get("/v1/browser/cdp").object(http.StatusOK)
	for path, want := range map[string]int{
		"/v1/browser/cdp": http.StatusUnauthorized, "/v1/browser/cdp?access_token=wrong": http.StatusUnauthorized,
		"/v1/browser/cdp/json/version": http.StatusUnauthorized, "/json/version": http.StatusOK,
		"/v1/browser/tabs?access_token=" + g.token("operator"): http.StatusUnauthorized,
	} {
		res, err := http.Get("http://" + g.address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("a stranger gets %d from %s, want %d", res.StatusCode, strings.Split(path, "?")[0], want)
		}
	}
}

// TestDownloadsReachAForwardedClient simulates a client on another machine than
// the gateway.
func TestDownloadsReachAForwardedClient(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	g := start(t, settings{})
	id := g.curl(t, "operator").open(`{}`)
	forward := exec.Command(binary, "cdp", "forward", "-s", id, "--config", g.config)
	forward.Env = append(os.Environ(), g.env...)
	out, err := forward.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := forward.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("it printed %q: %v", address, err)
	}
	g.journey(t, "saveas.mjs", id, "FORWARD="+strings.TrimSpace(address), "SIZE="+strconv.Itoa(len(downloadable)))
	if err := forward.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := forward.Wait(); err != nil {
		t.Errorf("interrupted it ended with %v", err)
	}
}
