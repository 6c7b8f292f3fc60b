package engine_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

// What a session emulates holds in pages, their frames and workers, windows that
// they open and requests, from a start and where a warm browser gets its session.
func TestPagesSeeWhatASessionEmulates(t *testing.T) {
	var mu sync.Mutex
	heard := map[string]http.Header{}
	site := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		heard[r.URL.Path] = r.Header.Clone()
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<title>start</title><meta name=viewport content="width=device-width"><button onclick="window.open('/popup')">Open</button>`)
	}))
	german := action.Emulation{
		Locale: "de-DE", Timezone: "Asia/Tokyo", ColorScheme: "dark", ReducedMotion: "reduce", Device: "phone",
		Geolocation: &action.Geolocation{Latitude: 52.5, Longitude: 13.4},
	}
	const says = `[navigator.language, new Date(0).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia('(prefers-color-scheme: dark)').matches,
		matchMedia('(prefers-reduced-motion: reduce)').matches, navigator.maxTouchPoints, navigator.userAgentData.mobile, innerWidth, devicePixelRatio].join(' | ')`
	const want = "de-DE | 1.1.1970, 09:00:00 | Asia/Tokyo | true | true | 5 | true | 412 | 2.625"
	device := action.Devices["phone"]
	emulating := func(o *engine.Options) {
		o.Emulate, o.Width, o.Height, o.DPI = german, device.Width, device.Height, device.DPI
	}
	check := func(t *testing.T, tr *trial) {
		t.Helper()
		tr.must("page.goto", &action.Goto{URL: site.URL + "/"})
		tr.wantEval(says, want)
		tr.wantEval(`new Promise((ok, no) => navigator.geolocation.getCurrentPosition(p => ok(p.coords.latitude + ' ' + p.coords.longitude), e => ok(e.message)))`, "52.5 13.4")
		tr.wantEval(`new Promise(ok => new Worker('data:text/javascript,postMessage([Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.userAgent.includes("Mobile")].join())').onmessage = e => ok(e.data))`, "Asia/Tokyo,true")
		mu.Lock()
		if h := heard["/"]; h.Get("Accept-Language") != "de-DE" || !strings.Contains(h.Get("User-Agent"), "Android") {
			t.Errorf("the server heard %q and %q", h.Get("Accept-Language"), h.Get("User-Agent"))
		}
		mu.Unlock()
		tr.click(selector("button"))
		tr.wantEval(`location.pathname`, "/popup")
		tr.wantEval(`navigator.language + Intl.DateTimeFormat().resolvedOptions().timeZone`, "de-DEAsia/Tokyo")
	}
	t.Run("from the start", func(t *testing.T) { check(t, start(t, emulating)) })
	t.Run("a warm browser", func(t *testing.T) {
		var options engine.Options
		tr := start(t, func(o *engine.Options) { options = *o })
		emulating(&options)
		tr.Configure(options)
		check(t, tr)
	})
}
