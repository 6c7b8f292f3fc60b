package cli_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// trail is a gate whose streams of events end after each event, and that is
// unreachable for a while in between.
type trail struct {
	asked []int64
	end   func()
}

func (d *trail) answer(c action.Call) (action.Result, error) {
	args := c.Args.(*action.FollowEvents)
	switch {
	case c.Events == nil:
		return action.Result{Data: &action.EventPage{Events: []action.Event{}, Last: 4}}, nil
	case len(d.asked) == 1 && d.asked[0] == 4:
		d.asked = append(d.asked, -1)
		return action.Result{}, fault.New(fault.NotActive, "no gateway")
	}
	d.asked = append(d.asked, *args.After)
	if *args.After == 6 {
		d.end()
		return action.Result{}, nil
	}
	c.Events.Begin()
	next := *args.After + 1
	_ = c.Events.Event(action.Event{ID: next, Kind: "question", Record: action.Record{
		Seq: next, Action: "page.click", TargetElement: "button \x1b[2J\u202e", Timestamp: time.Now(), SessionID: "s1",
	}})
	return action.Result{}, nil
}

func TestEventsContinueAfterAnInterruption(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		ctx, cancel := context.WithCancel(testwait.Context(t))
		d := &trail{end: cancel}
		args := []string{"events", "--kind", "question"}
		if asJSON {
			args = append(args, "--json")
		}
		out, complaint, status := newRig(t, &fakeGate{answer: d.answer}).runIn(ctx, args...)
		if status != 0 || !slices.Equal(d.asked, []int64{4, -1, 5, 6}) {
			t.Errorf("status %d, asked %v\n%s%s", status, d.asked, out, complaint)
		}
		if !strings.Contains(complaint, "no gateway; trying again") || !strings.Contains(complaint, "is there again") {
			t.Errorf("said %q", complaint)
		}
		if !harmless(out) || strings.Count(out, "\n") != 2 {
			t.Errorf("printed %q", out)
		}
		var ids []int64
		for line := range strings.Lines(out) {
			var e action.Event
			if asJSON && json.Unmarshal([]byte(line), &e) != nil {
				t.Errorf("no JSON: %q", line)
			}
			ids = append(ids, e.ID)
		}
		if asJSON && !slices.Equal(ids, []int64{5, 6}) {
			t.Errorf("printed events %v", ids)
		}
	}
}
