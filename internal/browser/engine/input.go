package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// actor acts on elements with pointer, keys and files.
type actor struct {
	*base
	clients  *clients
	geometry *geometry
	effects  *effects
	elements *elements
}

// actionTarget is a pinned element that is ready, with the point that reaches it.
type actionTarget struct {
	place place
	node  int
	facts *injected.Facts
	x, y  float64           // in the tab's viewport, CSS pixels
	found bool              // it has the focus already
	there bool              // x and y reach it
	took  *injected.Focused // the result of giving it the focus, if that was tried
	chose *injected.Chosen  // the result of choosing options, if that was tried
	check string            // whether it is checked, if that was asked
	keyed bool              // a text must be typed key by key
	boxed bool              // it takes one character, as do others beside it
}

// pinned returns the frame and the number of the element of a pin. Fault:
// page_changed.
func (es *elements) pinned(t *tab, pin action.Pin) (place, int, error) {
	node, err := strconv.Atoi(pin.Node)
	if err != nil || pin.Tab != t.id {
		return place{}, 0, errChanged
	}
	p, ok := es.placeOf(t, pin.Document)
	if !ok {
		return place{}, 0, errChanged
	}
	return p, node, nil
}

var errChanged = fault.New(fault.PageChanged, "the element or its page is not the one that was looked at").
	Hinted("take a new snapshot and look again")

// ready waits until a pinned element is ready for a kind of input. It finds the
// point where the element receives events, or verifies the point that l names.
// Faults: page_changed, not_actionable.
func (in *actor) ready(ctx context.Context, t *tab, pin action.Pin, l action.Locator, kind injected.Kind, timing action.Timing) (actionTarget, error) {
	q := injected.Pinned{Kind: kind}
	if err := in.elements.pinnedPoint(ctx, t, pin, l, &q); err != nil {
		return actionTarget{}, err
	}
	return in.readyFor(ctx, t, pin, q, timing)
}

// readyFocused is ready for keys. An element of the tab's own document gets the
// focus in the same round trip; for one in a frame, the frame's position must be
// verified first.
func (in *actor) readyFocused(ctx context.Context, t *tab, pin action.Pin, kind injected.Kind, f injected.Focus, timing action.Timing) (actionTarget, error) {
	q := injected.Pinned{Kind: kind}
	if root, ok := in.rootPlace(t); ok && root.document == pin.Document {
		q.Focus = &f
	}
	return in.readyFor(ctx, t, pin, q, timing)
}

func (in *actor) readyFor(ctx context.Context, t *tab, pin action.Pin, q injected.Pinned, timing action.Timing) (actionTarget, error) {
	p, node, err := in.elements.pinned(t, pin)
	if err != nil {
		return actionTarget{}, err
	}
	if err := in.geometry.waitRootPainted(ctx, t); err != nil {
		return actionTarget{}, err
	}
	wait := timing.Limit(findLimit)
	deadline := time.Now().Add(wait)
	q.Node, q.Print, q.Watch = node, pin.Print, reportOf(ctx).watches(p, node)
	if rect, _, ok := in.elements.last.of(pin); ok && q.Point == nil {
		q.Rect = &rect
	}
	for {
		q.Wait = int(max(0, time.Until(deadline)) / time.Millisecond)
		r, err := p.world.Ready(ctx, q)
		if err != nil {
			return actionTarget{}, err
		}
		if r.Gone || r.Changed {
			return actionTarget{}, errChanged
		}
		if r.Pierce != 0 { // reported once for each element
			if err := p.world.PierceAt(ctx, r.Pierce); err != nil {
				return actionTarget{}, err
			}
			continue
		}
		if !r.OK {
			return actionTarget{}, notReady(r.Wait, r.By, wait)
		}
		x, y, by, err := in.geometry.point(ctx, p, r.X, r.Y)
		if err != nil {
			return actionTarget{}, err
		}
		if by == "" || q.Kind == injected.ForFocus || q.Kind == injected.ForSelect {
			if err := in.geometry.waitPainted(ctx, t, p); err != nil {
				return actionTarget{}, err
			}
			if err := in.confirmRouting(ctx, t, p, q.Kind, input.Move(x, y)); err != nil {
				return actionTarget{}, err
			}
			return actionTarget{place: p, node: node, facts: r.Facts, x: x, y: y, found: r.Focused, there: r.Reached && by == "", took: r.Took, chose: r.Chose, check: r.Checked,
				keyed: r.Keys || !knowsListeners(p), boxed: r.Box}, nil
		}
		if time.Until(deadline) <= 0 {
			return actionTarget{}, notReady("covered", by, wait)
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return actionTarget{}, err
		}
		q.Rect = nil // frames were scrolled meanwhile
	}
}

func notReady(why, by string, wait time.Duration) error {
	f := fault.New(fault.NotActionable, "the element is %s after %s", why, wait).With("reason", why)
	switch why {
	case "covered":
		f = fault.New(fault.NotActionable, "the element is covered by %s", by).
			With("reason", why).With("by", by).
			Hinted("close or act on what covers it first")
	case "disabled":
		f = f.Hinted("fill in what the page asks for first, or wait for it to be enabled")
	case "a frame":
		f = fault.New(fault.NotActionable, "the element is a frame").With("reason", why).
			Hinted("name an element inside the frame: a snapshot shows them")
	case "an option":
		f = fault.New(fault.NotActionable, "the element is an option of a list that is closed").With("reason", why).
			Hinted("choose it with page.select on the list")
	case "moving":
		f = f.Hinted("wait for the animation to end and try again")
	default:
		f = f.Hinted("take a new snapshot: another element may be meant")
	}
	return f
}

// acted returns the result of an act on an element.
func (in *actor) acted(a actionTarget, pin action.Pin) *action.Acted {
	out := &action.Acted{OK: true}
	if a.facts != nil {
		e := in.elements.element(match{place: a.place, node: a.node, facts: *a.facts})
		out.Element = &e
	}
	_, out.Matches, _ = in.elements.last.of(pin)
	return out
}
