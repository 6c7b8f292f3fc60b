package stream

import (
	"context"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Keys that paste (keysymdef.h of X11).
const (
	keyControl = 0xffe3
	keyV       = 0x76
)

func (v *viewer) take(message) error {
	v.put(task{event: eventControlRequest, call: v.view.Take})
	return nil
}

// handBack reads the note for the agent, which clients of Neko do not send. Faults:
// invalid_request.
func (v *viewer) handBack(m message) error {
	var p releasePayload
	if len(m.Payload) > 0 {
		if err := read(m, &p); err != nil {
			return err
		}
	}
	v.put(task{event: eventControlRelease, call: func(ctx context.Context) error { return v.view.HandBack(ctx, p.Note) }})
	return nil
}

// text reads a text for the clipboard. Faults: invalid_request, limit_reached.
func text(m message) (string, error) {
	var p textPayload
	if err := read(m, &p); err != nil {
		return "", err
	}
	if len(p.Text) > maxText {
		return "", fault.New(fault.LimitReached, "the text has %d bytes; the clipboard takes at most %d", len(p.Text), maxText).
			Hinted("copy a shorter text, or upload it as a file").Final()
	}
	if !utf8.ValidString(p.Text) {
		return "", fault.New(fault.InvalidRequest, "the text is no UTF-8")
	}
	return p.Text, nil
}

func (v *viewer) setClipboard(m message) error {
	words, err := text(m)
	if err != nil {
		return err
	}
	v.putAndWait(task{event: m.Event, call: func(ctx context.Context) error { return v.view.SetClipboard(ctx, words) }})
	return nil
}

// paste sets the clipboard and presses the keys that paste it.
func (v *viewer) paste(m message) error {
	words, err := text(m)
	if err != nil {
		return err
	}
	v.putAndWait(task{event: m.Event, call: func(ctx context.Context) error {
		if err := v.view.SetClipboard(ctx, words); err != nil {
			return err
		}
		return v.view.Input(ctx, []action.PersonInput{
			{Kind: action.InputKeyDown, Keysym: keyControl}, {Kind: action.InputKeyDown, Keysym: keyV},
			{Kind: action.InputKeyUp, Keysym: keyV}, {Kind: action.InputKeyUp, Keysym: keyControl},
		})
	}})
	return nil
}

func (v *viewer) getClipboard(m message) error {
	v.putAndWait(task{event: m.Event, call: func(ctx context.Context) error {
		words, err := v.view.Clipboard(ctx)
		if err == nil {
			v.send(eventClipboard, textPayload{Text: words})
		}
		return err
	}})
	return nil
}

// putAndWait adds a task and waits until it is done, so that a viewer has one long
// text in memory at a time.
func (v *viewer) putAndWait(t task) {
	done := make(chan struct{})
	call := t.call
	t.call = func(ctx context.Context) error {
		defer close(done)
		return call(ctx)
	}
	v.put(t)
	select {
	case <-done:
	case <-v.ctx.Done():
	}
}
