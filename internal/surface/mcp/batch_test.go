package mcp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// stepwise returns a gate that makes the steps of a batch, as a gateway does.
func stepwise(t *testing.T, answer func(context.Context, action.Call) (action.Result, error)) (*fakeGate, func(tool string, args map[string]any) (string, bool)) {
	t.Helper()
	d := &fakeGate{answer: answer}
	c := connect(t, surface(t, workflow.New(d, nil)), nil)
	return d, func(tool string, args map[string]any) (string, bool) {
		t.Helper()
		result := use(t, c, tool, args)
		return text(t, result), result.IsError
	}
}

func fields(all ...map[string]any) map[string]any { return map[string]any{"fields": all} }

func steps(all ...map[string]any) map[string]any { return map[string]any{"steps": all} }

func a(tool string, args map[string]any) map[string]any {
	return map[string]any{"tool": tool, "arguments": args}
}

func asked(ref string, answer func(action.Call) (action.Result, error)) func(context.Context, action.Call) (action.Result, error) {
	return func(_ context.Context, c action.Call) (action.Result, error) {
		if args, ok := c.Args.(*action.Type); ok && args.Ref == ref {
			return answer(c)
		}
		return answerOf(c), nil
	}
}

func TestFormStopsAtTheFirstFaultAndSaysHowFarItCame(t *testing.T) {
	d, use := stepwise(t, asked("e2", func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.DeniedByPolicy, "that is a password field").Hinted("leave it")
	}))
	got, failed := use("browser_fill_form", fields(
		map[string]any{"target": "e1", "name": "", "value": "a"}, map[string]any{"target": "e2", "value": "b"}, map[string]any{"target": "e3", "value": "c"},
	))
	for _, want := range []string{"denied_by_policy: field 2 of 3: that is a password field (the 1 before it are done)", "Next: leave it", "- field 1 of 3 done", "- field 3 of 3 not done"} {
		if !failed || !strings.Contains(got, want) {
			t.Errorf("it does not say %q: %s", want, got)
		}
	}
	if verbs := d.verbs(); strings.Count(verbs, "page.type") != 2 {
		t.Errorf("it called %s", verbs)
	}
}

func TestFormFieldsAreNamedByRefOrByName(t *testing.T) {
	d, use := stepwise(t, func(_ context.Context, c action.Call) (action.Result, error) { return answerOf(c), nil })
	if got, failed := use("browser_fill_form", fields(
		map[string]any{"name": "Email", "value": "a@b"}, map[string]any{"name": "Terms", "type": "checkbox", "value": "true"},
		map[string]any{"name": "Express", "type": "radio", "value": "true"}, map[string]any{"ref": "e1", "type": "combobox", "value": "Blue"},
	)); failed {
		t.Fatal(got)
	}
	if args, ok := d.call(t, 1).Args.(*action.Type); !ok || args.Role != "field" || args.Name != "Email" || !args.Clear {
		t.Errorf("a field with a name became %+v", d.call(t, 1))
	}
	for i, role := range []string{"checkbox", "radio"} {
		if args, ok := d.call(t, 2+i).Args.(*action.Click); !ok || args.Role != role || args.Checked == nil || !*args.Checked {
			t.Errorf("a %s became %+v", role, d.call(t, 2+i))
		}
	}
	if args, ok := d.call(t, 4).Args.(*action.Select); !ok || args.Ref != "e1" || args.Values[0] != "Blue" {
		t.Errorf("a combobox became %+v", d.call(t, 4))
	}
}

func TestABatchGoesOnAfterAnAnswerAndRepeatsNothing(t *testing.T) {
	answered := false
	d, use := stepwise(t, asked("e2", func(c action.Call) (action.Result, error) {
		if !answered {
			return action.Result{Session: "s1", Pending: &action.Pending{Approval: "q1", Risk: action.Medium, Expires: time.Now().Add(time.Minute)}}, nil
		}
		return answerOf(c), nil
	}))
	call := steps(a("browser_click", map[string]any{"target": "e1"}), a("type", map[string]any{"target": "e2", "text": "b"}), a("browser_press_key", map[string]any{"key": "Enter"}))
	got, failed := use("browser_batch", call)
	if failed || !strings.Contains(got, "step 1 of 3 done") || !strings.Contains(got, "### Pending") || !strings.Contains(got, "q1") {
		t.Errorf("got %s", got)
	}
	answered = true
	if got, failed = use("browser_batch", call); failed || !strings.Contains(got, "step 3 of 3 done") {
		t.Errorf("got %s", got)
	}
	if verbs := d.verbs(); strings.Count(verbs, "page.click") != 1 || strings.Count(verbs, "page.type") != 2 || strings.Count(verbs, "page.press") != 1 {
		t.Errorf("it called %s", verbs)
	}
	if _, failed = use("browser_batch", call); failed || strings.Count(d.verbs(), "page.click") != 2 {
		t.Errorf("a batch that is done is not made anew: %s", d.verbs())
	}
}

func TestAFormInABatchIsOneStep(t *testing.T) {
	_, use := stepwise(t, asked("e3", func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.StaleRef, "e3 is gone").Hinted("take a browser_snapshot")
	}))
	got, failed := use("browser_batch", steps(
		a("browser_fill_form", fields(map[string]any{"target": "e1", "value": "a"}, map[string]any{"target": "e3", "value": "b"})), a("click", map[string]any{"target": "e4"}),
	))
	if !failed || !strings.Contains(got, "stale_ref: step 1 of 2: e3 is gone") || !strings.Contains(got, "step 2 of 2 not done") {
		t.Errorf("got %s", got)
	}
}

func TestAScriptIsAnExpressionOrAFunction(t *testing.T) {
	for given, want := range map[string]string{
		"() => document.title":     "(() => document.title)()",
		"async () => { await 1 }":  "(async () => { await 1 })()",
		"function () { return 1 }": "(function () { return 1 })()",
		"document.title":           "document.title",
		"[1, 2].map(n => n)":       "[1, 2].map(n => n)",
		"(async () => 1)()":        "(async () => 1)()",
		"functional()":             "functional()",
	} {
		d := site()
		result := use(t, connect(t, surface(t, d), nil), "browser_evaluate", map[string]any{"function": given})
		if args := d.call(t, 0).Args.(*action.Execute); args.Expression != want || !args.AwaitPromise {
			t.Errorf("%s became %s", given, args.Expression)
		}
		if got := text(t, result); strings.Count(got, "</untrusted>") != 0 || !strings.Contains(got, "### Value\n<untrusted ") {
			t.Errorf("%s gave %s", given, got)
		}
	}
}
