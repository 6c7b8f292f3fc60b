package xdisplay

import (
	"context"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

const (
	maxEvents  = 4096     // of one call
	maxText    = 64 << 10 // bytes of text of one call
	maxScroll  = 100      // wheel clicks of one event, in each direction
	maxFinger  = 31
	maxButton  = 9
	inputLimit = 2 * time.Minute // for one call; 64 KiB of 20,000 different characters took 30 s

	buttonLeft  = 1
	buttonUp    = 4 // of the wheel
	buttonDown  = 5
	buttonWest  = 6
	buttonEast  = 7
	fakeInput   = 2 // request of XTEST
	stateButton = 8 // bit of the first button in the state
)

// Input sends input in order, as if keyboard and pointer of the display had sent it.
// It returns when the display has carried it out. All is checked before anything is
// sent.
//
// A keysym that the keyboard lacks is put on a key that the layout does not use. If
// Shift or AltGr must be pressed for a keysym, they are pressed around its key; what
// is held stays held. A held key repeats as on a keyboard, so a keyDown of a held key
// does nothing; nor does a keyUp of a key that is not held.
//
// X11's XTEST has no touch: the first finger moves the pointer and holds the left
// button, and others are ignored while it does.
//
// Only one call at a time sends input; others wait for it. When the context ends, the
// rest of the input is not sent.
//
// Faults: invalid_request, limit_reached when too many keys of other layouts are held.
func (d *Display) Input(ctx context.Context, events []action.PersonInput) error {
	width, height := d.resolution()
	if err := checkInput(events, width, height); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, inputLimit)
	defer cancel()
	if err := d.take(ctx); err != nil {
		return d.toFault(err)
	}
	defer d.give()
	return d.toFault(d.sendInput(ctx, events))
}

// take waits for the turn to send input.
func (d *Display) take(ctx context.Context) error { return takeTurn(ctx, d.turn) }

func (d *Display) give() { <-d.turn }

func (d *Display) sendInput(ctx context.Context, events []action.PersonInput) error {
	if d.mapping.Load() {
		if err := d.readKeyboard(ctx); err != nil {
			return err
		}
	}
	d.keys.stateKnown = false // other programs may have changed it
	for i, event := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.send(ctx, event, events[i+1:]); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	return d.conn.Sync(ctx)
}

// send sends one event. It may prepare keys for the later ones.
func (d *Display) send(ctx context.Context, event action.PersonInput, later []action.PersonInput) error {
	switch event.Kind {
	case action.InputMove:
		d.move(event)
	case action.InputButtonDown, action.InputButtonUp:
		d.move(event)
		d.button(event.Button, event.Kind == action.InputButtonDown)
	case action.InputScroll:
		d.move(event)
		d.wheel(event.DX, buttonWest, buttonEast)
		d.wheel(event.DY, buttonUp, buttonDown)
	case action.InputKeyDown:
		return d.keyDown(ctx, event.Keysym, later)
	case action.InputKeyUp:
		d.keyUp(event.Keysym)
	case action.InputText:
		return d.text(ctx, event.Text)
	case action.InputTouchDown, action.InputTouchMove, action.InputTouchUp:
		d.touch(event)
	}
	return nil
}

// fake sends an event of keyboard or pointer. The final check of the call reports a
// connection that ended.
func (d *Display) fake(kind, detail byte, x, y int) {
	_ = d.conn.Send(x11.NewRequest(d.xtest.Opcode, fakeInput).U8(kind, detail, 0, 0).
		U32(currentTime, d.setup.Root, 0, 0).I16(x, y).U32(0, 0))
}

func (d *Display) move(event action.PersonInput) { d.fake(eventMotion, 0, event.X, event.Y) }

// button presses or releases a button, if it is not so already.
func (d *Display) button(number int, down bool) {
	if d.keys.buttons[number] == down {
		return
	}
	d.keys.buttons[number] = down
	if down {
		d.fake(eventButtonPress, byte(number), 0, 0)
	} else {
		d.fake(eventButtonRelease, byte(number), 0, 0)
	}
}

// wheel sends clicks of the wheel, which X11 calls buttons.
func (d *Display) wheel(clicks int, negative, positive byte) {
	button := positive
	if clicks < 0 {
		button, clicks = negative, -clicks
	}
	for range clicks {
		d.fake(eventButtonPress, button, 0, 0)
		d.fake(eventButtonRelease, button, 0, 0)
	}
}

// touch has the first finger hold the left button.
func (d *Display) touch(event action.PersonInput) {
	k := &d.keys
	if k.touching && k.finger != event.Touch {
		return
	}
	switch event.Kind {
	case action.InputTouchDown:
		k.touching, k.finger = true, event.Touch
		d.move(event)
		d.button(buttonLeft, true)
	case action.InputTouchMove:
		d.move(event)
	case action.InputTouchUp:
		if !k.touching {
			return
		}
		k.touching = false
		d.move(event)
		d.button(buttonLeft, false)
	}
}

// checkInput checks events before any is sent.
func checkInput(events []action.PersonInput, width, height int) error {
	if len(events) > maxEvents {
		return fault.New(fault.InvalidRequest, "%d events are too many for one call", len(events)).
			Hinted("send at most %d at a time", maxEvents)
	}
	text := 0
	for i, event := range events {
		if text += len(event.Text); text > maxText {
			return fault.New(fault.InvalidRequest, "the text is too long").Hinted("send at most %d bytes at a time", maxText)
		}
		if problem := inputProblem(event, width, height); problem != "" {
			return fault.New(fault.InvalidRequest, "event %d: %s", i+1, problem)
		}
	}
	return nil
}

// inputProblem returns what is wrong with an event, empty if nothing is.
func inputProblem(event action.PersonInput, width, height int) string {
	switch event.Kind {
	case action.InputKeyDown, action.InputKeyUp:
		if !isKeysym(event.Keysym) {
			return "keysym is not one of X11"
		}
		return ""
	case action.InputText:
		return textProblem(event.Text)
	case action.InputButtonDown, action.InputButtonUp:
		if event.Button < 1 || event.Button > maxButton || event.Button >= buttonUp && event.Button <= buttonEast {
			return "button is not 1, 2, 3, 8 or 9"
		}
	case action.InputScroll:
		if max(event.DX, -event.DX, event.DY, -event.DY) > maxScroll || event.DX < -maxScroll || event.DY < -maxScroll {
			return "it scrolls too far"
		}
	case action.InputTouchDown, action.InputTouchMove, action.InputTouchUp:
		if event.Touch < 0 || event.Touch > maxFinger {
			return "touch is not the number of a finger"
		}
	case action.InputMove:
	default:
		return "its kind is unknown"
	}
	if event.X < 0 || event.Y < 0 || event.X >= width || event.Y >= height {
		return "x and y are not on the screen"
	}
	return ""
}

// isKeysym reports whether a number is a keysym: of Latin-1, of another block of
// keysymdef.h, of Unicode, or of a multimedia key.
func isKeysym(keysym uint32) bool {
	switch {
	case keysym >= 0x20 && keysym <= 0x7e, keysym >= 0xa0 && keysym < 0xffff:
		return true
	case keysym >= keysymUnicode && keysym <= keysymMax:
		r := rune(keysym - keysymUnicode)
		return utf8.ValidRune(r) && !unicode.IsControl(r)
	}
	return keysym == 0xffff || keysym >= vendorFirst && keysym <= vendorLast // 0xffff: Delete
}

// textProblem returns what is wrong with a text to type, empty if nothing is.
func textProblem(text string) string {
	if !utf8.ValidString(text) {
		return "text is not UTF-8"
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return "text has control characters; use keyDown and keyUp for keys"
		}
	}
	return ""
}
