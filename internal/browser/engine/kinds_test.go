package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// kindsSite has a page that uses the network in every other way there is.
func kindsSite() http.Handler {
	mux := http.NewServeMux()
	say := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		})
	}
	say("/{$}", "text/html", `<title>kinds</title><script>
		new WebSocket('ws://' + location.host + '/socket')
		new EventSource('/events')
		navigator.sendBeacon('/beacon', 'b')
		const far = location.origin.replace('127.0.0.1', 'localhost')
		fetch(far + '/preflighted', {method: 'PUT'}).then(r => r.text()); fetch(far + '/refused', {method: 'PUT'}).catch(() => {})
		fetch('/cached').then(r => r.text()).then(() => fetch('/cached?')).then(r => r.text()).then(() => fetch('/cached')).then(() => fetch('/after'))
		CSS.paintWorklet?.addModule('/worklet.js')
		</script>`)
	mux.HandleFunc("/socket", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err == nil {
			_ = c.Close(websocket.StatusNormalClosure, "")
		}
	})
	say("/events", "text/event-stream", "data: 1\n\n")
	say("/worklet.js", "text/javascript", `console.log('from a worklet')`)
	say("/beacon", "text/plain", "")
	say("/after", "text/plain", "after")
	mux.HandleFunc("/cached", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write([]byte(strings.Repeat("c", 5000)))
	})
	mux.HandleFunc("/preflighted", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Methods", "PUT")
	})
	mux.HandleFunc("/refused", func(http.ResponseWriter, *http.Request) {})
	return mux
}

func TestNetworkShowsRequestsOfEveryKind(t *testing.T) {
	tr := start(t)
	s := listen(t, kindsSite())
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.ended("/after")
	for words, status := range map[string]int{"/socket": 101, "/events": 200, "/beacon": 200, "/worklet.js": 200} {
		if got := tr.ended(words); got.Status != status || got.Error != "" {
			t.Errorf("%s is %+v", words, got)
		}
	}
	if got := tr.ended("/beacon"); got.Method != "POST" {
		t.Errorf("the beacon is %+v", got)
	}
	tr.ended("/preflighted")
	tr.ended("/refused")
	methods := map[string]string{}
	var cached []int64
	for _, r := range tr.network(action.ReadNetwork{Limit: 1000}) {
		switch {
		case strings.HasSuffix(r.URL, "/cached"):
			cached = append(cached, r.ResponseSize)
		case strings.HasSuffix(r.URL, "/preflighted"), strings.HasSuffix(r.URL, "/refused"):
			methods[r.URL[strings.LastIndex(r.URL, "/"):]+" "+r.Method] = fmt.Sprint(r.Status, " ", r.Error)
		}
	}
	if len(cached) != 2 || cached[0] < 5000 || cached[1] != 0 {
		t.Errorf("bytes transferred for an answer and for the same from the cache: %v", cached)
	}
	want := map[string]string{
		"/preflighted OPTIONS": "200 ", "/preflighted PUT": "200 ", "/refused OPTIONS": "200 ", "/refused PUT": "0 net::ERR_FAILED (CORS: PreflightMissingAllowOriginHeader)",
	}
	if diff := cmp.Diff(want, methods); diff != "" {
		t.Errorf("across origins:\n%s", diff)
	}
	tr.wrote("from a worklet")
}

func TestNetworkShowsWhatAServiceWorkerAnswers(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>sw</title><script>navigator.serviceWorker.register('/sw.js'); navigator.serviceWorker.addEventListener('controllerchange', async () => { document.title = await (await fetch('/made')).text() })</script>`))
	})
	mux.HandleFunc("/sw.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(`console.log('from a service worker'); onactivate = e => e.waitUntil(clients.claim()); onfetch = e => { if (e.request.url.endsWith('/made')) e.respondWith(fetch('/real').then(() => new Response('made'))) }`))
	})
	mux.HandleFunc("/real", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("real")) })
	s := listen(t, mux)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	if got := tr.ended("/made"); got.Status != 200 || got.Error != "" {
		t.Errorf("what the worker answered is %+v", got)
	}
	if got := tr.ended("/real"); got.Status != 200 || got.ResponseSize < 4 {
		t.Errorf("what the worker fetched is %+v", got)
	}
	if got := tr.ended("/sw.js"); got.Status != 200 {
		t.Errorf("the worker's script is %+v", got)
	}
	tr.wrote("from a service worker")
}

// TestAFloodOfRequestsIsBounded makes five thousand requests. Most are for a
// port that the browser refuses: they are told of like the others, in less time.
func TestAFloodOfRequestsIsBounded(t *testing.T) {
	testenv.Heavy(t)
	alone(t)
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<title>many</title><button onclick="document.title += '!'">More</button><script>
				const lane = async from => { for (let i = from; i < 5000; i += 20) if (i % 10) await fetch('http://127.0.0.1:1/' + i + '?' + 'q'.repeat(500)).catch(() => {}); else await (await fetch('/n/' + i)).text() }
				const over = Promise.all(Array.from({length: 20}, (_, i) => lane(i))).then(() => fetch('/over'))</script>`)
		}
	}))
	before := heap()
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.must("page.click", &action.Click{Locator: selector("button")})
	tr.wantTitle("many!")
	tr.must("page.execute", &action.Execute{Expression: "over.then(() => 1)", AwaitPromise: true, Timing: action.Timing{Timeout: 110_000}})
	if all := tr.network(action.ReadNetwork{Limit: 1000}); len(all) != 1000 {
		t.Errorf("%d requests are kept", len(all))
	}
	if grown := heap() - before; grown > 8 {
		t.Errorf("the heap grew by %d MiB", grown)
	}
}
