package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// arrivalLimit is how long a move is repeated until a frame receives it: many
// times what a busy machine takes to draw a frame. A page can hide moves from
// us, and is then acted on as if one had come.
const arrivalLimit = 3 * time.Second

// arrive makes sure that input at a point gets to a frame of another process.
// The browser routes it there by what it has drawn, of which the process itself
// knows nothing: the pointer is moved there, which a person would do too, until
// the frame has received it.
func (in *input) arrive(ctx context.Context, t *tab, p place, kind injected.Kind, move mouse) error {
	if kind != injected.ForClick && kind != injected.ForHover && kind != injected.ForType && kind != injected.ForDrag || !in.geometry.apart(t, p) {
		return nil
	}
	if err := p.world.WatchPointer(ctx); err != nil {
		return err
	}
	root, err := in.main(ctx, t)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(arrivalLimit); ; {
		if err := in.send(ctx, t, []stroke{{"Input.dispatchMouseEvent", move}}); err != nil {
			return err
		}
		if came, err := p.world.PointerCame(ctx); err != nil || came || !time.Now().Before(deadline) {
			return err
		}
		if err := await(ctx, root, twoFrames); err != nil {
			return err
		}
	}
}

// apart reports whether a frame has another process than its tab.
func (g *geometry) apart(t *tab, p place) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return p.frame.target != nil && p.frame.target != t.main
}
