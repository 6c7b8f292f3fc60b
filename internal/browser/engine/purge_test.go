package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// hoard has a page keep things in every place it has.
const hoard = confess + `<script>
document.cookie = "own=canary";
localStorage.own = "canary";
addEventListener("pagehide", () => { localStorage.last = "canary"; document.cookie = "last=canary" });
document.done = Promise.all([
	caches.open("c").then(c => c.put("/kept", new Response("canary"))),
	navigator.serviceWorker.register("/service.js").then(() => navigator.serviceWorker.ready),
	new Promise((done, fail) => { const r = indexedDB.open("d", 1);
		r.onupgradeneeded = () => r.result.createObjectStore("s").put("canary".repeat(1000), "k");
		r.onsuccess = () => { r.result.close(); done() }; r.onerror = fail }),
]).then(() => 1)
</script>`

// left says what a page finds of all that.
const left = `Promise.all([caches.keys(), navigator.serviceWorker.getRegistrations(), indexedDB.databases()]).then(
	all => JSON.stringify([document.cookie, localStorage.length, sessionStorage.length, ...all.map(a => a.length)]))`

func prepared(o *engine.Options) { o.Prepare = func(context.Context, string) error { return nil } }

func TestNothingIsLeftOfWhatWasPutIn(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": hoard, "/other": hoard, "/service.js": "self.onfetch = () => {}", "/bare": "<title>bare</title>"})
	neighbour := elsewhere(s)
	tr := start(t, prepared)
	items := map[string]string{"token": "canary"}
	set := stocked(s.URL, items, items)
	set.Cookies = []credentials.Cookie{{Name: "session", Value: credentials.Keep("canary"), HTTPOnly: true}}
	set.Headers = keep(map[string]string{"X-Api-Key": "canary-key"})
	must(t, tr.Inject(tr.ctx, set))
	for _, address := range []string{s.URL + "/", neighbour + "/other"} {
		tr.must("page.goto", &action.Goto{URL: address})
		tr.eval("document.done")
	}
	tr.must("tab.open", &action.OpenTab{URL: s.URL + "/"})
	must(t, tr.Purge(tr.ctx, []string{"127.0.0.1"}))
	if n := len(tr.tabs()); n != 1 {
		t.Errorf("%d tabs are left", n)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/bare"})
	tr.wantEval(left, `["",0,0,0,0,0]`)
	if r := seen.to("/bare")[0]; r.Header.Get("X-Api-Key") != "" || r.Header.Get("Cookie") != "" {
		t.Errorf("asked for with %v", r.Header)
	}
	tr.must("page.goto", &action.Goto{URL: neighbour + "/bare"})
	if got := tr.eval(left); !strings.Contains(got, "own=canary") || !strings.HasSuffix(got, "1,1]") {
		t.Errorf("of another domain is left %s", got)
	}
}

func TestWhatASiteSetsAnewIsFound(t *testing.T) {
	tr := start(t)
	later := time.Now().Add(time.Hour)
	must(t, tr.Inject(tr.ctx, credentials.Set{Domain: "example.com", Cookies: []credentials.Cookie{
		{Name: "own", Value: credentials.Keep("v-own"), Domain: "app.example.com"},
		{Name: "below", Value: credentials.Keep("v-below"), Domain: "eu.app.example.com", Expires: &later},
		{Name: "wide", Value: credentials.Keep("v-wide"), Domain: ".example.com"},
		{Name: "parent", Value: credentials.Keep("v-parent"), Domain: "example.com"},
		{Name: "beside", Value: credentials.Keep("v-beside"), Domain: "other.example.com"},
	}}))
	values, err := tr.Fresh(tr.ctx, []string{"app.example.com"})
	must(t, err)
	var got []string
	for _, v := range values {
		got = append(got, v.Reveal())
	}
	slices.Sort(got)
	if want := []string{"v-below", "v-own", "v-wide"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestAConnectionTakesOverWhatOneBeforeItPutIn: headers go on, and storage stays
// as the site has it by now.
func TestAConnectionTakesOverWhatOneBeforeItPutIn(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": confess, "/again": confess})
	tr := start(t, prepared)
	items := map[string]string{"token": "canary"}
	set := stocked(s.URL, items, items)
	set.Headers = keep(map[string]string{"X-Api-Key": "canary-key"})
	must(t, tr.Inject(tr.ctx, set))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval("localStorage.token = sessionStorage.token = 'changed'")
	must(t, tr.Browser.Close())
	tr.lane = tr.wire.join()
	b, err := engine.Open(tr.ctx, tr.lane, engine.Options{Width: 800, Height: 600, Guard: openAll, Owns: openAll, Prepare: func(context.Context, string) error { return nil }})
	must(t, err)
	tr.Browser = b
	must(t, tr.Adopt(tr.ctx, set))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/again"})
	local, session := tr.confessed()
	wantItems(t, "localStorage", local, map[string]string{"token": "changed"})
	wantItems(t, "sessionStorage", session, map[string]string{"token": "changed"})
	if got := seen.to("/again")[0].Header.Get("X-Api-Key"); got != "canary-key" {
		t.Errorf("asked for with %q", got)
	}
}
