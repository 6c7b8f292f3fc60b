package engine_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// setAgain are cookies that were listed, to be set.
func setAgain(listed []action.Cookie) []action.NewCookie {
	var all []action.NewCookie
	for _, c := range listed {
		all = append(all, action.NewCookie{
			Name: c.Name, Value: &c.Value, Domain: c.Domain, Path: c.Path, Expires: &c.Expires, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
		})
	}
	return all
}

// TestALoginIsReadAndPutIntoAnotherBrowser: cookies with all that they say, and
// localStorage of two origins, for which no server is asked.
func TestALoginIsReadAndPutIntoAnotherBrowser(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": confess})
	neighbour := elsewhere(s)
	tr := start(t)
	for _, address := range []string{s.URL, neighbour} {
		tr.must("page.goto", &action.Goto{URL: address})
		tr.eval(`localStorage.token = "t\u0000\n\ud83d\ude00"; for (const [name, text] of [["", ""], ["__proto__", "p"], ["length", "7"], ["getItem", "no function"], ["half", "\ud800"]]) localStorage.setItem(name, text); document.cookie = "a=1; max-age=9000; samesite=strict"; document.cookie = "b=; path=/"`)
	}
	tr.must("page.goto", &action.Goto{URL: "about:blank"})
	origins := tr.Origins()
	if want := []string{s.URL, neighbour}; len(origins) != 2 || !slices.Contains(want, origins[0]) || !slices.Contains(want, origins[1]) {
		t.Fatalf("documents came from %q", origins)
	}
	asked := len(seen.to("/"))
	state, err := tr.StorageState(tr.ctx, append(origins, "https://nothing.example"))
	must(t, err)
	if len(state.Cookies) != 4 || len(state.Origins) != 2 || state.Origins[0].Origin != origins[0] {
		t.Fatalf("read %+v", state)
	}
	for _, l := range state.Left {
		if l.LocalStorage != 1 || l.Why != "JSON cannot carry it" {
			t.Errorf("left out %+v", l)
		}
	}
	if len(state.Left) != 2 {
		t.Errorf("left out %+v", state.Left)
	}

	must(t, tr.Browser.Close())
	tr.wire.wipe(t)
	other := start(t) // in a context of its own
	must(t, other.Restore(other.ctx, setAgain(state.Cookies), state.Origins))
	again, err := other.StorageState(other.ctx, origins)
	must(t, err)
	for i, c := range again.Cookies {
		c.Expires, state.Cookies[i].Expires = 0, 0
		if c != state.Cookies[i] {
			t.Errorf("a cookie is %+v, and was %+v", c, state.Cookies[i])
		}
	}
	if len(other.tabs()) != 1 || len(seen.to("/")) != asked || len(other.Origins()) != len(origins) {
		t.Errorf("%d tabs; the server was asked %d times more; documents came from %q", len(other.tabs()), len(seen.to("/"))-asked, other.Origins())
	}
	for _, address := range origins {
		other.must("page.goto", &action.Goto{URL: address})
		local, _ := other.confessed()
		wantItems(t, address, local, map[string]string{"token": "t\x00\n😀", "": "", "__proto__": "p", "length": "7", "getItem": "no function"})
		other.wantEval("document.cookie", "a=1; b=")
	}
}

// TestARestoredEntryReplacesOneOfItsName and leaves the others.
func TestARestoredEntryReplacesOneOfItsName(t *testing.T) {
	s, _ := noting(t, map[string]string{"/": confess})
	tr := start(t)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval(`localStorage.old = "stays"; localStorage.token = "before"`)
	must(t, tr.Restore(tr.ctx, nil, []action.OriginState{{Origin: s.URL, LocalStorage: []action.StorageItem{{Name: "token", Value: "first"}, {Name: "token", Value: "last"}}}}))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/?again"})
	local, _ := tr.confessed()
	wantItems(t, "localStorage", local, map[string]string{"old": "stays", "token": "last"})
}

func TestWhatABrowserDoesNotKeepIsAFault(t *testing.T) {
	tr := start(t)
	value, expires := "canary-value", float64(time.Now().Add(time.Hour).Unix())
	err := tr.Restore(tr.ctx, []action.NewCookie{{Name: "n", Value: &value, Domain: ".github.io", Expires: &expires}}, nil)
	if fault.CodeOf(err) != fault.InvalidRequest || strings.Contains(err.Error(), value) {
		t.Errorf("a cookie of a public suffix: %v", err)
	}
	large := strings.Repeat(value, 1<<20)
	err = tr.Restore(tr.ctx, nil, []action.OriginState{{Origin: "https://app.example", LocalStorage: []action.StorageItem{{Name: "n", Value: large}}}})
	if fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), "https://app.example") || strings.Contains(err.Error(), value) {
		t.Errorf("more than an origin may keep: %.300v", err)
	}
}

func TestACookieOfAFileIsNamedByItsPlace(t *testing.T) {
	value, spaced := "canary", " canary "
	if host, err := engine.CheckCookie(action.NewCookie{Name: "n", Value: &value, Domain: ".App.Example.com"}, "line 3"); err != nil || host != "app.example.com" {
		t.Errorf("%q, %v", host, err)
	}
	for _, c := range []action.NewCookie{
		{Name: "n", Value: &spaced, Domain: "a.example"}, {Name: "", Value: &value, Domain: "a.example"}, {Name: "n", Value: &value, Domain: "a b"},
		{Name: "n", Value: &value, Domain: ".localhost"}, {Name: "n", Value: &value}, {Name: "n", Domain: "a.example"},
	} {
		_, err := engine.CheckCookie(c, "line 3")
		if f := fault.From(err); err == nil || f.Code != fault.InvalidRequest || !strings.HasPrefix(f.Message, "line 3: ") || strings.Contains(f.Message+f.Hint, value) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAnOriginWithoutADocumentDoesNotHoldUpTheOthers: one of a scheme that no
// browser shows.
func TestAnOriginWithoutADocumentDoesNotHoldUpTheOthers(t *testing.T) {
	s, _ := noting(t, map[string]string{"/": confess})
	tr := start(t)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval(`localStorage.token = "here"`)
	u, err := url.Parse(s.URL)
	must(t, err)
	state, err := tr.StorageState(tr.ctx, []string{"nothing://a.example", s.URL})
	must(t, err)
	if len(state.Origins) != 1 || !strings.Contains(state.Origins[0].Origin, u.Host) || len(state.Left) != 1 || state.Left[0].Why != engine.Unshown {
		t.Errorf("read %+v", state)
	}
}
