package gate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// asked makes a call that needs an approval, and returns the question and how
// long it took.
func (h *testGate) asked(t *testing.T) (q action.Question, took time.Duration) {
	t.Helper()
	start := time.Now()
	call := click(agent)
	call.Wait = time.Millisecond
	if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
		t.Fatalf("got %+v, %v", result, err)
	}
	return h.waiting(t), time.Since(start)
}

func TestAQuestionShowsTheElementAndItsSurroundings(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.element.Within = "Invoice 17 · Acme\u202e"
		q, _ := h.asked(t)
		if q.Screenshot != "picture of Delete invoice" || q.Within != `Invoice 17 · Acme\u{202e}` {
			t.Errorf("question %+v", q)
		}
		for _, r := range h.records(t) {
			if r.EventType == action.EventQuestion && (r.Screenshot != q.Screenshot || r.ApprovalID != q.ID) {
				t.Errorf("record %+v", r)
			}
		}
		h.fakeSessions.picture = func(context.Context) (string, error) {
			t.Error("a merged question got a screenshot of its own")
			return "", nil
		}
		if again, _ := h.asked(t); again.ID != q.ID || again.Screenshot != q.Screenshot {
			t.Errorf("the second call: %+v", again)
		}
	})
}

// TestAFailedScreenshotDoesNotStopAQuestion checks screenshots that fail, panic
// or hang: the question is asked, at most two seconds later.
func TestAFailedScreenshotDoesNotStopAQuestion(t *testing.T) {
	for name, picture := range map[string]func(context.Context) (string, error){
		"fails":  func(context.Context) (string, error) { return "", errors.New("no") },
		"panics": func(context.Context) (string, error) { panic("no") },
		"hangs":  func(ctx context.Context) (string, error) { <-ctx.Done(); time.Sleep(time.Second); return "late", nil }, // synthetic clock
	} {
		inBubble(t, func(t *testing.T, h *testGate) {
			h.fakeSessions.picture = picture
			q, took := h.asked(t)
			if q.Screenshot != "" || took > 2*time.Second+10*time.Millisecond {
				t.Errorf("%s: after %s %+v", name, took, q)
			}
			synctest.Wait()
		})
	}
}
