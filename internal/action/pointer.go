package action

import (
	"net/http"
	"reflect"
)

// The verbs of this file.
var (
	VerbPageClick = Define[Click, Acted](Verb{Name: "page.click", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Method: http.MethodPost, Path: "/browser/click", Tool: "browser_click", Command: "click", Summary: "Click an element"})
	VerbPageCheck = Define[SetChecked, Acted](Verb{Name: "page.check", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Done: "Set", Method: http.MethodPost, Path: "/browser/check", Tool: "browser_check", Command: "check", Summary: "Check a checkbox, radio button or switch, or uncheck it"})
	VerbPageHover = Define[Hover, Acted](Verb{Name: "page.hover", Class: Write, Risk: Low, Counts: true, Target: true, Done: "Pointer is over", Method: http.MethodPost, Path: "/browser/hover", Tool: "browser_hover", Command: "hover", Summary: "Move the pointer over an element"})
	VerbPageDrag  = Define[Drag, Acted](Verb{Name: "page.drag", Class: Write, Risk: Medium, Counts: true, Target: true, Input: true, Method: http.MethodPost, Path: "/browser/drag", Tool: "browser_drag", Command: "drag", Summary: "Drag an element onto another"})
)

// Click clicks an element.
type Click struct {
	Locator
	Button     string   `json:"button,omitempty" enum:"left,right,middle" default:"left" doc:"left when empty"`
	ClickCount int      `json:"clickCount,omitempty" minimum:"0" maximum:"3" default:"1" doc:"1 when 0; 2 is a double click"`
	Modifiers  []string `json:"modifiers,omitempty" maxItems:"4" doc:"Alt, Control, Meta, Shift"`
	Checked    *bool    `json:"checked,omitempty" doc:"Only make it so: a checkbox, radio button or switch that is so already is left as it is"`
	Timing
}

// SetChecked checks or unchecks a checkbox, radio button or switch. It does
// nothing if the state is already right.
type SetChecked struct {
	Locator
	Checked *bool `json:"checked,omitempty" default:"true" doc:"false unchecks it"`
	Timing
}

// Required refuses a call that names no element.
func (a *SetChecked) Required() error { return requireElement("ref", a.Locator) }

// Aim is the element.
func (a *SetChecked) Aim() (Locator, Timing) { return a.Locator, a.Timing }

// Presses marks the arguments of a verb that presses the element.
func (a *SetChecked) Presses() {}

// Hover moves the pointer over an element.
type Hover struct {
	Locator
	Timing
}

// Acted says what was done to which element.
type Acted struct {
	OK       bool     `json:"ok"`
	Element  *Element `json:"element,omitempty"`
	Matches  int      `json:"matches,omitempty"`  // elements the locator matched
	Selected []string `json:"selected,omitempty"` // values selected by page.select
	Labels   []string `json:"labels,omitempty"`   // what people read of those
	Value    *string  `json:"value,omitempty"`    // what the field holds after page.type, unless that is secret
	NewPage  bool     `json:"newPage,omitempty"`  // the call made the page navigate
}

// OnElement returns arguments of the verb in which only the element is set.
// names is false for verbs whose arguments do not name one element by a
// Locator.
func (v *Verb) OnElement(l Locator) (args any, names bool) {
	args = v.NewArgs()
	field, ok := reflect.TypeOf(args).Elem().FieldByName("Locator")
	if !ok || !field.Anonymous || !v.Target {
		return nil, false
	}
	reflect.ValueOf(args).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(l))
	return args, true
}

// Drag drags one element onto another with the mouse. If the page supports it,
// this is a drag and drop (HTML standard, 6.11).
type Drag struct {
	From Locator  `json:"from" doc:"What is dragged"`
	To   Locator  `json:"to" doc:"What it is dropped on"`
	X    *float64 `json:"offsetX,omitempty" minimum:"0" maximum:"16384" doc:"Where on the target to drop, from its left; where it receives a press when absent"`
	Y    *float64 `json:"offsetY,omitempty" minimum:"0" maximum:"16384" doc:"The same, from its top"`
	Timing
}

// Offset returns the point on the target, in CSS pixels from its left and top
// edge. A coordinate that is not given is 0.
func (d *Drag) Offset() (x, y float64, given bool) {
	if d.X != nil {
		x = *d.X
	}
	if d.Y != nil {
		y = *d.Y
	}
	return x, y, d.X != nil || d.Y != nil
}

// Spot is an element that was judged in addition to that of a Pin: the target
// of a drop. The zero Spot means none.
type Spot struct {
	Document string
	Node     string
	Print    string
}

// Sound refuses arguments that would make a click that only sets a checkbox a
// different kind of click.
func (a *Click) Sound() error {
	if a.Checked != nil && (a.ClickCount > 1 || a.Button == "right" || a.Button == "middle") {
		return invalid("checked", "does not go with another click than a single one of the left button").
			Hinted("leave clickCount and button out, or checked")
	}
	return a.Locator.Sound()
}

// Required refuses a call that names no element.
func (a *Click) Required() error { return requireElement("ref", a.Locator) }

// Required refuses a call that names no element.
func (a *Hover) Required() error { return requireElement("ref", a.Locator) }

// Required refuses a call that does not name both ends.
func (d *Drag) Required() error {
	if err := requireElement("from", d.From); err != nil {
		return err
	}
	return requireElement("to", d.To)
}

// Subject names both elements as the caller did.
func (d *Drag) Subject() string { return d.From.Words() + " onto " + d.To.Words() }

// Presses marks the arguments of a verb that presses the element.
func (a *Click) Presses() {}

// Aim is the element.
func (a *Click) Aim() (Locator, Timing) { return a.Locator, a.Timing }

// Aim is the element.
func (a *Hover) Aim() (Locator, Timing) { return a.Locator, a.Timing }

// Aim is the element that is dragged.
func (d *Drag) Aim() (Locator, Timing) { return d.From, d.Timing }
