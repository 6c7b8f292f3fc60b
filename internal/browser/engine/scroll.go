package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// scroll scrolls the viewport or an element by a distance, or an element into
// view.
func (in *input) scroll(ctx context.Context, t *tab, a *action.Scroll, _ action.Pin) (any, error) {
	p, err := in.main(ctx, t)
	if err != nil {
		return nil, err
	}
	q := injected.Scroll{X: a.X, Y: a.Y}
	if what := a.What(); !what.Zero() {
		h, err := in.elements.locate(ctx, t, what, a.Timing)
		if err != nil {
			return nil, err
		}
		p, q.Node = h.place, h.node
	}
	before := in.effects.mark(t)
	at, err := p.world.Scroll(ctx, q)
	if err != nil {
		return nil, err
	}
	if at.Gone {
		return nil, errChanged
	}
	if q.Node != 0 && q.X == 0 && q.Y == 0 {
		// The frames around it scroll, too.
		if _, _, _, err := in.geometry.point(ctx, p, 0, 0); err != nil {
			return nil, err
		}
	}
	out := &action.Scrolled{OK: true, X: at.X, Y: at.Y}
	_, err = in.effects.settle(ctx, t, &p, before)
	return out, err
}
