package xdisplay

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

const lastASCII = 0x7e // keysym

// collectSpares finds the keys that the layout does not use. Those that had a keysym
// from us before keep it; so do those that an earlier connection left.
func (k *keyboard) collectSpares() {
	known := k.spares
	k.spares = nil
	for i, row := range k.keysyms {
		keycode := byte(k.first + i)
		empty := !slices.ContainsFunc(row, func(keysym uint32) bool { return keysym != 0 })
		before := slices.IndexFunc(known, func(b spare) bool { return b.keycode == keycode })
		// Layouts have the space like that too.
		ours := isSpareRow(row) && (before >= 0 || row[columnPlain] > lastASCII)
		if !empty && !ours || k.modifiers[keycode] != 0 {
			continue
		}
		s := spare{keycode: keycode, keysym: row[columnPlain]}
		if before >= 0 {
			s.used = known[before].used
		}
		k.spares = append(k.spares, s)
	}
}

// isSpareRow reports whether a key's keysyms are as bindSpares writes them: the same
// character with and without Shift, in both groups.
func isSpareRow(row []uint32) bool {
	keysym := row[columnPlain]
	return keysym != 0 && !isKeypad(keysym) && (!isFunction(keysym) || keysym >= vendorFirst) &&
		row[1] == keysym && row[2] == keysym && row[3] == keysym
}

// bindSpares gives spare keys to the first of the keysyms that have none, as many as
// there are keys, and waits until programs have seen that. A key that was used gets
// another keysym only when programs have read what was typed with it: until then they
// would read the new one. Faults: limit_reached when all spare keys are held down.
func (d *Display) bindSpares(ctx context.Context, keysyms []uint32) error {
	k := &d.keys
	var chosen []int // indexes of spares
	waitBefore := false
	for _, keysym := range keysyms {
		if slices.ContainsFunc(k.spares, func(s spare) bool { return s.keysym == keysym }) {
			continue
		}
		i := k.oldestSpare(keysyms, chosen)
		if i < 0 {
			break
		}
		waitBefore = waitBefore || k.spares[i].used > k.settled
		chosen = append(chosen, i)
		k.spares[i].used = 0
		k.spares[i].keysym = keysym
	}
	if len(chosen) == 0 {
		return fault.New(fault.LimitReached, "all %d keys for other layouts are held down", len(k.spares)).
			Hinted("release some keys first")
	}
	if waitBefore {
		if err := d.settle(ctx); err != nil {
			d.mapping.Store(true) // read again what the keys mean
			return err
		}
	}
	for _, i := range chosen {
		d.writeSpare(k.spares[i].keycode, k.spares[i].keysym)
	}
	if err := d.announce(ctx); err != nil {
		return err
	}
	return d.settle(ctx)
}

// oldestSpare returns the index of the spare key to use next, -1 if there is none:
// not one that is held, chosen already, or has a keysym that is needed.
func (k *keyboard) oldestSpare(needed []uint32, chosen []int) int {
	oldest := -1
	for i, s := range k.spares {
		switch {
		case k.down[s.keycode], slices.Contains(chosen, i):
		case s.keysym == 0:
			return i
		case slices.Contains(needed, s.keysym):
		case oldest < 0 || s.used < k.spares[oldest].used:
			oldest = i
		}
	}
	return oldest
}

func (d *Display) writeSpare(keycode byte, keysym uint32) {
	request := x11.NewRequest(opChangeKeyboardMapping, 1).U8(keycode, spareColumns, 0, 0)
	for range spareColumns {
		request.U32(keysym)
	}
	_ = d.conn.Send(request) // settle reports a connection that ended
	row := d.keys.keysyms[int(keycode)-d.keys.first]
	clear(row)
	for column := range spareColumns {
		row[column] = keysym
	}
}

// freeSpares takes the keysyms of the spare keys away, when programs have read what
// was typed with them.
func (d *Display) freeSpares(ctx context.Context) {
	if d.take(ctx) != nil {
		return
	}
	defer d.give()
	k := &d.keys
	if !slices.ContainsFunc(k.spares, func(s spare) bool { return s.keysym != 0 }) || d.settle(ctx) != nil {
		return
	}
	for i := range k.spares {
		if k.spares[i].keysym != 0 {
			d.writeSpare(k.spares[i].keycode, 0)
			k.spares[i].keysym = 0
		}
	}
	_ = d.conn.Sync(ctx)
}
