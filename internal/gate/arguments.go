package gate

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const maxSession = 64 // characters of a session's id or name; action.SessionStart.Name

// checkArguments checks the call's arguments: they must have the type that the verb
// defines, and satisfy the limits that this type declares. Every surface relies on it.
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
	return action.Check(p.call.Args)
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

// isPlain reports whether a text is free of control characters.
func isPlain(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }
