package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	backgroundRequests = 200
	serverTime         = 20 * time.Millisecond // of a server that is not on this machine
)

// heldPage makes requests and tells its server how long they took: one after
// the other (?each), or many at once (?all), which the server answers after 20 ms
// (?later).
const heldPage = `<!doctype html><title>Requests</title><script>
const each = async () => {
  for (let i = 0; i < 50; i++) await (await fetch('/data?' + i)).text();
  return 50;
};
const image = async (when, i) => {
  const shown = new Image();
  shown.src = '/pixel?' + when + i;
  await shown.decode();
};
const images = async when => {
  await Promise.all(Array.from({length: ` + "%[1]d" + `}, (_, i) => image(when, i)));
  return 1;
};
const all = async when => {
  await Promise.all(Array.from({length: ` + "%[1]d" + `}, (_, i) => fetch('/data?' + when + i).then(r => r.text())));
  return 1;
};
addEventListener('load', async () => {
  const began = performance.now();
  const times = await ({'?each': each, '?all': () => all(''), '?later': () => all('later'),
    '?images': () => images(Math.random()), '?imageslater': () => images('later' + Math.random())})[location.search]();
  fetch('/took?' + (performance.now() - began) / times);
});
</script>`

// BenchmarkHeld loads pages that make requests: with a bare protocol client,
// with one that has every request paused and lets it go on at once, which is
// what pausing costs by itself, and with the engine, which has each of them
// judged by the policy before it leaves, and follows it. each-ms is one request
// of fifty that follow each other, all-ms a page with 200 at once, from its load
// event, later-ms the same from a server that takes 20 ms for each.
func BenchmarkHeld(b *testing.B) {
	took := make(chan float64, 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/data", "/pixel":
			if strings.HasPrefix(r.URL.RawQuery, "later") {
				testwait.Latency(r.Context(), serverTime)
			}
			if r.URL.Path == "/pixel" {
				w.Header().Set("Content-Type", "image/svg+xml")
				_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`))
				return
			}
			_, _ = w.Write([]byte("{}"))
		case "/took":
			if ms, err := strconv.ParseFloat(r.URL.RawQuery, 64); err == nil {
				took <- ms
			}
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, heldPage, backgroundRequests)
		}
	}))
	b.Cleanup(site.Close)
	rules, err := policy.New(policy.Config{Enabled: true, AskAt: policy.AskAtWire})
	must(b, err)
	bare := newFloor(b.Context(), b, chromium(b))
	must(b, bare.tab.Call(b.Context(), "Network.enable", nil, nil))
	pausing := newFloor(b.Context(), b, chromium(b))
	must(b, pausing.tab.Call(b.Context(), "Network.enable", nil, nil))
	pausing.pauseAll(b)
	engine, err := engine.Open(b.Context(), chromium(b), engine.Options{
		Width: width, Height: height, Guard: func(string) error { return nil },
		Outgoing: func(_ context.Context, r action.Request) (action.Ruling, error) {
			v := rules.Effect(policy.Outgoing{Request: r, Owner: action.Agent})
			return action.Ruling{Effect: !v.Reads}, nil
		},
	})
	must(b, err)
	b.Cleanup(func() { _ = engine.Close() })
	hands := []struct {
		name string
		load func(string)
	}{
		{"floor", bare.load},
		{"paused", pausing.load},
		{"engine", func(url string) {
			args := &action.Goto{URL: url}
			_, pin, err := engine.Look(b.Context(), "page.goto", args)
			must(b, err)
			_, err = engine.Do(b.Context(), "page.goto", args, pin)
			must(b, err)
		}},
	}
	for _, kind := range []string{"each", "all", "later", "images", "imageslater"} {
		b.Run(kind, func(b *testing.B) {
			times := map[string][]time.Duration{}
			for b.Loop() {
				for _, hand := range hands {
					hand.load(site.URL + "/?" + kind)
					ms := testwait.Receive(b, took, "the page to say how long it took")
					times[hand.name] = append(times[hand.name], time.Duration(ms*float64(time.Millisecond)))
				}
			}
			for name, all := range times {
				b.ReportMetric(inMillis(median(all)), name+"-"+kind+"-ms")
			}
		})
	}
}

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
