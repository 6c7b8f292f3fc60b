package cli_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// fakeQueue asks questions one after the other, each after the one before is
// settled, and ends the watch after the last.
type fakeQueue struct {
	ids     []string
	quicker string // this question is answered by another person first
	answers []action.Answer
	looks   int
	end     func()
}

func (d *fakeQueue) answer(c action.Call) (action.Result, error) {
	switch args := c.Args.(type) {
	case *action.ApprovalList:
		if d.looks >= len(d.ids) {
			d.end()
			return action.Result{Data: &action.QuestionListing{}}, nil
		}
		d.looks++
		return action.Result{Data: &action.QuestionListing{Questions: []action.Question{question(d.ids[d.looks-1])}}}, nil
	case *action.Answer:
		d.answers = append(d.answers, *args)
		if args.ID == d.quicker {
			return action.Result{}, fault.New(fault.NotActive, "the question was already answered")
		}
		q := question(args.ID)
		q.State, q.Reason = "approved", args.Reason
		return action.Result{Data: &q}, nil
	}
	return action.Result{}, fault.New(fault.UnknownAction, "not a fakeQueue's")
}

func question(id string) action.Question {
	return action.Question{
		ID: id, State: "pending", Verb: "page.click", Risk: action.Critical, Why: "it pays",
		Element: &action.Element{Role: "button", Name: "Pay \x1b[2Jnow"}, Page: action.Page{URL: "https://shop.example/"},
		Expires: time.Now().Add(time.Minute), Actor: "robot", Session: "s1",
	}
}

func watch(t *testing.T, d *fakeQueue, lines string, args ...string) (out, complaint string, status int) {
	t.Helper()
	ctx, cancel := context.WithCancel(testwait.Context(t))
	defer cancel()
	d.end = cancel
	r := newRig(t, &fakeGate{answer: d.answer})
	r.in = lines
	return r.runIn(ctx, append([]string{"approvals", "watch"}, args...)...)
}

func TestWatchSendsAnAnswerForEachQuestion(t *testing.T) {
	d := &fakeQueue{ids: []string{"q1", "q2", "q3", "q4", "q5"}, quicker: "q4"}
	out, complaint, status := watch(t, d, "what?\na she asked for it\nd\n\ns\napprove again\n")
	want := []action.Answer{
		{ID: "q1", Approve: true, Reason: "she asked for it"}, {ID: "q2"},
		{ID: "q4", Approve: true, ForSession: true}, {ID: "q5", Approve: true, Reason: "again"},
	}
	if status != 0 || complaint != "" || !slices.EqualFunc(d.answers, want, func(a, b action.Answer) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("status %d %s\nanswers %+v\n%s", status, complaint, d.answers, out)
	}
	for _, text := range []string{
		"waiting for questions", "q1  CRITICAL  pending", `button "Pay [2Jnow"`, "https://shop.example/", "it pays",
		"answer a, s or d", "left alone", "error: the question was already answered", "asked by robot",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("the output lacks %q:\n%s", text, out)
		}
	}
	if !harmless(out) {
		t.Errorf("a page wrote to the terminal: %q", out)
	}
}

func TestWatchEndsWithItsInput(t *testing.T) {
	d := &fakeQueue{ids: []string{"q1"}}
	out, complaint, status := watch(t, d, "")
	if status == 0 || !strings.Contains(complaint, "standard input has ended") || len(d.answers) != 0 {
		t.Errorf("status %d %s\n%s", status, complaint, out)
	}
}

func TestWatchPrintsQuestionsAsJSON(t *testing.T) {
	d := &fakeQueue{ids: []string{"q1", "q2"}}
	out, _, status := watch(t, d, "", "--json")
	var ids []string
	for decoder := json.NewDecoder(strings.NewReader(out)); decoder.More(); {
		var line struct{ Data action.Question }
		if err := decoder.Decode(&line); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		ids = append(ids, line.Data.ID)
	}
	if status != 0 || !slices.Equal(ids, []string{"q1", "q2"}) || len(d.answers) != 0 {
		t.Errorf("status %d, questions %v", status, ids)
	}
}

func TestJSONOutputIsEscapedForTerminals(t *testing.T) {
	title := hostile + "\U000e0041 ü 🙂"
	r := newRig(t, &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{Data: &action.Extracted{Mode: "title", Text: title}}, nil
	}})
	out, _, status := r.run("extract", "title", "--json")
	var got struct{ Data action.Extracted }
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || got.Data.Text != title {
		t.Errorf("status %d %v: %q became %q", status, err, title, got.Data.Text)
	}
	if !harmless(out) || !strings.Contains(out, "ü 🙂") {
		t.Errorf("printed %q", out)
	}
}
