package audit_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

func TestIntentsWithoutAnOutcomeAreClosedAsLost(t *testing.T) {
	s := openAt(t, t.TempDir())
	call := func(id string) action.Record {
		r := record(1)
		r.CorrelationID, r.Action = id, "page.click"
		return r
	}
	for _, err := range []error{
		s.Begin(call("done")), s.End(call("done")), s.Begin(call("lost-1")), s.BeginAndEnd(call("read"), call("read")),
		s.Begin(call("twice")), s.End(call("twice")), s.Begin(call("twice")), s.Begin(call("lost-2")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	n, err := s.CloseLost(t.Context())
	if err != nil || n != 3 {
		t.Fatalf("%d were lost, %v", n, err)
	}
	page, err := s.Query(t.Context(), action.AuditQuery{AuditFilter: action.AuditFilter{Result: audit.Lost}}, call("").Scope)
	if err != nil || len(page.Records) != 3 {
		t.Fatalf("%+v, %v", page.Records, err)
	}
	for i, id := range []string{"lost-1", "twice", "lost-2"} {
		if r := page.Records[i]; r.CorrelationID != id || r.EventType != action.EventOutcome || r.Action != "page.click" || r.Actor != call("").Actor {
			t.Errorf("%+v", r)
		}
	}
	if n, err := s.CloseLost(t.Context()); err != nil || n != 0 {
		t.Errorf("once more %d, %v", n, err)
	}
	if err := s.Begin(call("later")); err != nil {
		t.Fatal(err)
	}
	if n, err := s.CloseLost(t.Context()); err != nil || n != 1 {
		t.Errorf("later %d, %v", n, err)
	}
	s.Close()
	if v := s.inspect(t); !v.OK {
		t.Errorf("the trail does not verify: %+v", v)
	}
}
