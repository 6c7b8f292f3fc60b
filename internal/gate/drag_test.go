package gate_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestADragWithoutBothEndsIsRefused(t *testing.T) {
	h := open(t)
	card := action.Locator{Ref: "e1"}
	for field, args := range map[string]*action.Drag{"from": {To: card}, "to": {From: card}} {
		_, err := h.Call(t.Context(), action.Call{Verb: "page.drag", Caller: agent, Args: args})
		if f := fault.From(err); f == nil || f.Code != fault.MissingSelector || f.Details["field"] != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	bad := &action.Drag{From: card, To: action.Locator{Selector: "a\x01b"}}
	if _, err := h.Call(t.Context(), action.Call{Verb: "page.drag", Caller: agent, Args: bad}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("control characters inside an end: %v", err)
	}
	if n := h.fakeSessions.count(); n != 0 {
		t.Errorf("%d calls were done", n)
	}
}
