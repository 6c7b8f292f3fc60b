package egress

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const batch = 100 // addresses that the browser parses in one call

// read is an address as Chromium parses it.
type read struct {
	Host string `json:"host"` // as in URL.hostname; empty if it is not an address
	Port string `json:"port"`
	User bool   `json:"user"`
}

// reader is a real Chromium that parses addresses.
type reader struct {
	t       *testing.T
	session *cdp.Session
}

func newReader(t *testing.T) *reader {
	t.Helper()
	browser := browsertest.For(t)
	conn := cdp.Open(browser.Transport(), 0, func(cdp.Event) {})
	t.Cleanup(func() { browser.Stop(); <-conn.Done() })
	var target struct {
		ID string `json:"targetId"`
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	r := &reader{t: t}
	if err := conn.Root().Call(testwait.Context(t), "Target.createTarget", map[string]string{"url": "about:blank"}, &target); err != nil {
		t.Fatal(err)
	}
	attach := map[string]any{"targetId": target.ID, "flatten": true}
	if err := conn.Root().Call(testwait.Context(t), "Target.attachToTarget", attach, &attached); err != nil {
		t.Fatal(err)
	}
	r.session = conn.Session(attached.Session)
	return r
}

const readAll = `function() { return [...arguments].map(raw => {
  try { const u = new URL(raw); return {host: u.hostname, port: u.port, user: u.username + u.password != ""} } catch { return {host: "", port: ""} }
}) }`

// read lets Chromium parse addresses. They are passed as arguments, so that they
// need no quoting.
func (r *reader) read(addresses []string) []read {
	r.t.Helper()
	args := make([]map[string]string, len(addresses))
	for i, a := range addresses {
		args[i] = map[string]string{"value": a}
	}
	var global struct {
		Result struct {
			ID string `json:"objectId"`
		} `json:"result"`
	}
	if err := r.session.Call(testwait.Context(r.t), "Runtime.evaluate", map[string]string{"expression": "globalThis"}, &global); err != nil {
		r.t.Fatal(err)
	}
	var answer struct {
		Result struct {
			Value []read `json:"value"`
		} `json:"result"`
	}
	call := map[string]any{"functionDeclaration": readAll, "objectId": global.Result.ID, "arguments": args, "returnByValue": true}
	if err := r.session.Call(testwait.Context(r.t), "Runtime.callFunctionOn", call, &answer); err != nil {
		r.t.Fatal(err)
	}
	if len(answer.Result.Value) != len(addresses) {
		r.t.Fatalf("%d answers to %d addresses", len(answer.Result.Value), len(addresses))
	}
	return answer.Result.Value
}

// Parts of addresses that parsers are known to treat differently.
var (
	schemes    = []string{"http", "https", "HTTP", "hTTps", "http", "https"}
	slashes    = []string{"://", ":\\\\", ":/", ":", ":///", ":\\/", "://", "://", "://"}
	userInfos  = []string{"", "", "", "", "user@", "user:pw@", "@", ":@", "a%40b@", "allowed.example@", "x@y@", "%00@"}
	labels     = []string{"example", "allowed", "www", "EXAMPLE", "bücher", "xn--bcher-kva", "ｅｘａｍｐｌｅ", "ß", "faß", "a_b", "-x", "x-", "xn--", "xn--a", "xn--ls8h", "☃", "i❤", "ﷺ", "\u00ad", "a\u00adb", "a\u200db", "a\u200cb", "\u200b", "٣", "①②③", "1", "0x7f", "0177", "08", "256", "2130706433", "%65xample", "%2e", "%00", "%25", "K", "ſ", "İ", "ı", "Ⅷ", "𝐞𝐱", "日本", "العربية", strings.Repeat("a", 63), strings.Repeat("a", 64)}
	dots       = []string{".", ".", ".", ".", "。", "．", "｡", "%2e", "%2E", "..", ""}
	ends       = []string{"com", "test", "co.uk", "127.0.0.1", "0.1", "1", "com.", "com..", "0x1", "中国", "onion", "local", ""}
	literals   = []string{"[::1]", "[::ffff:127.0.0.1]", "[1:2::3]", "[::1%25eth0]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]", "[::1", "::1]", "[0:0:0:0:0:0:0:1]", "[v1.a]", "127.1", "2130706433", "0x7f.1", "017700000001", "127.0.0.1.", "0", "4294967296", "1.2.3.4.5", "1.2.3.08", "0x", "127.0.0.0x1", "１２７.0.0.1", "localhost", "LOCALHOST."}
	ports      = []string{"", "", "", "", ":80", ":443", ":8080", ":", ":0", ":00080", ":65535", ":65536", ":8a", ":-1", ": 80", ":８０"}
	tails      = []string{"/", "", "/path", "?q", "#f", "\\x", "/@evil.example", "?@evil.example", "#@evil.example", "\\@evil.example", "/..//", ";x", "/%00"}
	intrusions = []string{"\t", "\n", "\r", "\x00", " ", "\\", "%", "%0a", "\u00a0", "\u2028", "\ufeff", "\x7f", "<", "|", "^", "`", "@", "/", "?", "#", ":", "[", "]", "\u202e", "\ufffd"}
)

func addresses(t *rapid.T) string {
	pick := func(from []string, label string) string { return rapid.SampledFrom(from).Draw(t, label) }
	host := ""
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		host = pick(literals, "literal")
	case 1:
		host = rapid.StringN(1, 12, -1).Draw(t, "anything")
	default:
		for range rapid.IntRange(1, 3).Draw(t, "labels") {
			host += pick(labels, "label") + pick(dots, "dot")
		}
		host += pick(ends, "end")
	}
	raw := pick(schemes, "scheme") + pick(slashes, "slashes") + pick(userInfos, "user") + host + pick(ports, "port") + pick(tails, "tail")
	if rapid.IntRange(0, 3).Draw(t, "intrudes") == 0 {
		at := rapid.IntRange(0, len(raw)).Draw(t, "at")
		raw = raw[:at] + pick(intrusions, "intrusion") + raw[at:]
	}
	return strings.ToValidUTF8(raw, "\ufffd")
}

// TestAddressesHaveTheSameHostAsInChromiumOrAreRefused checks that the proxy
// parses the same host as Chromium, or refuses the address.
func TestAddressesHaveTheSameHostAsInChromiumOrAreRefused(t *testing.T) {
	chromium := newReader(t)
	rules, err := compile(action.Network{Navigation: []string{"example.com", "*.example.com", "allowed.example", "*.test", "xn--bcher-kva.com"}, Subresources: "listed", Listed: []string{"*.co.uk", "localhost"}})
	if err != nil {
		t.Fatal(err)
	}
	var seen, agreed int
	rapid.Check(t, func(rt *rapid.T) {
		all := make([]string, batch)
		for i := range all {
			all[i] = addresses(rt)
		}
		for i, theirs := range chromium.read(all) {
			seen++
			ours, err := parseDestination(all[i])
			if err != nil {
				continue
			}
			agreed++
			if complaint := disagreement(ours, theirs, rules); complaint != "" {
				rt.Fatalf("%q: %s", all[i], complaint)
			}
		}
	})
	t.Logf("of %d addresses %d are accepted, all with the same host and port", seen, agreed)
	if agreed < seen/20 {
		t.Errorf("only %d of %d addresses are accepted", agreed, seen)
	}
}

// disagreement describes a difference between our parsing and Chromium's, and
// whether rules would allow ours but not Chromium's.
func disagreement(ours destination, theirs read, r *rules) string {
	host := strings.TrimSuffix(strings.Trim(theirs.Host, "[]"), ".")
	port := theirs.Port
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[ours.scheme]
	}
	switch {
	case host != ours.host:
		return fmt.Sprintf("we read host %q, Chromium %q", ours.host, theirs.Host)
	case port != fmt.Sprint(ours.port):
		return fmt.Sprintf("we read port %d, Chromium %q", ours.port, theirs.Port)
	case theirs.User:
		return "Chromium reads a user name in it"
	}
	for _, list := range [][]pattern{r.navigation, r.listed} {
		for _, p := range list {
			below := strings.HasSuffix(host, "."+p.host)
			if p.matches(ours.host) != (p.subs && below || !p.subs && host == p.host) {
				return fmt.Sprintf("pattern %+v is wrong on %s", p, host)
			}
		}
	}
	return ""
}

// TestHostileSpellingsHaveTheSameHostAsInChromiumOrAreRefused uses the spellings
// of other tests, and inserts each hostile part at each position of a normal
// address.
func TestHostileSpellingsHaveTheSameHostAsInChromiumOrAreRefused(t *testing.T) {
	chromium := newReader(t)
	var all []string
	for _, h := range hostile {
		all = append(all, "http://"+h.host+"/path")
	}
	const honest = "http://www.example.com:80/x"
	for at := range len(honest) {
		for _, intrusion := range intrusions {
			all = append(all, honest[:at]+intrusion+honest[at:])
		}
	}
	none := &rules{}
	for i, theirs := range chromium.read(all) {
		if ours, err := parseDestination(all[i]); err == nil {
			if complaint := disagreement(ours, theirs, none); complaint != "" {
				t.Errorf("%q: %s", all[i], complaint)
			}
		}
	}
}
