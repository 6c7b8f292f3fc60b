package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// tries is a page that tries several ways out of the box, and reports the result
// of each.
const tries = `<!doctype html><script>
const over = (promise, name) => promise.then(v => [name, v], () => [name, "failed"]);
const get = url => fetch(url, {mode: "cors"}).then(r => r.headers.get("X-Glovebox-Refused") ? "refused" : r.text());
const talk = url => new Promise((done, fail) => {
  const s = new WebSocket(url);
  s.onopen = () => s.send("ping"); s.onmessage = m => done(m.data); s.onerror = fail;
});
Promise.all([
  over(get("/big"), "plain"), over(get("https://cdn.app.test/x"), "tls"), over(talk("ws://app.test/ws"), "ws"),
  over(talk("wss://cdn.app.test/ws"), "wss"), over(get("https://evil.test/"), "evil tls"), over(get("/away"), "evil redirect"),
  over(talk("ws://evil.test/ws"), "evil ws"), over(get("http://127.0.0.1:%s/"), "loopback"), over(get("http://169.254.169.254/"), "metadata"),
  over(get("http://localhost/"), "localhost"), over(get("http://[::1]/"), "loopback6"), over(get("https://rebind.app.test/"), "rebind"),
]).then(all => fetch("/report", {method: "POST", body: JSON.stringify(Object.fromEntries(all))}));
</script>`

func TestChromiumGetsOutOnlyThroughTheProxy(t *testing.T) {
	w := newTestNetwork(t, nil)
	report := make(chan map[string]string, 1)
	secret, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = secret.Close() }()
	_, port, _ := net.SplitHostPort(secret.Addr().String())
	site := http.NewServeMux()
	site.Handle("/ws", echo)
	site.HandleFunc("/{$}", func(rw http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(rw, tries, port) })
	site.HandleFunc("/big", func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "big") })
	site.HandleFunc("/x", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = io.WriteString(rw, "x")
	})
	site.Handle("/away", http.RedirectHandler("http://evil.test/", http.StatusFound))
	site.HandleFunc("/report", func(_ http.ResponseWriter, r *http.Request) {
		var m map[string]string
		_ = json.NewDecoder(r.Body).Decode(&m)
		report <- m
	})
	w.serve("app.test", "9.9.9.9:80", site)
	w.secure("cdn.app.test", "9.9.9.9:443", site)
	w.names["rebind.app.test"] = [][]string{{"127.0.0.1"}}
	w.open(action.Network{Navigation: []string{"app.test"}, Subresources: "same-site"})
	browse(t, w, "http://app.test/")

	got := testwait.Receive(t, report, "the page's report")
	for name, want := range map[string]string{"plain": "big", "tls": "x", "ws": "ping", "wss": "ping"} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	for name, result := range got {
		if result != "failed" {
			t.Errorf("%s: %q, want it to fail", name, result)
		}
	}
	for _, d := range w.dials() {
		if d != "9.9.9.9:80" && d != "9.9.9.9:443" {
			t.Errorf("the proxy dialled %s", d)
		}
	}
	for _, r := range w.proxy.Refusals("box") {
		t.Logf("refused %s: %s (page: %v)", r.Host, r.Reason, r.Page)
	}
}

// browse opens url in a Chromium whose only proxy is ours.
func browse(t *testing.T, w *testNetwork, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.proxy.Handle("box", conn)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-accepting })
	browser := browsertest.For(t, "--proxy-server="+l.Addr().String(), "--proxy-bypass-list=<-loopback>", "--ignore-certificate-errors",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
	conn := cdp.Open(browser.Transport(), 0, func(cdp.Event) {})
	t.Cleanup(func() { browser.Stop(); <-conn.Done() })
	if err := conn.Root().Call(testwait.Context(t), "Target.createTarget", map[string]string{"url": url}, nil); err != nil {
		t.Fatal(err)
	}
}
