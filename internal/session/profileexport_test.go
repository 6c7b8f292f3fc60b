package session_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// The values of a login.
const (
	sidValue   = "canary-5e1f09a7c2d84b36"
	tokenValue = "canary-tok-91ab77e0d3f5"
)

// aLogin is a file of Playwright's with a login for app.example, and cookies of
// hosts that no session may open.
func aLogin(t *testing.T) []byte {
	t.Helper()
	state := map[string]any{
		"cookies": []map[string]any{
			{"name": "sid", "value": sidValue, "domain": "app.example", "path": "/", "expires": -1, "httpOnly": true, "secure": true, "sameSite": "Strict"},
			{"name": "seen", "value": "1", "domain": "a.wide.example", "path": "/", "expires": -1, "sameSite": "Lax"},
			{"name": "id", "value": "v", "domain": ".tracker.example", "path": "/", "expires": -1, "sameSite": "Lax"},
		},
		"origins": []map[string]any{
			{"origin": "https://app.example", "localStorage": []map[string]string{{"name": "token", "value": tokenValue}}},
			{"origin": "https://evil.example", "localStorage": []map[string]string{{"name": "x", "value": "y"}, {"name": "z", "value": ""}}},
		},
	}
	text, err := json.Marshal(state)
	must(t, err)
	return text
}

func (r *rig) importing(id string, args action.ProfileImport) (*action.ProfileImported, error) {
	r.t.Helper()
	args.ID = id
	result, err := r.call(r.t.Context(), admin, "profile.import", "", &args)
	if err != nil {
		return nil, err
	}
	return result.Data.(*action.ProfileImported), nil
}

func (r *rig) listed(id string) action.Profile {
	r.t.Helper()
	p, err := r.kept.ByID(r.t.Context(), id)
	must(r.t, err)
	return p
}

// lastPage is the page of the box that started last.
func (r *rig) newest(t *testing.T) *tab {
	t.Helper()
	result, err := r.call(t.Context(), admin, "session.list", "", &action.SessionList{IncludeArchived: true})
	must(t, err)
	return r.page(result.Data.(*action.SessionListing).Sessions[0].Box)
}

func withBook(r *rig) { r.options.Known = new(redact.SecretStore) }

func TestALoginIsImportedForHostsThatSessionsMayOpen(t *testing.T) {
	r := newRig(t, withBook)
	p := r.profile("work")
	done, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	must(t, err)
	if done.Cookies != 2 || done.Origins != 1 || done.LocalStorage != 1 || done.ID != p.ID || done.Format != "playwright" ||
		!slices.Equal(done.Hosts, []string{"a.wide.example", "app.example"}) {
		t.Errorf("imported %+v", done)
	}
	if want := []action.LeftOut{
		{Host: "evil.example", Why: "a session may not open it", LocalStorage: 2}, {Host: "tracker.example", Why: "a session may not open it", Cookies: 1},
	}; !slices.Equal(done.Left, want) {
		t.Errorf("left out %+v", done.Left)
	}
	got := r.newest(t).restored
	if len(got.cookies) != 2 || got.cookies[0].Name != "sid" || *got.cookies[0].Value != sidValue || len(got.origins) != 1 || got.origins[0].Origin != "https://app.example" {
		t.Errorf("the browser got %+v", got)
	}
	if now := r.listed(p.ID); now.Saved == nil || !slices.Equal(now.Imported, done.Hosts) {
		t.Errorf("the profile is %+v", now)
	}
	if boxes := r.boxes(); len(boxes) != 0 {
		t.Errorf("boxes are left: %v", boxes)
	}
	if !r.told("session", "its profile was saved") || !r.told("session", "a login was imported into its profile") {
		t.Error("no record says so")
	}
	r.wantsNoCanary()
}

func TestAnImportTakesTheHostsThatItNames(t *testing.T) {
	r := newRig(t, withBook)
	r.profile("work")
	done, err := r.importing("work", action.ProfileImport{File: aLogin(t), Allow: []string{"*.tracker.example", "evil.example"}})
	must(t, err)
	if done.Cookies != 0 || !slices.Equal(done.Hosts, []string{"evil.example"}) || len(done.Left) != 3 {
		t.Errorf("imported %+v", done)
	}
}

// TestWhatWasImportedIsASecretOfLaterSessions as what came from the vault is.
func TestWhatWasImportedIsASecretOfLaterSessions(t *testing.T) {
	r := newRig(t, withBook)
	p := r.profile("work")
	_, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	must(t, err)
	r.mu.Lock()
	r.answers = action.StorageState{
		Cookies: []action.Cookie{{Name: "sid", Value: sidValue, Domain: "app.example", HTTPOnly: true}, {Name: "own", Value: "canary-other-0123", Domain: "other.example"}},
		Origins: []action.OriginState{{Origin: "https://app.example", LocalStorage: []action.StorageItem{{Name: "token", Value: tokenValue}}}},
	}
	r.mu.Unlock()
	s := r.start(admin, action.SessionStart{Profile: "work"})
	if want := []string{"a.wide.example", "app.example"}; !slices.Equal(s.Credentialed, want) {
		t.Errorf("credentialed for %q", s.Credentialed)
	}
	if asked := r.page(s.Box).asked; !slices.Equal(asked, []string{"https://app.example"}) {
		t.Errorf("asked for %q", asked)
	}
	said := r.options.Known.Of(s.ID).Text("<" + sidValue + "> <" + tokenValue + "> <canary-other-0123>")
	if strings.Contains(said, sidValue) || strings.Contains(said, tokenValue) || !strings.Contains(said, "canary-other-0123") {
		t.Errorf("known: %s", said)
	}
	r.shut(admin, s.ID)
	if now := r.listed(p.ID); len(now.Imported) != 2 {
		t.Errorf("after a session the profile is %+v", now)
	}
}

// TestAProfileWhoseSecretsCannotBeReadDoesNotStart.
func TestAProfileWhoseSecretsCannotBeReadDoesNotStart(t *testing.T) {
	r := newRig(t, withBook)
	r.profile("work")
	_, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	must(t, err)
	r.mu.Lock()
	r.unreadable = errors.New("gone")
	r.mu.Unlock()
	_, err = r.call(t.Context(), admin, "session.start", "", &action.SessionStart{Profile: "work"})
	wants(t, fault.RedactionFailed, err, "could not be read")
}

func TestAnImportChangesNothingWhereItFails(t *testing.T) {
	r := newRig(t, withBook)
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	r.engine.SetProfile(s.Box, tarOf(t, "signed in"))
	_, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	wants(t, fault.AlreadyActive, err, "in use")
	r.shut(admin, s.ID)
	before := r.opened()
	for file, says := range map[string]string{
		"app.example\tFALSE\t/\tFALSE\t0\tok\tv\napp.example\tFALSE\t/\tFALSE\t0\tn\tcanary;value":                            "line 2: value must not hold ;",
		`[{"name": "n", "value": "v", "domain": "app.example"}, {"name": "a b", "value": "canary", "domain": "app.example"}]`: "entry 1: name must be a name",
		`{"cookies": [{"name": "__Host-n", "value": "canary", "domain": ".app.example", "secure": true}]}`:                    "cookies.0: name begins with __Host-",
		`[{"name": "n", "value": "v", "domain": "com", "hostOnly": false}]`:                                                   "entry 0: domain has no sub-domains",
		"no cookies at all": "line 1 has 1 fields",
	} {
		_, err := r.importing("work", action.ProfileImport{File: []byte(file)})
		wants(t, fault.InvalidRequest, err, says)
		if f := fault.From(err); strings.Contains(f.Message+f.Hint, "canary") {
			t.Errorf("it repeats a value: %v", err)
		}
	}
	_, err = r.importing("work", action.ProfileImport{File: []byte(`[{"name": "n", "value": "v", "domain": "evil.example"}]`)})
	wants(t, fault.BlockedDomain, err, "evil.example", "--allow")
	_, err = r.importing("work", action.ProfileImport{File: []byte(`[{"name": "n", "value": "v", "domain": "app.example", "expirationDate": 1000}]`)})
	wants(t, fault.InvalidRequest, err, "expired")
	_, err = r.importing("home", action.ProfileImport{File: aLogin(t)})
	wants(t, fault.NotFound, err)
	if r.opened() != before {
		t.Error("a browser was started for nothing")
	}
	r.mu.Lock()
	r.unrestored = fault.New(fault.InvalidRequest, "the browser did not keep it").Hinted("take it out")
	r.mu.Unlock()
	_, err = r.importing("work", action.ProfileImport{File: aLogin(t)})
	wants(t, fault.InvalidRequest, err, "did not keep")
	if now := r.listed(p.ID); len(now.Imported) > 0 || !strings.Contains(r.saved(p.ID), "signed in") {
		t.Errorf("the profile is %+v", now)
	}
	if !r.told("session", "its profile was left as it was") {
		t.Error("no record says so")
	}
}

func TestAnImportThatCouldNotBeSavedFails(t *testing.T) {
	r := newRig(t, withBook)
	p := r.profile("work")
	r.mu.Lock()
	r.leaves = []byte(strings.Repeat("no tar", 500))
	r.mu.Unlock()
	_, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	wants(t, fault.StartFailed, err, "not saved")
	if now := r.listed(p.ID); now.Saved != nil || len(now.Imported) > 0 {
		t.Errorf("the profile is %+v", now)
	}
}

func TestAnExportLeavesOutWhatTheVaultGave(t *testing.T) {
	vault := &cellar{sets: map[string]credentials.Set{"alice app.example": {Domain: "app.example", Path: "p", Version: "1", Cookies: []credentials.Cookie{{Name: "v", Value: credentials.Keep("canary-vault-77aa")}}}}}
	r := newRig(t, withBook, func(r *rig) { r.options.Vault, r.options.Config.AutoInject = vault, true })
	p := r.profile("work")
	s := r.start(admin, action.SessionStart{Profile: "work"})
	_, err := r.call(t.Context(), admin, "page.goto", s.ID, &action.Goto{URL: "https://app.example/"})
	must(t, err)
	r.page(s.Box).set(func(tab *tab) {
		tab.visited = []string{"https://app.example", "https://a.wide.example"}
		tab.holds = action.StorageState{
			Cookies: []action.Cookie{
				{Name: "v", Value: "canary-vault-77aa", Domain: "app.example", Expires: -1}, {Name: "w", Value: "x", Domain: ".example", Expires: -1, SameSite: "None"},
				{Name: "own", Value: "mine", Domain: "a.wide.example", Path: "/", Expires: -1},
			},
			Origins: []action.OriginState{{Origin: "https://app.example", LocalStorage: make([]action.StorageItem, 2)}, {Origin: "https://a.wide.example", LocalStorage: []action.StorageItem{{Name: "a", Value: "b"}}}},
		}
	})
	result, err := r.call(t.Context(), admin, "profile.export", "", &action.ByID{ID: "work"})
	must(t, err)
	state := result.Data.(*action.StorageState)
	if want := []action.Cookie{{Name: "own", Value: "mine", Domain: "a.wide.example", Path: "/", Expires: -1, SameSite: "Lax"}}; !slices.Equal(state.Cookies, want) {
		t.Errorf("cookies %+v", state.Cookies)
	}
	if len(state.Origins) != 1 || state.Origins[0].Origin != "https://a.wide.example" {
		t.Errorf("origins %+v", state.Origins)
	}
	const why = "its credentials come from the vault, and stay there"
	if want := []action.LeftOut{{Host: "app.example", Why: why, Cookies: 1, LocalStorage: 2}, {Host: "example", Why: why, Cookies: 1}}; !slices.Equal(state.Left, want) {
		t.Errorf("left out %+v", state.Left)
	}
	if result.Session != s.ID || r.show(admin, s.ID).State != "open" {
		t.Error("it was not the open session's")
	}
	r.shut(admin, s.ID)
	if origins, err := r.kept.Origins(t.Context(), p.ID); err != nil || !slices.Equal(origins, []string{"https://a.wide.example", "https://app.example"}) {
		t.Errorf("remembered %q, %v", origins, err)
	}
}

func TestAnExportOfAnUnusedProfileLeavesItAsItWas(t *testing.T) {
	r := newRig(t, withBook)
	p := r.profile("work")
	must(t, r.kept.Visited(t.Context(), p.ID, []string{"https://app.example"}))
	result, err := r.call(t.Context(), admin, "profile.export", "", &action.ByID{ID: p.ID})
	must(t, err)
	if state := result.Data.(*action.StorageState); state.Cookies == nil || state.Origins == nil {
		t.Errorf("an empty profile is %+v", state)
	}
	if now := r.listed(p.ID); now.Saved != nil || len(r.boxes()) != 0 {
		t.Errorf("the profile is %+v, boxes %v", now, r.boxes())
	}
	record := r.show(admin, result.Session)
	if record.State != "closed" || record.Reason != "its profile was exported" || !r.told("session", "its profile was left as it was") {
		t.Errorf("the session is %+v", record)
	}
	_, err = r.call(t.Context(), bob, "profile.export", "", &action.ByID{ID: p.ID})
	wants(t, fault.NotFound, err)
}

// TestNoCallFallsIntoTheSessionOfAnImport that does not name it.
func TestNoCallFallsIntoTheSessionOfAnImport(t *testing.T) {
	r := newRig(t, withBook)
	r.profile("work")
	var during error
	r.mu.Lock()
	r.whileRestoring = func() {
		_, during = r.call(t.Context(), admin, "page.goto", "", &action.Goto{URL: "https://app.example/"})
	}
	r.mu.Unlock()
	_, err := r.importing("work", action.ProfileImport{File: aLogin(t)})
	must(t, err)
	wants(t, fault.NotActive, during)
}

var _ session.Browser = (*tab)(nil)
