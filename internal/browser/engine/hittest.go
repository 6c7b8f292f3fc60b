package engine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pointMatch is the element that receives a point of the tab's viewport, and the
// point in the viewport of the element's frame.
type pointMatch struct {
	match
	at injected.Point
}

// isPoint reports whether a locator names a point, or one coordinate of it.
func isPoint(l action.Locator) bool {
	words := l
	words.X, words.Y = nil, nil
	return words.Zero() && (l.X != nil || l.Y != nil)
}

// hitTest finds the element that receives a point, also in frames and in closed
// shadow roots. Faults: invalid_request, not_found.
func (es *elements) hitTest(ctx context.Context, t *tab, l action.Locator) (pointMatch, error) {
	x, y, whole := l.Point()
	if !whole {
		return pointMatch{}, fault.New(fault.InvalidRequest, "a point has x and y").Hinted("give both").With("field", "x")
	}
	p, err := es.main(ctx, t)
	if err != nil {
		return pointMatch{}, err
	}
	at := injected.Point{X: x, Y: y}
	for {
		r, err := receiverAt(ctx, p, at)
		if err != nil {
			return pointMatch{}, err
		}
		if r.Node == 0 || r.Facts == nil {
			return pointMatch{}, fault.New(fault.NotFound, "nothing is at %g, %g of the viewport", x, y).
				Hinted("take a screenshot: x and y are CSS pixels from the top left of what it shows")
		}
		if r.Inner == nil {
			return pointMatch{match: match{place: p, node: r.Node, facts: *r.Facts, matches: 1}, at: at}, nil
		}
		if p, err = es.frameAt(ctx, t, p, r.Node); err != nil {
			return pointMatch{}, err
		}
		at = *r.Inner
	}
}

// receiverAt returns what receives a point of a frame, also in closed shadow roots.
func receiverAt(ctx context.Context, p place, at injected.Point) (injected.Receiver, error) {
	for {
		r, err := p.world.At(ctx, at)
		if err != nil || r.Pierce == 0 {
			return r, err
		}
		if err := p.world.PierceAt(ctx, r.Pierce); err != nil {
			return r, err
		}
	}
}

// frameAt returns the child frame whose iframe element has a number in the parent.
func (es *elements) frameAt(ctx context.Context, t *tab, parent place, node int) (place, error) {
	for _, p := range es.places(t) {
		if p.parent != parent.frame {
			continue
		}
		if number, err := es.ownerOf(ctx, p.frame, parent); err == nil && number == node {
			return p, nil
		}
	}
	return place{}, fault.New(fault.NotFound, "the frame at that point cannot be read").
		Hinted("wait until it has loaded, and take a new snapshot")
}

// pinnedPoint adds the point that a locator names to the query for a pinned
// element, if that element still receives the point. Fault: page_changed.
func (es *elements) pinnedPoint(ctx context.Context, t *tab, pin action.Pin, l action.Locator, q *injected.Pinned) error {
	if !isPoint(l) {
		return nil
	}
	s, err := es.hitTest(ctx, t, l)
	if err != nil {
		return err
	}
	if s.place.document != pin.Document || strconv.Itoa(s.node) != pin.Node {
		return errChanged
	}
	q.Point = &s.at
	return nil
}

// reactingElement returns the link or button inside a matched element that reacts
// to a click or drop on it, or else the element itself. The result is what is
// judged, pinned and pressed. Scripts that listen on the outer element get the
// event, too.
func reactingElement(ctx context.Context, h match) (match, error) {
	if h.facts.Frame || nativeTags[h.facts.Tag] {
		return h, nil
	}
	inner, err := h.place.world.Reacting(ctx, h.node)
	if err != nil || inner.Node == 0 || inner.Facts == nil {
		return h, err
	}
	scripted := h.facts.Scripted
	h.node, h.facts = inner.Node, *inner.Facts
	h.facts.Scripted = h.facts.Scripted || scripted
	return h, nil
}

// nativeTags are the tags of elements that react themselves.
var nativeTags = map[string]bool{"a": true, "area": true, "button": true, "input": true, "select": true, "textarea": true, "option": true, "summary": true, "label": true}

// byUnchangedRef is byRef for verbs that act. A reference stands for a node, and a
// page may reuse the node for another entry of a list. If the node is no longer
// what a snapshot showed, it is refused once, with what it is now. Faults:
// stale_ref, page_changed.
func (es *elements) byUnchangedRef(ctx context.Context, t *tab, ref string, c *injected.Choice) (match, error) {
	h, err := es.resolve(ctx, t, ref, func(f injected.Frame, ctx context.Context, node int) (injected.Facts, error) {
		return f.FactsShown(ctx, node, c)
	})
	if err == nil && h.facts.Was != nil {
		err = becameOther(es.refs.Ref(snapshot.Place{Document: h.place.document, Node: h.node}), h.facts)
	}
	return h, err
}

func becameOther(ref string, f injected.Facts) error {
	now, was := fmt.Sprintf("%s %.80q", f.Role, f.Name), f.Was.Item
	if f.Was.Name != "" && f.Was.Name != f.Name {
		was = f.Was.Name
	}
	return fault.New(fault.PageChanged, "reference %s is now %s; when it was shown it was that of %.80q", ref, now, was).
		Hinted("if this is what you mean, do it again with the same reference; otherwise take a new snapshot").With("ref", ref)
}
