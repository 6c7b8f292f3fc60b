package client_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestEventsOfACallArriveBeforeItsAnswer checks that events of a call arrive over
// REST before its answer, whether that is a result or a fault.
func TestEventsOfACallArriveBeforeItsAnswer(t *testing.T) {
	asked := action.Pending{Approval: "q1", Expires: time.Now().UTC().Truncate(time.Second), Risk: action.High}
	refusal := fault.New(fault.NotActive, "no session is open").Hinted("start one").With("state", "none")
	for name, ends := range map[string]struct {
		result action.Result
		err    error
	}{
		"with a result":   {result: action.Result{Session: "s1", Data: &action.Acted{OK: true}, Notes: []string{"a\nb"}}},
		"with a question": {result: action.Result{Session: "s1", Pending: &asked}},
		"with a fault":    {err: refusal},
	} {
		t.Run(name, func(t *testing.T) {
			url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
				c.Progress("making the box")
				c.Asked(asked)
				c.Progress("waiting for the browser")
				return ends.result, ends.err
			})
			var told []string
			result, err := connect(t, url, "good").Call(t.Context(), action.Call{
				Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: "e1"}}, Progress: func(phase string) { told = append(told, phase) },
				Asked: func(p action.Pending) {
					if p != asked {
						t.Errorf("asked %+v", p)
					}
					told = append(told, "question")
				},
			})
			if want := []string{"making the box", "question", "waiting for the browser"}; !slices.Equal(told, want) {
				t.Errorf("received %q", told)
			}
			if f := fault.From(err); ends.err != nil {
				id, _ := f.Details["correlationId"].(string)
				if f.Code != refusal.Code || f.Message != refusal.Message || f.Hint != refusal.Hint || f.Details["state"] != "none" || id == "" {
					t.Errorf("got %+v", f)
				}
				return
			}
			if err != nil || result.Session != "s1" || len(result.Notes) != len(ends.result.Notes) || (result.Pending == nil) != (ends.result.Pending == nil) {
				t.Errorf("%+v %v", result, err)
			}
			if acted, ok := result.Data.(*action.Acted); ends.result.Data != nil && (!ok || !acted.OK) {
				t.Errorf("data %+v", result.Data)
			}
		})
	}
}

// TestACallWithoutEventsIsAnsweredWithItsStatus checks that a call without events
// is answered as JSON with its HTTP status, not as a stream.
func TestACallWithoutEventsIsAnsweredWithItsStatus(t *testing.T) {
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		if c.Progress == nil {
			t.Error("the call has no observer")
		}
		return action.Result{}, fault.New(fault.LimitReached, "too many").Hinted("wait").With("retryAfterSeconds", 7)
	})
	_, err := connect(t, url, "good").Call(t.Context(), action.Call{Verb: "page.back", Progress: func(string) {}})
	if f := fault.From(err); f.Code != fault.LimitReached || f.Details["retryAfterSeconds"] != 7.0 {
		t.Errorf("got %+v", f)
	}
}

// TestEventsAfterTheAnswerAreDropped checks that a call that goes on after its
// answer, because it was given up, may still send events.
func TestEventsAfterTheAnswerAreDropped(t *testing.T) {
	late := make(chan func(string), 1)
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		c.Progress("begun")
		late <- c.Progress
		return action.Result{Session: "s1"}, nil
	})
	var told []string
	result, err := connect(t, url, "good").Call(t.Context(), action.Call{Verb: "page.back", Progress: func(phase string) { told = append(told, phase) }})
	(<-late)("too late")
	if err != nil || result.Session != "s1" || strings.Join(told, " ") != "begun" {
		t.Errorf("%+v %v, received %q", result, err, told)
	}
}
