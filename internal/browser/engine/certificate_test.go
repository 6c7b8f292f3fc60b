package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// appliance is a server with a certificate of its own making, under two names: the
// first may be listed, the second is another host.
func appliance(t *testing.T, pages map[string]string) (listed, other string, seen *asked) {
	t.Helper()
	seen = &asked{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.note(r)
		if r.URL.Path == "/socket" {
			if c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
				_ = c.Close(websocket.StatusNormalClosure, "")
			}
			return
		}
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(r.URL.Path, ".js") {
			kind = "text/javascript"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(pages[r.URL.Path]))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), seen
}

func accepting(addresses ...string) func(*engine.Options) {
	return func(o *engine.Options) {
		for _, a := range addresses {
			o.SelfSigned = append(o.SelfSigned, strings.TrimPrefix(a, "https://"))
		}
	}
}

// asking has a document load from an origin in each way, and say that it is done.
const asking = `<script src="%[1]s/loaded.js"></script><img src="%[1]s/image"><iframe src="%[1]s/frame"></iframe><script>
	const worker = new Worker(URL.createObjectURL(new Blob(["fetch('%[1]s/worker', {mode: 'no-cors'}).then(() => postMessage(1), () => postMessage(0))"])))
	const opened = new Promise(done => { const s = new WebSocket("%[2]s/socket"); s.onopen = () => done(1); s.onerror = () => done(0) })
	const worked = new Promise(done => { worker.onmessage = e => done(e.data); worker.onerror = () => done(0) })
	const framed = new Promise(done => { document.querySelector("iframe").onload = () => done(1) })
	document.done = Promise.all([fetch("%[1]s/fetched", {mode: "no-cors"}).then(() => 1, () => 0), opened, worked, framed]).then(all => all.join())</script>`

func askingOf(origin string) string {
	return "<title>in</title>" + fmt.Sprintf(asking, origin, strings.Replace(origin, "http", "ws", 1))
}

var waysToAsk = []string{"/loaded.js", "/image", "/frame", "/fetched", "/worker", "/socket"}

// TestAListedHostMayHaveItsOwnCertificate for its pages, and all that they load
// from it. The same certificate is refused of another host, and of another port.
func TestAListedHostMayHaveItsOwnCertificate(t *testing.T) {
	pages := map[string]string{"/frame": "<p>frame", "/loaded.js": "loaded = 1"}
	listed, other, seen := appliance(t, pages)
	pages["/"] = askingOf(listed)
	second, _, _ := appliance(t, pages)
	tr := start(t, accepting(listed))
	tr.must("page.goto", &action.Goto{URL: listed})
	tr.wantTitle("in")
	tr.wantEval("document.done", "1,1,1,1")
	for _, path := range waysToAsk {
		if len(seen.to(path)) == 0 {
			t.Errorf("%s was not asked for", path)
		}
	}
	tr.wantEval(`navigator.serviceWorker.register("/loaded.js").then(() => "started", () => "refused")`, "refused")
	for _, address := range []string{other, second} {
		f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: address})
		if !strings.Contains(f.Message, "CERT_AUTHORITY_INVALID") || !strings.Contains(f.Hint, "security.network.allow_self_signed") || !strings.Contains(f.Hint, "security.network.ca_file") {
			t.Errorf("%s: %v, hint %q", address, f, f.Hint)
		}
	}
	tr.must("page.goto", &action.Goto{URL: listed})
	tr.wantTitle("in")
}

// TestAListedHostIsRefusedToPagesOfOthers, also when the browser has a connection
// to it: whoever answers in its place must not get into them.
func TestAListedHostIsRefusedToPagesOfOthers(t *testing.T) {
	listed, _, seen := appliance(t, map[string]string{"/frame": "<p>frame", "/loaded.js": "loaded = 1", "/": "<title>home</title>"})
	s, _ := noting(t, map[string]string{
		"/": askingOf(listed), "/outer": `<title>outer</title><iframe src="` + listed + `/inner"></iframe>`,
		"/moved.js": "-> " + listed + "/moved.js", "/redirected": `<title>redirected</title><script src="/moved.js"></script>`,
	})
	tr := start(t, accepting(listed))
	tr.must("page.goto", &action.Goto{URL: listed})
	tr.wantTitle("home")
	for _, from := range []string{s.URL, elsewhere(s)} { // of the same site, and of another
		tr.must("page.goto", &action.Goto{URL: from})
		tr.wantEval("document.done", "0,0,0,1")
		tr.must("page.goto", &action.Goto{URL: from + "/outer"})
		tr.must("page.goto", &action.Goto{URL: from + "/redirected"})
	}
	for _, path := range append(waysToAsk, "/inner", "/moved.js") {
		if found := seen.to(path); len(found) > 0 {
			t.Errorf("%s was asked for by a page of another host", path)
		}
	}
	tr.must("page.goto", &action.Goto{URL: listed})
	tr.wantTitle("home")
}

// TestWithoutAListNoCertificateIsTaken that the browser does not take by itself.
func TestWithoutAListNoCertificateIsTaken(t *testing.T) {
	host, _, seen := appliance(t, nil)
	tr := start(t)
	f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: host})
	if !strings.Contains(f.Message, "CERT_AUTHORITY_INVALID") || len(seen.to("/")) > 0 {
		t.Errorf("%v, and the server was asked: %d", f, len(seen.to("/")))
	}
}
