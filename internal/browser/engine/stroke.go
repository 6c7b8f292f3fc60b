package engine

import (
	"cmp"
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
)

// Stroke is one key, or one button of the mouse, that is pressed or released.
type Stroke struct {
	Key    string   // as page.press names it; empty for a button
	Button string   // left when empty
	X, Y   float64  // of a button: the point of the viewport, in CSS pixels
	Down   bool     // it is pressed
	Held   []string // keys that are held meanwhile
}

// outside is a point of no page. Where a button is released there, nothing is clicked.
const outside = -1

// Outside returns the release of the button outside of the page.
func (s Stroke) Outside() Stroke {
	s.X, s.Y, s.Down = outside, outside, false
	return s
}

// events returns the input. Fault: invalid_request.
func (s Stroke) events() ([]input.Event, error) {
	if s.Key == "" {
		bits, err := input.Modifiers(s.modifiers())
		return input.Hold(s.X, s.Y, cmp.Or(s.Button, "left"), s.Down, bits), err
	}
	_, key, err := input.Chord(s.Key)
	if err != nil {
		return nil, err
	}
	var held []input.Key
	for _, name := range s.modifiers() {
		m, _ := input.Named(name)
		held = append(held, m)
	}
	return []input.Event{key.Hold(held, s.Down)}, nil
}

// modifiers returns the held keys that are modifiers.
func (s Stroke) modifiers() (names []string) {
	for _, name := range s.Held {
		if _, err := input.Modifiers([]string{name}); err == nil {
			names = append(names, action.KeyName(name))
		}
	}
	return names
}

// SendStroke presses or releases a key or a button in the page of a tab; the active one if
// tab is empty. The input goes to the page alone, never to the browser's own windows and menus.
// Pages refuse it unless they accept input that no act announced (AdmitInput). Faults:
// invalid_request, page_changed if the tab is not active, not_active, dialog_open,
// cdp_error.
func (b *Browser) SendStroke(ctx context.Context, tab string, s Stroke) error {
	name := action.VerbMouseDown.Name
	if s.Key != "" {
		name = action.VerbKeyDown.Name
	}
	events, err := s.events()
	if err != nil {
		return err
	}
	t := b.current()
	switch {
	case t == nil:
		return b.toFault(ctx, name, findLimit, b.noTabReason())
	case tab != "" && t.id != tab:
		return errChanged
	}
	if err := b.admit(ctx, t, name); err != nil {
		return err
	}
	inner, leave := b.enter(ctx, t, findLimit)
	defer leave()
	var sent []*cdp.Pending
	for _, e := range events {
		sent = append(sent, t.main.session.Send(e.Method, e.Params))
	}
	for _, p := range sent {
		if err := p.Wait(inner, nil); err != nil {
			return b.endedBy(inner, t, name, findLimit, sent, err)
		}
	}
	return nil
}
