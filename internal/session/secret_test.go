package session_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// safe is a cellar that can be written.
type safe struct {
	*cellar
	kept []credentials.Set
}

func (s *safe) Put(_ context.Context, scope string, set credentials.Set) error {
	s.set(func(c *cellar) {
		s.kept = append(s.kept, set)
		set.Version = fmt.Sprint("v", len(s.kept))
		c.sets[scope+" "+set.Domain] = set
	})
	return nil
}

const (
	knownUser     = "canary-user@acme.example"
	knownPassword = `canary-Pa55"word'); é`
	knownSeed     = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
)

// bank is a site to log in to: with a name, a password and a one-time code. It
// tells who is logged in by a cookie, and the page by a token in its storage.
type bank struct {
	*httptest.Server
	mu   sync.Mutex
	came []string // what was sent to log in
}

func newBank(t *testing.T) *bank {
	b := &bank{}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch c, err := r.Cookie("sid"); {
	case r.URL.Path == "/in":
		b.mu.Lock()
		b.came = append(b.came, r.PostFormValue("user")+" "+r.PostFormValue("password")+" "+r.PostFormValue("code"))
		b.mu.Unlock()
		if r.PostFormValue("password") == knownPassword {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "canary-session", Path: "/", HttpOnly: true})
			http.SetCookie(w, &http.Cookie{Name: "look", Value: "dark", Path: "/", MaxAge: 3600})
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case err == nil && c.Value == "canary-session":
		_, _ = fmt.Fprint(w, `<title>Account</title><script>localStorage.setItem("token", "canary-tok-7f3a91c2e4b85d06"); sessionStorage.setItem("step", "canary-step")</script><button>Pay</button>`)
	default:
		_, _ = fmt.Fprint(w, `<title>Log in</title><form action=/in method=post><input name=user autocomplete=username><input name=password type=password>`+
			`<input name=code autocomplete=one-time-code><button>Log in</button></form>`)
	}
}

// host is where the bank is, and its domain.
func (b *bank) host() string { return strings.TrimPrefix(b.URL, "http://") }

const bankDomain = "127.0.0.1"

// lobby is a rig with a real browser and a vault with a login for the bank.
func lobby(t *testing.T, b *bank, tweaks ...tweak) (*rig, *safe) {
	t.Helper()
	s := &safe{cellar: &cellar{sets: map[string]credentials.Set{"alice " + bankDomain: {
		Domain: bankDomain, Path: "secrets/browser/bank", Version: "1", Origin: b.URL,
		Login: map[string]credentials.Secret{
			"username": credentials.Keep(knownUser), "password": credentials.Keep(knownPassword), "totp": credentials.Keep(knownSeed), "pin": credentials.Keep("otpauth://totp/x?secret=canary!"),
		},
	}}}}
	return newRig(t, append([]tweak{realPages, func(r *rig) {
		r.options.Vault, r.options.Known, r.options.Config.AutoInject = s, new(redact.SecretStore), true
		r.options.Config.Network.AllowPrivate = []string{b.host()}
	}}, tweaks...)...), s
}

func (r *rig) fill(who action.Caller, field, secret string) (action.Result, error) {
	return r.call(r.t.Context(), who, "page.fill_secret", "", &action.FillSecret{Locator: action.Locator{Selector: field}, Secret: secret})
}

func TestAnAgentLogsInWithSecretsItNeverSees(t *testing.T) {
	b := newBank(t)
	r, _ := lobby(t, b)
	s := r.start(alice, action.SessionStart{URL: b.URL})
	if len(s.Credentialed) != 0 {
		t.Errorf("credentialed before anything was typed: %q", s.Credentialed)
	}
	var said strings.Builder
	for field, secret := range map[string]string{"[name=user]": "username", "[name=password]": "password", "[name=code]": "totp"} {
		result, err := r.fill(alice, field, secret)
		must(t, err)
		if f := result.Data.(*action.Filled); f.Secret != secret || f.Domain != bankDomain {
			t.Errorf("filled %+v", f)
		}
		fmt.Fprintf(&said, "%+v %+v\n", result, result.Data)
	}
	shot, err := r.call(t.Context(), alice, "page.snapshot", "", &action.TakeSnapshot{})
	must(t, err)
	fmt.Fprintf(&said, "%+v\n", shot.Data)
	_, err = r.call(t.Context(), alice, "page.click", "", &action.Click{Locator: action.Locator{Role: "button", Name: "Log in"}})
	must(t, err)
	at, err := r.call(t.Context(), alice, "page.extract", "", &action.Extract{Mode: "title"})
	must(t, err)
	if got := at.Data.(*action.Extracted).Title; got != "Account" {
		t.Errorf("after the login the page is %q", got)
	}
	came := strings.Fields(strings.TrimPrefix(b.came[0], knownUser+" "+knownPassword))
	if !strings.HasPrefix(b.came[0], knownUser+" "+knownPassword+" ") || len(came) != 1 || len(came[0]) != 6 {
		t.Fatalf("the site got %d things", len(strings.Fields(b.came[0])))
	}
	for _, secret := range []string{knownUser, knownPassword, knownSeed, came[0]} {
		if strings.Contains(said.String(), secret) {
			t.Errorf("a secret was told: %s", said.String())
		}
		if secret == knownUser {
			continue // sites show it
		}
		if got := r.options.Known.Of(s.ID).Text("<" + secret + ">"); strings.Contains(got, secret) || strings.Contains(got, "canary") {
			t.Errorf("a secret that was typed is not known as one: %s", got)
		}
	}
	show, err := r.call(t.Context(), alice, "session.show", "", &action.None{})
	must(t, err)
	if now := show.Data.(*action.Session); len(now.Credentialed) != 1 || now.Credentialed[0] != bankDomain {
		t.Errorf("credentialed for %q", now.Credentialed)
	}
	r.wantsNoCanary()
}

// wantsNoCanary expects that no event says a secret.
func (r *rig) wantsNoCanary() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if strings.Contains(fmt.Sprintf("%+v", e), "canary") {
			r.t.Errorf("a record says a secret: %+v", e)
		}
	}
}

func TestWhatCannotBeFilledIsSaid(t *testing.T) {
	b := newBank(t)
	r, s := lobby(t, b)
	r.start(alice, action.SessionStart{URL: b.URL})
	fill := func(a action.FillSecret) error {
		a.Locator = action.Locator{Selector: "[name=password]"}
		_, err := r.call(t.Context(), alice, "page.fill_secret", "", &a)
		return err
	}
	wantFault(t, fault.NotFound, fill(action.FillSecret{Secret: "api-key"}))
	wantFault(t, fault.NotFound, fill(action.FillSecret{Secret: "password", Domain: "else.example"}))
	wantFault(t, fault.NotFound, fill(action.FillSecret{Secret: "password", Domain: "x.127.0.0.1.example"}))
	wantFault(t, fault.InvalidRequest, fill(action.FillSecret{Secret: "password", Domain: "..."}))
	wantFault(t, fault.CredentialsUnavailable, fill(action.FillSecret{Secret: "pin"}))
	must(t, fill(action.FillSecret{Secret: "password", Domain: bankDomain}))
	s.set(func(c *cellar) { c.fail = fmt.Errorf("canary: the source is on fire") })
	err := fill(action.FillSecret{Secret: "password"})
	if f := wantFault(t, fault.CredentialsUnavailable, err); strings.Contains(f.Message+f.Hint, "canary") {
		t.Errorf("the fault repeats its cause: %v", f)
	}
	_, err = r.call(t.Context(), bob, "page.fill_secret", "", &action.FillSecret{Locator: action.Locator{Selector: "input"}, Secret: "password"})
	wantFault(t, fault.NotActive, err)
	bare := newRig(t, realPages, with(func(c *session.Config) { c.Network.AllowPrivate = []string{b.host()} }))
	opened := bare.start(alice, action.SessionStart{URL: b.URL})
	_, err = bare.fill(alice, "[name=password]", "password")
	wantFault(t, fault.CredentialsUnavailable, err)
	_, err = bare.call(t.Context(), admin, "credential.capture", opened.ID, &action.Capture{Domain: bankDomain})
	wantFault(t, fault.CredentialsUnavailable, err)
}

func wantFault(t *testing.T, code fault.Code, err error) *fault.Fault {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || f.Hint == "" {
		t.Fatalf("fault %+v, want %s with a hint", f, code)
	}
	return f
}

func TestASessionRemembersThatAnAgentHadCodeInIt(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	scripted := func() bool {
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "page.snapshot", Caller: alice, Session: s.ID, Args: &action.TakeSnapshot{}})
		must(t, err)
		return facts.Session.Scripted
	}
	_, err := r.call(t.Context(), admin, "page.execute", s.ID, &action.Execute{Expression: "1"})
	must(t, err)
	if scripted() {
		t.Error("an operator's script counts")
	}
	_, err = r.call(t.Context(), alice, "page.execute", s.ID, &action.Execute{Expression: "1"})
	must(t, err)
	if !scripted() {
		t.Error("an agent's script is forgotten")
	}
}

func TestAnAgentsClientIsPutOutBeforeASecretIsTypedOrCaptured(t *testing.T) {
	for verb, args := range map[string]any{
		"page.fill_secret":   &action.FillSecret{Locator: action.Locator{Ref: "e1"}, Secret: "password"},
		"credential.capture": &action.Capture{Domain: "app.example"},
	} {
		vault := &safe{cellar: &cellar{sets: map[string]credentials.Set{"alice app.example": {
			Domain: "app.example", Login: map[string]credentials.Secret{"password": credentials.Keep(knownPassword)},
		}}}}
		r := newRig(t, func(r *rig) { r.options.Vault, r.options.Known = vault, new(redact.SecretStore) })
		s := r.start(alice, action.SessionStart{URL: "https://app.example/"})
		began := make(chan struct{}, 1)
		r.page(s.Box).set(func(t *tab) {
			t.began, t.state = began, credentials.Set{Cookies: []credentials.Cookie{{Name: "sid", Value: credentials.Keep("canary-session")}}}
		})
		place, err := r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: alice}, action.Pin{Session: s.ID}, nil)
		must(t, err)
		served := make(chan error, 1)
		go func() { served <- place.Serve(t.Context(), nil) }()
		<-began
		_, err = r.call(t.Context(), admin, verb, s.ID, args)
		must(t, err)
		wants(t, fault.DeniedByPolicy, <-served, "page verbs")
	}
}

func TestWhatAPersonLoggedInToIsSavedAndLogsTheNextSessionIn(t *testing.T) {
	b := newBank(t)
	r, vault := lobby(t, b)
	s := r.start(alice, action.SessionStart{URL: b.URL})
	_, err := r.call(t.Context(), admin, "session.take", s.ID, &action.Hands{Reason: "logging in"})
	must(t, err)
	for field, text := range map[string]string{"[name=user]": knownUser, "[name=password]": knownPassword} {
		_, err = r.call(t.Context(), admin, "page.type", s.ID, &action.Type{Locator: action.Locator{Selector: field}, Input: text})
		must(t, err)
	}
	_, err = r.call(t.Context(), admin, "page.click", s.ID, &action.Click{Locator: action.Locator{Role: "button", Name: "Log in"}})
	must(t, err)
	result, err := r.call(t.Context(), admin, "credential.capture", s.ID, &action.Capture{Domain: bankDomain, Only: []string{"sid", "token", "step"}, Expires: "2090-01-01T00:00:00Z"})
	must(t, err)
	got := *result.Data.(*action.Captured)
	if got.Domain != bankDomain || got.Origin != b.URL || got.Cookies != 1 || got.LocalStorage != 1 || got.SessionStorage != 1 || len(got.Left) != 0 {
		t.Errorf("captured %+v", got)
	}
	if text := fmt.Sprintf("%+v %+v", result, got); strings.Contains(text, "canary") {
		t.Errorf("a value was told: %s", text)
	}
	kept := vault.kept[0]
	c := kept.Cookies[0]
	if c.Value.Reveal() != "canary-session" || !c.HTTPOnly || c.Domain != bankDomain || c.Expires == nil || c.Expires.Year() != 2090 {
		t.Errorf("kept %+v until %v", c, c.Expires)
	}
	if kept.Path != "secrets/browser/bank" || len(kept.Login) != 4 || kept.LocalStorage["token"].Reveal() != "canary-tok-7f3a91c2e4b85d06" || kept.SessionStorage["step"].Reveal() != "canary-step" {
		t.Errorf("kept %+v", kept)
	}
	if text := r.options.Known.Of(s.ID).Text("canary-session canary-tok-7f3a91c2e4b85d06"); strings.Contains(text, "canary") {
		t.Errorf("what was captured is not known as secret: %s", text)
	}
	next := r.start(alice, action.SessionStart{Name: "next", URL: b.URL})
	if next.Page == nil || next.Page.Title != "Account" {
		t.Errorf("the next session is at %+v", next.Page)
	}
	r.wantsNoCanary()
}

func TestCaptureTakesWhatItIsToldAndKeepsTheRest(t *testing.T) {
	no := false
	had := credentials.Set{
		Cookies:      []credentials.Cookie{{Name: "sid", Domain: bankDomain, Path: "/", Value: credentials.Keep("old")}, {Name: "other", Domain: bankDomain, Path: "/", Value: credentials.Keep("kept")}},
		LocalStorage: map[string]credentials.Secret{"token": credentials.Keep("old"), "theme": credentials.Keep("kept")},
		Headers:      map[string]credentials.Secret{"X-Key": credentials.Keep("kept")}, Login: map[string]credentials.Secret{"totp": credentials.Keep("kept")}, FillUnasked: true,
	}
	for name, c := range map[string]struct {
		args           action.Capture
		cookies, local map[string]string
	}{
		"replaced":     {action.Capture{}, map[string]string{"sid": "new"}, map[string]string{"token": "new"}},
		"merged":       {action.Capture{Mode: "merge"}, map[string]string{"sid": "new", "other": "kept"}, map[string]string{"token": "new", "theme": "kept"}},
		"cookies only": {action.Capture{LocalStorage: &no}, map[string]string{"sid": "new"}, map[string]string{"token": "old", "theme": "kept"}},
		"storage only": {action.Capture{Cookies: &no}, map[string]string{"sid": "old", "other": "kept"}, map[string]string{"token": "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			var open *tab
			vault := &safe{cellar: &cellar{sets: map[string]credentials.Set{}}}
			r := newRig(t, func(r *rig) { r.options.Vault = vault })
			s := r.start(alice, action.SessionStart{})
			open = r.page(s.Box)
			open.set(func(t *tab) {
				t.state = credentials.Set{Domain: bankDomain, Origin: "http://127.0.0.1:1", Cookies: []credentials.Cookie{{Name: "sid", Domain: bankDomain, Path: "/", Value: credentials.Keep("new")}},
					LocalStorage: map[string]credentials.Secret{"token": credentials.Keep("new")}}
			})
			before := had
			before.Domain, before.Origin = bankDomain, "http://127.0.0.1:1"
			vault.sets["alice "+bankDomain] = before
			c.args.Domain = bankDomain
			_, err := r.call(t.Context(), admin, "credential.capture", s.ID, &c.args)
			must(t, err)
			kept := vault.kept[0]
			cookies := map[string]string{}
			for _, cookie := range kept.Cookies {
				cookies[cookie.Name] = cookie.Value.Reveal()
			}
			if !maps.Equal(cookies, c.cookies) || !maps.Equal(plain(kept.LocalStorage), c.local) {
				t.Errorf("cookies %v, storage %v", cookies, plain(kept.LocalStorage))
			}
			if len(kept.Headers) != 1 || len(kept.Login) != 1 || !kept.FillUnasked {
				t.Errorf("what is not the browser's was not kept: %+v", kept)
			}
		})
	}
}

func TestWhatWasCapturedIsNotPutIntoItsOwnSessionAgain(t *testing.T) {
	vault := &safe{cellar: &cellar{sets: map[string]credentials.Set{}}}
	r := newRig(t, func(r *rig) { r.options.Vault, r.options.Config.AutoInject = vault, true })
	s := r.start(alice, action.SessionStart{})
	open := r.page(s.Box)
	open.set(func(t *tab) {
		t.state = credentials.Set{Cookies: []credentials.Cookie{{Name: "sid", Value: credentials.Keep("of the moment")}}}
	})
	_, err := r.call(t.Context(), admin, "credential.capture", s.ID, &action.Capture{Domain: "app.example"})
	must(t, err)
	_, err = r.goTo(alice, s.ID, "https://app.example/")
	must(t, err)
	other := r.start(alice, action.SessionStart{Name: "other", URL: "https://app.example/"})
	if own, others := len(open.sets), len(r.page(other.Box).sets); own != 0 || others != 1 {
		t.Errorf("put in %d times, into another session %d times", own, others)
	}
}

func plain(secrets map[string]credentials.Secret) map[string]string {
	all := map[string]string{}
	for name, s := range secrets {
		all[name] = s.Reveal()
	}
	return all
}

func TestCaptureThatMakesNoSenseIsRefusedAndStoresNothing(t *testing.T) {
	vault := &safe{cellar: &cellar{sets: map[string]credentials.Set{}}}
	r := newRig(t, func(r *rig) { r.options.Vault = vault })
	s := r.start(alice, action.SessionStart{})
	capture := func(a action.Capture) error {
		_, err := r.call(t.Context(), admin, "credential.capture", s.ID, &a)
		return err
	}
	wantFault(t, fault.NotFound, capture(action.Capture{Domain: bankDomain})) // there is nothing
	r.page(s.Box).set(func(t *tab) {
		t.state = credentials.Set{Origin: "https://app.example", LocalStorage: map[string]credentials.Secret{"a": credentials.Keep("b")}}
	})
	wantFault(t, fault.InvalidRequest, capture(action.Capture{Domain: "..."}))
	wantFault(t, fault.InvalidRequest, capture(action.Capture{Domain: "app.example", Expires: "tomorrow"}))
	wantFault(t, fault.InvalidRequest, capture(action.Capture{Domain: "app.example", Expires: time.Now().Add(-time.Hour).Format(time.RFC3339)}))
	wantFault(t, fault.NotFound, capture(action.Capture{Domain: "app.example", Only: []string{"b"}}))
	vault.sets["alice app.example"] = credentials.Set{Domain: "app.example", Headers: map[string]credentials.Secret{"X": credentials.Keep("y")}, Origin: "https://login.app.example"}
	wantFault(t, fault.InvalidRequest, capture(action.Capture{Domain: "app.example"})) // headers are for another origin
	if len(vault.kept) != 0 {
		t.Errorf("stored %+v", vault.kept)
	}
}

func (t *tab) Capture(_ context.Context, domain string) (credentials.Set, []string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.state
	set.Domain, set.LocalStorage = domain, maps.Clone(set.LocalStorage)
	return set, nil, t.fail
}
