package gate_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// fakePicture is the picture of a session without one.
type fakePicture struct {
	action.Picture
	mu     sync.Mutex
	closed bool
}

func (p *fakePicture) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

var pictures sync.Map // by fakeSessions: the last picture given

func (s *fakeSessions) Picture(_ context.Context, call action.Call, pin action.Pin) (action.Picture, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.pins = append(s.done, call.Verb), append(s.pins, pin)
	if s.doErr != nil {
		return nil, s.doErr
	}
	made := &fakePicture{}
	pictures.Store(s, made)
	return made, nil
}

func (r *pageSessions) Picture(context.Context, action.Call, action.Pin) (action.Picture, error) {
	return &fakePicture{}, nil
}

func TestAViewerIsAdmittedAndRecorded(t *testing.T) {
	h := open(t)
	for _, c := range []action.Caller{{}, {Actor: "x", Scope: "acme"}} {
		if v, err := h.View(t.Context(), action.Call{Caller: c, Surface: "rest"}); err == nil || v != nil {
			t.Errorf("%+v may watch", c)
		}
	}
	if len(h.fakeSessions.done) != 0 {
		t.Errorf("done %q", h.fakeSessions.done)
	}
	for _, c := range []action.Caller{viewer, operator, agent} {
		v, err := h.View(t.Context(), action.Call{Caller: c, Surface: "rest"})
		if err != nil {
			t.Fatal(err)
		}
		if _, outcome := h.last(t); outcome.Action != "desktop.watch" || outcome.Result != "ok" {
			t.Errorf("outcome %+v", outcome)
		}
		err = v.Take(t.Context())
		if role := c.Role; role == action.Operator {
			if err != nil {
				t.Errorf("an operator cannot take the session over: %v", err)
			}
			if err := v.HandBack(t.Context(), "signed in"); err != nil {
				t.Error(err)
			}
			if _, outcome := h.last(t); outcome.InputValue != "signed in" {
				t.Errorf("the note is recorded as %q", outcome.InputValue)
			}
			if done := h.fakeSessions.done; !slices.Equal(done[len(done)-2:], []string{"session.take", "session.hand_back"}) {
				t.Errorf("done %q", done)
			}
		} else {
			wantCode(t, string(role), err, fault.DeniedByPolicy)
		}
		v.Close()
		if made, _ := pictures.Load(h.fakeSessions); !made.(*fakePicture).closed {
			t.Error("the picture is not closed")
		}
	}
}

func TestARefusedViewerHasAnOutcome(t *testing.T) {
	h := open(t)
	h.fakeSessions.doErr = fault.New(fault.LimitReached, "enough viewers").Hinted("close a window")
	_, err := h.View(t.Context(), action.Call{Caller: viewer})
	wantCode(t, "watch", err, fault.LimitReached)
	if _, outcome := h.last(t); outcome.Result != "fault" {
		t.Errorf("outcome %+v", outcome)
	}
}
