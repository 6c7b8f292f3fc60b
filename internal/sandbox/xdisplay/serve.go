package xdisplay

import (
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

const (
	partSize      = 64 << 10         // bytes of a text that are sent at a time
	maxTransfers  = 16               // texts that are sent in parts at the same time
	transferLimit = 10 * time.Second // for a program to take all parts
	wordSize      = 32               // bits
	byteSize      = 8
)

// transferKey names a transfer: the window and the property that it is written to.
type transferKey struct{ window, property uint32 }

// transfer is a text that is sent in parts.
type transfer struct {
	rest  string
	typed uint32
	until time.Time
}

// serveSelection answers a program that asks for a selection of ours. It runs on the
// loop of events and does not wait.
func (c *clipboards) serveSelection(event *x11.Event) {
	r := event.Read(4)
	now, owner, requestor, selection, target, property := r.U32(), r.U32(), r.U32(), r.U32(), r.U32(), r.U32()
	if property == 0 {
		property = target // an old program (ICCCM 2.2)
	}
	owned, ours := c.ownedText(selection)
	if owner != c.window || !ours || !c.writeTarget(owned, requestor, target, property) {
		property = 0 // refused
	}
	_ = c.conn.Send(x11.NewRequest(opSendEvent, 0).U32(requestor, maskNone).
		U8(eventSelection, 0, 0, 0).U32(now, requestor, selection, target, property, 0, 0))
}

// writeTarget writes an owned text to a program's window in the form that it asks
// for. It reports false if there is no such form.
func (c *clipboards) writeTarget(owned ownedText, requestor, target, property uint32) bool {
	a := &c.atoms
	switch target {
	case a.targets:
		c.writeWords(requestor, property, predefinedAtom, a.targets, a.timestamp, a.utf8, a.plainUTF8, a.plain, a.text, predefinedString)
	case a.timestamp:
		c.writeWords(requestor, property, predefinedInteger, owned.time)
	case a.utf8, a.plainUTF8, a.plain:
		return c.writeText(requestor, property, target, owned.text)
	case a.text:
		return c.writeText(requestor, property, a.utf8, owned.text)
	case predefinedString:
		text, ok := toLatin1(owned.text)
		return ok && c.writeText(requestor, property, predefinedString, text)
	default:
		return false
	}
	return true
}

// toLatin1 converts a text, and reports false if it has other characters.
func toLatin1(text string) (string, bool) {
	bytes := make([]byte, 0, utf8.RuneCountInString(text))
	for _, r := range text {
		if r > 0xff {
			return "", false
		}
		bytes = append(bytes, byte(r))
	}
	return string(bytes), true
}

func (c *clipboards) writeWords(window, property, typed uint32, words ...uint32) {
	_ = c.conn.Send(x11.NewRequest(opChangeProperty, propertyReplace).U32(window, property, typed).
		U8(wordSize, 0, 0, 0).U32(uint32(len(words))).U32(words...))
}

func (c *clipboards) writeBytes(window, property, typed uint32, bytes string) {
	_ = c.conn.Send(x11.NewRequest(opChangeProperty, propertyReplace).U32(window, property, typed).
		U8(byteSize, 0, 0, 0).U32(uint32(len(bytes))).Text(bytes))
}

// writeText writes a text at once, or begins to send it in parts. It reports false
// when too many are being sent.
func (c *clipboards) writeText(window, property, typed uint32, text string) bool {
	if len(text) <= partSize {
		c.writeBytes(window, property, typed, text)
		return true
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, t := range c.transfers {
		if now.After(t.until) {
			c.endTransfer(key)
		}
	}
	key := transferKey{window, property}
	if _, again := c.transfers[key]; !again && len(c.transfers) >= maxTransfers {
		return false
	}
	c.transfers[key] = &transfer{rest: text, typed: typed, until: now.Add(transferLimit)}
	c.watch(window, maskPropertyChange) // its deletions of the property ask for the next part
	c.writeWords(window, property, c.atoms.incremental, uint32(len(text)))
	return true
}

// watch chooses which events of another program's window we get.
func (c *clipboards) watch(window, mask uint32) {
	if window == c.setup.Root || window == c.window {
		return // ours are chosen already
	}
	_ = c.conn.Send(x11.NewRequest(opChangeWindowAttributes, 0).U32(window, attributeEventMask, mask))
}

// endTransfer forgets a transfer, and the events of its window when it was the last
// there. The lock is held.
func (c *clipboards) endTransfer(ended transferKey) {
	delete(c.transfers, ended)
	for key := range c.transfers {
		if key.window == ended.window {
			return
		}
	}
	c.watch(ended.window, maskNone)
}

// continueTransfer sends the next part when a program has taken the last one.
func (c *clipboards) continueTransfer(event *x11.Event) {
	r := event.Read(4)
	key := transferKey{r.U32(), r.U32()}
	r.Skip(4)
	if r.U8() != propertyRemoved {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t, known := c.transfers[key]
	if !known {
		return
	}
	part := t.rest[:min(partSize, len(t.rest))]
	t.rest = t.rest[len(part):]
	c.writeBytes(key.window, key.property, t.typed, part)
	if part == "" { // the end
		c.endTransfer(key)
	}
}

// handle hands an event to the one who waits for it.
func (c *clipboards) handle(event *x11.Event) {
	switch event.Kind() {
	case eventSelectionRequest:
		c.serveSelection(event)
	case eventSelectionClear:
		c.lost(event)
	case eventProperty:
		if event.Read(4).U32() != c.window {
			c.continueTransfer(event)
			return
		}
		c.answer(event)
	case eventSelection:
		c.answer(event)
	}
}

// lost forgets the text of a selection that another program took. An event that a
// program sent is no proof of that.
func (c *clipboards) lost(event *x11.Event) {
	r := event.Read(4)
	now := r.U32()
	r.Skip(4) // our window
	selection := r.U32()
	c.mu.Lock()
	defer c.mu.Unlock()
	// We may have taken it again since. The server's clock overflows after 49 days.
	if owned, ours := c.owned[selection]; ours && event[0] < sentByProgram && int32(now-owned.time) >= 0 {
		delete(c.owned, selection)
	}
}

func (c *clipboards) answer(event *x11.Event) {
	select {
	case c.answers <- *event:
	default: // more than a transfer causes; nobody waits for it
	}
}
