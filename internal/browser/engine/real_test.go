package engine_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/corpus"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// Bounds that real pages keep to, in tokens of o200k, and by how much a
// snapshot's own figure may be above what it takes, in the middle.
const (
	usualMiddle = 2500
	usualBudget = 6000
	usualWaste  = 0.20
)

// every is how many of the real pages are taken: all of them take minutes.
var every = flag.Int("every", 4, "take each n-th of the real pages")

// TestRealPagesAreShortAndKeepToTheirBudget is where docs/benchmarks.md has its
// table from: go test -v -run TestRealPages ./internal/browser/engine -every 1
func TestRealPagesAreShortAndKeepToTheirBudget(t *testing.T) {
	pages, err := corpus.All()
	must(t, err)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	must(t, err)
	var all, acts, waste []float64
	for i, p := range pages {
		if i%(*every*testenv.Step(3)) != 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			tr := start(t, func(o *engine.Options) { o.Width, o.Height = 1280, 720 })
			tr.must("page.goto", &action.Goto{URL: saved(t, p.HTML), WaitUntil: "domcontentloaded"})
			for _, a := range []*action.TakeSnapshot{{}, {Interactive: true}} {
				shot := tr.shows(a)
				n, err := codec.Count(shot.Text)
				must(t, err)
				if n > shot.Tokens || shot.Tokens > usualBudget {
					t.Errorf("%d tokens are said to be %d", n, shot.Tokens)
				}
				if a.Interactive {
					acts = append(acts, float64(n))
					continue
				}
				all, waste = append(all, float64(n)), append(waste, float64(shot.Tokens-n)/float64(n))
			}
		})
	}
	report(t, "default", all)
	report(t, "interactive", acts)
	report(t, "bound above count", waste)
	if middle(all) > usualMiddle || middle(waste) > usualWaste {
		t.Errorf("in the middle a page takes %.0f tokens, and is thought to take %.0f %% more", middle(all), middle(waste)*100)
	}
}

// saved serves a page, and nothing beside it: what it loads from elsewhere is
// named so that nobody is asked.
func saved(t *testing.T, html []byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline' 'unsafe-eval' data:")
		_, _ = w.Write(html)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func middle(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
}

func report(t *testing.T, what string, figures []float64) {
	t.Helper()
	m := middle(figures)
	t.Logf("%s: %d pages, median %.2f, p90 %.2f, most %.2f", what, len(figures), m, figures[len(figures)*9/10], figures[len(figures)-1])
}
