package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// applications draw their content by script after the load, each in its way.
var applications = map[string]string{
	"a fetch after the load": `<h1>Mail</h1><p id=out>Inbox</p><script>
		onload = () => setTimeout(async () => { document.getElementById('out').textContent = await (await fetch('/data')).text() }, 20)</script>`,
	"a bundle with a timer":    `<div id=root></div><script src=/bundle.js></script>`,
	"two fetches in a row":     `<div id=root></div><script>onload = () => setTimeout(async () => { await fetch('/data'); document.getElementById('root').innerHTML = '<p>' + await (await fetch('/data?2')).text() }, 20)</script>`,
	"words while it loads":     `<p id=out>Loading…</p><script>setTimeout(() => { document.getElementById('out').textContent = 'Hello Ada' }, 400)</script>`,
	"hidden until it is drawn": `<style>html { display: none }</style><h1>Hello Ada</h1><input aria-label=User><script>onload = () => setTimeout(() => { document.documentElement.style.display = 'block' }, 300)</script>`,
	"a module and a spinner":   `<div id=root><div role=progressbar style="width:20px;height:20px"></div></div><script type=module>setTimeout(() => { document.getElementById('root').innerHTML = '<p>Hello Ada' }, 300)</script>`,
}

func served(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/app", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>App</title>", applications[r.URL.Query().Get("how")])
	})
	mux.HandleFunc("/bundle.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "setTimeout(() => { document.title = 'Drawn'; document.getElementById('root').innerHTML = '<p>Hello Ada' }, 250)")
	})
	mux.HandleFunc("/data", func(w http.ResponseWriter, r *http.Request) {
		testwait.Latency(r.Context(), 100*time.Millisecond)
		fmt.Fprint(w, "Hello Ada")
	})
	return listen(t, mux).URL
}

func TestANavigationAnswersWhenTheApplicationHasDrawn(t *testing.T) {
	at, tr := served(t), start(t)
	for how := range applications {
		address := at + "/app?how=" + strings.ReplaceAll(how, " ", "+")
		went := tr.must("page.goto", &action.Goto{URL: address}).Data.(*action.Navigated)
		if text := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text; !strings.Contains(text, "Hello Ada") || went.Loading {
			t.Errorf("%s: %q, %+v", how, text, went)
		}
		if want := map[bool]string{true: "Drawn", false: "App"}[strings.Contains(how, "bundle")]; went.Title != want {
			t.Errorf("%s: title %q", how, went.Title)
		}
		if got := tr.told(bot, "page.goto", &action.Goto{URL: address}); got.Snapshot == nil || !strings.Contains(got.Snapshot.Text, "Hello Ada") || got.Late {
			t.Errorf("%s, told: %+v", how, got.Snapshot)
		}
	}
}

func TestAPageThatGoesOnLoadingSaysSo(t *testing.T) {
	tr := start(t)
	s := serve(t, `<!doctype html><p>Loading...</p><script>setInterval(() => {}, 50)</script>`)
	began := time.Now()
	if went := tr.must("page.goto", &action.Goto{URL: s.URL}).Data.(*action.Navigated); !went.Loading {
		t.Errorf("%+v after %s", went, time.Since(began))
	}
	if got := tr.told(bot, "page.goto", &action.Goto{URL: s.URL}); !got.Late || got.Snapshot == nil {
		t.Errorf("%+v", got)
	}
	if went := tr.must("page.goto", &action.Goto{URL: s.URL, WaitUntil: "domcontentloaded"}).Data.(*action.Navigated); went.Loading {
		t.Errorf("%+v, where the end of the parsing was asked for", went)
	}
}

// BenchmarkGoto is what a navigation costs, of pages without and with a script.
func BenchmarkGoto(b *testing.B) {
	for name, html := range map[string]string{
		"static": `<!doctype html><title>Static</title><h1>Static</h1><p>Words on a page.</p><a href=/>Home</a>`,
		"script": `<!doctype html><title>Script</title><h1>Script</h1><p>Words on a page.</p><a href=/>Home</a><script>document.title += '!'</script>`,
	} {
		for _, report := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/report=%v", name, report), func(b *testing.B) {
				tr, s := start(b), serve(b, html)
				if report {
					tr.ctx = viewing(tr)
				}
				for b.Loop() {
					tr.must("page.goto", &action.Goto{URL: s.URL})
				}
			})
		}
	}
}
