package mcp

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Sound refuses a checkbox or radio button whose value is neither true nor false.
func (in *fillIn) Sound() error {
	for i, f := range in.Fields {
		if f.toggles() && f.Value != "true" && f.Value != "false" {
			field := fmt.Sprintf("fields.%d.value", i)
			return fault.New(fault.InvalidRequest, "%s of a %s must be true or false", field, f.Type).Hinted("give true to check it").With("field", field)
		}
	}
	return nil
}

func (f *fieldIn) toggles() bool { return f.Type == "checkbox" || f.Type == "radio" }

// step returns the call for a field. A name without another locator is the name
// of a field of the given type.
func (f *fieldIn) step() action.Step {
	l := f.locator()
	switch {
	case l.Ref != "":
		l.Name = "" // which says to people what field it is
	case l.Zero() && l.Name != "":
		l.Role = f.Type
	}
	l = f.field(l)
	switch {
	case f.toggles():
		return action.Step{Verb: action.VerbPageClick.Name, Args: &action.Click{Locator: l, Checked: new(f.Value == "true")}}
	case f.Type == "combobox":
		return action.Step{Verb: action.VerbPageSelect.Name, Args: &action.Select{Locator: l, Values: []string{f.Value}}}
	}
	return action.Step{Verb: action.VerbPageType.Name, Args: &action.Type{Locator: l, Input: f.Value, Clear: true}}
}

func (in *fillIn) steps() []action.Step {
	all := make([]action.Step, len(in.Fields))
	for i := range in.Fields {
		all[i] = in.Fields[i].step()
	}
	return all
}

// fillForm is a batch with one step for each field: one request, in which each
// field is judged separately.
func fillForm(ctx context.Context, t *turn, in *fillIn) error {
	steps := in.steps()
	return t.batch(ctx, steps, part{"field", len(steps), func(i int) int { return i }})
}

// part describes the batch of a tool, in the words of the tool.
type part struct {
	name string
	many int
	of   func(step int) int // which part a step is of
}

func (p part) at(step int) string { return fmt.Sprintf("%s %d of %d", p.name, p.of(step)+1, p.many) }
