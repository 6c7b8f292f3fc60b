package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// asks is a page that asks for something of a host of its own in several ways.
const asks = `<title>asks</title><script>
const ask = (host, path = "/") => fetch("http://" + host + ".test" + path, {mode: "no-cors"}).catch(() => {})
ask("script"); new WebSocket("ws://socket.test/")
new Worker(URL.createObjectURL(new Blob(['fetch("http://blob-worker.test/", {mode: "no-cors"}).catch(() => {})'])))
new Worker("/worker.js")
</script><img src="http://picture.test/a?secret=1"><iframe src="/frame"></iframe>`

func TestItIsKnownWhichDocumentAskedForAHost(t *testing.T) {
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			_, _ = fmt.Fprint(w, asks)
		case "/frame":
			_, _ = fmt.Fprint(w, `<iframe src="http://inner.test/"></iframe>`)
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprint(w, `fetch("http://worker.test/", {mode: "no-cors"}).catch(() => {})`)
		}
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/?token=secret"})
	for host, want := range map[string]string{
		"script.test": s.URL + "/", "socket.test": s.URL + "/", "picture.test": s.URL + "/", "inner.test": s.URL + "/frame",
		"worker.test": s.URL + "/worker.js", "blob-worker.test": "blob:" + s.URL,
	} {
		if got := tr.Browser.Initiator(tr.ctx, host); got != want {
			t.Errorf("%s was asked for by %q, want %s", host, got, want)
		}
	}
	gone, end := context.WithCancel(t.Context())
	end()
	if got := tr.Browser.Initiator(gone, "nobody.test"); got != "" {
		t.Errorf("%q asked for what nobody asked for", got)
	}
}

func TestARefusedDocumentNamesWhatAskedForIt(t *testing.T) {
	tr, told := guarded(t)
	var other string
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other+"/redirected", http.StatusFound)
		case "/framed":
			_, _ = fmt.Fprintf(w, `<title>framed</title><iframe src="%s/frame"></iframe>`, other)
		default:
			_, _ = fmt.Fprintf(w, `<title>here</title><a id=a href="%[1]s/link">More</a><a id=b target=_blank href="%[1]s/popup">More</a>`, other)
		}
	}))
	other = elsewhere(s)
	wants := func(path, document string) {
		t.Helper()
		r := testwait.Receive(t, told, "word of "+path)
		if r.Document != s.URL+document || !strings.HasSuffix(r.URL, path) {
			t.Errorf("%+v, want %s asked for by %s", r, path, document)
		}
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/framed?secret=1"})
	wants("/frame", "/framed")
	tr.refuse(fault.BlockedDomain, "page.goto", &action.Goto{URL: s.URL + "/away?secret=1"})
	wants("/redirected", "/away")
	for id, path := range map[string]string{"#a": "/link", "#b": "/popup"} {
		tr.must("page.goto", &action.Goto{URL: s.URL + "/page?secret=1"})
		_, _ = tr.do("page.click", &action.Click{Locator: selector(id)}) // what comes of it is told
		wants(path, "/page")
	}
}

// guarded starts a browser that may load no document from localhost, and tells
// of each that was refused.
func guarded(t *testing.T) (*trial, <-chan action.Refusal) {
	t.Helper()
	told := make(chan action.Refusal, 100)
	return start(t, func(o *engine.Options) {
		o.Guard = func(u string) error {
			if strings.Contains(u, "localhost") {
				return fault.New(fault.BlockedDomain, "localhost is not allowed").Hinted("stay here")
			}
			return nil
		}
		o.Refused = func(r action.Refusal) { told <- r }
	}), told
}
