package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/page"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

const backgroundRequests = 200

// heldPage makes requests and says in its title how long they took: one after
// the other (?one), or many at once beside its own load (?many).
const heldPage = `<!doctype html><title>…</title><script>
const one = async () => {
  const began = performance.now();
  for (let i = 0; i < 50; i++) await (await fetch('/data?' + i)).text();
  document.title = 'each ' + (performance.now() - began) / 50;
};
const many = async () => {
  const began = performance.now();
  await Promise.all(Array.from({length: ` + "%d" + `}, (_, i) => fetch('/data?' + i).then(r => r.text())));
  document.title = 'all ' + (performance.now() - began);
};
addEventListener('load', () => location.search === '?one' ? one() : many());
</script>`

// BenchmarkHeld loads pages that make requests, with a bare protocol client and
// with the engine, which has each of them judged by the policy before it leaves.
// each-ms is one request of fifty that follow each other, all-ms a page with 200
// at once, from its load event.
func BenchmarkHeld(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/data" {
			_, _ = w.Write([]byte("{}"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, heldPage, backgroundRequests)
	}))
	b.Cleanup(site.Close)
	rules, err := policy.New(policy.Config{Enabled: true, AskAt: policy.AskAtWire})
	must(b, err)
	bare := newFloor(b.Context(), b, chromium(b))
	must(b, bare.tab.Call(b.Context(), "Network.enable", nil, nil))
	engine, err := page.Open(b.Context(), chromium(b), page.Options{
		Width: width, Height: height, Guard: func(string) error { return nil },
		Outgoing: func(_ context.Context, r action.Request) (action.Ruling, error) {
			v := rules.Effect(policy.Outgoing{Request: r, Owner: action.Agent})
			return action.Ruling{Effect: !v.Reads}, nil
		},
	})
	must(b, err)
	b.Cleanup(func() { _ = engine.Close() })
	title := func() string { return engine.Page().Title }
	for _, kind := range []struct{ query, unit string }{{"?one", "each"}, {"?many", "all"}} {
		b.Run(kind.unit, func(b *testing.B) {
			var floors, engines []time.Duration
			for b.Loop() {
				bare.load(site.URL + "/" + kind.query)
				floors = append(floors, told(b, func() string {
					var t string
					bare.evaluate(b.Context(), b, "document.title", &t)
					return t
				}))
				args := &action.Goto{URL: site.URL + "/" + kind.query}
				_, pin, err := engine.Look(b.Context(), "page.goto", args)
				must(b, err)
				_, err = engine.Do(b.Context(), "page.goto", args, pin)
				must(b, err)
				engines = append(engines, told(b, func() string {
					_, err := engine.Do(b.Context(), "page.extract", &action.Extract{Mode: "title"}, action.Pin{})
					must(b, err)
					return title()
				}))
			}
			b.ReportMetric(inMillis(median(floors)), "floor-"+kind.unit+"-ms")
			b.ReportMetric(inMillis(median(engines)), "engine-"+kind.unit+"-ms")
		})
	}
}

// told waits until a title says how long something took, and returns that in
// milliseconds.
func told(b *testing.B, title func() string) time.Duration {
	b.Helper()
	for deadline := time.Now().Add(loadLimit); time.Now().Before(deadline); {
		var word string
		var took float64
		if n, _ := fmt.Sscanf(title(), "%s %g", &word, &took); n == 2 {
			return time.Duration(took * float64(time.Millisecond))
		}
	}
	b.Fatal("the page did not say how long it took")
	return 0
}

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
