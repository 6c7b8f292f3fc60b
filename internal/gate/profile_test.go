package gate_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func TestOnlyOperatorsManageProfiles(t *testing.T) {
	h := open(t)
	for about, call := range map[string]action.Call{
		"profile work": {Verb: "session.start", Args: &action.SessionStart{Profile: "work"}},
		"profile home": {Verb: "browser.start", Args: &action.BrowserStart{Context: "home"}},
		"profile new":  {Verb: "profile.create", Args: &action.ProfileCreate{Name: "new"}},
		"profile a1":   {Verb: "profile.delete", Args: &action.ByID{ID: "a1"}},
		"profile out":  {Verb: "profile.export", Args: &action.ByID{ID: "out"}},
		"profile in":   {Verb: "profile.import", Args: &action.ProfileImport{ID: "in"}},
		"":             {Verb: "profile.list", Args: &action.None{}},
	} {
		for _, call.Caller = range []action.Caller{agent, viewer} {
			if _, err := h.Call(t.Context(), call); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%s %q by %s: %v", call.Verb, about, call.Caller.Role, err)
			}
		}
		call.Caller = operator
		if _, err := h.Call(t.Context(), call); err != nil {
			t.Errorf("%s %q: %v", call.Verb, about, err)
		}
		if intent, outcome := h.last(t); intent.Risk != "HIGH" || outcome.TargetElement != about {
			t.Errorf("%s left %+v and %+v", call.Verb, intent, outcome)
		}
	}
	for _, call := range []action.Call{
		{Verb: "session.start", Args: &action.SessionStart{}}, {Verb: "browser.start", Args: &action.BrowserStart{}},
	} {
		call.Caller = agent
		if _, err := h.Call(t.Context(), call); err != nil {
			t.Errorf("%s without a profile: %v", call.Verb, err)
		}
	}
}

// TestNoRuleLetsAgentsMoveLogins uses a rule that allows every verb.
func TestNoRuleLetsAgentsMoveLogins(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Rules: []policy.Rule{{Tools: []string{"*"}, Action: "allow"}}})
	for name, args := range map[string]any{"profile.export": &action.ByID{ID: "work"}, "profile.import": &action.ProfileImport{ID: "work", File: []byte("[]")}} {
		for _, caller := range []action.Caller{agent, viewer} {
			if _, err := h.Call(t.Context(), action.Call{Verb: name, Args: args, Caller: caller}); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%s by %s: %v", name, caller.Role, err)
			}
		}
		if verb, _ := action.Lookup(name); verb.Class != action.Admin || verb.Tool != "" {
			t.Errorf("%s is offered as %+v", name, verb)
		}
	}
}

// TestAnExportIsCompleteAndItsRecordHasNoValues checks that only the exported
// state is not redacted; notes, other verbs and other roles are.
func TestAnExportIsCompleteAndItsRecordHasNoValues(t *testing.T) {
	h, sessions, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	sessions.data = &action.StorageState{
		Cookies: []action.Cookie{{Name: "sid", Value: canary, Domain: ".app.example.com"}},
		Origins: []action.OriginState{{Origin: "https://b.example", LocalStorage: []action.StorageItem{{Name: "t", Value: canary}, {Name: "u"}}}},
		Left:    []action.LeftOut{{Host: "vault.example", Why: "of the vault", Cookies: 1}},
	}
	result, err := h.Call(t.Context(), action.Call{Verb: "profile.export", Args: &action.ByID{ID: "work"}, Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	state, ok := result.Data.(*action.StorageState)
	if !ok || state.Cookies[0].Value != canary || state.Origins[0].LocalStorage[0].Value != canary {
		t.Errorf("exported %+v", result.Data)
	}
	result.Data = nil
	hides(t, "what is told beside", text(t, result))
	_, outcome := h.last(t)
	if want := "1 cookies and 2 entries of localStorage of app.example.com, b.example; left out: vault.example (of the vault)"; !strings.Contains(outcome.Detail, want) {
		t.Errorf("recorded %q", outcome.Detail)
	}
	hides(t, "the trail", text(t, h.records(t)))

	other, err := h.Call(t.Context(), action.Call{Verb: "cookie.list", Args: &action.CookieList{}, Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	hides(t, "another verb's answer", text(t, other))
}

func TestTheRecordOfAnImportHasHostsAndNumbers(t *testing.T) {
	h, sessions, _ := withSecrets(t)
	sessions.data = &action.ProfileImported{OK: true, Cookies: 2, LocalStorage: 1, Hosts: []string{"a.example"}, Left: []action.LeftOut{{Host: "b.example", Why: "expired", Cookies: 1}}}
	const value = "canary-1f9c03ab55d2"
	file := []byte("a.example\tFALSE\t/\tFALSE\t0\tsid\t" + value)
	if _, err := h.Call(t.Context(), action.Call{Verb: "profile.import", Args: &action.ProfileImport{ID: "work", File: file}, Caller: operator}); err != nil {
		t.Fatal(err)
	}
	intent, outcome := h.last(t)
	if intent.TargetElement != "profile work" || !strings.Contains(outcome.Detail, "2 cookies and 1 entries of localStorage of a.example; left out: b.example (expired)") {
		t.Errorf("recorded %+v and %+v", intent, outcome)
	}
	if all := text(t, h.records(t)); strings.Contains(all, value) {
		t.Error("the trail has a value")
	}
	_, err := h.Call(t.Context(), action.Call{Verb: "profile.import", Args: &action.ProfileImport{File: file}, Caller: operator})
	if fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("without a profile: %v", err)
	}
}
