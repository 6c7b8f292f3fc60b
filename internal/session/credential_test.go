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
	"github.com/gloveboxhq/glovebox/internal/credential"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/redact"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// cellar is a small vault: sets by scope and host, in memory.
type cellar struct {
	mu    sync.Mutex
	sets  map[string]credential.Set // by scope and host, with a blank between
	fail  error
	asked int
	hold  chan struct{} // For waits for it to be closed
}

func (c *cellar) For(ctx context.Context, scope, host string) (*credential.Set, error) {
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
			c.sets = map[string]credential.Set{}
		}
		c.sets[scope+" "+host] = credential.Set{
			Domain: host, Path: "secrets/browser/" + host, Version: version, Required: true,
			Cookies: []credential.Cookie{{Name: "session", Value: credential.Keep(value)}},
		}
	})
}

// drawing gives a rig a vault and a book.
func drawing(c *cellar) tweak {
	return func(r *rig) {
		r.options.Vault, r.options.Known, r.options.Config.AutoInject = c, new(redact.Book), true
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
