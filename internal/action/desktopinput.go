package action

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// The verbs of this file give input to the display. Where a call equals a verb of the
// page, it is judged and carried out as that verb.
var (
	VerbMouseMove   = Define[MouseMove, DesktopPointer](Verb{Name: "desktop.mouse_move", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/move", Command: "desktop mouse move", Summary: "Move the pointer; for agents, to a point of the page"})
	VerbMouseClick  = Define[MouseClick, DesktopPointer](Verb{Name: "desktop.mouse_click", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/click", Command: "desktop mouse click", Summary: "Click at a point of the display; for agents, at points of the page"})
	VerbMouseDown   = Define[MouseButton, DesktopPointer](Verb{Name: "desktop.mouse_down", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/down", Command: "desktop mouse down", Summary: "Press a button of the mouse and hold it; for agents, at points of the page"})
	VerbMouseUp     = Define[MouseButton, DesktopPointer](Verb{Name: "desktop.mouse_up", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/up", Command: "desktop mouse up", Summary: "Release a button of the mouse; for agents, at points of the page"})
	VerbMouseDrag   = Define[MouseDrag, DesktopPointer](Verb{Name: "desktop.mouse_drag", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/drag", Command: "desktop mouse drag", Summary: "Drag from one point of the display to another; for agents, at points of the page"})
	VerbMouseScroll = Define[MouseScroll, DesktopPointer](Verb{Name: "desktop.mouse_scroll", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/mouse/scroll", Command: "desktop mouse scroll", Summary: "Turn the wheel of the mouse at a point of the display; for agents, at points of the page"})
	VerbKeyType     = Define[KeyType, Acted](Verb{Name: "desktop.key_type", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/keyboard/type", Command: "desktop keyboard type", Summary: "Type text where the focus is; for agents, in the page"})
	VerbKeyPress    = Define[KeyPress, Acted](Verb{Name: "desktop.key_press", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/keyboard/press", Command: "desktop keyboard press", Summary: "Press a key or a combination of keys where the focus is; for agents, in the page and without keys of the browser itself"})
	VerbKeyDown     = Define[KeyHold, Acted](Verb{Name: "desktop.key_down", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/keyboard/down", Command: "desktop keyboard down", Summary: "Press a key and hold it; for agents, in the page"})
	VerbKeyUp       = Define[KeyHold, Acted](Verb{Name: "desktop.key_up", Class: Write, Risk: Medium, Counts: true, Method: http.MethodPost, Path: "/desktop/keyboard/up", Command: "desktop keyboard up", Summary: "Release a key; for agents, in the page"})
)

// MouseMove moves the pointer.
type MouseMove struct {
	X int `json:"x" minimum:"0" maximum:"16384" doc:"Pixels from the left of the display" example:"320"`
	Y int `json:"y" minimum:"0" maximum:"16384" doc:"Pixels from its top" example:"240"`
}

// MouseClick clicks at a point.
type MouseClick struct {
	MouseMove
	Button     string `json:"button,omitempty" enum:"left,right,middle" default:"left" doc:"left when empty"`
	ClickCount int    `json:"clickCount,omitempty" minimum:"0" maximum:"3" default:"1" doc:"1 when 0; 2 is a double click"`
}

// MouseButton presses or releases a button, where the pointer is if no point is given.
type MouseButton struct {
	X      *int   `json:"x,omitempty" minimum:"0" maximum:"16384" doc:"Pixels from the left of the display, with y; where the pointer is when absent" example:"320"`
	Y      *int   `json:"y,omitempty" minimum:"0" maximum:"16384" doc:"Pixels from its top" example:"240"`
	Button string `json:"button,omitempty" enum:"left,right,middle" default:"left" doc:"left when empty"`
}

// MouseDrag drags with the left button.
type MouseDrag struct {
	StartX int `json:"startX" minimum:"0" maximum:"16384" doc:"Where it begins: pixels from the left of the display" example:"100"`
	StartY int `json:"startY" minimum:"0" maximum:"16384" doc:"Pixels from its top" example:"200"`
	EndX   int `json:"endX" minimum:"0" maximum:"16384" doc:"Where it ends" example:"300"`
	EndY   int `json:"endY" minimum:"0" maximum:"16384" doc:"Where it ends" example:"200"`
}

// MouseScroll turns the wheel.
type MouseScroll struct {
	MouseMove
	DeltaX int `json:"deltaX,omitempty" minimum:"-100" maximum:"100" doc:"Clicks of the wheel; right is positive"`
	DeltaY int `json:"deltaY,omitempty" minimum:"-100" maximum:"100" doc:"Clicks of the wheel; down is positive" example:"3"`
}

// WheelClick is how far one click of the wheel scrolls a page, in CSS pixels.
const WheelClick = 120

// KeyType types text.
type KeyType struct {
	Text    string `json:"text" maxLength:"10000" controls:"any" doc:"The text to type" example:"Ada Lovelace"`
	DelayMs int    `json:"delayMs,omitempty" minimum:"0" maximum:"1000" default:"10" doc:"Milliseconds between keys; in a page none when absent"`
}

// KeyPress presses a key.
type KeyPress struct {
	Key       string       `json:"key" minLength:"1" maxLength:"64" doc:"A key as in KeyboardEvent.key" example:"a"`
	Modifiers KeyModifiers `json:"modifiers,omitzero" doc:"Keys that are held meanwhile"`
}

// KeyModifiers are keys that are held while another one is pressed.
type KeyModifiers struct {
	Ctrl  bool `json:"ctrl,omitempty" doc:"Control"`
	Shift bool `json:"shift,omitempty" doc:"Shift"`
	Alt   bool `json:"alt,omitempty" doc:"Alt"`
	Cmd   bool `json:"cmd,omitempty" doc:"Meta"`
}

// KeyHold presses or releases a key.
type KeyHold struct {
	Key string `json:"key" minLength:"1" maxLength:"64" doc:"A key as in KeyboardEvent.key" example:"Shift"`
}

// Combination returns the keys as page.press names them.
func (a *KeyPress) Combination() string {
	m := a.Modifiers
	var keys []string
	for _, one := range []struct {
		held bool
		name string
	}{{m.Ctrl, "Control"}, {m.Shift, "Shift"}, {m.Alt, "Alt"}, {m.Cmd, "Meta"}} {
		if one.held {
			keys = append(keys, one.name)
		}
	}
	return strings.Join(append(keys, a.Key), "+")
}

// Sound refuses half a point.
func (a *MouseButton) Sound() error {
	if (a.X == nil) != (a.Y == nil) {
		return invalid("x", "and y are given together: a point has both").Hinted("give both")
	}
	return nil
}

// Sound refuses a wheel that does not turn.
func (a *MouseScroll) Sound() error {
	if a.DeltaX == 0 && a.DeltaY == 0 {
		return invalid("deltaY", "is missing: the wheel would not turn").Hinted("give deltaX or deltaY, in clicks of the wheel")
	}
	return nil
}

// Sound refuses a combination of keys.
func (a *KeyHold) Sound() error {
	if held, _ := SplitKeys(a.Key); len(held) > 0 {
		return invalid("key", "names more than one key").Hinted("hold each key by a call of its own")
	}
	return nil
}

// Subject is the point.
func (a *MouseMove) Subject() string { return pointOf(a.X, a.Y) }

// Subject is the point.
func (a *MouseButton) Subject() string {
	if a.X == nil || a.Y == nil {
		return "where the pointer is"
	}
	return pointOf(*a.X, *a.Y)
}

// Subject is both points.
func (a *MouseDrag) Subject() string {
	return pointOf(a.StartX, a.StartY) + " to " + pointOf(a.EndX, a.EndY)
}

func pointOf(x, y int) string { return fmt.Sprintf("the display at %d, %d", x, y) }

// TypedText is the text.
func (a *KeyType) TypedText() string { return a.Text }

// Recorded is the key, if it is a named key or a combination of keys.
func (a *KeyPress) Recorded() string { return namedKey(a.Combination()) }

// Recorded is the key, if it is a named key.
func (a *KeyHold) Recorded() string { return namedKey(a.Key) }

// TypedText is the character that is typed.
func (a *KeyPress) TypedText() string { return typedKey(a.Combination()) }

// TypedText is the character that is typed.
func (a *KeyHold) TypedText() string { return typedKey(a.Key) }

func namedKey(key string) string {
	if utf8.RuneCountInString(strings.TrimSpace(key)) > 1 {
		return key
	}
	return ""
}

func typedKey(key string) string {
	if utf8.RuneCountInString(strings.TrimSpace(key)) > 1 {
		return ""
	}
	return key
}
