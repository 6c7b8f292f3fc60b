package xdisplay

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

// keyDown presses the key of a keysym.
func (d *Display) keyDown(ctx context.Context, keysym uint32, later []action.PersonInput) error {
	k := &d.keys
	if _, held := k.held[keysym]; held {
		return nil
	}
	s, err := d.prepareStroke(ctx, keysym, func() []uint32 { return keysymsOf(later) })
	if err != nil {
		return err
	}
	if k.down[s.keycode] { // for another keysym of the same key
		return nil
	}
	d.press(s)
	k.held[keysym] = s.keycode
	return nil
}

// keyUp releases the key of a keysym. If Shift changed since it was pressed, the
// keysym may be another one of the same key.
func (d *Display) keyUp(keysym uint32) {
	k := &d.keys
	keycode, held := k.held[keysym]
	if !held {
		for other, candidate := range k.held {
			if slices.Contains(k.keysyms[int(candidate)-k.first], keysym) {
				keysym, keycode, held = other, candidate, true
				break
			}
		}
	}
	if held {
		delete(k.held, keysym)
		d.key(keycode, false)
	}
}

// text types a text, each character with a key.
func (d *Display) text(ctx context.Context, text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for i, r := range text {
		if err := ctx.Err(); err != nil {
			return err
		}
		keysym := keysymOf(r)
		s, err := d.prepareStroke(ctx, keysym, func() []uint32 { return missingOf(text[i:], d.keys.has, len(d.keys.spares)) })
		if err != nil {
			return err
		}
		if d.keys.down[s.keycode] { // held; a text needs a new press
			d.release(s.keycode)
		}
		d.press(s)
		d.key(s.keycode, false)
	}
	return nil
}

// prepareStroke returns how to type a keysym. If it needs a spare key, the keysyms
// that follow get theirs at the same time.
func (d *Display) prepareStroke(ctx context.Context, keysym uint32, later func() []uint32) (stroke, error) {
	if err := d.readState(ctx); err != nil {
		return stroke{}, err
	}
	k := &d.keys
	s, found := k.find(keysym)
	if !found {
		needed := []uint32{keysym}
		for _, next := range later() {
			if len(needed) < len(k.spares) && !slices.Contains(needed, next) && !k.has(next) {
				needed = append(needed, next)
			}
		}
		if err := d.bindSpares(ctx, needed); err != nil {
			return stroke{}, err
		}
		if s, found = k.find(keysym); !found {
			return stroke{}, fault.New(fault.LimitReached, "the keyboard has no key left for keysym %#x", keysym)
		}
	}
	return s, nil
}

// press presses a key, with what must be pressed around it.
func (d *Display) press(s stroke) {
	k := &d.keys
	if s.lock {
		d.tap(k.lock)
	}
	if s.shift {
		d.fake(eventKeyPress, k.shift, 0, 0)
	}
	if s.level3 {
		d.fake(eventKeyPress, k.level3, 0, 0)
	}
	d.key(s.keycode, true)
	if s.level3 {
		d.fake(eventKeyRelease, k.level3, 0, 0)
	}
	if s.shift {
		d.fake(eventKeyRelease, k.shift, 0, 0)
	}
	if s.lock {
		d.tap(k.lock)
	}
}

func (d *Display) tap(keycode byte) {
	d.fake(eventKeyPress, keycode, 0, 0)
	d.fake(eventKeyRelease, keycode, 0, 0)
}

// release releases a key that is held, for whichever keysym.
func (d *Display) release(keycode byte) {
	for keysym, held := range d.keys.held {
		if held == keycode {
			delete(d.keys.held, keysym)
		}
	}
	d.key(keycode, false)
}

// key presses or releases a key and notes that.
func (d *Display) key(keycode byte, down bool) {
	k := &d.keys
	k.down[keycode] = down
	kind := byte(eventKeyRelease)
	if down {
		kind = eventKeyPress
		k.uses++
	}
	if i := slices.IndexFunc(k.spares, func(s spare) bool { return s.keycode == keycode }); i >= 0 {
		k.spares[i].used = k.uses
	}
	d.fake(kind, keycode, 0, 0)
	if k.isModifier(keycode) {
		k.stateKnown = false
	}
}

// ReleaseAll releases every key and button that is held, whoever pressed it. It waits
// for a call of Input, at most 5 seconds: end the context of that call first.
func (d *Display) ReleaseAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	if err := d.take(ctx); err != nil {
		return d.toFault(err)
	}
	defer d.give()
	reply, err := d.conn.Call(ctx, x11.NewRequest(opQueryKeymap, 0))
	if err != nil {
		return d.toFault(err)
	}
	keys := x11.NewReader(reply, 8).Bytes(32)
	p, err := d.queryPointer(ctx, d.setup.Root)
	if err != nil {
		return d.toFault(err)
	}
	k := &d.keys
	for keycode := range k.down {
		if k.down[keycode] || len(keys) == 32 && keys[keycode/8]&(1<<(keycode%8)) != 0 {
			d.release(byte(keycode))
		}
	}
	clear(k.held)
	for number := range k.buttons {
		if number > 0 && (k.buttons[number] || number <= 5 && p.state&(1<<(stateButton-1+number)) != 0) {
			k.buttons[number] = true
			d.button(number, false)
		}
	}
	k.touching = false
	return d.toFault(d.conn.Sync(ctx))
}

// keysymOf returns the keysym of a character (X11 protocol, appendix A).
func keysymOf(r rune) uint32 {
	switch {
	case r == '\n', r == '\r':
		return keysymReturn
	case r == '\t':
		return keysymTab
	case r >= 0x20 && r <= 0x7e, r >= 0xa0 && r <= 0xff:
		return uint32(r)
	}
	return keysymUnicode | uint32(r)
}

// runeOf returns the character of a keysym of Latin-1 or Unicode, 0 for another.
func runeOf(keysym uint32) rune {
	switch {
	case keysym >= 0x20 && keysym <= 0xff:
		return rune(keysym)
	case keysym > keysymUnicode && keysym <= keysymMax:
		return rune(keysym - keysymUnicode)
	}
	return 0
}

func isCasePair(lower, upper rune) bool {
	return lower != 0 && upper != 0 && unicode.ToUpper(lower) == upper && unicode.ToLower(upper) == lower
}

func hasCase(r rune) bool { return unicode.ToUpper(r) != unicode.ToLower(r) }

// keysymsOf returns the keysyms that events press.
func keysymsOf(events []action.PersonInput) []uint32 {
	var keysyms []uint32
	for _, event := range events {
		if event.Kind == action.InputKeyDown {
			keysyms = append(keysyms, event.Keysym)
		}
	}
	return keysyms
}

// missingOf returns the first most different keysyms of a text that has does not
// report.
func missingOf(text string, has func(keysym uint32) bool, most int) []uint32 {
	var missing []uint32
	for _, r := range text {
		keysym := keysymOf(r)
		if !slices.Contains(missing, keysym) && !has(keysym) {
			if missing = append(missing, keysym); len(missing) >= most {
				break
			}
		}
	}
	return missing
}
