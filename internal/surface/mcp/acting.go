package mcp

import (
	"context"
	"reflect"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// acting makes the tool of a verb that acts on one element, from the verb's
// definition. The tool names the element as all tools do, and takes the verb's
// own arguments under their own names.
func acting(verb *action.Verb) tool {
	shape := reflect.TypeOf(verb.NewArgs()).Elem()
	input := actingInput(verb)
	args := func(given any) any {
		from, to := reflect.ValueOf(given).Elem(), reflect.New(shape)
		var e element
		var p point
		copyFields(reflect.ValueOf(&e).Elem(), from)
		copyFields(reflect.ValueOf(&p).Elem(), from)
		copyFields(to.Elem(), from)
		l := p.of(e.locator())
		if text := from.FieldByName("Text").String(); text != "" {
			l.Text = text
		}
		to.Elem().FieldByName("Locator").Set(reflect.ValueOf(e.described(l)))
		return to.Interface()
	}
	effect := destroys
	if verb.Risk == action.Low {
		effect = changes
	}
	return tool{
		name: verb.Tool, about: verb.Summary + ".", effect: effect,
		input: func() any { return reflect.New(input).Interface() },
		steps: func(given any) []action.Step { return step(verb.Name, args(given)) },
		run: func(ctx context.Context, t *turn, given any) error {
			t.session = sessionOf(given)
			result, err := t.act(ctx, verb.Name, args(given))
			t.did(verb.Done, result, err)
			return err
		},
	}
}

type textIn struct {
	Text string `json:"text,omitempty" maxLength:"1024"`
}

// actingInput is the type of such a tool's arguments: the element, the verb's
// own arguments, and the session. It panics at the start of the program if two
// of them have the same name.
func actingInput(verb *action.Verb) reflect.Type {
	var all []reflect.StructField
	add := func(fields []reflect.StructField) {
		for _, f := range fields {
			if !f.Anonymous {
				all = append(all, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
			}
		}
	}
	for _, t := range []reflect.Type{reflect.TypeFor[element](), reflect.TypeFor[point](), reflect.TypeFor[textIn](), reflect.TypeFor[in]()} {
		add(reflect.VisibleFields(t))
	}
	add(verb.Own())
	return reflect.StructOf(all)
}

// copyFields copies the fields of from to the fields of to with the same names.
func copyFields(to, from reflect.Value) {
	for i := range to.NumField() {
		if given := from.FieldByName(to.Type().Field(i).Name); given.IsValid() {
			to.Field(i).Set(given)
		}
	}
}
