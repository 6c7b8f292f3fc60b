package session

import (
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// pasted are the texts that the person who has a session put into its clipboard, from
// their own machine. They may be passwords, and agents can read the clipboard.
type pasted struct {
	mu    sync.Mutex
	texts map[string]string // by selection
}

// paste puts a text of the holder into the clipboard.
func (o *openSession) paste(ctx context.Context, selection, text string) error {
	o.pasted.mu.Lock()
	defer o.pasted.mu.Unlock()
	if o.pasted.texts == nil {
		o.pasted.texts = map[string]string{}
	}
	for _, one := range []string{action.SelectionClipboard, action.SelectionPrimary} {
		if selection == one || selection == action.SelectionBoth {
			o.pasted.texts[one] = text
		}
	}
	return o.stage().box.SetClipboard(ctx, selection, text)
}

// forgetPasted empties the clipboard where it still has what the holder put there. It
// is called before the session stops to be taken over.
func (o *openSession) forgetPasted(ctx context.Context) error {
	o.pasted.mu.Lock()
	defer o.pasted.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	box := o.stage().box
	for selection, put := range o.pasted.texts {
		text, err := box.Clipboard(ctx, selection)
		if err == nil && text == put {
			err = box.SetClipboard(ctx, selection, "")
		}
		if err != nil && o.over() == nil {
			return err
		}
		delete(o.pasted.texts, selection)
	}
	return nil
}
