package approval_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

// Rows of a list have equal buttons. When the approved one is gone, the same arguments find the
// next one.
func TestAnApprovalDoesNotCoverAnotherElementOfTheSameName(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		first := request(action.High, `{"role":"button","name":"Delete","index":0}`)
		first.Subject.Node = "17"
		q := ask(t, d, first)
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		twin, dropped := first, first
		twin.Subject.Node = "18"
		dropped.Subject.Drop.Node = "19"
		for _, r := range []approval.Request{twin, dropped} {
			if other := ask(t, d, r); other.ID == q.ID || other.State != approval.Pending {
				t.Errorf("the answer to %s was given to a twin: %+v", q.ID, other)
			}
		}
		same, fresh, err := d.Ask(t.Context(), first)
		if err != nil || fresh || same.ID != q.ID {
			t.Errorf("the element that was approved is asked about again: %+v, %v", same, err)
		}
	})
}
