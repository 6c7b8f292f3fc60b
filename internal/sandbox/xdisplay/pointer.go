package xdisplay

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

// Pointer is where the pointer is.
type Pointer struct {
	X, Y   int
	Window uint32 // of Windows, below the pointer; 0: none
}

// Pointer returns the position of the pointer and the window below it.
func (d *Display) Pointer(ctx context.Context) (Pointer, error) {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	ids, err := d.clientWindows(ctx)
	if err != nil {
		return Pointer{}, d.toFault(err)
	}
	p, err := d.queryPointer(ctx, d.setup.Root)
	if err != nil {
		return Pointer{}, d.toFault(err)
	}
	found := Pointer{X: p.x, Y: p.y}
	for range maxDepth {
		if p.child == 0 {
			break
		}
		if slices.Contains(ids, p.child) {
			found.Window = p.child
			break
		}
		if p, err = d.queryPointer(ctx, p.child); isGone(err) {
			break
		} else if err != nil {
			return Pointer{}, d.toFault(err)
		}
	}
	return found, nil
}

// pointer is the pointer as the display reports it.
type pointer struct {
	x, y  int
	child uint32 // of the window that was asked, below the pointer; 0: none
	state uint16 // modifiers and buttons
}

func (s *server) queryPointer(ctx context.Context, window uint32) (pointer, error) {
	reply, err := s.conn.Call(ctx, x11.NewRequest(opQueryPointer, 0).U32(window))
	if err != nil {
		return pointer{}, err
	}
	r := x11.NewReader(reply, 12)
	p := pointer{child: r.U32(), x: r.I16(), y: r.I16()}
	r.Skip(4) // position in the window
	p.state = r.U16()
	return p, nil
}

// windowBelowPointer returns the innermost window below the pointer, 0 if there is
// only the root.
func (s *server) windowBelowPointer(ctx context.Context) (uint32, error) {
	window := uint32(0)
	next := s.setup.Root
	for range maxDepth {
		p, err := s.queryPointer(ctx, next)
		if isGone(err) {
			break
		}
		if err != nil {
			return 0, err
		}
		if p.child == 0 {
			break
		}
		window, next = p.child, p.child
	}
	return window, nil
}
