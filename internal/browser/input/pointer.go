package input

import "encoding/json"

type mouse struct {
	Type      string  `json:"type"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Button    string  `json:"button"`
	Buttons   int     `json:"buttons"`
	Clicks    int     `json:"clickCount"`
	Modifiers int     `json:"modifiers"`
}

func (m mouse) event() Event { return Event{"Input.dispatchMouseEvent", m} }

var buttons = map[string]int{"left": 1, "right": 2, "middle": 4}

// Move returns the event that moves the pointer to a point of the tab's viewport.
func Move(x, y float64) Event {
	return mouse{Type: "mouseMoved", X: x, Y: y, Button: "none"}.event()
}

// Hover returns the events that move the pointer and let the page see that at once. The
// browser keeps a move for the next frame of the display, unless other input comes after
// it: here a character with the mark of a system key, which no page sees (Chromium 156).
func Hover(x, y float64) []Event {
	return []Event{Move(x, y), {"Input.dispatchKeyEvent", keyEvent{Type: "char", Text: " ", System: true}}}
}

// Click returns the events that press and release a button at a point, count times,
// with modifiers held.
func Click(x, y float64, button string, count, modifiers int) []Event {
	events := []Event{mouse{Type: "mouseMoved", X: x, Y: y, Button: "none", Modifiers: modifiers}.event()}
	for n := 1; n <= count; n++ {
		press := mouse{Type: "mousePressed", X: x, Y: y, Button: button, Buttons: buttons[button], Clicks: n, Modifiers: modifiers}
		release := press
		release.Type, release.Buttons = "mouseReleased", 0
		events = append(events, press.event(), release.event())
	}
	return events
}

// Hold returns the events that press a button at a point, or release it there, with
// modifiers held. The release does not move the pointer before: a pointer that moves
// while a button is pressed can begin a drag, which the browser would run in the desktop.
func Hold(x, y float64, button string, down bool, modifiers int) []Event {
	if !down {
		return []Event{mouse{Type: "mouseReleased", X: x, Y: y, Button: button, Clicks: 1, Modifiers: modifiers}.event()}
	}
	return []Event{
		mouse{Type: "mouseMoved", X: x, Y: y, Button: "none", Modifiers: modifiers}.event(),
		mouse{Type: "mousePressed", X: x, Y: y, Button: button, Buttons: buttons[button], Clicks: 1, Modifiers: modifiers}.event(),
	}
}

const (
	dragSteps = 6   // moves on the way, for scripts that listen to the pointer's path
	nudge     = 8.0 // CSS pixels: more than the browser and libraries ignore as a tremble
)

// Drag is the pointer while it drags something. The zero Drag is ready to Press.
type Drag struct {
	X, Y float64         // where the pointer is
	Down bool            // the button is pressed
	Data json.RawMessage // of a drag and drop of the page; nil if only the pointer moves

	entered bool
}

// Press returns the events that press the button at a point.
func (d *Drag) Press(x, y float64) []Event {
	d.X, d.Y, d.Down = x, y, true
	return []Event{d.move(x, y, 0), d.button("mousePressed", 1)}
}

// Lift returns the events that move a little from where the button was pressed, so that
// a drag begins.
func (d *Drag) Lift() []Event {
	return []Event{d.move(d.X+nudge/2, d.Y, 1), d.move(d.X+nudge, d.Y+nudge, 1)}
}

// Path returns the events that move to a point, each group to be sent after the one
// before. It goes in steps unless the drag must be in another process at once, and
// moves once more at the point.
func (d *Drag) Path(x, y float64, atOnce bool) [][]Event {
	var path [][]Event
	startX, startY, steps := d.X, d.Y, dragSteps
	if atOnce {
		steps = 1
	}
	for step := 1; step <= steps; step++ {
		part := float64(step) / float64(steps)
		path = append(path, d.over(startX+(x-startX)*part, startY+(y-startY)*part))
	}
	return append(path, d.over(x, y))
}

// over moves the pointer, or the data that is dragged.
func (d *Drag) over(x, y float64) []Event {
	d.X, d.Y = x, y
	if d.Data == nil {
		return []Event{d.move(x, y, 1)}
	}
	if d.entered {
		return []Event{d.data("dragOver")}
	}
	d.entered = true
	return []Event{d.data("dragEnter"), d.data("dragOver")}
}

// Drop returns the event that ends the drag at a point. A drag with data ends with a
// drop event in place of a release of the button, which pages do not get then.
func (d *Drag) Drop(x, y float64) Event {
	d.X, d.Y, d.Down = x, y, false
	if d.Data != nil {
		return d.data("drop")
	}
	return d.button("mouseReleased", 0)
}

// Cancel returns the events that leave no button pressed. They release it outside of
// the page: a click on the element was not judged.
func (d *Drag) Cancel() []Event {
	if !d.Down {
		return nil
	}
	var events []Event
	if d.Data != nil {
		events = append(events, d.data("dragCancel"))
	}
	d.X, d.Y = -1, -1
	return append(events, d.move(-1, -1, 1), d.button("mouseReleased", 0))
}

func (d *Drag) move(x, y float64, held int) Event {
	button := "none"
	if held != 0 {
		button = "left"
	}
	return mouse{Type: "mouseMoved", X: x, Y: y, Button: button, Buttons: held}.event()
}

func (d *Drag) button(kind string, held int) Event {
	return mouse{Type: kind, X: d.X, Y: d.Y, Button: "left", Buttons: held, Clicks: 1}.event()
}

func (d *Drag) data(kind string) Event {
	return Event{"Input.dispatchDragEvent", map[string]any{"type": kind, "x": d.X, "y": d.Y, "data": d.Data, "modifiers": 0}}
}
