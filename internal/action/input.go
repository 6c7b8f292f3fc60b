package action

import (
	"net/http"
	"strings"
)

// The verbs of this file.
var (
	VerbPageType   = Define[Type, Acted](Verb{Name: "page.type", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Method: http.MethodPost, Path: "/browser/type", Tool: "browser_type", Command: "type", Summary: "Type text into an element"})
	VerbPagePress  = Define[Press, Acted](Verb{Name: "page.press", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Method: http.MethodPost, Path: "/browser/press", Tool: "browser_press_key", Command: "press", Summary: "Press a key or a combination of keys"})
	VerbPageSelect = Define[Select, Acted](Verb{Name: "page.select", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Method: http.MethodPost, Path: "/browser/select", Tool: "browser_select_option", Command: "select", Summary: "Select options by value or label"})
	VerbPageDialog = Define[AnswerDialog, Acted](Verb{Name: "page.dialog", Class: Write, Risk: Medium, Counts: true, Input: true, Method: http.MethodPost, Path: "/browser/dialog", Tool: "browser_handle_dialog", Command: "dialog", Summary: "Answer an open JavaScript dialog"})
)

// Type types text into a field.
type Type struct {
	Locator
	Input  string `json:"text" maxLength:"100000" controls:"any" doc:"The text to type" example:"Ada Lovelace"` // takes the place of Locator.Text
	Clear  bool   `json:"clear,omitempty" doc:"Empty the field first"`
	Submit bool   `json:"submit,omitempty" doc:"Press Enter afterwards"`
	Delay  int    `json:"delay,omitempty" minimum:"0" maximum:"1000" doc:"Milliseconds between keys"`
	Timing
}

// Press presses a key on an element, or on the element that has the focus.
type Press struct {
	Locator
	Key string `json:"key" minLength:"1" maxLength:"64" doc:"A key as in KeyboardEvent.key, with modifiers joined by +" example:"Control+a"`
	Timing
}

// Select chooses options. A single Value is treated as Values with one item.
type Select struct {
	Locator
	Value  *string  `json:"value,omitempty" maxLength:"8192" doc:"Value or label of one option; values for several"`
	Values []string `json:"values,omitempty" minItems:"1" maxItems:"1000" doc:"Values or labels" example:"[\"Red\"]"`
	Timing
}

// settle moves Value to Values, which is what is judged, recorded and done.
func (s *Select) settle() error {
	if s.Value == nil {
		return nil
	}
	if len(s.Values) > 0 {
		return invalid("value", "and values are both given").Hinted("give one of them")
	}
	s.Value, s.Values = nil, []string{*s.Value}
	return nil
}

// AnswerDialog answers a dialog.
type AnswerDialog struct {
	Accept bool   `json:"accept" doc:"true presses OK, false cancels"`
	Prompt string `json:"text,omitempty" maxLength:"10000" doc:"Answer to a prompt"`
}

// Sound refuses a text for a prompt that is cancelled.
func (a *AnswerDialog) Sound() error {
	if a.Accept {
		return nil
	}
	return Without(a, "accept false", "text")
}

// Required refuses a call that names no element.
func (a *Type) Required() error { return requireElement("ref", a.Locator) }

// TypedText is the text for the field.
func (a *Type) TypedText() string { return a.Input }

// Recorded is the key, if it is a named key or a combination of keys.
func (a *Press) Recorded() string { return namedKey(a.Key) }

// TypedText is the character that is typed.
func (a *Press) TypedText() string { return typedKey(a.Key) }

// Required refuses a call that names no element.
func (a *Select) Required() error { return requireElement("ref", a.Locator) }

// TypedText is the chosen values.
func (a *Select) TypedText() string { return strings.Join(a.Values, ", ") }

// Recorded is the answer.
func (a *AnswerDialog) Recorded() string {
	if a.Accept {
		return "accept"
	}
	return "dismiss"
}

// Aim is the element.
func (a *Type) Aim() (Locator, Timing) { return a.Locator, a.Timing }

// Aim is the element.
func (a *Press) Aim() (Locator, Timing) { return a.Locator, a.Timing }

// Aim is the element.
func (a *Select) Aim() (Locator, Timing) { return a.Locator, a.Timing }
