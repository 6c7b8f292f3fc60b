package engine_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestCaptureTakesADomainsCookiesAndThePagesStorage(t *testing.T) {
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/set" {
			w.Header().Add("Set-Cookie", "host=canary-1; HttpOnly; SameSite=Strict; Path=/set")
			w.Header().Add("Set-Cookie", "long=canary-2; Max-Age=3600")
		}
		_, _ = w.Write([]byte(`<title>t</title><script>
			if (location.pathname == '/set') for (const [at, v] of [[localStorage, 'canary-3'], [sessionStorage, 'canary-4']]) {
				at.setItem('token', v); at.setItem('getItem', 'x'); at.setItem('__proto__', 'y'); at.setItem('', '\u0000') }
		</script>`))
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/set"})
	for _, c := range []action.NewCookie{baked("else", "1", "localhost"), baked("wide", "2", ".site.example"), baked("below", "3", "x.app.site.example"), baked("beside", "4", "app.site.example.org"), baked("own", "5", ".app.site.example")} {
		tr.must("cookie.set", &action.CookieSet{Cookies: []action.NewCookie{c}})
	}
	set, left, err := tr.Capture(tr.ctx, "127.0.0.1")
	must(t, err)
	if len(set.Cookies) != 2 || len(left) != 0 || set.Origin != s.URL || set.Domain != "127.0.0.1" {
		t.Fatalf("%+v, left %q", set, left)
	}
	slices.SortFunc(set.Cookies, func(a, b credentials.Cookie) int { return strings.Compare(a.Name, b.Name) })
	host, long := set.Cookies[0], set.Cookies[1]
	if host.Value.Reveal() != "canary-1" || !host.HTTPOnly || host.SameSite != "Strict" || host.Path != "/set" || host.Expires != nil || host.Domain != "127.0.0.1" {
		t.Errorf("host %+v", host)
	}
	if long.Value.Reveal() != "canary-2" || long.HTTPOnly || long.Expires == nil || long.Path != "/" {
		t.Errorf("long %+v", long)
	}
	for want, got := range map[string]map[string]credentials.Secret{"canary-3": set.LocalStorage, "canary-4": set.SessionStorage} {
		if got["token"].Reveal() != want || got["getItem"].Reveal() != "x" || got["__proto__"].Reveal() != "y" || got[""].Reveal() != "\x00" || len(got) != 4 {
			t.Errorf("storage has %v", slices.Collect(maps.Keys(got)))
		}
	}
	set, left, err = tr.Capture(tr.ctx, "app.site.example")
	must(t, err)
	if len(set.Cookies) != 2 || set.Origin != "" || len(set.LocalStorage) != 0 {
		t.Errorf("below a domain: %+v", set)
	}
	if len(left) != 1 || !strings.Contains(left[0], "wide") || !strings.Contains(left[0], ".site.example") {
		t.Errorf("left out: %q", left)
	}
	if text := fmt.Sprintf("%+v", set) + strings.Join(left, ""); strings.Contains(text, "canary") {
		t.Errorf("a value is told: %s", text)
	}
}

func TestCaptureOfFramesAndOfNoPage(t *testing.T) {
	tr := start(t)
	inner := site(t, map[string]string{"/": `<script>localStorage.setItem('a', 'b')</script>`})
	tr.visit(`<title>outer</title><iframe src="` + inner.URL + `"></iframe><iframe sandbox srcdoc="x"></iframe>`)
	set, left, err := tr.Capture(tr.ctx, "127.0.0.1")
	must(t, err)
	if set.Origin != inner.URL || set.LocalStorage["a"].Reveal() != "b" || len(left) != 0 {
		t.Errorf("%+v, left %q", set, left)
	}
	tr.visit(`<title>both</title><script>localStorage.setItem('c', 'd')</script><iframe src="` + inner.URL + `"></iframe>`)
	set, left, err = tr.Capture(tr.ctx, "127.0.0.1")
	must(t, err)
	if set.LocalStorage["c"].Reveal() != "d" || len(left) != 1 || !strings.Contains(left[0], inner.URL) {
		t.Errorf("%+v, left %q", set, left)
	}
	tr.must("page.goto", &action.Goto{URL: "about:blank"})
	if set, _, err = tr.Capture(tr.ctx, "127.0.0.1"); err != nil || set.Injects() {
		t.Errorf("of an empty page: %+v, %v", set, err)
	}
	tr.visit(`<button onclick="alert(1)">Go</button>`)
	if r := tr.must("page.click", &action.Click{Locator: selector("button")}); r.Modal == nil {
		t.Fatal("no dialog opened")
	}
	_, _, err = tr.Capture(tr.ctx, "127.0.0.1")
	expect(t, fault.DialogOpen, err)
}
