package gate_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// withTokenStore is a gate with a real token store.
func withTokenStore(t *testing.T) (*gate.Gate, *audit.Log, *auth.TokenStore) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	book := &auth.TokenStore{}
	if err := book.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), audit.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := approval.Open(t.Context(), approval.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Options{Sessions: &fakeSessions{}, Policy: rules, Approvals: queue, Audit: trail, Log: log, Tokens: book})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = g.Close(context.Background())
		trail.Close()
		_ = book.Close(context.Background())
		_ = db.Close()
	})
	return g, trail, book
}

func TestCreatingAndRevokingTokensIsRecorded(t *testing.T) {
	g, trail, book := withTokenStore(t)
	made, err := g.Call(t.Context(), action.Call{Verb: "token.create", Caller: operator, Args: &action.TokenCreate{Name: "ci", Role: action.Agent}})
	if err != nil {
		t.Fatal(err)
	}
	secret := made.Data.(*action.TokenMade).Secret
	if who, err := book.Identify(t.Context(), secret); err != nil || who.Caller.Scope != operator.Scope {
		t.Errorf("%+v %v", who, err)
	}
	listed, err := g.Call(t.Context(), action.Call{Verb: "token.list", Caller: operator, Args: &action.TokenList{}})
	if err != nil || len(listed.Data.(*action.TokenListing).Tokens) != 1 {
		t.Errorf("%+v %v", listed, err)
	}
	if _, err := g.Call(t.Context(), action.Call{Verb: "token.revoke", Caller: operator, Args: &action.TokenRevoke{ID: "ci"}}); err != nil {
		t.Error(err)
	}
	page, err := trail.Query(t.Context(), action.AuditQuery{Limit: 100}, operator.Scope)
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	for _, r := range page.Records {
		story = append(story, r.EventType+" "+r.Action)
		if text, _ := json.Marshal(r); strings.Contains(string(text), secret) {
			t.Errorf("the token is in %s", text)
		}
		if r.EventType == action.EventToken && (!strings.Contains(r.Detail, "ci") || !strings.Contains(r.Detail, "tok_")) {
			t.Errorf("the record says %q", r.Detail)
		}
	}
	want := "intent token.create, token token.create, outcome token.create, intent token.list, outcome token.list, " +
		"intent token.revoke, token token.revoke, outcome token.revoke"
	if got := strings.Join(story, ", "); got != want {
		t.Errorf("the trail has\n%s\nwant\n%s", got, want)
	}
}

func TestOnlyOperatorsManageTokens(t *testing.T) {
	g, _, book := withTokenStore(t)
	for verb, args := range map[string]any{
		"token.create": &action.TokenCreate{Name: "x", Role: action.Operator}, "token.list": &action.TokenList{}, "token.revoke": &action.TokenRevoke{ID: "x"},
	} {
		for _, caller := range []action.Caller{agent, viewer, {Actor: "x", Scope: "acme"}, {}} {
			_, err := g.Call(t.Context(), action.Call{Verb: verb, Caller: caller, Args: args})
			if code := fault.CodeOf(err); code != fault.DeniedByPolicy && code != fault.Unauthenticated {
				t.Errorf("%s by %+v: %v", verb, caller, err)
			}
		}
	}
	if list, err := book.List(t.Context(), operator, action.TokenList{}); err != nil || len(list.Tokens) != 0 {
		t.Errorf("%+v %v", list, err)
	}
}

func TestAGateWithoutTokensRefusesTheirVerbs(t *testing.T) {
	h := open(t)
	for verb, args := range map[string]any{"token.list": &action.TokenList{}, "token.whoami": &action.None{}} {
		if _, err := h.Call(t.Context(), action.Call{Verb: verb, Caller: operator, Args: args}); fault.CodeOf(err) != fault.NotActive {
			t.Errorf("%s: %v", verb, err)
		}
	}
}
