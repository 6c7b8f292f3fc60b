package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// fillForm is a loop of calls, each judged alone. It stops at the first that
// fails or waits for a person, and says how far it came.
func fillForm(ctx context.Context, t *turn, in *fillIn) error {
	for i, f := range in.Fields {
		if err := fillField(ctx, t, f); err != nil {
			return at(err, i, len(in.Fields))
		}
		t.reply.did = append(t.reply.did, fmt.Sprintf("Field %d of %d is filled.", i+1, len(in.Fields)))
	}
	t.show(ctx)
	return nil
}

func fillField(ctx context.Context, t *turn, f fieldIn) error {
	if l := f.locator(); l.Zero() && f.Name != "" { // a name alone is that of a field of the type given
		f.Role = cmp.Or(f.Type, "textbox")
	}
	var err error
	switch f.Type {
	case "checkbox", "radio":
		err = toggle(ctx, t, f)
	case "combobox":
		_, err = t.call(ctx, "page.select", &action.Select{Locator: f.locator(), Values: []string{f.Value}})
	default:
		_, err = t.call(ctx, "page.type", &action.Type{Locator: f.locator(), Input: f.Value, Clear: true})
	}
	return err
}

// toggle clicks a checkbox or radio button if it is not yet as wanted. It asks
// the page how it is, which needs a ref.
func toggle(ctx context.Context, t *turn, f fieldIn) error {
	l := f.locator()
	if l.Ref == "" || (f.Value != "true" && f.Value != "false") {
		return fault.New(fault.InvalidRequest, "a %s wants a ref, and true or false as value", f.Type).
			Hinted("take a browser_snapshot and use its ref, or use browser_click")
	}
	result, err := t.call(ctx, "page.snapshot", &action.TakeSnapshot{Format: "tree", Ref: l.Ref})
	if err != nil {
		return err
	}
	shot, ok := result.Data.(*action.Snapshot)
	if !ok || shot.Tree == nil {
		return fault.New(fault.NotActionable, "the page does not say whether the %s is checked", f.Type).Hinted("use browser_click")
	}
	if checked(shot.Tree) == (f.Value == "true") {
		return nil
	}
	_, err = t.call(ctx, "page.click", &action.Click{Locator: l})
	return err
}

func checked(n *action.Node) bool {
	if state, has := n.States["checked"]; has {
		return state == true || state == "true"
	}
	for _, child := range n.Children {
		if checked(child) {
			return true
		}
	}
	return false
}

// at says which field it was, for faults; a question that waits stays one.
func at(err error, i, of int) error {
	if errors.Is(err, errPending) || errors.Is(err, context.Canceled) {
		return err
	}
	f := *fault.From(err)
	f.Message = fmt.Sprintf("field %d of %d: %s", i+1, of, f.Message)
	if i > 0 {
		f.Message += fmt.Sprintf(" (the %d before it are filled)", i)
	}
	return f.With("field", i)
}
