package session_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// cellar is a small vault: sets by scope and host, in memory.
type cellar struct {
	mu    sync.Mutex
	sets  map[string]credentials.Set // by scope and host, with a blank between
	fail  error
	asked int
	hold  chan struct{} // For waits for it to be closed
}

func (c *cellar) For(ctx context.Context, scope, host string) (*credentials.Set, error) {
	c.mu.Lock()
	hold := c.hold
	c.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	set, has := c.sets[scope+" "+host]
	if !has {
		return nil, c.fail
	}
	return &set, c.fail
}

func (c *cellar) set(change func(*cellar)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func (c *cellar) store(scope, host, version, value string) {
	c.set(func(c *cellar) {
		if c.sets == nil {
			c.sets = map[string]credentials.Set{}
		}
		c.sets[scope+" "+host] = credentials.Set{
			Domain: host, Path: "secrets/browser/" + host, Version: version, Required: true,
			Cookies: []credentials.Cookie{{Name: "session", Value: credentials.Keep(value)}},
		}
	})
}

// drawing gives a rig a vault and a book.
func drawing(c *cellar) tweak {
	return func(r *rig) {
		r.options.Vault, r.options.Known, r.options.Config.AutoInject = c, new(redact.SecretStore), true
	}
}

func (r *rig) goTo(who action.Caller, key, url string) (action.Result, error) {
	return r.call(r.t.Context(), who, "page.goto", key, &action.Goto{URL: url})
}

func TestCredentialsArePutInBeforeTheFirstPage(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "7", "canary-value-1")
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/inbox"})
	if len(s.Credentialed) != 1 || s.Credentialed[0] != "app.example" {
		t.Errorf("credentialed for %q", s.Credentialed)
	}
	if sets := r.page(s.Box).sets; len(sets) != 1 || sets[0].Cookies[0].Value.Reveal() != "canary-value-1" {
		t.Errorf("%d sets were put in", len(sets))
	}
	if got := r.options.Known.Of(s.ID).Text("canary-value-1"); strings.Contains(got, "canary") {
		t.Error("the value is not known as a secret")
	}
	r.wantsEvent("injection", func(e action.Record) bool {
		return e.Result == "ok" && e.Domain == "app.example" && e.SessionID == s.ID && e.Scope == "alice" &&
			strings.Contains(e.Detail, "1 cookie") && strings.Contains(e.Detail, "secrets/browser/app.example") && strings.Contains(e.Detail, `"7"`)
	})
	_, err := r.goTo(alice, s.ID, "https://app.example/again")
	must(t, err)
	if sets := r.page(s.Box).sets; len(sets) != 1 {
		t.Errorf("put in %d times", len(sets))
	}
}

// wantsEvent expects one record of a kind that fits, and none that says a
// secret.
func (r *rig) wantsEvent(kind string, fits func(action.Record) bool) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	found := 0
	for _, e := range r.events {
		if e.EventType == kind && fits(e) {
			found++
		}
		if strings.Contains(e.Detail+e.Error, "canary") {
			r.t.Errorf("a record says a secret: %+v", e)
		}
	}
	if found != 1 {
		r.t.Errorf("%d records of type %s fit, want one; all: %+v", found, kind, r.events)
	}
}

func TestAnotherScopesCredentialsAreNotPutIn(t *testing.T) {
	var c cellar
	c.store("bob", "app.example", "1", "canary-value-1")
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	if len(s.Credentialed) > 0 || len(r.page(s.Box).sets) > 0 {
		t.Errorf("the session got credentials of another scope: %q", s.Credentialed)
	}
}

func TestNothingIsVisitedWithoutTheCredentialsItNeeds(t *testing.T) {
	var c cellar
	c.set(func(c *cellar) { c.fail = errors.New("dial tcp: connection refused, token hvs.canary") })
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{})
	_, err := r.goTo(alice, s.ID, "https://app.example/")
	wants(t, fault.CredentialsUnavailable, err, "app.example")
	if f := fault.From(err); strings.Contains(f.Message+f.Hint, "canary") {
		t.Errorf("the fault says what the source said: %v", f)
	}
	if got := r.show(alice, s.ID); got.Page != nil && got.Page.URL != "about:blank" || len(got.Credentialed) > 0 {
		t.Errorf("the session is %+v", got)
	}
	r.wantsEvent("injection", func(e action.Record) bool { return e.Result == "fault" && e.Domain == "app.example" })
	c.set(func(c *cellar) { c.fail = nil })
	_, err = r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
}

func TestWhatTheBrowserDoesNotTakeRefusesTheVisitUnlessItIsNotNeeded(t *testing.T) {
	for _, required := range []bool{true, false} {
		var c cellar
		c.store("alice", "app.example", "1", "canary-value-1")
		c.set(func(c *cellar) {
			set := c.sets["alice app.example"]
			set.Required = required
			c.sets["alice app.example"] = set
		})
		r := newRig(t, drawing(&c))
		s := r.start(alice, action.SessionStart{})
		r.page(s.Box).set(func(p *tab) { p.refuses = errors.New("no") })
		result, err := r.goTo(alice, s.ID, "https://app.example/")
		if required {
			wants(t, fault.CredentialsUnavailable, err)
		} else if must(t, err); !strings.Contains(strings.Join(result.Notes, "\n"), "visited without them") {
			t.Errorf("notes %q", result.Notes)
		}
		r.wantsEvent("injection", func(e action.Record) bool { return e.Result == "fault" })
		if got := r.show(alice, s.ID); len(got.Credentialed) != 1 {
			t.Error("what may have been put in in part does not count")
		}
	}
}

// TestANewVersionIsPutInAtTheNextVisit: and the old values stay known.
func TestANewVersionIsPutInAtTheNextVisit(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-old-1")
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	c.store("alice", "app.example", "2", "canary-new-2")
	_, err := r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
	if sets := r.page(s.Box).sets; len(sets) != 2 || sets[1].Cookies[0].Value.Reveal() != "canary-new-2" {
		t.Errorf("%d sets were put in", len(sets))
	}
	if got := r.options.Known.Of(s.ID).Text("canary-old-1 canary-new-2"); strings.Contains(got, "canary") {
		t.Errorf("known are not both: %q", got)
	}
}

func TestWithoutAutoInjectNothingIsPutIn(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, drawing(&c), with(func(c *session.Config) { c.AutoInject = false }))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	if len(s.Credentialed) > 0 || c.asked > 0 {
		t.Errorf("the vault was asked %d times", c.asked)
	}
}

// TestADomainIsNamed: at the start, or by a navigation, and an agent names only
// what the session may open.
func TestADomainIsNamed(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	c.store("alice", "eu.wide.example", "1", "canary-wide-1")
	c.store("alice", "other.example", "1", "canary-other-1")
	r := newRig(t, drawing(&c), with(func(c *session.Config) { c.AutoInject = false }))
	s := r.start(alice, action.SessionStart{URL: "https://eu.wide.example/", Credentials: []string{"App.Example."}})
	if len(s.Credentialed) > 0 {
		t.Errorf("what was not named was put in: %q", s.Credentialed)
	}
	_, err := r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
	for domain, code := range map[string]fault.Code{
		"other.example": fault.BlockedDomain, "x.wide.example": fault.CredentialsUnavailable, "https://app.example/": fault.InvalidRequest, "*.wide.example": fault.InvalidRequest,
	} {
		_, err := r.call(t.Context(), alice, "page.goto", s.ID, &action.Goto{URL: "https://app.example/", DomainHint: domain})
		wants(t, code, err)
	}
	_, err = r.call(t.Context(), alice, "page.goto", s.ID, &action.Goto{URL: "https://app.example/", DomainHint: "eu.wide.example"})
	must(t, err)
	if got := strings.Join(r.show(alice, s.ID).Credentialed, " "); got != "app.example eu.wide.example" {
		t.Errorf("credentialed for %q", got)
	}
	_, err = r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Credentials: []string{"other.example"}})
	wants(t, fault.BlockedDomain, err, "other.example")
	_, err = r.call(t.Context(), admin, "page.goto", s.ID, &action.Goto{URL: "https://app.example/", DomainHint: "other.example"})
	must(t, err)
}

// TestOneInjectionForTwoTabs that come to a host at once, and a vault that takes
// its time.
func TestOneInjectionForTwoTabs(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{})
	p := r.page(s.Box)
	hold := make(chan struct{})
	c.set(func(c *cellar) { c.hold = hold })
	var visits sync.WaitGroup
	for range 2 {
		visits.Go(func() {
			if err := p.options.Prepare(t.Context(), "https://app.example/"); err != nil {
				t.Error(err)
			}
		})
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.options.Prepare(late, "https://app.example/"); err == nil {
		t.Error("who was given up got something")
	}
	close(hold)
	visits.Wait()
	if n := len(p.sets); n != 1 {
		t.Errorf("put in %d times", n)
	}
}

// TestCredentialsAreKnownAgainAfterARestart, before anybody may call.
func TestCredentialsAreKnownAgainAfterARestart(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, drawing(&c), keep)
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	r = r.again(drawing(&c), keep, freshCookie)
	if got := r.options.Known.Of(s.ID).Text("canary-value-1 canary-anew-3"); strings.Contains(got, "canary") {
		t.Errorf("not known again: %q", got)
	}
	if got := r.show(alice, s.ID); got.State != "open" || len(got.Credentialed) != 1 {
		t.Errorf("the session is %+v", got)
	}
	if p := r.page(s.Box); len(p.adopted) != 1 || len(p.sets) != 0 {
		t.Errorf("taken over %d, put in %d", len(p.adopted), len(p.sets))
	}
}

// freshCookie has every page say that a site changed its cookie.
func freshCookie(r *rig) {
	open := r.options.Open
	r.options.Open = func(ctx context.Context, box sandbox.Box, o engine.Options) (session.Browser, error) {
		b, err := open(ctx, box, o)
		if p, ok := b.(*tab); ok && p != nil {
			p.set(func(p *tab) { p.fresh = []credentials.Secret{credentials.Keep("canary-anew-3")} })
		}
		return b, err
	}
}

// TestASessionEndsWhoseSecretsCannotBeKnownAgain: nothing could be kept from
// what it shows.
func TestASessionEndsWhoseSecretsCannotBeKnownAgain(t *testing.T) {
	for name, change := range map[string]func(c *cellar){
		"the vault is away":     func(c *cellar) { c.set(func(c *cellar) { c.fail = errors.New("away") }) },
		"they are gone":         func(c *cellar) { c.set(func(c *cellar) { c.sets = nil }) },
		"there are others":      func(c *cellar) { c.store("alice", "app.example", "2", "canary-new-2") },
		"there were others too": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var c cellar
			c.store("alice", "app.example", "1", "canary-value-1")
			keep := with(func(c *session.Config) { c.KeepBoxes = true })
			r := newRig(t, drawing(&c), keep)
			s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
			if change == nil {
				c.store("alice", "app.example", "2", "canary-new-2")
				_, err := r.goTo(alice, s.ID, "https://app.example/")
				must(t, err)
			} else {
				change(&c)
			}
			r = r.again(drawing(&c), keep)
			if got := r.show(alice, s.ID); got.State != "failed" {
				t.Errorf("the session is %s", got.State)
			}
			if n := len(r.boxes()); n != 0 {
				t.Errorf("%d boxes are left", n)
			}
		})
	}
}

// TestWhatASiteSetsAnewIsKnownBeforeItIsTold.
func TestWhatASiteSetsAnewIsKnownBeforeItIsTold(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, drawing(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	r.page(s.Box).set(func(p *tab) {
		p.fresh = []credentials.Secret{credentials.Keep("canary-anew-3"), credentials.Keep("Delete"), credentials.Keep("en-US")}
	})
	_, err := r.call(t.Context(), alice, "page.snapshot", s.ID, &action.TakeSnapshot{})
	must(t, err)
	if got := r.options.Known.Of(s.ID).Text("canary-anew-3"); strings.Contains(got, "canary") {
		t.Error("a new cookie is not known")
	}
	if got := r.options.Known.Of(s.ID).Text("Delete en-US"); got != "Delete en-US" {
		t.Errorf("a site chose words that nobody is shown: %q", got)
	}
}

// TestCredentialsAreTakenOutAtTheEnd, and a profile that was not made to keep
// them is saved only when they were.
func TestCredentialsAreTakenOutAtTheEnd(t *testing.T) {
	for _, kind := range []struct {
		keep, fails, stored bool
		purged, kept        bool
	}{{purged: true, kept: true}, {purged: true, stored: true}, {stored: true, keep: true, kept: true}, {fails: true}, {keep: true, kept: true}, {keep: true, fails: true, kept: true}} {
		var c cellar
		c.store("alice", "app.example", "1", "canary-value-1")
		c.set(func(c *cellar) {
			if set := c.sets["alice app.example"]; kind.stored {
				set.LocalStorage = map[string]credentials.Secret{"token": credentials.Keep("canary-item-5")}
				c.sets["alice app.example"] = set
			}
		})
		r := newRig(t, drawing(&c))
		_, err := r.call(t.Context(), admin, "profile.create", "", &action.ProfileCreate{Name: "work", KeepCredentials: kind.keep})
		must(t, err)
		s := r.start(admin, action.SessionStart{URL: "https://app.example/", Profile: "work"})
		p := r.page(s.Box)
		if kind.fails {
			p.set(func(p *tab) { p.refuses = errors.New("no") })
		}
		_, err = r.call(t.Context(), admin, "session.close", s.ID, nil)
		must(t, err)
		if got := strings.Join(p.purged, " ") == "app.example"; got != (kind.purged || kind.fails && !kind.keep) {
			t.Errorf("%+v: asked to purge %q", kind, p.purged)
		}
		if r.told("injection", "purged") != kind.purged {
			t.Errorf("%+v: recorded purged %t", kind, !kind.purged)
		}
		if r.told("session", "its profile was saved") != kind.kept {
			t.Errorf("%+v: the profile is saved: %t", kind, !kind.kept)
		}
		if n := len(r.boxes()); n != 0 {
			t.Errorf("%+v: %d boxes are left", kind, n)
		}
	}
}

// TestAProfileThatKeepsCredentialsIsCredentialedFromItsStart, and is of no use
// where its secrets cannot be known.
func TestAProfileThatKeepsCredentialsIsCredentialedFromItsStart(t *testing.T) {
	var c cellar
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, drawing(&c))
	_, err := r.call(t.Context(), admin, "profile.create", "", &action.ProfileCreate{Name: "work", KeepCredentials: true})
	must(t, err)
	s := r.start(admin, action.SessionStart{URL: "https://app.example/", Profile: "work"})
	_, err = r.call(t.Context(), admin, "session.close", s.ID, nil)
	must(t, err)
	again := r.start(admin, action.SessionStart{Profile: "work"})
	if len(again.Credentialed) != 1 {
		t.Errorf("credentialed for %q", again.Credentialed)
	}
	if got := r.options.Known.Of(again.ID).Text("canary-value-1"); strings.Contains(got, "canary") {
		t.Error("what the profile holds is not known")
	}
	_, err = r.call(t.Context(), admin, "session.close", again.ID, nil)
	must(t, err)
	c.set(func(c *cellar) { c.sets = nil })
	_, err = r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: "work"})
	wants(t, fault.CredentialsUnavailable, err)
	if n := len(r.boxes()); n != 0 {
		t.Errorf("%d boxes are left", n)
	}
}

// TestASignedInVisitInARealBrowser is all of it at once.
func TestASignedInVisitInARealBrowser(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if c, err := r.Cookie("session"); err == nil && c.Value == "canary-value-1" {
			who = "signed in"
		}
		_, _ = w.Write([]byte("<title>" + who + "</title>"))
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	var c cellar
	c.store("alice", "127.0.0.1", "1", "canary-value-1")
	r := newRig(t, realPages, drawing(&c), with(func(c *session.Config) { c.Network.AllowPrivate = []string{host} }))
	s := r.start(alice, action.SessionStart{})
	result, err := r.goTo(alice, s.ID, site.URL)
	must(t, err)
	if result.Page == nil || result.Page.Title != "signed in" {
		t.Errorf("came to %+v", result.Page)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "signed in to 127.0.0.1 with stored credentials: 1 cookie") {
		t.Errorf("notes %q", notes)
	}
	c.set(func(c *cellar) { c.fail = errors.New("away") })
	_, err = r.goTo(alice, s.ID, site.URL)
	wants(t, fault.CredentialsUnavailable, err)
}
