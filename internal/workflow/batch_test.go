package workflow_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// fakeGate checks arguments as the gate does, and answers by selector.
type fakeGate struct {
	mu    sync.Mutex
	calls []action.Call
	on    map[string]func() (action.Result, error)
}

func (d *fakeGate) Call(_ context.Context, c action.Call) (action.Result, error) {
	d.mu.Lock()
	d.calls = append(d.calls, c)
	d.mu.Unlock()
	if err := action.Check(c.Args); err != nil {
		return action.Result{}, err
	}
	key := c.Verb
	if click, is := c.Args.(*action.Click); is {
		key = click.Selector
	}
	if answer := d.on[key]; answer != nil {
		return answer()
	}
	result := action.Result{Session: "s1", Notes: []string{"note of " + key}, Data: &action.Acted{OK: true, Element: &action.Element{Role: "button", Name: key}}}
	if c.Changes {
		result.Changes = &action.Changes{Text: "+ button"}
	}
	return result, nil
}

func (d *fakeGate) Refuse(context.Context, action.Call, error) {}

func (d *fakeGate) did() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, c := range d.calls {
		name := strings.TrimPrefix(c.Verb, "page.")
		if click, is := c.Args.(*action.Click); is {
			name = click.Selector
		}
		all = append(all, name)
	}
	d.calls = nil
	return strings.Join(all, " ")
}

func clicks(names ...string) *action.Batch {
	var b action.Batch
	for _, name := range names {
		b.Steps = append(b.Steps, action.Step{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Selector: name}}})
	}
	return &b
}

func made(args *action.Batch) action.Call {
	return action.Call{ID: "id", Verb: "page.batch", Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}, Args: args, Wait: time.Second, Changes: true}
}

func refusal(code fault.Code) func() (action.Result, error) {
	return func() (action.Result, error) { return action.Result{}, fault.New(code, "no").Hinted("leave it") }
}

func waits() (action.Result, error) {
	return action.Result{Session: "s1", Pending: &action.Pending{Approval: "q1", Expires: time.Now().Add(time.Minute), Risk: action.High}}, nil
}

func TestABatchMakesItsStepsAndReportsOnce(t *testing.T) {
	d := &fakeGate{}
	result, err := workflow.New(d, nil).Call(t.Context(), made(clicks("a", "b", "c")))
	if err != nil {
		t.Fatal(err)
	}
	done := result.Data.(*action.Batched)
	if !done.OK || done.Done != 3 || done.State != action.StepDone || done.Steps[1].Said != `button "b"` || len(result.Notes) != 3 || result.Changes == nil {
		t.Errorf("%+v %+v", done, result)
	}
	for i, c := range d.calls {
		if last := i == 3; c.Changes != last {
			t.Errorf("call %d asks for changes: %t", i, c.Changes)
		}
		if want := []string{"", "step 1 of 3", "step 2 of 3", "step 3 of 3"}[i]; c.Part != want {
			t.Errorf("call %d is %q, want %q", i, c.Part, want)
		}
		if i > 1 && c.Session != "s1" {
			t.Errorf("call %d is in session %q", i, c.Session)
		}
	}
	if got := d.did(); got != "batch a b c" {
		t.Errorf("it did %s", got)
	}
}

func TestABatchStopsAtTheFirstFault(t *testing.T) {
	d := &fakeGate{on: map[string]func() (action.Result, error){"b": refusal(fault.DeniedByPolicy)}}
	result, err := workflow.New(d, nil).Call(t.Context(), made(clicks("a", "b", "c")))
	if err != nil {
		t.Fatal(err)
	}
	done := result.Data.(*action.Batched)
	if done.OK || done.State != action.StepFailed || done.Done != 1 || done.Steps[1].Error.Code != fault.DeniedByPolicy || done.Steps[2].State != action.StepLeft {
		t.Errorf("%+v", done)
	}
	if got := d.did(); got != "batch a b wait_for" || result.Changes == nil { // finished steps are reported
		t.Errorf("it did %s, changes %v", got, result.Changes)
	}
	d.on["a"] = refusal(fault.BlockedDomain)
	_, err = workflow.New(d, nil).Call(t.Context(), made(clicks("a", "b")))
	if f := fault.From(err); f == nil || f.Code != fault.BlockedDomain || f.Details["step"] != 0 || d.did() != "batch a" {
		t.Errorf("nothing done: %v", err)
	}
}

func TestAWaitingBatchContinuesAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeGate{on: map[string]func() (action.Result, error){"b": waits}}
		door := workflow.New(d, nil)
		result, err := door.Call(t.Context(), made(clicks("a", "b", "c")))
		done, is := result.Data.(*action.Batched)
		if err != nil || !is || done.State != action.StepPending || done.Pending == nil || done.Pending.Approval != "q1" || result.Pending != nil {
			t.Fatalf("%+v, %v", result, err)
		}
		d.did()
		other := made(clicks("a", "b", "c"))
		other.Caller.Actor = "b"
		if _, err := door.Call(t.Context(), other); err != nil || !strings.HasPrefix(d.did(), "batch a b") {
			t.Error("another caller's batch was continued")
		}
		time.Sleep(time.Second) // synthetic clock
		delete(d.on, "b")
		d.calls = nil
		result, err = door.Call(t.Context(), made(clicks("a", "b", "c")))
		if done := result.Data.(*action.Batched); err != nil || !done.OK || done.Done != 3 || done.Resumed != 1 {
			t.Errorf("%+v, %v", done, err)
		}
		for _, c := range d.calls {
			if c.Session != "s1" {
				t.Errorf("%s is made in the session %q", c.Verb, c.Session)
			}
		}
		if got := d.did(); got != "batch b c" {
			t.Errorf("it did %s", got)
		}
		d.on["b"] = waits
		if _, err = door.Call(t.Context(), made(clicks("a", "b", "c"))); err != nil || !strings.HasPrefix(d.did(), "batch a b") {
			t.Error("a finished batch does not start again")
		}
		time.Sleep(12 * time.Minute)
		if _, err = door.Call(t.Context(), made(clicks("a", "b", "c"))); err != nil || !strings.HasPrefix(d.did(), "batch a b") {
			t.Error("an expired batch is continued")
		}
	})
}

func TestABatchWhoseFirstStepWaitsHasNoReport(t *testing.T) {
	d := &fakeGate{on: map[string]func() (action.Result, error){"a": waits}}
	result, err := workflow.New(d, nil).Call(t.Context(), made(clicks("a", "b")))
	if err != nil || result.Pending == nil || result.Data != nil || d.did() != "batch a" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestTheSameBatchDoesNotRunTwiceAtOnce(t *testing.T) {
	begun, let := make(chan struct{}), make(chan struct{})
	d := &fakeGate{on: map[string]func() (action.Result, error){"a": func() (action.Result, error) {
		close(begun)
		<-let
		return action.Result{Session: "s1"}, nil
	}}}
	door := workflow.New(d, nil)
	first := make(chan error, 1)
	go func() {
		_, err := door.Call(context.WithoutCancel(t.Context()), made(clicks("a")))
		first <- err
	}()
	<-begun
	if _, err := door.Call(t.Context(), made(clicks("a"))); fault.CodeOf(err) != fault.AlreadyActive {
		t.Errorf("a second one: %v", err)
	}
	close(let)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestAnInvalidBatchIsRefusedCompletely(t *testing.T) {
	for name, c := range map[string]struct{ text, field string }{
		"no such verb":     {`{"steps":[{"verb":"page.click","args":{"ref":"e1"}},{"verb":"page.fly"}]}`, "steps.1.verb"},
		"not of a page":    {`{"steps":[{"verb":"session.close"}]}`, "steps.0.verb"},
		"a batch":          {`{"steps":[{"verb":"page.batch","args":{"steps":[]}}]}`, "steps.0.verb"},
		"inner":            {`{"steps":[{"verb":"crawl.page"}]}`, "steps.0.verb"},
		"another's":        {`{"steps":[{"verb":"page.back"},{"verb":"page.click","args":{"ref":"e1","url":"x"}}]}`, "steps.1.args.url"},
		"of another type":  {`{"steps":[{"verb":"page.scroll","args":{"y":"far"}}]}`, "steps.0.args.y"},
		"out of bounds":    {`{"steps":[{"verb":"page.resize","args":{"width":1,"height":600}}]}`, "steps.0.args.width"},
		"unknown":          {`{"steps":[{"verb":"page.back","arguments":{}}]}`, "steps.0.arguments"},
		"nothing to do":    {`{"steps":[]}`, "steps"},
		"a required field": {`{"steps":[{"verb":"page.goto"}]}`, "steps.0.args.url"},
	} {
		var b action.Batch
		err := action.Decode([]byte(c.text), &b)
		if err == nil {
			err = action.Check(&b)
		}
		f := fault.From(err)
		if f == nil || f.Details["field"] != c.field || f.Hint == "" || strings.Contains(f.Message, "far") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
