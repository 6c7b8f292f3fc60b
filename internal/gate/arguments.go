package gate

import (
	"reflect"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const maxSession = 64 // characters of a session's id or name; action.SessionStart.Name

// checkArguments checks the call's arguments by the verb's definition: their
// type, the limits in its tags, and the required ones.
func (p *invocation) checkArguments() error {
	want := p.verb.NewArgs()
	if p.call.Args == nil {
		p.call.Args = want
	}
	if got := reflect.ValueOf(p.call.Args); got.Type() != reflect.TypeOf(want) || got.IsNil() {
		p.call.Args = want // from here on the arguments have this type
		return fault.New(fault.InvalidRequest, "the arguments are those of another verb").
			Hinted("%s takes %s", p.call.Verb, strings.TrimPrefix(reflect.TypeOf(want).String(), "*"))
	}
	if len(p.call.Session) > maxSession || !isPlain(p.call.Session) {
		return fault.New(fault.InvalidRequest, "session is no session's id or name").
			Hinted("list sessions to see them").With("field", "session")
	}
	p.normalizeTyped()
	if err := action.Check(p.call.Args); err != nil {
		return err
	}
	if err := checkControls(p.call.Args); err != nil {
		return err
	}
	if a, requires := p.call.Args.(action.Requiring); requires {
		return a.Required()
	}
	return nil
}

// normalizeTyped replaces the text of the call by the text that will be typed,
// which is then scanned, judged, shown in questions and recorded.
func (p *invocation) normalizeTyped() {
	a, types := p.call.Args.(*action.Type)
	if !types {
		return
	}
	typed := *a
	typed.Input, p.strippedControls = action.Typed(a.Input)
	p.call.Args = &typed
}

// checkControls refuses control characters. Line breaks and tabs are allowed, except in
// arguments of one line.
func checkControls(args any) error {
	v := reflect.ValueOf(args).Elem()
	for _, f := range action.Fields(v.Type()) {
		oneLine := f.Name == "url" || f.Name == "id" || f.Name == "ref" || f.Name == "role"
		for _, text := range textsOf(v.FieldByIndex(f.Index)) {
			if strings.ContainsFunc(text, func(r rune) bool { return isControl(r) && (oneLine || !isLayout(r)) }) {
				return fault.New(fault.InvalidRequest, "%s holds control characters", f.Name).
					Hinted("leave them out; keys such as Escape are pressed with page.press").With("field", f.Name)
			}
		}
	}
	return nil
}

// textsOf returns the texts in a field.
func textsOf(v reflect.Value) []string {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return textsOf(v.Elem())
	case v.Kind() == reflect.String:
		return []string{v.String()}
	case v.Kind() == reflect.Struct:
		var texts []string
		for _, f := range action.Fields(v.Type()) {
			texts = append(texts, textsOf(v.FieldByIndex(f.Index))...)
		}
		return texts
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = v.Index(i).String()
		}
		return texts
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		var texts []string
		for i := range v.Len() {
			texts = append(texts, textsOf(v.Index(i))...)
		}
		return texts
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.String:
		var texts []string
		for names := v.MapRange(); names.Next(); {
			texts = append(texts, names.Key().String(), names.Value().String())
		}
		return texts
	}
	return nil
}

// isPlain reports whether a text is free of control characters.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, isControl)
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }

func isLayout(r rune) bool { return r == '\t' || r == '\n' || r == '\r' }
