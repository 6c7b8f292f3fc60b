package engine

import (
	"context"
	"strconv"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// lastLook remembers what the last look found, beside what its pin holds.
type lastLook struct {
	mu      sync.Mutex
	pin     action.Pin
	rect    injected.Rect
	matches int
}

func (l *lastLook) set(pin action.Pin, rect injected.Rect, matches int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pin, l.rect, l.matches = pin, rect, matches
}

// of returns where the element of a pin was and how many elements matched, if
// the last look returned that pin.
func (l *lastLook) of(pin action.Pin) (rect injected.Rect, matches int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pin != pin {
		return rect, 0, false
	}
	return l.rect, l.matches, true
}

// match is an element that was found, with the number of elements that matched.
type match struct {
	place   place
	node    int
	facts   injected.Facts
	visible bool
	matches int
}

// Look returns the facts by which a call is judged, and the pin that Do takes. For
// verbs without an element it asks the browser nothing. A document that a person has just
// allowed is waited for. The caller fills in the session's fields of the facts and the
// judgement of the destination. Faults:
// missing_selector, invalid_selector, invalid_url, missing_url, not_found,
// stale_ref, and those of Do.
func (b *Browser) Look(ctx context.Context, name string, args any) (action.Facts, action.Pin, error) {
	v, known := b.verbs[name]
	if !known {
		return action.Facts{}, action.Pin{}, unknown(name)
	}
	if v.whole != nil {
		return b.lookAtBrowser(args)
	}
	t := b.current()
	if t == nil {
		return action.Facts{}, action.Pin{}, b.toFault(ctx, name, b.within(0), b.noTabReason())
	}
	if !leavesPage(name) {
		b.waitForArrival(ctx, t)
	}
	var facts action.Facts
	pin := action.Pin{Tab: t.id}
	b.state.Do(func(s *state) {
		facts.Page, pin.Document = t.page(), t.root.unique
		facts.Unheld = b.outgoing.channels.in(s.reach(t.reach()))
	})
	if name == action.VerbPageDialog.Name {
		facts.Dialog = b.modal(t)
		pin.Print = printOf(facts.Dialog)
		return facts, pin, nil
	}
	if name == action.VerbPageReload.Name {
		facts.Resubmits = b.posted(t)
		pin.Print = strconv.FormatBool(facts.Resubmits)
	}
	if to, goes := addressed(args); goes {
		address, err := Address(to)
		if err != nil {
			return facts, pin, err
		}
		facts.Destination = &action.Destination{URL: address}
	}
	if v.target == nil {
		return facts, pin, nil
	}
	locator, timing, ok := v.target(args)
	if !ok {
		return facts, pin, wrongArgs()
	}
	facts, pin, err := b.elements.lookAt(ctx, t, name, locator, timing, choiceOf(args), facts)
	if d, drags := args.(*action.Drag); drags && err == nil {
		return b.elements.lookAtDrop(ctx, t, d, facts, pin)
	}
	return facts, pin, err
}

// choiceOf returns the choice whose options are judged with a call: those that it would
// select, or for a key press all of the list; nil if it selects none.
func choiceOf(args any) *injected.Choice {
	switch a := args.(type) {
	case *action.Select:
		return &injected.Choice{Values: a.Values}
	case *action.Press:
		return &injected.Choice{}
	}
	return nil
}

// options returns the labels of the options of a choice in a list.
func (h match) options(ctx context.Context, c *injected.Choice) ([]string, error) {
	if c == nil || h.facts.Tag != "select" || h.facts.Options != nil {
		return h.facts.Options, nil
	}
	labels, err := h.place.world.OptionLabels(ctx, injected.Choice{Node: h.node, Values: c.Values})
	if err != nil && moved(err) {
		return nil, errChanged
	}
	return labels, err
}

// addressed returns the address that the arguments of a call name.
func addressed(args any) (to string, goes bool) {
	switch a := args.(type) {
	case *action.Goto:
		if a != nil {
			return a.URL, true
		}
	case *action.Scrape:
		if a != nil {
			return a.URL, a.Navigates()
		}
	}
	return "", false
}

func (es *elements) lookAt(ctx context.Context, t *tab, name string, l action.Locator, timing action.Timing, c *injected.Choice, facts action.Facts) (action.Facts, action.Pin, error) {
	pin := action.Pin{Tab: t.id}
	if err := es.admit(ctx, t, name); err != nil {
		return facts, pin, err
	}
	wait := timing.Limit(findLimit)
	ctx, leave := es.enter(ctx, t, wait+slack)
	defer leave()
	h, err := es.locateFor(ctx, t, name, l, timing, c)
	dropped := name == action.VerbPageDrag.Name && facts.Element != nil // the second element of a drag
	if err == nil && (presses(name) || dropped) && !isPoint(l) {
		h, err = reactingElement(ctx, h)
	}
	if err == nil {
		facts.Options, err = h.options(ctx, c)
	}
	if err != nil {
		return facts, pin, es.endedBy(ctx, t, name, wait, nil, err)
	}
	pin.Document, pin.Node, pin.Print = h.place.document, strconv.Itoa(h.node), h.facts.Print
	element := es.element(h)
	facts.Element = &element
	if element.LinkURL != "" {
		facts.Destination = &action.Destination{URL: element.LinkURL}
	}
	es.last.set(pin, h.facts.Rect, h.matches)
	return facts, pin, nil
}

// element describes a match for the gate.
func (es *elements) element(h match) action.Element {
	e := action.Element(h.facts.Element)
	e.FrameURL = h.place.url
	e.Ref = es.refs.Ref(snapshot.Place{Document: h.place.document, Node: h.node})
	return e
}

func (es *elements) locateFor(ctx context.Context, t *tab, name string, l action.Locator, timing action.Timing, c *injected.Choice) (match, error) {
	if name == action.VerbPagePress.Name && l.Zero() {
		return es.focused(ctx, t, action.Pin{})
	}
	if l.Ref != "" {
		return es.byUnchangedRef(ctx, t, l.Ref, c)
	}
	return es.locate(ctx, t, l, timing)
}

// focused finds the element that has the focus, to which a key without an element
// goes. If no element has the focus, that is the body.
func (es *elements) focused(ctx context.Context, t *tab, pin action.Pin) (match, error) {
	if _, err := es.main(ctx, t); err != nil {
		return match{}, err
	}
	places := es.places(t)
	for i := len(places) - 1; i >= 0; i-- { // inner frames first: the iframe elements around the focused frame have the focus, too
		p := places[i]
		active, err := activeIn(ctx, p, judgedIn(p, pin))
		if err != nil {
			if i > 0 && moved(err) {
				continue
			}
			return match{}, err
		}
		if active.Node != 0 && active.Facts != nil && !active.Facts.Frame {
			return match{place: p, node: active.Node, facts: *active.Facts, matches: 1}, nil
		}
	}
	return es.body(ctx, places[0])
}

// activeIn returns the element of a frame with the focus, also in closed shadow
// roots.
func activeIn(ctx context.Context, p place, q injected.Pinned) (injected.Active, error) {
	for {
		active, err := p.world.Active(ctx, q)
		if err != nil || active.Pierce == 0 {
			return active, err
		}
		if err := p.world.PierceAt(ctx, active.Pierce); err != nil {
			return active, err
		}
	}
}

// body returns the element that gets keys when no element has the focus.
func (es *elements) body(ctx context.Context, p place) (match, error) {
	found, err := p.world.Find(ctx, injected.Query{Selector: "body, :root"})
	if err != nil {
		return match{}, err
	}
	if found.Node == 0 || found.Facts == nil {
		return match{}, errMoved
	}
	return match{place: p, node: found.Node, facts: *found.Facts, matches: 1}, nil
}

func (es *elements) byRef(ctx context.Context, t *tab, ref string) (match, error) {
	return es.resolve(ctx, t, ref, injected.Frame.Facts)
}

// resolve returns the element of a reference, with its facts.
func (es *elements) resolve(ctx context.Context, t *tab, ref string, read func(injected.Frame, context.Context, int) (injected.Facts, error)) (match, error) {
	at, err := es.refs.Resolve(ref)
	if err != nil {
		return match{}, err
	}
	p, ok := es.placeOf(t, at.Document)
	if !ok {
		return match{}, snapshot.Stale(ref)
	}
	facts, err := read(p.world, ctx, at.Node)
	if err != nil && moved(err) || facts.Gone {
		return match{}, snapshot.Stale(ref)
	}
	return match{place: p, node: at.Node, facts: facts, matches: 1}, err
}
