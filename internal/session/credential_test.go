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

// fakeVault is a vault in memory: sets by scope and host.
type fakeVault struct {
	mu    sync.Mutex
	sets  map[string]credentials.Set // by scope and host, separated by a space
	fail  error
	asked int
	hold  chan struct{} // For waits until it is closed
}

func (c *fakeVault) For(ctx context.Context, scope, host string) (*credentials.Set, error) {
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

func (c *fakeVault) set(change func(*fakeVault)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func (c *fakeVault) store(scope, host, version, value string) {
	c.set(func(c *fakeVault) {
		if c.sets == nil {
			c.sets = map[string]credentials.Set{}
		}
		c.sets[scope+" "+host] = credentials.Set{
			Domain: host, Path: "secrets/browser/" + host, Version: version, Required: true,
			Cookies: []credentials.Cookie{{Name: "session", Value: credentials.Keep(value)}},
		}
	})
}

// withVault gives a rig a vault and a secret index.
func withVault(c *fakeVault) tweak {
	return func(r *rig) {
		r.options.Vault, r.options.Known, r.options.Config.AutoInject = c, new(redact.SecretStore), true
	}
}

func (r *rig) goTo(who action.Caller, key, url string) (action.Result, error) {
	return r.call(r.t.Context(), who, "page.goto", key, &action.Goto{URL: url})
}

func TestCredentialsAreInjectedBeforeTheFirstPage(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "7", "canary-value-1")
	r := newRig(t, withVault(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/inbox"})
	if len(s.Credentialed) != 1 || s.Credentialed[0] != "app.example" {
		t.Errorf("credentialed for %q", s.Credentialed)
	}
	if sets := r.page(s.Box).sets; len(sets) != 1 || sets[0].Cookies[0].Value.Reveal() != "canary-value-1" {
		t.Errorf("%d sets were injected", len(sets))
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

// wantsEvent expects exactly one record of a kind that matches, and none that
// contains a secret.
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
			r.t.Errorf("a record contains a secret: %+v", e)
		}
	}
	if found != 1 {
		r.t.Errorf("%d records of type %s fit, want one; all: %+v", found, kind, r.events)
	}
}

func TestCredentialsOfOtherScopesAreNotInjected(t *testing.T) {
	var c fakeVault
	c.store("bob", "app.example", "1", "canary-value-1")
	r := newRig(t, withVault(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	if len(s.Credentialed) > 0 || len(r.page(s.Box).sets) > 0 {
		t.Errorf("the session got credentials of another scope: %q", s.Credentialed)
	}
}

func TestAVisitFailsWithoutItsCredentials(t *testing.T) {
	var c fakeVault
	c.set(func(c *fakeVault) { c.fail = errors.New("dial tcp: connection refused, token hvs.canary") })
	r := newRig(t, withVault(&c))
	s := r.start(alice, action.SessionStart{})
	_, err := r.goTo(alice, s.ID, "https://app.example/")
	wants(t, fault.CredentialsUnavailable, err, "app.example")
	if f := fault.From(err); strings.Contains(f.Message+f.Hint, "canary") {
		t.Errorf("the fault repeats the error of the source: %v", f)
	}
	if got := r.show(alice, s.ID); got.Page != nil && got.Page.URL != "about:blank" || len(got.Credentialed) > 0 {
		t.Errorf("the session is %+v", got)
	}
	r.wantsEvent("injection", func(e action.Record) bool { return e.Result == "fault" && e.Domain == "app.example" })
	c.set(func(c *fakeVault) { c.fail = nil })
	_, err = r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
}

func TestAFailedInjectionRefusesTheVisitUnlessOptional(t *testing.T) {
	for _, required := range []bool{true, false} {
		var c fakeVault
		c.store("alice", "app.example", "1", "canary-value-1")
		c.set(func(c *fakeVault) {
			set := c.sets["alice app.example"]
			set.Required = required
			c.sets["alice app.example"] = set
		})
		r := newRig(t, withVault(&c))
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
			t.Error("a partly injected set does not count")
		}
	}
}

// TestANewVersionIsInjectedAtTheNextVisit also checks that the old values stay
// known.
func TestANewVersionIsInjectedAtTheNextVisit(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-old-1")
	r := newRig(t, withVault(&c))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	c.store("alice", "app.example", "2", "canary-new-2")
	_, err := r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
	if sets := r.page(s.Box).sets; len(sets) != 2 || sets[1].Cookies[0].Value.Reveal() != "canary-new-2" {
		t.Errorf("%d sets were injected", len(sets))
	}
	if got := r.options.Known.Of(s.ID).Text("canary-old-1 canary-new-2"); strings.Contains(got, "canary") {
		t.Errorf("not both versions are known: %q", got)
	}
}

func TestWithoutAutoInjectNothingIsInjected(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, withVault(&c), with(func(c *session.Config) { c.AutoInject = false }))
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	if len(s.Credentialed) > 0 || c.asked > 0 {
		t.Errorf("the vault was asked %d times", c.asked)
	}
}

// TestCallersCanNameTheDomainOfCredentials names it at the start and in a
// navigation. An agent can name only hosts that the session may open.
func TestCallersCanNameTheDomainOfCredentials(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	c.store("alice", "eu.wide.example", "1", "canary-wide-1")
	c.store("alice", "other.example", "1", "canary-other-1")
	r := newRig(t, withVault(&c), with(func(c *session.Config) { c.AutoInject = false }))
	s := r.start(alice, action.SessionStart{URL: "https://eu.wide.example/", Credentials: []string{"App.Example."}})
	if len(s.Credentialed) > 0 {
		t.Errorf("credentials that were not named were injected: %q", s.Credentialed)
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

// TestOneInjectionForTwoTabs opens a host in two tabs at once, with a slow vault.
func TestOneInjectionForTwoTabs(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, withVault(&c))
	s := r.start(alice, action.SessionStart{})
	p := r.page(s.Box)
	hold := make(chan struct{})
	c.set(func(c *fakeVault) { c.hold = hold })
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
		t.Error("the cancelled call got credentials")
	}
	close(hold)
	visits.Wait()
	if n := len(p.sets); n != 1 {
		t.Errorf("put in %d times", n)
	}
}

// TestSecretsAreKnownToTheRedactionAfterARestart checks this before any call.
func TestSecretsAreKnownToTheRedactionAfterARestart(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, withVault(&c), keep)
	s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
	r = r.again(withVault(&c), keep, freshCookie)
	if got := r.options.Known.Of(s.ID).Text("canary-value-1 canary-anew-3"); strings.Contains(got, "canary") {
		t.Errorf("not known again: %q", got)
	}
	if got := r.show(alice, s.ID); got.State != "open" || len(got.Credentialed) != 1 {
		t.Errorf("the session is %+v", got)
	}
	if p := r.page(s.Box); len(p.adopted) != 1 || len(p.sets) != 0 {
		t.Errorf("adopted %d, injected %d", len(p.adopted), len(p.sets))
	}
}

// freshCookie lets every page report that a site changed its cookie.
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

// TestARecoveredSessionWithUnknownSecretsEnds checks that a session ends after a
// restart if its secrets cannot be redacted.
func TestARecoveredSessionWithUnknownSecretsEnds(t *testing.T) {
	for name, change := range map[string]func(c *fakeVault){
		"the vault is away":     func(c *fakeVault) { c.set(func(c *fakeVault) { c.fail = errors.New("away") }) },
		"they are gone":         func(c *fakeVault) { c.set(func(c *fakeVault) { c.sets = nil }) },
		"there are others":      func(c *fakeVault) { c.store("alice", "app.example", "2", "canary-new-2") },
		"there were others too": nil,
	} {
		t.Run(name, func(t *testing.T) {
			var c fakeVault
			c.store("alice", "app.example", "1", "canary-value-1")
			keep := with(func(c *session.Config) { c.KeepBoxes = true })
			r := newRig(t, withVault(&c), keep)
			s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
			if change == nil {
				c.store("alice", "app.example", "2", "canary-new-2")
				_, err := r.goTo(alice, s.ID, "https://app.example/")
				must(t, err)
			} else {
				change(&c)
			}
			r = r.again(withVault(&c), keep)
			if got := r.show(alice, s.ID); got.State != "failed" {
				t.Errorf("the session is %s", got.State)
			}
			if n := len(r.boxes()); n != 0 {
				t.Errorf("%d boxes are left", n)
			}
		})
	}
}

func TestRotatedSecretsAreKnownBeforeTheAnswer(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, withVault(&c))
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
		t.Errorf("a short value chosen by a site is redacted: %q", got)
	}
}

// TestCredentialsArePurgedAtTheEnd also checks that a profile without
// keepCredentials is saved only if they were purged.
func TestCredentialsArePurgedAtTheEnd(t *testing.T) {
	for _, kind := range []struct {
		keep, fails, stored bool
		purged, kept        bool
	}{{purged: true, kept: true}, {purged: true, stored: true}, {stored: true, keep: true, kept: true}, {fails: true}, {keep: true, kept: true}, {keep: true, fails: true, kept: true}} {
		var c fakeVault
		c.store("alice", "app.example", "1", "canary-value-1")
		c.set(func(c *fakeVault) {
			if set := c.sets["alice app.example"]; kind.stored {
				set.LocalStorage = map[string]credentials.Secret{"token": credentials.Keep("canary-item-5")}
				c.sets["alice app.example"] = set
			}
		})
		r := newRig(t, withVault(&c))
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

// TestAProfileWithCredentialsMarksItsSessionAtTheStart also checks that the start
// fails if the secrets cannot be known.
func TestAProfileWithCredentialsMarksItsSessionAtTheStart(t *testing.T) {
	var c fakeVault
	c.store("alice", "app.example", "1", "canary-value-1")
	r := newRig(t, withVault(&c))
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
		t.Error("the secrets of the profile are not known")
	}
	_, err = r.call(t.Context(), admin, "session.close", again.ID, nil)
	must(t, err)
	c.set(func(c *fakeVault) { c.sets = nil })
	_, err = r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: "work"})
	wants(t, fault.CredentialsUnavailable, err)
	if n := len(r.boxes()); n != 0 {
		t.Errorf("%d boxes are left", n)
	}
}

// TestInjectionInARealBrowser combines all of this.
func TestInjectionInARealBrowser(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if c, err := r.Cookie("session"); err == nil && c.Value == "canary-value-1" {
			who = "signed in"
		}
		_, _ = w.Write([]byte("<title>" + who + "</title>"))
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	var c fakeVault
	c.store("alice", "127.0.0.1", "1", "canary-value-1")
	r := newRig(t, realPages, withVault(&c), with(func(c *session.Config) { c.Network.AllowPrivate = []string{host} }))
	s := r.start(alice, action.SessionStart{})
	result, err := r.goTo(alice, s.ID, site.URL)
	must(t, err)
	if result.Page == nil || result.Page.Title != "signed in" {
		t.Errorf("came to %+v", result.Page)
	}
	if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "signed in to 127.0.0.1 with stored credentials: 1 cookie") {
		t.Errorf("notes %q", notes)
	}
	c.set(func(c *fakeVault) { c.fail = errors.New("away") })
	_, err = r.goTo(alice, s.ID, site.URL)
	wants(t, fault.CredentialsUnavailable, err)
}
