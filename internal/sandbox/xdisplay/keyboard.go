package xdisplay

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

// Keysyms with a meaning here (keysymdef.h).
const (
	keysymTab         = 0xff09
	keysymReturn      = 0xff0d
	keysymLevel3Shift = 0xfe03
	keysymNumLock     = 0xff7f

	keysymUnicode = 0x01000000 // added to a character's number
	keysymMax     = keysymUnicode | 0x10ffff
	vendorFirst   = 0x10080000 // keys of multimedia keyboards
	vendorLast    = 0x1008ffff
)

// Bits of the modifiers' state.
const (
	modShift = 1 << 0
	modLock  = 1 << 1
)

// Columns of a keycode's keysyms: without modifiers, with Shift, with AltGr, and with
// both (as XKB fills the core protocol's table for the first group).
const (
	columnPlain       = 0
	columnShift       = 1
	columnLevel3      = 4
	columnLevel3Shift = 5
)

const (
	spareColumns = 4 // keysyms of a spare key: the same with and without Shift, in both groups
	lastKeycode  = 255
)

// keyboard is the display's keyboard: what its keys mean, and which are held.
type keyboard struct {
	first     int        // lowest keycode
	keysyms   [][]uint32 // of each keycode from first
	modifiers [lastKeycode + 1]byte
	shift     byte // keycode; 0: there is none
	level3    byte
	lock      byte
	level3Bit byte // of the modifiers' state
	numBit    byte

	spares  []spare
	uses    uint64 // counts uses of spare keys
	settled uint64 // uses that the programs have surely seen

	state      byte // modifiers that are active
	stateKnown bool
	held       map[uint32]byte // keycode that is held for a keysym
	down       [lastKeycode + 1]bool
	buttons    [maxButton + 1]bool
	finger     int  // that holds the left button
	touching   bool // a finger does
}

// spare is a key that the layout does not use.
type spare struct {
	keycode byte
	keysym  uint32 // that it has now; 0: none
	used    uint64 // keyboard.uses when it was last used
}

func (k *keyboard) init() { k.held = map[uint32]byte{} }

// stroke is how to type a keysym: a key, and what must be pressed around it.
type stroke struct {
	keycode byte
	shift   bool // press Shift
	level3  bool // press AltGr
	lock    bool // switch Caps Lock off and on again
}

// isFunction reports whether a keysym is a key without a character: levels do not
// matter for it. Dead keys are not.
func isFunction(keysym uint32) bool {
	return keysym >= 0xfd00 && keysym <= 0xffff && !isDead(keysym) && !isKeypad(keysym) ||
		keysym >= vendorFirst && keysym <= vendorLast
}

func isDead(keysym uint32) bool { return keysym >= 0xfe50 && keysym <= 0xfe93 }

func isKeypad(keysym uint32) bool { return keysym >= 0xff80 && keysym <= 0xffbd }

// isModifier reports whether a key changes the state of the modifiers. Not all are
// among the core protocol's modifiers: XKB has its own.
func (k *keyboard) isModifier(keycode byte) bool {
	i := int(keycode) - k.first
	if i < 0 || i >= len(k.keysyms) {
		return false
	}
	keysym := k.keysyms[i][columnPlain]
	return k.modifiers[keycode] != 0 || keysym >= 0xfe01 && keysym <= 0xfe1f || keysym >= 0xffe1 && keysym <= 0xffee
}

// isLetterPair reports whether Caps Lock exchanges a key's first two keysyms.
func isLetterPair(row []uint32) bool {
	lower, upper := runeOf(row[columnPlain]), runeOf(row[columnShift])
	return lower != upper && isCasePair(lower, upper)
}

// find returns how to type a keysym in the current state of the modifiers, false if
// the layout has no key for it that can be used now.
func (k *keyboard) find(keysym uint32) (stroke, bool) {
	if keysym == keysymLevel3Shift && k.level3 != 0 {
		return stroke{keycode: k.level3}, true
	}
	for i, row := range k.keysyms {
		if len(row) <= columnLevel3Shift {
			continue
		}
		keycode := byte(k.first + i)
		if k.isSpare(keycode) {
			continue
		}
		for _, column := range []int{columnPlain, columnShift, columnLevel3, columnLevel3Shift} {
			if row[column] != keysym {
				continue
			}
			if s, ok := k.reach(row, column); ok {
				s.keycode = keycode
				return s, true
			}
		}
	}
	return k.findSpare(keysym)
}

// has reports whether the layout has a key for a keysym, whatever the modifiers are.
func (k *keyboard) has(keysym uint32) bool {
	for i, row := range k.keysyms {
		if len(row) <= columnLevel3Shift || k.isSpare(byte(k.first+i)) {
			continue
		}
		if row[columnPlain] == keysym || row[columnShift] == keysym || row[columnLevel3] == keysym || row[columnLevel3Shift] == keysym {
			return true
		}
	}
	return false
}

// reach returns what must be pressed so that a key has the keysym of a column. It
// never releases what is held.
func (k *keyboard) reach(row []uint32, column int) (stroke, bool) {
	if column == columnPlain && isFunction(row[column]) {
		return stroke{}, true
	}
	shifted := k.state&modShift != 0
	switch {
	case k.state&modLock != 0 && isLetterPair(row):
		shifted = !shifted
	case isKeypad(row[columnShift]) && row[columnPlain] != row[columnShift]:
		// Programs do not agree on what Shift does with the keypad.
		return stroke{}, !shifted && (column == columnShift) == (k.state&k.numBit != 0) && column <= columnShift
	}
	third := k.state&k.level3Bit != 0 && row[columnLevel3] != 0
	wantShift := column == columnShift || column == columnLevel3Shift
	wantThird := column == columnLevel3 || column == columnLevel3Shift
	// The columns may be the same: a key of the keypad, for one.
	if wantShift != shifted && row[column] == row[column^1] {
		wantShift = shifted
	}
	s := stroke{shift: wantShift != shifted, level3: wantThird != third}
	if s.shift && (k.state&modShift != 0 || k.shift == 0) || s.level3 && (third || k.level3 == 0) {
		return stroke{}, false // it would have to be released
	}
	return s, true
}

func (k *keyboard) isSpare(keycode byte) bool {
	return slices.ContainsFunc(k.spares, func(s spare) bool { return s.keycode == keycode })
}

// findSpare returns how to type a keysym on a spare key that has it.
func (k *keyboard) findSpare(keysym uint32) (stroke, bool) {
	for _, s := range k.spares {
		if s.keysym == keysym {
			return stroke{keycode: s.keycode, lock: k.state&modLock != 0 && k.lock != 0 && hasCase(runeOf(keysym))}, true
		}
	}
	return stroke{}, false
}

// readKeyboard reads what the keys mean.
func (d *Display) readKeyboard(ctx context.Context) error {
	d.mapping.Store(false) // before it is read: a change from now on counts
	k := &d.keys
	first, count := d.setup.MinKeycode, d.setup.MaxKeycode-d.setup.MinKeycode+1
	reply, err := d.conn.Call(ctx, x11.NewRequest(opGetKeyboardMapping, 0).U8(byte(first), byte(count), 0, 0))
	if err != nil {
		return err
	}
	columns := int(reply[1])
	r := x11.NewReader(reply, 32)
	rows := make([][]uint32, count)
	for i := range rows {
		rows[i] = make([]uint32, max(columns, columnLevel3Shift+1))
		for column := range columns {
			rows[i][column] = r.U32()
		}
	}
	if r.Bad() {
		return x11.ErrReply
	}
	k.first, k.keysyms = first, rows
	if err := d.readModifiers(ctx); err != nil {
		return err
	}
	k.collectSpares()
	return nil
}

// readModifiers reads which keys are modifiers.
func (d *Display) readModifiers(ctx context.Context) error {
	reply, err := d.conn.Call(ctx, x11.NewRequest(opGetModifierMapping, 0))
	if err != nil {
		return err
	}
	k, perModifier := &d.keys, int(reply[1])
	r := x11.NewReader(reply, 32)
	k.modifiers = [lastKeycode + 1]byte{}
	k.shift, k.lock, k.level3, k.level3Bit, k.numBit = 0, 0, 0, 0, 0
	for modifier := range 8 {
		for range perModifier {
			if keycode := r.U8(); keycode != 0 {
				k.addModifier(keycode, 1<<modifier)
			}
		}
	}
	for i, row := range k.keysyms { // the last: the first is one that keyboards do not have
		if row[columnPlain] == keysymLevel3Shift && k.level3Bit != 0 {
			k.level3 = byte(k.first + i)
		}
	}
	k.stateKnown = false
	return nil
}

func (k *keyboard) addModifier(keycode, bit byte) {
	k.modifiers[keycode] |= bit
	var keysym uint32
	if i := int(keycode) - k.first; i >= 0 && i < len(k.keysyms) {
		keysym = k.keysyms[i][columnPlain]
	}
	switch {
	case bit == modShift && k.shift == 0:
		k.shift = keycode
	case bit == modLock && k.lock == 0:
		k.lock = keycode
	case keysym == keysymLevel3Shift:
		k.level3Bit = bit
	case keysym == keysymNumLock:
		k.numBit = bit
	}
}

// readState asks which modifiers are active, if that may have changed.
func (d *Display) readState(ctx context.Context) error {
	if d.keys.stateKnown {
		return nil
	}
	p, err := d.queryPointer(ctx, d.setup.Root)
	if err != nil {
		return err
	}
	d.keys.state, d.keys.stateKnown = byte(p.state), true
	return nil
}
