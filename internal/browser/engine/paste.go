package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// paste puts text into a code editor that has the focus, in the place of all
// that is in it or at its end: an editor that gets keys indents lines and closes
// brackets by itself. It returns what is left to be typed. Fault: page_changed.
func (in *input) paste(ctx context.Context, t *tab, at aim, pin action.Pin, text string, whole bool) (string, error) {
	keys := []string{"Control+End"}
	switch {
	case whole && text == "":
		keys = []string{"Control+a", "Delete"}
	case whole:
		keys = []string{"Control+a"}
	}
	for _, name := range keys {
		held, k, err := chord(name)
		if err != nil {
			return text, err
		}
		if err := in.send(ctx, t, k.strokes(held)); err != nil {
			return text, err
		}
	}
	if text == "" {
		return text, nil
	}
	pasted, err := at.place.world.Paste(ctx, injected.Pasting{Node: at.node, Print: pin.Print, Text: text})
	switch {
	case err != nil:
		return text, err
	case pasted.Gone || pasted.Error != "":
		return text, errChanged
	case pasted.OK:
		return "", nil
	}
	return text, nil
}
