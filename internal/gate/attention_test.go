package gate_test

import (
	"context"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestASessionHasOpenQuestionsUntilTheAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		call := click(agent)
		call.Wait = 2 * time.Second
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		q := h.waiting(t)
		of := func(scope, session string) bool { return h.HasOpenQuestions(action.Session{Scope: scope, ID: session}) }
		if !of(q.Scope, q.Session) || of(q.Scope, "another") || of("another", q.Session) {
			t.Errorf("asked about %s: %t, another: %t, one of another scope: %t", q.Session, of(q.Scope, q.Session), of(q.Scope, "another"), of("another", q.Session))
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		if of(q.Scope, q.Session) {
			t.Error("the question is open after the answer")
		}
	})
}
