package page

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// looked remembers the last look, for what a pin does not hold.
type looked struct {
	pin     action.Pin
	rect    inpage.Rect
	matches int
}

// hit is an element that was found.
type hit struct {
	place   place
	node    int
	facts   inpage.Facts
	visible bool
	matches int
}

// Look returns the facts a call is judged by, and the pin that Do wants. For
// verbs without an element it asks the browser nothing. Facts' session fields
// and the judgement of Destination are not the engine's to fill. Faults:
// missing_selector, invalid_selector, invalid_url, missing_url, not_found,
// stale_ref, and those of Do.
func (b *Browser) Look(ctx context.Context, name string, args any) (action.Facts, action.Pin, error) {
	v, known := verbs[name]
	if !known {
		return action.Facts{}, action.Pin{}, unknown(name)
	}
	if v.wide != nil {
		return b.lookWide(args)
	}
	t := b.current()
	if t == nil {
		return action.Facts{}, action.Pin{}, b.trouble(ctx, name, b.within(0), b.gone())
	}
	b.mu.Lock()
	facts := action.Facts{Page: action.Page{URL: t.root.url, Title: t.title}, Unheld: b.hasChannel(t)}
	pin := action.Pin{Tab: t.id, Document: t.root.unique}
	b.mu.Unlock()
	if name == "page.dialog" {
		facts.Dialog = b.modal(t)
		pin.Print = printOf(facts.Dialog)
		return facts, pin, nil
	}
	if name == "page.reload" {
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
		return facts, pin, fault.New(fault.InvalidRequest, "the arguments are of the wrong kind").
			Hinted("use the argument type of the verb's row")
	}
	facts, pin, err := b.lookAt(ctx, t, name, locator, timing, facts)
	if err == nil {
		facts.Options, err = b.optionsOf(ctx, t, facts, pin, args)
	}
	if d, drags := args.(*action.Drag); drags && err == nil {
		return b.lookOnto(ctx, t, d, facts, pin)
	}
	return facts, pin, err
}

// optionsOf returns the labels of what would be chosen in a list: for a key,
// any of them could be.
func (b *Browser) optionsOf(ctx context.Context, t *tab, f action.Facts, pin action.Pin, args any) ([]string, error) {
	choice := inpage.Choice{}
	switch a := args.(type) {
	case *action.Select:
		choice.Values = a.Values
	case *action.Press:
	default:
		return nil, nil
	}
	if f.Element == nil || f.Element.Tag != "select" {
		return nil, nil
	}
	p, node, err := b.pinned(t, pin)
	if err != nil {
		return nil, err
	}
	choice.Node = node
	labels, err := p.world.OptionLabels(ctx, choice)
	if err != nil && moved(err) {
		return nil, errChanged
	}
	return labels, err
}

// addressed returns the address that a call goes to by its own words.
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

func (b *Browser) lookAt(ctx context.Context, t *tab, name string, l action.Locator, timing action.Timing, facts action.Facts) (action.Facts, action.Pin, error) {
	pin := action.Pin{Tab: t.id}
	if err := b.admit(t, name); err != nil {
		return facts, pin, err
	}
	wait := timing.Limit(findLimit)
	ctx, leave := b.enter(ctx, t, wait+slack)
	defer leave()
	h, err := b.meant(ctx, t, name, l, wait)
	if err != nil {
		return facts, pin, b.endedBy(ctx, t, name, wait, nil, err)
	}
	pin.Document, pin.Node, pin.Print = h.place.document, strconv.Itoa(h.node), h.facts.Print
	element := b.element(h)
	facts.Element = &element
	if element.LinkURL != "" {
		facts.Destination = &action.Destination{URL: element.LinkURL}
	}
	b.mu.Lock()
	b.looked = looked{pin: pin, rect: h.facts.Rect, matches: h.matches}
	b.mu.Unlock()
	return facts, pin, nil
}

// element is what was found as the gate sees it.
func (b *Browser) element(h hit) action.Element {
	e := action.Element(h.facts.Element)
	e.FrameURL = h.place.url
	e.Ref = b.refs.Ref(snapshot.Place{Document: h.place.document, Node: h.node})
	return e
}

func (b *Browser) meant(ctx context.Context, t *tab, name string, l action.Locator, wait time.Duration) (hit, error) {
	if name == "page.press" && l.Zero() {
		return b.focused(ctx, t, action.Pin{})
	}
	if l.Ref != "" {
		return b.byShown(ctx, t, l.Ref)
	}
	return b.locate(ctx, t, l, wait)
}

// focused finds the element that has the focus: a key without an element goes
// there. Nothing has it: the key goes to the body.
func (b *Browser) focused(ctx context.Context, t *tab, pin action.Pin) (hit, error) {
	if _, err := b.main(ctx, t); err != nil {
		return hit{}, err
	}
	places := b.places(t)
	for i := len(places) - 1; i >= 0; i-- { // inner frames first: around the one with the focus, its frame has it too
		p := places[i]
		active, err := activeIn(ctx, p, judgedIn(p, pin))
		if err != nil {
			if i > 0 && moved(err) {
				continue
			}
			return hit{}, err
		}
		if active.Node != 0 && active.Facts != nil && !active.Facts.Frame {
			return hit{place: p, node: active.Node, facts: *active.Facts, matches: 1}, nil
		}
	}
	return b.body(ctx, places[0])
}

// activeIn asks for the element with the focus, into closed shadow roots.
func activeIn(ctx context.Context, p place, q inpage.Pinned) (inpage.Active, error) {
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

// body is what keys go to when nothing has the focus.
func (b *Browser) body(ctx context.Context, p place) (hit, error) {
	found, err := p.world.Find(ctx, inpage.Query{Selector: "body, :root"})
	if err != nil {
		return hit{}, err
	}
	if found.Node == 0 || found.Facts == nil {
		return hit{}, errMoved
	}
	return hit{place: p, node: found.Node, facts: *found.Facts, matches: 1}, nil
}

// locate finds the element that is meant, and waits for it up to wait.
func (b *Browser) locate(ctx context.Context, t *tab, l action.Locator, wait time.Duration) (hit, error) {
	if l.Zero() {
		return hit{}, fault.New(fault.MissingSelector, "no element was named").
			Hinted("give a ref from a snapshot, a selector, a role with a name, a text, or x and y")
	}
	if l.Ref != "" {
		return b.byRef(ctx, t, l.Ref)
	}
	if isPlace(l) {
		s, err := b.spotAt(ctx, t, l)
		return s.hit, err
	}
	if _, err := b.main(ctx, t); err != nil {
		return hit{}, err
	}
	q, err := b.askable(ctx, inpage.Query{Selector: l.Selector, Role: l.Role, Name: l.Name, Text: l.Text, Index: l.Index})
	if err != nil {
		return hit{}, err
	}
	deadline := time.Now().Add(wait)
	for {
		h, err := b.search(ctx, t, q, l.Strict)
		if err != nil && !moved(err) || h.node != 0 {
			return h, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return hit{}, notFound(l, wait)
		}
		if err := b.stir(ctx, t, q, min(left, stirring)); err != nil {
			return hit{}, err
		}
	}
}

// stirring is how long the main frame alone is watched before all frames are
// searched again.
const stirring = 150 * time.Millisecond

// stir waits in the main frame for the element to appear there.
func (b *Browser) stir(ctx context.Context, t *tab, q inpage.Query, wait time.Duration) error {
	p, err := b.main(ctx, t)
	if err != nil {
		return err
	}
	q.Wait = int(wait/time.Millisecond) + 1
	started := time.Now()
	_, err = p.world.Find(ctx, q)
	if err != nil && !moved(err) {
		return err
	}
	return pause(ctx, min(wait, 10*time.Millisecond)-time.Since(started)) // a bound for what answers at once
}

// pause waits, at most until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// search looks once through all frames, the main one first. The first visible
// match in that order is meant, or the index-th of all.
func (b *Browser) search(ctx context.Context, t *tab, q inpage.Query, strict bool) (hit, error) {
	var best hit
	total := 0
	for _, p := range b.places(t) {
		found, err := b.searchIn(ctx, p, q)
		if err != nil {
			if p.frame == t.root || !moved(err) {
				return hit{}, err
			}
			continue
		}
		total += found.Matches
		if q.Index != nil {
			rest := *q.Index - found.Matches
			q.Index = &rest
		}
		if found.Node == 0 || found.Facts == nil {
			continue
		}
		h := hit{place: p, node: found.Node, facts: *found.Facts, visible: q.Index != nil || found.Visible > 0}
		if best.node == 0 || h.visible && !best.visible {
			best = h
		}
		if best.visible && !strict {
			break
		}
	}
	if strict && total > 1 {
		return hit{}, fault.New(fault.InvalidRequest, "%d elements match, and strict asks for one", total).
			Hinted("name it more closely, or by ref").With("matches", total)
	}
	best.matches = total
	return best, nil
}

func (b *Browser) searchIn(ctx context.Context, p place, q inpage.Query) (inpage.Found, error) {
	found, err := p.world.Find(ctx, q)
	if err != nil {
		return found, err
	}
	if found.Node == 0 && q.Selector == "" {
		// What is in closed shadow roots is found by role and text once the world
		// knows of them.
		news, err := p.world.Pierce(ctx)
		if err != nil {
			return found, err
		}
		if news > 0 {
			if found, err = p.world.Find(ctx, q); err != nil {
				return found, err
			}
		}
	}
	return b.worded(ctx, p, q, found)
}

func (b *Browser) byRef(ctx context.Context, t *tab, ref string) (hit, error) {
	return b.referred(ctx, t, ref, inpage.Frame.Facts)
}

// referred returns what a reference stands for, with its facts.
func (b *Browser) referred(ctx context.Context, t *tab, ref string, read func(inpage.Frame, context.Context, int) (inpage.Facts, error)) (hit, error) {
	at, err := b.refs.Resolve(ref)
	if err != nil {
		return hit{}, err
	}
	p, ok := b.placeOf(t, at.Document)
	if !ok {
		return hit{}, snapshot.Stale(ref)
	}
	facts, err := read(p.world, ctx, at.Node)
	if err != nil && moved(err) || facts.Gone {
		return hit{}, snapshot.Stale(ref)
	}
	return hit{place: p, node: at.Node, facts: facts, matches: 1}, err
}

func notFound(l action.Locator, wait time.Duration) error {
	return fault.New(fault.NotFound, "no element matches %s after %s", describe(l), wait).
		Hinted("take a snapshot to see what is there, and name the element by its ref")
}

func describe(l action.Locator) string {
	switch {
	case l.Selector != "":
		return fmt.Sprintf("selector %q", l.Selector)
	case l.Role != "" && l.Name != "":
		return fmt.Sprintf("role %q with name %q", l.Role, l.Name)
	case l.Role != "":
		return fmt.Sprintf("role %q", l.Role)
	}
	return fmt.Sprintf("text %q", l.Text)
}
