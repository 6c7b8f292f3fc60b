package gate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// trail returns the records of every scope.
func (h *testGate) trail(t testing.TB) []action.Record {
	t.Helper()
	var all []action.Record
	enough := fmt.Errorf("enough")
	page, err := h.audit.Query(context.Background(), action.AuditQuery{}, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if page.Last == 0 {
		return nil
	}
	_ = h.audit.Follow(context.Background(), "", 0, func(r action.Record) error {
		if all = append(all, r); r.Seq == page.Last {
			return enough
		}
		return nil
	})
	return all
}

var malformed = fault.New(fault.InvalidRequest, "the body is no JSON")

func TestARefusedCallHasIntentAndOutcome(t *testing.T) {
	h := open(t)
	h.Refuse(t.Context(), action.Call{
		ID: "req-1", Verb: "page.click", Caller: agent, Session: "s9", Surface: "rest",
		Source: action.Source{Address: "127.0.0.1", UserAgent: "curl/8", Request: "POST /v1/browser/click"},
	}, malformed)
	got := h.trail(t)
	if len(got) != 2 || got[0].EventType != action.EventIntent || got[1].EventType != action.EventOutcome {
		t.Fatalf("got %+v", got)
	}
	for _, r := range got {
		if r.CorrelationID != "req-1" || r.Actor != "bot" || r.Role != action.Agent || r.Scope != "acme" || r.Action != "page.click" || r.SessionID != "s9" || r.UserAgent != "curl/8" {
			t.Errorf("record %+v", r)
		}
	}
	if o := got[1]; o.Result != "fault" || !strings.HasPrefix(o.Error, "invalid_request: ") || o.Detail != "POST /v1/browser/click" {
		t.Errorf("outcome %+v", o)
	}
}

func TestEveryRefusedCallOfAKnownCallerIsRecorded(t *testing.T) {
	h := open(t)
	for range 5 {
		h.Refuse(t.Context(), action.Call{Caller: agent}, malformed)
	}
	if n := len(h.trail(t)); n != 10 {
		t.Errorf("%d records of 5 calls", n)
	}
}

func TestUnknownCallersDoNotFillTheTrail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		nobody := fault.New(fault.Unauthenticated, "no valid token")
		from := func(address string) action.Call {
			return action.Call{Surface: "rest", Source: action.Source{Address: address, Request: "GET /v1/audit"}}
		}
		for range 1000 {
			h.Refuse(t.Context(), from("192.0.2.1"), nobody)
		}
		h.Refuse(t.Context(), from("192.0.2.2"), nobody)
		got := h.trail(t)
		if len(got) != 4 || !strings.Contains(got[1].Detail, "192.0.2.1") || got[1].Actor != "" {
			t.Fatalf("%d records at once: %+v", len(got), got)
		}
		time.Sleep(time.Minute + time.Second) // synthetic clock
		synctest.Wait()
		got = h.trail(t)[4:]
		if len(got) != 1 || got[0].EventType != action.EventRefused || !strings.Contains(got[0].Detail, "999 more calls from 192.0.2.1") {
			t.Fatalf("after a minute: %+v", got)
		}
		time.Sleep(2 * time.Minute) // the first of its kind again
		synctest.Wait()
		h.Refuse(t.Context(), from("192.0.2.1"), nobody)
		h.Refuse(t.Context(), from("192.0.2.1"), nobody)
		if got = h.trail(t)[5:]; len(got) != 2 || got[0].EventType != action.EventIntent {
			t.Fatalf("after a pause: %+v", got)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if got = h.trail(t)[7:]; len(got) != 1 || !strings.Contains(got[0].Detail, "1 more call") {
			t.Fatalf("at the end: %+v", got)
		}
		h.close(t)
	})
}

func TestManyUnknownCallersAreCountedTogether(t *testing.T) {
	h := open(t)
	for i := range 5000 {
		h.Refuse(t.Context(), action.Call{Source: action.Source{Address: fmt.Sprint("192.0.2.", i)}}, fault.New(fault.Unauthenticated, "no valid token"))
	}
	if n := len(h.trail(t)); n > 2*257 {
		t.Errorf("%d records", n)
	}
}

func TestCallsBeyondALimitAreCounted(t *testing.T) {
	h := open(t)
	for range 100 {
		h.Refuse(t.Context(), action.Call{Caller: agent}, fault.New(fault.LimitReached, "too many calls"))
		h.Refuse(t.Context(), action.Call{Caller: operator}, fault.New(fault.LimitReached, "too many calls"))
	}
	if n := len(h.trail(t)); n != 4 {
		t.Errorf("%d records of two callers", n)
	}
}

func TestHostileTextOfARefusedCallIsSanitized(t *testing.T) {
	h := open(t)
	hostile := "\x1b[2J\u202e" + strings.Repeat("x", 5000)
	h.Refuse(t.Context(), action.Call{
		ID: hostile, Verb: hostile, Surface: hostile, Session: hostile, Caller: agent,
		Source: action.Source{Address: hostile, UserAgent: hostile, Request: hostile},
	}, fault.New(fault.InvalidRequest, "%s", hostile))
	for _, r := range h.trail(t) {
		text := fmt.Sprintf("%+v", r)
		if strings.ContainsAny(text, "\x1b\u202e") || len(text) > 4000 {
			t.Errorf("%d characters: %q", len(text), text[:300])
		}
	}
}
