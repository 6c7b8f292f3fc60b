package gate_test

import (
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (h *testGate) grants(t *testing.T) []action.Grant {
	t.Helper()
	result, err := h.Call(context.Background(), action.Call{Verb: "grant.list", Caller: operator, Session: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	return result.Data.(*action.GrantListing).Grants
}

func (h *testGate) revoke(by action.Caller, id string) error {
	_, err := h.Call(context.Background(), action.Call{Verb: "grant.revoke", Caller: by, Session: "s1", Args: &action.ByID{ID: id}})
	return err
}

func TestARevokedGrantCoversNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.element = &action.Element{Role: "button", Name: "Save"}
		call := click(agent)
		call.Wait = time.Second
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		q := h.waiting(t)
		if got := h.grants(t); len(got) != 0 {
			t.Errorf("before an answer: %+v", got)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true, ForSession: true, Reason: "she may"}); err != nil {
			t.Fatal(err)
		}
		got := h.grants(t)
		if len(got) != 1 || got[0].ID != q.ID || got[0].Verb != "page.click" || got[0].Host != "app.example.com" || got[0].GrantedBy != "ann" || got[0].Reason != "she may" || got[0].Granted.IsZero() {
			t.Errorf("granted %+v", got)
		}
		for range 2 { // the answer itself, and then the grant
			if result, err := h.Call(context.Background(), call); err != nil || result.Pending != nil {
				t.Fatalf("under the grant: %+v, %v", result, err)
			}
		}
		wantCode(t, "an agent revokes", h.revoke(agent, q.ID), fault.DeniedByPolicy)
		wantCode(t, "another grant", h.revoke(operator, "qffff"), fault.NotFound)
		wantCode(t, "revoked", h.revoke(operator, q.ID), "")
		wantCode(t, "revoked twice", h.revoke(operator, q.ID), fault.NotFound)
		if _, outcome := h.last(t); outcome.Action != "grant.revoke" {
			t.Errorf("outcome %+v", outcome)
		}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil || len(h.grants(t)) != 0 {
			t.Errorf("after the revocation: %+v, %v", result, err)
		}
	})
}

func TestGrantsEndWithTheirSession(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.element = &action.Element{Role: "button", Name: "Save"}
		call := click(agent)
		call.Wait = time.Second
		if _, err := h.Call(context.Background(), call); err != nil {
			t.Fatal(err)
		}
		if err := h.answer(t, action.Answer{ID: h.waiting(t).ID, Approve: true, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		h.fakeSessions.state = "closed"
		if got := h.grants(t); len(got) != 0 {
			t.Errorf("an ended session has grants: %+v", got)
		}
	})
}
