package engine_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func baked(name, value, domain string) action.NewCookie {
	return action.NewCookie{Name: name, Value: &value, Domain: domain}
}

// jar lists the cookies as "name=value domain path".
func (tr *trial) jar(url string) []string {
	tr.t.Helper()
	all := []string{}
	for _, c := range tr.must("cookie.list", &action.CookieList{URL: url}).Data.(*action.CookieListing).Cookies {
		all = append(all, fmt.Sprintf("%s=%s %s %s", c.Name, c.Value, c.Domain, c.Path))
	}
	return all
}

func (tr *trial) wantJar(want ...string) {
	tr.t.Helper()
	if got := tr.jar(""); !slices.Equal(got, want) {
		tr.t.Errorf("cookies %q, want %q", got, want)
	}
}

func TestCookiesAreSetListedAndSent(t *testing.T) {
	tr := start(t)
	sent := make(chan string, 1)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/account" {
			sent <- r.Header.Get("Cookie")
		}
		http.SetCookie(w, &http.Cookie{Name: "own", Value: "1", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		w.Header().Set("Content-Type", "text/html")
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	expires := float64(time.Now().Add(time.Hour).Unix())
	full := baked("full", `{"a": 1, "ü": "x"}`, "127.0.0.1")
	full.Path, full.Expires, full.HTTPOnly, full.SameSite = "/account", &expires, true, "Lax"
	for _, c := range [][]action.NewCookie{{full, baked("here", "", "")}, {baked("other", "x", "localhost"), baked("deep", "y", ".site.example")}} {
		if r := tr.must("cookie.set", &action.CookieSet{Cookies: c}).Data.(*action.CookiesSet); !r.OK {
			t.Error("not ok")
		}
	}
	listed := tr.must("cookie.list", &action.CookieList{URL: s.URL + "/account"}).Data.(*action.CookieListing).Cookies
	want := []action.Cookie{
		{Name: "here", Domain: "127.0.0.1", Path: "/", Expires: -1},
		{Name: "own", Value: "1", Domain: "127.0.0.1", Path: "/", Expires: -1, HTTPOnly: true, SameSite: "Strict"},
		{Name: "full", Value: *full.Value, Domain: "127.0.0.1", Path: "/account", Expires: expires, HTTPOnly: true, SameSite: "Lax"},
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/account"})
	if got := <-sent; !strings.Contains(got, `full={"a": 1, "ü": "x"}`) || !strings.Contains(got, "here=") || strings.Contains(got, "other") {
		t.Errorf("the server got %q", got)
	}
	all := []string{"here= 127.0.0.1 /", "own=1 127.0.0.1 /", "full=" + *full.Value + " 127.0.0.1 /account", "other=x localhost /", "deep=y .site.example /"}
	tr.wantJar(all...)
	tr.setAgain()
	tr.wantJar(all...)
	if got := tr.jar("https://a.site.example/"); !slices.Equal(got, all[4:]) {
		t.Errorf("a sub-domain is sent %q", got)
	}
}

// setAgain sets every cookie as it is listed.
func (tr *trial) setAgain() {
	tr.t.Helper()
	var again []action.NewCookie
	for _, c := range tr.must("cookie.list", &action.CookieList{}).Data.(*action.CookieListing).Cookies {
		again = append(again, action.NewCookie{
			Name: c.Name, Value: &c.Value, Domain: c.Domain, Path: c.Path, Expires: &c.Expires,
			HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
		})
	}
	tr.must("cookie.set", &action.CookieSet{Cookies: again})
}

func TestCookiesAreDeletedByNameAndDomain(t *testing.T) {
	tr := start(t)
	name, domain := "a", ".example.com"
	missing, none := "zz", "nowhere.example"
	for _, c := range []struct {
		args action.CookieDelete
		left []string
	}{
		{action.CookieDelete{Name: &missing}, []string{"a=1 example.com /", "b=1 .example.com /", "a=1 notexample.com /", "a=1 www.example.com /"}},
		{action.CookieDelete{Name: &name, Domain: &none}, []string{"a=1 example.com /", "b=1 .example.com /", "a=1 notexample.com /", "a=1 www.example.com /"}},
		{action.CookieDelete{Name: &name}, []string{"b=1 .example.com /"}},
		{action.CookieDelete{Domain: &domain}, []string{"a=1 notexample.com /"}},
		{action.CookieDelete{Name: &name, Domain: &domain}, []string{"b=1 .example.com /", "a=1 notexample.com /"}},
		{action.CookieDelete{}, []string{}},
	} {
		tr.must("cookie.set", &action.CookieSet{Cookies: []action.NewCookie{
			baked("a", "1", "example.com"), baked("b", "1", ".example.com"), baked("a", "1", "www.example.com"), baked("a", "1", "notexample.com"),
		}})
		got := tr.must("cookie.delete", &c.args).Data.(*action.CookiesDeleted)
		if !got.OK || got.Deleted != 4-len(c.left) {
			t.Errorf("%+v", got)
		}
		left := tr.jar("")
		slices.Sort(left)
		slices.Sort(c.left)
		if !slices.Equal(left, c.left) {
			t.Errorf("left %q, want %q", left, c.left)
		}
	}
}

func TestCookiesAreHeldToTheHostsASessionOwns(t *testing.T) {
	tr := start(t, func(o *engine.Options) {
		o.Owns = func(host string) error {
			if host == "app.example" {
				return nil
			}
			return fault.New(fault.BlockedDomain, "%s is not allowed", host).Hinted("stay")
		}
	})
	for _, domain := range []string{"other.example", ".wide.example", "sub.app.example", "app.example.evil.example"} {
		tr.refuse(fault.BlockedDomain, "cookie.set", &action.CookieSet{Cookies: []action.NewCookie{baked("a", "1", "app.example"), baked("b", "1", domain)}})
	}
	tr.wantJar()
	tr.must("cookie.set", &action.CookieSet{Cookies: []action.NewCookie{baked("a", "1", "APP.example")}})
	tr.wantJar("a=1 app.example /")
	tr.Configure(engine.Options{Guard: openAll})
	tr.refuse(fault.BlockedDomain, "cookie.set", &action.CookieSet{Cookies: []action.NewCookie{baked("a", "1", "app.example")}})
}

func TestSecureCookiesMaySetEachOtherAside(t *testing.T) {
	tr := start(t)
	secure := baked("__Host-id", "1", "app.example")
	secure.Secure, secure.SameSite = true, "None"
	twice := baked("__Host-id", "2", "app.example")
	twice.Secure = true
	tr.must("cookie.set", &action.CookieSet{Cookies: []action.NewCookie{secure, twice}})
	tr.wantJar("__Host-id=2 app.example /")
}

func TestCookiesThatTheBrowserDropsAreToldOf(t *testing.T) {
	tr := start(t)
	var many []action.NewCookie
	for i := range 200 { // Chromium keeps 180 for a site
		many = append(many, baked(fmt.Sprint("c", i), "1", "app.example"))
	}
	f := tr.refuse(fault.InvalidRequest, "cookie.set", &action.CookieSet{Cookies: many})
	if field, _ := f.Details["field"].(string); !strings.HasSuffix(field, ".name") || !strings.Contains(f.Message, "not kept") {
		t.Errorf("%v %v", f, f.Details)
	}
}

func TestWhatNoBrowserTakesIsNoCookie(t *testing.T) {
	const secret = "hunter2"
	tr := start(t)
	long, past, at := secret+strings.Repeat("x", 4090), float64(time.Now().Unix()-1), 0.0
	with := func(change func(*action.NewCookie)) action.NewCookie {
		c := baked("name", secret, "app.example")
		change(&c)
		return c
	}
	for field, cookies := range map[string][]action.NewCookie{
		"name": {baked("", secret, ""), baked("a=b", secret, "a.example"), baked("a b", secret, "a.example"), baked("a\n", secret, "a.example"),
			baked("__Host-a", secret, ".a.example")},
		"value": {{Name: "a", Domain: "a.example"}, baked("a", secret+";", "a.example"), baked("a", secret+"\r\nX: y", "a.example"), baked("a", " "+secret, "a.example"),
			baked("a", long, "a.example")},
		"domain": {baked("a", secret, ""), baked("a", secret, "a.example:80"), baked("a", secret, "http://a.example"), baked("a", secret, "a.example/"),
			baked("a", secret, "."), baked("a", secret, "..a.example"), baked("a", secret, "user@a.example"), baked("a", secret, "a b"),
			baked("a", secret, ".com"), baked("a", secret, ".127.0.0.1")},
		"path":    {with(func(c *action.NewCookie) { c.Path = "a" }), with(func(c *action.NewCookie) { c.Path = "/a;b" })},
		"expires": {with(func(c *action.NewCookie) { c.Expires = &past }), with(func(c *action.NewCookie) { c.Expires = &at })},
		"secure":  {with(func(c *action.NewCookie) { c.SameSite = "None" }), with(func(c *action.NewCookie) { c.Name = "__secure-a" })},
	} {
		for _, c := range cookies {
			if field == "name" && strings.HasPrefix(c.Name, "__") {
				c.Secure = true
			}
			_, err := tr.do("cookie.set", &action.CookieSet{Cookies: []action.NewCookie{baked("good", "1", "app.example"), c}})
			if err == nil {
				t.Errorf("%s: %+v was taken", field, c)
				continue
			}
			f := expect(t, fault.InvalidRequest, err)
			if f.Details["field"] != "cookies.1."+field || strings.Contains(f.Error()+f.Hint, secret) {
				t.Errorf("%q %q: %v about %v", c.Name, c.Domain, f, f.Details)
			}
		}
	}
	tr.refuse(fault.InvalidURL, "cookie.list", &action.CookieList{URL: "file:///etc/passwd"})
	domain := "a b"
	tr.refuse(fault.InvalidRequest, "cookie.delete", &action.CookieDelete{Domain: &domain})
	tr.wantJar()
}
