package xdisplay

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

// Selection is one of the two places of copied text.
type Selection string

// The selections.
const (
	Clipboard Selection = "clipboard" // what is copied and pasted
	Primary   Selection = "primary"   // what is marked, and pasted with the middle button
)

const (
	maxClipboard   = 1 << 20 // bytes of text
	answerLimit    = 2 * time.Second
	clipboardLimit = 10 * time.Second // for the whole of a text

	selectionEvents  = 1 | 2 | 4 // of XFixes: a new owner, the owner's window or connection ended
	selectSelection  = 2         // request of XFixes
	propertyRemoved  = 1         // state of a PropertyNotify
	sentEvents       = 16        // events that wait for a reader of the clipboard
	transferProperty = 8         // names of properties that take turns
)

// clipboards is the state of the selections.
type clipboards struct {
	*server
	changed notice
	turn    chan struct{} // held by the one who reads or writes
	answers chan x11.Event
	names   [transferProperty]uint32 // of properties that owners write to
	reads   int

	mu        sync.Mutex
	owned     map[uint32]ownedText // by selection
	transfers map[transferKey]*transfer
}

// ownedText is a text that we own a selection with.
type ownedText struct {
	text string
	time uint32 // of the server, when we became its owner
}

func (c *clipboards) init(s *server) {
	c.server = s
	c.turn = make(chan struct{}, 1)
	c.answers = make(chan x11.Event, sentEvents)
	c.owned = map[uint32]ownedText{}
	c.transfers = map[transferKey]*transfer{}
}

// prepare asks for the events of both selections.
func (c *clipboards) prepare(ctx context.Context, xfixes x11.Extension) error {
	for i := range c.names {
		var err error
		if c.names[i], err = c.conn.Atom(ctx, "_GLOVEBOX_SELECTION_"+string(rune('0'+i))); err != nil {
			return err
		}
	}
	for _, selection := range []uint32{c.atoms.clipboard, predefinedPrimary} {
		request := x11.NewRequest(xfixes.Opcode, selectSelection).U32(c.window, selection, selectionEvents)
		if err := c.conn.Do(ctx, request); err != nil {
			return err
		}
	}
	return nil
}

// ClipboardChanged returns a channel that is closed when a program next takes or
// gives up a selection. Ask for it before reading, so that no change is missed.
func (d *Display) ClipboardChanged() <-chan struct{} { return d.clipboards.changed.wait() }

func (c *clipboards) selectionAtom(selection Selection) (uint32, error) {
	switch selection {
	case Clipboard:
		return c.atoms.clipboard, nil
	case Primary:
		return predefinedPrimary, nil
	}
	return 0, fault.New(fault.InvalidRequest, "there is no such selection").Hinted("use %s or %s", Clipboard, Primary)
}

// ReadClipboard returns the text of a selection, empty if it has none. The text is a
// program's: any characters of UTF-8. Faults: limit_reached for more than 1 MiB,
// browser_action_timeout when the program that owns it does not answer.
func (d *Display) ReadClipboard(ctx context.Context, selection Selection) (string, error) {
	atom, err := d.clipboards.selectionAtom(selection)
	if err != nil {
		return "", err
	}
	if owned, ours := d.clipboards.ownedText(atom); ours {
		return owned.text, nil
	}
	ctx, cancel := context.WithTimeout(ctx, clipboardLimit)
	defer cancel()
	if err := takeTurn(ctx, d.clipboards.turn); err != nil {
		return "", d.toFault(err)
	}
	defer func() { <-d.clipboards.turn }()
	for _, target := range []uint32{d.atoms.utf8, predefinedString} {
		text, has, err := d.clipboards.convert(ctx, atom, target)
		if err != nil {
			return "", d.toFault(err)
		}
		if has {
			return text, nil
		}
	}
	return "", nil
}

// takeTurn waits until a channel of one place has room.
func takeTurn(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// convert asks the owner of a selection for it as a target, and reports false when
// the owner does not have it so, or there is no owner.
func (c *clipboards) convert(ctx context.Context, selection, target uint32) (string, bool, error) {
	property := c.names[c.reads%len(c.names)] // a late answer to an earlier request has another one
	c.reads++
	c.drainAnswers()
	_ = c.conn.Send(x11.NewRequest(opDeleteProperty, 0).U32(c.window, property))
	now, err := c.serverTime(ctx)
	if err != nil {
		return "", false, err
	}
	if err := c.conn.Send(x11.NewRequest(opConvertSelection, 0).U32(c.window, selection, target, property, now)); err != nil {
		return "", false, err
	}
	for {
		event, err := c.nextAnswer(ctx)
		if err != nil {
			return "", false, err
		}
		if event.Kind() != eventSelection {
			continue
		}
		r := event.Read(12)
		gotSelection, gotTarget, gotProperty := r.U32(), r.U32(), r.U32()
		if gotSelection != selection || gotTarget != target || gotProperty != property && gotProperty != 0 {
			continue // of an earlier request
		}
		if gotProperty == 0 {
			return "", false, nil
		}
		text, err := c.receive(ctx, property)
		if err == nil && len(text) > maxClipboard { // Latin-1 becomes longer as UTF-8
			err = tooLong()
		}
		return text, err == nil, err
	}
}

// nextAnswer returns the next event of a transfer to us.
func (c *clipboards) nextAnswer(ctx context.Context) (x11.Event, error) {
	limit := time.NewTimer(answerLimit)
	defer limit.Stop()
	select {
	case event := <-c.answers:
		return event, nil
	case <-limit.C:
		return x11.Event{}, fault.New(fault.ActionTimeout, "the program that owns the clipboard does not answer").
			Hinted("copy the text again, or try again later")
	case <-c.conn.Done():
		return x11.Event{}, x11.ErrClosed
	case <-ctx.Done():
		return x11.Event{}, ctx.Err()
	}
}

func (c *clipboards) drainAnswers() {
	for {
		select {
		case <-c.answers:
		default:
			return
		}
	}
}

// receive reads what an owner wrote to a property of our window, in parts if it says
// so (ICCCM, INCR).
func (c *clipboards) receive(ctx context.Context, property uint32) (string, error) {
	p, err := c.takeProperty(ctx, property)
	if err != nil {
		return "", err
	}
	if p.Type != c.atoms.incremental {
		return c.decode(p), nil
	}
	var text strings.Builder
	for {
		event, err := c.nextAnswer(ctx)
		if err != nil {
			return "", err
		}
		r := event.Read(8)
		name := r.U32()
		r.Skip(4)
		if state := r.U8(); event.Kind() != eventProperty || name != property || state == propertyRemoved {
			continue
		}
		part, err := c.takeProperty(ctx, property)
		if err != nil {
			return "", err
		}
		if part.Type == 0 {
			continue // it was read with an earlier event
		}
		if len(part.Value) == 0 {
			return clean(text.String()), nil
		}
		if text.Len()+len(part.Value) > maxClipboard {
			return "", tooLong()
		}
		text.WriteString(c.raw(part))
	}
}

// takeProperty reads and deletes a property of our window.
func (c *clipboards) takeProperty(ctx context.Context, property uint32) (x11.Property, error) {
	p, err := c.conn.Property(ctx, c.window, property, maxClipboard, true)
	if err == nil && p.Left > 0 {
		_ = c.conn.Send(x11.NewRequest(opDeleteProperty, 0).U32(c.window, property))
		return p, tooLong()
	}
	return p, err
}

func tooLong() error {
	return fault.New(fault.LimitReached, "the clipboard has more than 1 MiB of text").Hinted("copy less")
}

// raw returns the bytes of a part: UTF-8, or Latin-1 where the owner says STRING.
func (c *clipboards) raw(p x11.Property) string {
	if p.Format != 8 {
		return ""
	}
	if p.Type == predefinedString {
		return latin1(p.Value)
	}
	return string(p.Value)
}

func (c *clipboards) decode(p x11.Property) string { return clean(c.raw(p)) }

// clean makes bytes valid text.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "")
}

// WriteClipboard makes a text that of a selection. It stays until another program
// copies something, or the display is closed. Faults: limit_reached for more than
// 1 MiB, invalid_request for a text that is not UTF-8.
func (d *Display) WriteClipboard(ctx context.Context, selection Selection, text string) error {
	atom, err := d.clipboards.selectionAtom(selection)
	if err != nil {
		return err
	}
	if len(text) > maxClipboard {
		return fault.New(fault.LimitReached, "the text has %d bytes, more than 1 MiB", len(text)).Hinted("send less")
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fault.New(fault.InvalidRequest, "the text is not UTF-8, or contains the character 0")
	}
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	if err := takeTurn(ctx, d.clipboards.turn); err != nil {
		return d.toFault(err)
	}
	defer func() { <-d.clipboards.turn }()
	now, err := d.clipboards.serverTime(ctx)
	if err != nil {
		return d.toFault(err)
	}
	d.clipboards.setOwned(atom, ownedText{text: text, time: now}) // before the first program can ask for it
	if err := d.conn.Send(x11.NewRequest(opSetSelectionOwner, 0).U32(d.window, atom, now)); err != nil {
		return d.toFault(err)
	}
	reply, err := d.conn.Call(ctx, x11.NewRequest(opGetSelectionOwner, 0).U32(atom))
	if err != nil {
		return d.toFault(err)
	}
	if x11.NewReader(reply, 8).U32() != d.window {
		d.clipboards.disown(atom)
		return fault.New(fault.NotActionable, "another program copied something at the same time").Hinted("try again")
	}
	return nil
}

// serverTime returns the server's clock, from the event of an empty change of a
// property (ICCCM 2.1). It uses the events of transfers.
func (c *clipboards) serverTime(ctx context.Context) (uint32, error) {
	request := x11.NewRequest(opChangeProperty, propertyAppend).U32(c.window, c.atoms.stamp, predefinedInteger).
		U8(32, 0, 0, 0).U32(0)
	if err := c.conn.Send(request); err != nil {
		return 0, err
	}
	for {
		event, err := c.nextAnswer(ctx)
		if err != nil {
			return 0, err
		}
		r := event.Read(8)
		if name, now := r.U32(), r.U32(); event.Kind() == eventProperty && name == c.atoms.stamp {
			return now, nil
		}
	}
}

func (c *clipboards) ownedText(selection uint32) (ownedText, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	owned, ours := c.owned[selection]
	return owned, ours
}

func (c *clipboards) setOwned(selection uint32, owned ownedText) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned[selection] = owned
}

func (c *clipboards) disown(selection uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owned, selection)
}
