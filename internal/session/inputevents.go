package session

import (
	"cmp"
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	dragSteps     = 10                    // moves of a drag: programs see a drag only after some
	betweenClicks = 40 * time.Millisecond // Chromium takes presses of the same millisecond for one
)

var buttons = map[string]int{"left": 1, "middle": 2, "right": 3}

// buttonName returns the name of a button: left when empty.
func buttonName(name string) string { return cmp.Or(name, "left") }

// eventsOf returns the input of a call, in parts between which there is a pause.
// Faults: invalid_request, and those of the display.
func eventsOf(ctx context.Context, box sandbox.Box, verb string, args any) (parts [][]action.PersonInput, pause time.Duration, err error) {
	var all []action.PersonInput
	switch a := args.(type) {
	case *action.MouseMove:
		all = []action.PersonInput{{Kind: action.InputMove, X: a.X, Y: a.Y}}
	case *action.MouseClick:
		button := buttons[buttonName(a.Button)]
		for range max(a.ClickCount, 1) {
			parts = append(parts, []action.PersonInput{
				{Kind: action.InputButtonDown, X: a.X, Y: a.Y, Button: button}, {Kind: action.InputButtonUp, X: a.X, Y: a.Y, Button: button},
			})
		}
		return parts, betweenClicks, nil
	case *action.MouseScroll:
		all = []action.PersonInput{{Kind: action.InputScroll, X: a.X, Y: a.Y, DX: a.DeltaX, DY: a.DeltaY}}
	case *action.MouseDrag:
		all = dragEvents(a)
	case *action.KeyType:
		parts, pause = typedEvents(a)
		return parts, pause, nil
	case *action.KeyPress:
		all, err = chord(a.Combination())
	default:
		all, err = heldEvents(ctx, box, verb, args)
	}
	return [][]action.PersonInput{all}, 0, err
}

// heldEvents returns the input of a call that presses or releases one button or key.
func heldEvents(ctx context.Context, box sandbox.Box, verb string, args any) ([]action.PersonInput, error) {
	switch a := args.(type) {
	case *action.MouseButton:
		p, err := pointOf(ctx, box, a)
		kind := action.InputButtonDown
		if verb == action.VerbMouseUp.Name {
			kind = action.InputButtonUp
		}
		return []action.PersonInput{{Kind: kind, X: p.X, Y: p.Y, Button: buttons[buttonName(a.Button)]}}, err
	case *action.KeyHold:
		keysym, err := keysymOf(a.Key)
		kind := action.InputKeyDown
		if verb == action.VerbKeyUp.Name {
			kind = action.InputKeyUp
		}
		return []action.PersonInput{{Kind: kind, Keysym: keysym}}, err
	}
	return nil, nil
}

func dragEvents(a *action.MouseDrag) []action.PersonInput {
	all := []action.PersonInput{{Kind: action.InputButtonDown, X: a.StartX, Y: a.StartY, Button: buttons["left"]}}
	for i := 1; i <= dragSteps; i++ {
		all = append(all, action.PersonInput{Kind: action.InputMove, X: a.StartX + (a.EndX-a.StartX)*i/dragSteps, Y: a.StartY + (a.EndY-a.StartY)*i/dragSteps})
	}
	return append(all, action.PersonInput{Kind: action.InputButtonUp, X: a.EndX, Y: a.EndY, Button: buttons["left"]})
}

// typedEvents returns the input of a text: at once, or each character by itself if
// the call has a delay.
func typedEvents(a *action.KeyType) (parts [][]action.PersonInput, pause time.Duration) {
	text, _ := action.Typed(a.Text)
	if a.DelayMs == 0 {
		return [][]action.PersonInput{{{Kind: action.InputText, Text: text}}}, 0
	}
	for _, r := range text {
		parts = append(parts, []action.PersonInput{{Kind: action.InputText, Text: string(r)}})
	}
	return parts, time.Duration(a.DelayMs) * time.Millisecond
}
