package engine_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// asked keeps what a server was asked for.
type asked struct {
	mu   sync.Mutex
	seen []*http.Request
}

func (a *asked) note(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = append(a.seen, r.Clone(context.Background()))
}

// to are the requests for a path.
func (a *asked) to(path string) (found []*http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.seen {
		if r.URL.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// noting serves pages and keeps what was asked for.
func noting(t testing.TB, pages map[string]string) (*httptest.Server, *asked) {
	t.Helper()
	var a asked
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.note(r)
		text, known := pages[r.URL.Path]
		if to, moves := strings.CutPrefix(text, "-> "); moves {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		_, _ = w.Write([]byte(text))
	}))
	return s, &a
}

// ready has a browser prepare for documents as a session would.
func ready(tr **trial, sets ...credentials.Set) func(*engine.Options) {
	return func(o *engine.Options) {
		o.Prepare = func(ctx context.Context, url string) error {
			for _, set := range sets {
				if strings.HasPrefix(url, set.Origin+"/") {
					return (*tr).Inject(ctx, set)
				}
			}
			return nil
		}
	}
}

func keep(texts map[string]string) map[string]credentials.Secret {
	kept := map[string]credentials.Secret{}
	for name, text := range texts {
		kept[name] = credentials.Keep(text)
	}
	return kept
}

func TestADocumentIsRequestedWhenItsCredentialsAreInPlace(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": `<title>in</title><iframe src="/frame"></iframe>`, "/frame": "<p>frame"})
	var tr *trial
	set := credentials.Set{Domain: "127.0.0.1", Origin: s.URL, Cookies: []credentials.Cookie{
		{Name: "session", Value: credentials.Keep("canary-session"), HTTPOnly: true, SameSite: "Strict"},
		{Name: "deep", Value: credentials.Keep("canary-deep"), Path: "/elsewhere"},
	}}
	tr = start(t, ready(&tr, set))
	r := tr.must("page.goto", &action.Goto{URL: s.URL})
	for _, path := range []string{"/", "/frame"} {
		for _, request := range seen.to(path) {
			if got := request.Header.Get("Cookie"); got != "session=canary-session" {
				t.Errorf("%s was asked for with %q", path, got)
			}
		}
	}
	if len(seen.to("/")) != 1 {
		t.Errorf("the document was asked for %d times", len(seen.to("/")))
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "signed in to 127.0.0.1 with stored credentials: 2 cookies") || strings.Contains(notes, "canary") {
		t.Errorf("notes %q", notes)
	}
}

// TestCookiesAreAsTheyWereStored holds each attribute against the browser's own
// word.
func TestCookiesAreAsTheyWereStored(t *testing.T) {
	tr := start(t)
	later := time.Now().Add(24 * time.Hour).Truncate(time.Second)
	v := credentials.Keep("canary")
	set := credentials.Set{Domain: "app.example", Cookies: []credentials.Cookie{
		{Name: "plain", Value: v},
		{Name: "wide", Value: v, Domain: ".app.example"},
		{Name: "below", Value: v, Domain: "eu.app.example"},
		{Name: "lasting", Value: v, Path: "/app", Expires: &later, HTTPOnly: true, Secure: true, SameSite: "Lax"},
		{Name: "cross", Value: v, Secure: true, SameSite: "None"},
		{Name: "__Host-own", Value: v, Secure: true, SameSite: "Strict"},
	}}
	must(t, tr.Inject(tr.ctx, set))
	got := map[string]action.Cookie{}
	for _, c := range tr.must("cookie.list", &action.CookieList{}).Data.(*action.CookieListing).Cookies {
		got[c.Name] = c
	}
	at := float64(later.Unix())
	for _, want := range []action.Cookie{
		{Name: "plain", Domain: "app.example", Path: "/", Expires: -1},
		{Name: "wide", Domain: ".app.example", Path: "/", Expires: -1},
		{Name: "below", Domain: "eu.app.example", Path: "/", Expires: -1},
		{Name: "lasting", Domain: "app.example", Path: "/app", Expires: at, HTTPOnly: true, Secure: true, SameSite: "Lax"},
		{Name: "cross", Domain: "app.example", Path: "/", Expires: -1, Secure: true, SameSite: "None"},
		{Name: "__Host-own", Domain: "app.example", Path: "/", Expires: -1, Secure: true, SameSite: "Strict"},
	} {
		want.Value = "canary"
		if got[want.Name] != want {
			t.Errorf("got %+v\nwant %+v", got[want.Name], want)
		}
	}
}

// TestUnsoundCredentialsLeaveNothingBehind: all or nothing, and no fault says a
// value.
func TestUnsoundCredentialsLeaveNothingBehind(t *testing.T) {
	tr := start(t)
	past := time.Now().Add(-time.Hour)
	for name, bad := range map[string]credentials.Cookie{
		"of another domain": {Name: "x", Value: credentials.Keep("canary"), Domain: "other.example"},
		"of a wider domain": {Name: "x", Value: credentials.Keep("canary"), Domain: ".example"},
		"of a neighbour":    {Name: "x", Value: credentials.Keep("canary"), Domain: "evilapp.example"},
		"cut by a line":     {Name: "x", Value: credentials.Keep("canary\r\nSet-Cookie: y=1")},
		"over":              {Name: "x", Value: credentials.Keep("canary"), Expires: &past},
		"too long":          {Name: "x", Value: credentials.Keep("canary" + strings.Repeat("x", 5000))},
		"cross, in clear":   {Name: "x", Value: credentials.Keep("canary"), SameSite: "None"},
	} {
		set := credentials.Set{Domain: "app.example", Cookies: []credentials.Cookie{{Name: "good", Value: credentials.Keep("canary")}, bad}}
		f := expect(t, fault.CredentialsUnavailable, tr.Inject(tr.ctx, set))
		if strings.Contains(f.Error()+f.Hint, "canary") {
			t.Errorf("%s: the fault says the value: %v", name, f)
		}
		if left := tr.must("cookie.list", &action.CookieList{}).Data.(*action.CookieListing).Cookies; len(left) > 0 {
			t.Errorf("%s: %d cookies are there", name, len(left))
		}
	}
}

func TestANewVersionTakesTheOldCookiesOut(t *testing.T) {
	tr := start(t)
	set := func(names ...string) credentials.Set {
		s := credentials.Set{Domain: "app.example"}
		for _, n := range names {
			s.Cookies = append(s.Cookies, credentials.Cookie{Name: n, Value: credentials.Keep("v" + strings.Join(names, ""))})
		}
		return s
	}
	must(t, tr.Inject(tr.ctx, set("a", "b")))
	must(t, tr.Inject(tr.ctx, set("b", "c")))
	var left []string
	for _, c := range tr.must("cookie.list", &action.CookieList{}).Data.(*action.CookieListing).Cookies {
		left = append(left, c.Name+"="+c.Value)
	}
	if want := []string{"b=vbc", "c=vbc"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

// TestEveryDocumentOfATabIsPreparedFor, however the tab comes to it.
func TestEveryDocumentOfATabIsPreparedFor(t *testing.T) {
	other, _ := noting(t, map[string]string{"/": "<title>other</title>"})
	s, _ := noting(t, map[string]string{
		"/":      `<title>start</title><a href="/link">link</a><a href="/pop" target=_blank>pop</a><form action="/form"><button>send</button></form><iframe src="/frame"></iframe>`,
		"/link":  "<title>link</title>",
		"/pop":   "<title>pop</title>",
		"/form":  "<title>form</title>",
		"/frame": "frame",
		"/hop":   "-> " + other.URL + "/",
	})
	var mu sync.Mutex
	var told []string
	tr := start(t, func(o *engine.Options) {
		o.Prepare = func(_ context.Context, url string) error {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, strings.Replace(strings.Replace(url, s.URL, "", 1), other.URL, "other", 1))
			return nil
		}
	})
	wants := func(want ...string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(told, want) {
			t.Errorf("told of %q, want %q", told, want)
		}
		told = nil
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	wants("/")
	tr.must("page.click", &action.Click{Locator: action.Locator{Text: "link"}})
	wants("/link")
	tr.must("page.back", &action.None{})
	wants("/")
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "send"}})
	wants("/form?")
	tr.must("page.goto", &action.Goto{URL: s.URL + "/hop"})
	wants("/hop", "other/")
	tr.must("page.goto", &action.Goto{URL: s.URL})
	wants("/")
	tr.must("page.click", &action.Click{Locator: action.Locator{Text: "pop"}})
	wants("/pop")
	c := tr.Crawl(engine.CrawlOptions{})
	defer func() { must(t, c.Close(tr.ctx)) }()
	_, err := c.Visit(tr.ctx, s.URL+"/link", ample)
	must(t, err)
	wants("/link")
}

// TestADocumentThatCannotBePreparedForIsNotRequested, whether it was asked for
// or redirected to.
func TestADocumentThatCannotBePreparedForIsNotRequested(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": "never", "/hop": "-> /"})
	refused := fault.New(fault.CredentialsUnavailable, "the vault is away").Hinted("try later")
	tr := start(t, func(o *engine.Options) {
		o.Prepare = func(_ context.Context, url string) error {
			if url == s.URL+"/" {
				return refused
			}
			return nil
		}
		o.Refused = func(r action.Refusal) { t.Errorf("counted as refused: %+v", r) }
	})
	for _, from := range []string{"/", "/hop"} {
		if f := tr.refuse(fault.CredentialsUnavailable, "page.goto", &action.Goto{URL: s.URL + from}); f.Message != refused.Message {
			t.Errorf("from %s: %v", from, f)
		}
	}
	if got := seen.to("/"); len(got) > 0 {
		t.Errorf("the document was asked for %d times", len(got))
	}
}

// TestASlowVaultEndsWithTheNavigation: who gave the call up waits for nothing,
// and the tab is free.
func TestASlowVaultEndsWithTheNavigation(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": "never", "/quick": "<title>quick</title>"})
	began, ended := make(chan struct{}, 8), make(chan error, 8)
	tr := start(t, func(o *engine.Options) {
		o.Prepare = func(ctx context.Context, url string) error {
			if url != s.URL+"/" {
				return nil
			}
			began <- struct{}{}
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return context.Cause(ctx)
		}
	})
	ctx, cancel := context.WithCancel(tr.ctx)
	go func() {
		<-began
		cancel()
	}()
	if _, err := tr.Do(ctx, "page.goto", &action.Goto{URL: s.URL}, action.Pin{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	select {
	case <-ended:
	case <-tr.ctx.Done():
		t.Fatal("preparing goes on though nobody waits for it")
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/quick"})
	tr.wantTitle("quick")
	if got := seen.to("/"); len(got) > 0 {
		t.Errorf("the document was asked for %d times", len(got))
	}
}

// TestACrawlIsSignedInToo: a page that needs no browser is read by it all the
// same where there are credentials.
func TestACrawlIsSignedInToo(t *testing.T) {
	s, seen := noting(t, map[string]string{"/": "<title>plain</title><p>text"})
	var tr *trial
	set := credentials.Set{Domain: "127.0.0.1", Origin: s.URL, Cookies: []credentials.Cookie{{Name: "session", Value: credentials.Keep("canary-session")}}}
	tr = start(t, ready(&tr, set))
	way := http.DefaultTransport.(*http.Transport).Clone()
	defer way.CloseIdleConnections()
	c := tr.Crawl(engine.CrawlOptions{Way: way})
	defer func() { must(t, c.Close(tr.ctx)) }()
	_, err := c.Visit(tr.ctx, s.URL+"/", ample)
	must(t, err)
	for _, r := range seen.to("/") {
		if r.Header.Get("Cookie") == "" {
			t.Error("the page was asked for without the cookie")
		}
	}
}
