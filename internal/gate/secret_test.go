package gate_test

import (
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// asks returns a call that types a secret into a password field, for a session
// that has credentials.
func (h *testGate) asks() action.Call {
	h.fakeSessions.element = &action.Element{
		Role: "textbox", Tag: "input", Type: "password", Name: "Password", Ref: "e4", Editable: true, Protected: true,
		FrameURL: "https://app.example.com/invoices", FormAction: "https://app.example.com/in", FormMethod: "post",
	}
	h.fakeSessions.secret = &action.SecretFacts{Name: "password", Domain: "app.example.com", Origin: "https://app.example.com"}
	return action.Call{Verb: "page.fill_secret", Caller: agent, Wait: time.Second, Args: &action.FillSecret{Locator: action.Locator{Ref: "e4"}, Secret: "password"}}
}

func TestASecretIsAskedAboutByNameAndCanBeGranted(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		call := h.asks()
		result, err := h.Call(context.Background(), call)
		if err != nil || result.Pending == nil || result.Pending.Risk != action.High {
			t.Fatalf("got %+v, %v", result, err)
		}
		const named = "[secret password of app.example.com]"
		q := h.waiting(t)
		if q.Input != named || q.Screenshot == "" || q.Element.Name != "Password" {
			t.Errorf("the question shows %+v", q)
		}
		_, err = h.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: agent, Args: &action.Answer{ID: q.ID, Approve: true, ForSession: true}})
		wantCode(t, "an agent answers", err, fault.DeniedByPolicy)
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		got := h.grants(t)
		if len(got) != 1 || got[0].Verb != "page.fill_secret" || got[0].Host != "app.example.com" {
			t.Fatalf("granted %+v", got)
		}
		for _, name := range []string{"password", "totp"} { // the answer itself, and what the grant covers too
			h.fakeSessions.secret.Name = name
			next := call
			next.Args = &action.FillSecret{Locator: action.Locator{Ref: "e4"}, Secret: name}
			if result, err := h.Call(context.Background(), next); err != nil || result.Pending != nil {
				t.Fatalf("%s: %+v, %v", name, result, err)
			}
		}
		if intent, outcome := h.last(t); outcome.InputValue != "[secret totp of app.example.com]" || outcome.Rule != "grant" || intent.TargetElement != `textbox "Password" [e4]` {
			t.Errorf("recorded %+v, %+v", intent, outcome)
		}
		h.fakeSessions.secret.Origin = "https://login.example.com"
		_, err = h.Call(context.Background(), call)
		wantCode(t, "another origin under a grant", err, fault.DeniedByPolicy)
		h.fakeSessions.secret.Origin, h.fakeSessions.secret.Domain = "https://app.example.com", "example.com"
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Errorf("credentials of another domain: %+v, %v", result, err)
		}
	})
}

func TestARefusedSecretIsRecordedByName(t *testing.T) {
	h := open(t)
	call := h.asks()
	h.fakeSessions.element.Type, h.fakeSessions.element.Protected = "text", false
	for _, caller := range []action.Caller{agent, operator} {
		call.Caller = caller
		_, err := h.Call(t.Context(), call)
		wantCode(t, "a field that shows what is typed", err, fault.DeniedByPolicy)
		if _, outcome := h.last(t); outcome.InputValue != "[secret password of app.example.com]" || outcome.Rule != "secret.field" {
			t.Errorf("recorded %+v", outcome)
		}
	}
	if h.fakeSessions.count() != 0 {
		t.Error("it was typed")
	}
	_, err := h.Call(t.Context(), action.Call{Verb: "credential.capture", Caller: agent, Args: &action.Capture{Domain: "app.example.com"}})
	wantCode(t, "an agent captures", err, fault.DeniedByPolicy)
	if _, err := h.Call(t.Context(), action.Call{Verb: "credential.capture", Caller: operator, Args: &action.Capture{Domain: "app.example.com"}}); err != nil {
		t.Fatal(err)
	}
	if _, outcome := h.last(t); outcome.InputValue != "the state of app.example.com" {
		t.Errorf("recorded %+v", outcome)
	}
}
