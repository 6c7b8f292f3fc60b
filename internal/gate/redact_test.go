package gate_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/sight"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const canary = "k7Qp2mXv9RtLw4Zs8NbY3cDf"

// withSecrets is a testGate whose sessions' secrets are known.
func withSecrets(t *testing.T) (h *testGate, pages *leakySessions, known *redact.SecretStore) {
	t.Helper()
	known = new(redact.SecretStore)
	file := filepath.Join(t.TempDir(), "state.db")
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), audit.Options{DB: db, Log: log, Redact: gate.RedactRecords(known)})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := approval.Open(t.Context(), approval.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := policy.New(policy.Config{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	h = &testGate{audit: trail, db: db, file: file, fakeSessions: &fakeSessions{
		element: &action.Element{Role: "button", Tag: "button", Name: "Delete " + canary, Ref: "e7", Within: "Token: " + canary, LinkURL: "https://app.example.com/x/" + canary},
		to:      &action.Destination{URL: "https://app.example.com/", Host: "app.example.com", Site: "example.com", Allowed: true},
	}}
	pages = &leakySessions{fakeSessions: h.fakeSessions}
	sights, err := sight.Open(filepath.Join(t.TempDir(), "sights"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sights.Close() })
	h.fakeSessions.picture = func(context.Context) (string, error) { return "a1", nil }
	h.behind = func(sessions gate.Sessions) (*gate.Gate, error) {
		return gate.New(gate.Options{Sessions: sessions, Policy: judge, Approvals: queue, Audit: trail, Log: log, Secrets: known, Sights: sights})
	}
	if h.Gate, err = h.behind(pages); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.close(t) })
	return h, pages, known
}

// leakySessions has pages that show the canary wherever they can.
type leakySessions struct {
	*fakeSessions
	data         any // in place of a text, if any
	credentialed bool
	speaks       *fakeBrowser
}

func (s *leakySessions) told(other any) any {
	if s.data != nil {
		return s.data
	}
	return other
}

func (s *leakySessions) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	facts, pin, err := s.fakeSessions.Look(ctx, call)
	facts.Session.Credentialed = s.credentialed
	return facts, pin, err
}

func (s *leakySessions) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if _, err := s.fakeSessions.Do(ctx, call, pin); err != nil {
		return action.Result{}, err
	}
	if call.Progress != nil {
		call.Progress("opening " + canary)
	}
	coded := base64.StdEncoding.EncodeToString([]byte(canary))
	return action.Result{
		Session: "s1", Page: &action.Page{URL: "https://app.example.com/?x=" + canary, Title: coded}, Notes: []string{"popup " + canary},
		Modal:     &action.Dialog{Kind: "prompt", Message: canary, Default: coded},
		Artifacts: []action.Artifact{{ID: "a1", Session: "s1", Name: canary + ".txt"}},
		Data:      s.told(&action.Extracted{Text: "Your token is " + canary + " and " + coded}),
	}, nil
}

func TestNoAnswerHasASecretOfItsSession(t *testing.T) {
	h, _, known := withSecrets(t)
	call := action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: operator}
	before, err := h.Call(t.Context(), call)
	if err != nil || !strings.Contains(text(t, before), canary) {
		t.Fatalf("a session without credentials is redacted: %s, %v", text(t, before), err)
	}
	known.Learn("s1", credentials.Keep(canary))
	for _, caller := range []action.Caller{agent, operator} {
		call.Caller = caller
		result, err := h.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		hides(t, "the answer", text(t, result))
		if !strings.Contains(text(t, result), redact.Mark) {
			t.Error("nothing was redacted, so the test proves nothing")
		}
	}
	known.Forget("s1")
	known.Learn("s2", credentials.Keep(canary))
	if result, err := h.Call(t.Context(), call); err != nil || !strings.Contains(text(t, result), canary) {
		t.Errorf("another session's secret was redacted: %v", err)
	}
}

func TestSecretsLearnedDuringACallAreRedactedInItsAnswer(t *testing.T) {
	h, _, known := withSecrets(t)
	h.fakeSessions.do = func(context.Context) { known.Learn("s1", credentials.Keep(canary)) }
	result, err := h.Call(t.Context(), action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: agent})
	if err != nil {
		t.Fatal(err)
	}
	hides(t, "the answer", text(t, result))
}

func TestNoFaultHasASecret(t *testing.T) {
	h, _, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	for name, set := range map[string]func(error){
		"looking": func(err error) { h.fakeSessions.lookErr = err }, "doing": func(err error) { h.fakeSessions.doErr = err },
	} {
		h.fakeSessions.lookErr, h.fakeSessions.doErr = nil, nil
		set(fault.New(fault.NotFound, "nothing is called %s", canary).Hinted("try %s", canary).With("name", []any{canary}).With(canary, 1))
		for _, caller := range []action.Caller{agent, operator} {
			_, err := h.Call(t.Context(), action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: caller})
			if fault.CodeOf(err) != fault.NotFound {
				t.Fatalf("%s: got %v", name, err)
			}
			hides(t, name, text(t, fault.From(err)))
		}
	}
}

func TestNoRecordHasASecret(t *testing.T) {
	h, _, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	for _, call := range []action.Call{
		{Verb: "page.extract", Args: &action.Extract{}},
		{Verb: "page.type", Args: &action.Type{Locator: action.Locator{Selector: "#" + canary}, Input: canary}},
		{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Text: canary}}, Source: action.Source{UserAgent: canary, Request: canary}},
		{Verb: "page.goto", Args: &action.Goto{URL: "https://app.example.com/" + canary}},
		{Verb: "no." + canary},
	} {
		call.Caller, call.Wait = operator, 1
		_, _ = h.Call(t.Context(), call)
		h.Refuse(t.Context(), call, fault.New(fault.InvalidRequest, "not %s", canary))
	}
	h.audit.Record(action.Record{EventType: action.EventBlocked, Scope: "acme", TargetURL: "https://x.example/" + canary})
	records := h.records(t)
	if len(records) < 10 {
		t.Fatalf("only %d records", len(records))
	}
	hides(t, "the trail", text(t, records))
	export, err := h.Call(t.Context(), action.Call{Verb: "audit.query", Args: &action.AuditQuery{}, Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	hides(t, "the query", text(t, export))
}

func TestNoQuestionHasASecret(t *testing.T) {
	h, _, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	result, err := h.Call(t.Context(), action.Call{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: "e7"}}, Caller: agent, Wait: 1})
	if err != nil || result.Pending == nil {
		t.Fatalf("there is no question: %+v, %v", result, err)
	}
	var kept string
	if err := h.db.Reader.QueryRowContext(t.Context(), `SELECT question FROM questions`).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	hides(t, "the question as it is kept", kept)
	if !strings.Contains(kept, "Delete "+redact.Mark) {
		t.Errorf("the question lacks its subject: %s", kept)
	}
	again, err := h.Call(t.Context(), action.Call{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: "e7"}}, Caller: agent, Wait: 1})
	if err != nil || again.Pending == nil || again.Pending.Approval != result.Pending.Approval {
		t.Errorf("the same call makes another question: %+v, %v", again.Pending, err)
	}
}

func TestProgressHasNoSecret(t *testing.T) {
	h, _, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	var said []string
	call := action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: operator, Progress: func(phase string) { said = append(said, phase) }}
	if _, err := h.Call(t.Context(), call); err != nil || len(said) != 1 || said[0] != "opening "+redact.Mark {
		t.Errorf("progress %q, %v", said, err)
	}
}

func TestAnAnswerThatCannotBeRedactedIsRefused(t *testing.T) {
	h, pages, known := withSecrets(t)
	known.Learn("s1", credentials.Keep(canary))
	ring := map[string]any{}
	ring["ring"] = ring
	for name, data := range map[string]any{"a ring": ring, "a picture": &action.Screenshot{Bytes: []byte("\x89PNG\xff" + canary)}} {
		pages.data = data
		result, err := h.Call(t.Context(), action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: operator})
		if fault.CodeOf(err) != fault.RedactionFailed || result.Data != nil || result.Page != nil {
			t.Errorf("%s: got %+v, %v", name, result, err)
		}
		if records := h.records(t); records[len(records)-1].Result != "fault" {
			t.Errorf("%s: the record says %q", name, records[len(records)-1].Result)
		}
	}
}

// TestASessionWithUnknownSecretsCannotBeRead checks a session that has
// credentials whose secrets are unknown, as after a restart.
func TestASessionWithUnknownSecretsCannotBeRead(t *testing.T) {
	h, pages, known := withSecrets(t)
	pages.credentialed = true
	call := action.Call{Verb: "page.extract", Args: &action.Extract{}, Caller: operator}
	if _, err := h.Call(t.Context(), call); fault.CodeOf(err) != fault.RedactionFailed {
		t.Errorf("got %v", err)
	}
	known.Learn("s1", credentials.Keep(canary))
	if result, err := h.Call(t.Context(), call); err != nil || strings.Contains(text(t, result), canary) {
		t.Errorf("got %v, %v", result, err)
	}
}

// hides fails if the text contains the canary, as it is or encoded.
func hides(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary)), fmt.Sprintf("%x", canary)} {
		if strings.Contains(text, form) {
			t.Errorf("%s has the secret: %s", where, text)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
