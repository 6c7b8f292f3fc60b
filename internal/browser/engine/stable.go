package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	lateStart    = 100 * time.Millisecond // for an effect to begin if the page listens, asked for a timer, and nothing changed yet: a debounce
	suggestStart = 400 * time.Millisecond // for suggestions to a text: pages wait up to 350 ms for the next key
	stableLimit  = 500 * time.Millisecond // for changes to end
	requestLimit = 2 * time.Second        // for requests that an act made
	loadedLimit  = 500 * time.Millisecond // for the first requests and changes of a new document, once it is loaded
	contentLimit = 2 * time.Second        // the same if it shows nothing yet or says that it is loading
	afterAnswer  = 50 * time.Millisecond  // for a page to show the answer to a request
)

// lateEffects says for which effects of an act the report waits if nothing has
// changed yet.
type lateEffects struct {
	kinds    []string      // events whose listeners may react late; none: no wait
	suggests time.Duration // for suggestions, at a field that makes some
}

// lateEffectsOf returns what a call may cause late.
func lateEffectsOf(verb string, args any) lateEffects {
	switch a := args.(type) {
	case *action.Type:
		if !a.Submit && !strings.Contains(a.Input, "\n") {
			return lateEffects{kinds: typingEvents, suggests: suggestStart}
		}
	case *action.Press:
		if input.Writes(a.Key) {
			return lateEffects{kinds: typingEvents, suggests: suggestStart}
		}
	}
	if presses(verb) {
		verb = action.VerbPageClick.Name
	}
	return lateEffects{kinds: lateEvents[verb]}
}

// presses reports whether a verb presses an element.
func presses(verb string) bool {
	row, known := action.Lookup(verb)
	return known && row.Presses()
}

// typingEvents are the events of a text that is typed.
var typingEvents = []string{"input", "keydown", "keyup", "keypress", "beforeinput"}

// lateEvents are, for each verb, the events whose listeners may react late. Verbs
// that press have those of a click.
var lateEvents = map[string][]string{
	action.VerbPageClick.Name:      {"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "contextmenu", "change", "input", "submit"},
	action.VerbPageType.Name:       {"input", "keydown", "keyup", "keypress", "beforeinput", "change", "submit"},
	action.VerbPagePress.Name:      {"keydown", "keyup", "keypress", "input", "beforeinput", "change", "click", "submit"},
	action.VerbPageSelect.Name:     {"change", "input"},
	action.VerbPageHover.Name:      {"mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter", "pointermove"},
	action.VerbPageUpload.Name:     {"change", "input"},
	action.VerbPageFillSecret.Name: {"input", "keydown", "keyup", "keypress", "beforeinput", "change"},
	action.VerbPageDrag.Name:       {"drop", "dragend", "mouseup", "pointerup"},
}

// waitAfterAct waits for what a verb set off: changes of its document, requests,
// and the changes that their answers make. A page that does nothing costs one or
// two round trips. late reports whether the page was still changing at the end.
func (ob *observer) waitAfterAct(ctx context.Context, t *tab, r *report) (late bool) {
	ctx, stop := context.WithTimeout(ctx, ob.options().requestLimit+ob.options().patience*stableLimit)
	defer stop()
	var c injected.Stability
	defer func() { r.changedAny, r.canvasDrawn, r.earlier = c.Changed, c.Drawn, c.Earlier || r.earlier }()
	var news injected.NewListeners
	var known bool
	var err error
	if !r.requested {
		if c, err = r.stable(ctx, r.place, ob.actQuery(t, r)); err != nil {
			return false // the document is gone, or the page is busy: the next reading reports it
		}
		if news, known = ob.takeListeners(ctx, r, c); !c.Changed && news.All > 0 { // one of them may react late
			known = false
			c, err = r.stable(ctx, r.place, ob.actQuery(t, r))
		}
	}
	for waits := r.requested; err == nil && (waits || ob.hasRequests(t, r)); waits = false {
		if ob.waitForAnswers(ctx, t, r) != nil {
			return true
		}
		if c, err = ob.afterAnswers(ctx, t, r); err == nil {
			news, known = ob.takeListeners(ctx, r, c)
		}
	}
	if err != nil {
		return false
	}
	if c.Tree != nil && !known && !ob.reader.hasListeners(r.place, c.Elements) {
		news, err = ob.reader.syncListeners(ctx, r.place)
	}
	if err == nil && c.Tree != nil && !pierced(ctx, r.place, c.Tree) && news.Controls == 0 {
		r.read = c.Tree
	}
	return c.Busy
}

// afterAnswers waits until the page shows the answers to the requests of an act.
func (ob *observer) afterAnswers(ctx context.Context, t *tab, r *report) (injected.Stability, error) {
	q := ob.actQuery(t, r)
	q.Late, q.Kinds, q.Suggests = inMS(ob.options().patience*afterAnswer), nil, 0
	r.askForListeners(r.place, func(*listeners) bool { return true }) // such pages add elements
	return r.stable(ctx, r.place, q)
}

// pierced looks for closed shadow roots in the elements that a reading names: each is
// named once in the life of a document. It reports whether there may be any, so that
// the frame must be read again.
func pierced(ctx context.Context, p place, read *injected.Tree) bool {
	if len(read.Hosts) == 0 {
		return false
	}
	news, err := p.world.PierceHosts(ctx, read.Hosts)
	return news > 0 || err != nil
}

// actQuery returns how to wait for what a verb set off.
func (ob *observer) actQuery(t *tab, r *report) injected.StableQuery {
	patience := ob.options().patience
	q := injected.StableQuery{Most: inMS(patience * stableLimit), Walk: ob.singleFrameOptions(t, r)}
	if late := r.late; r.node != 0 && len(late.kinds) > 0 {
		q.Late, q.Kinds, q.Suggests = inMS(patience*lateStart), late.kinds, inMS(patience*late.suggests)
	}
	return q
}

func inMS(d time.Duration) int { return int(d / time.Millisecond) }

// hasRequests reports whether requests of the verb are under way.
func (ob *observer) hasRequests(t *tab, r *report) bool {
	return guarded.Get(ob.state, func(*state) bool { return t.asks(r.busy, ob.ledger.Holds) })
}

// waitForAnswers waits until none is under way.
func (ob *observer) waitForAnswers(ctx context.Context, t *tab, r *report) error {
	return ob.await(ctx, func(*state) bool { return t.closed || t.crashed || !t.asks(r.busy, ob.ledger.Holds) })
}

// waitedFor are the kinds of requests whose answers a page may show.
var waitedFor = map[string]bool{"XHR": true, "Fetch": true, "Script": true, "Stylesheet": true}

// endpoint is a request's method and address without query. It is the same for
// all requests of a page that polls.
func endpoint(p netlog.Event) string {
	address, _, _ := strings.Cut(p.Request.URL, "?")
	return p.Request.Method + " " + address
}

// asks reports whether a request is under way that was not before, is to another
// endpoint than those were, and does not wait for a person.
func (t *tab) asks(before map[string]string, waits func(id string) bool) bool {
	for id, what := range t.asking {
		if _, ran := before[id]; ran || waits(id) {
			continue
		}
		polls := false
		for _, other := range before {
			polls = polls || other == what
		}
		if !polls {
			return true
		}
	}
	return false
}

// transientTexts ends the watch of the main frame and of the frame that was acted
// in, and returns lines about texts that came and went meanwhile.
func (ob *observer) transientTexts(ctx context.Context, t *tab, r *report) []string {
	root, ok := ob.rootPlace(t)
	worlds := []injected.Frame{r.place.world}
	if ok && root.document != r.place.document {
		worlds = append(worlds, root.world)
	}
	for _, w := range worlds {
		if w.Session == nil {
			continue
		}
		p, err := w.Transients(ctx)
		if err != nil {
			continue
		}
		r.gone = append(r.gone, p.Gone...)
	}
	return ob.transientLines(r.gone)
}

// transientLines describe texts that came and went.
func (ob *observer) transientLines(gone []injected.TransientText) (lines []string) {
	for _, said := range gone {
		if ob.credentialed() {
			said.Text = ob.concealer().Text(said.Text)
		}
		lines = append(lines, fmt.Sprintf("+ %s %q (gone)\n", said.Role, said.Text))
	}
	return lines
}

// newDocumentQuery returns how to wait for a document that has just loaded.
func newDocumentQuery() injected.StableQuery {
	return injected.StableQuery{Most: inMS(loadedLimit), Fresh: true}
}

// waitRendered waits until a new document has drawn what it fetches and renders by
// script. late reports whether it still loads. A document without scripts and
// requests costs one round trip. It waits once for each document.
func (ob *observer) waitRendered(ctx context.Context, t *tab, r *report) (late bool) {
	ctx, stop := context.WithTimeout(ctx, contentLimit+stableLimit)
	defer stop()
	p, err := ob.main(ctx, t)
	if err != nil {
		return false
	}
	if r.rendered == p.document {
		return r.unfinished
	}
	if r.asked.document != p.document && r.place.document != p.document {
		notifyWorld(p, "arm", injected.ActWatch{})
		if r.Report {
			r.askListeners(p)
		}
	}
	defer notifyWorld(p, "endWatch", struct{}{})
	waited, late := ob.waitForContent(ctx, t, p, r)
	if waited {
		_ = ob.effects.refreshTitle(context.WithValue(ctx, reportKey{}, nil), t)
	}
	r.rendered, r.unfinished = p.document, late
	if r.first != nil && r.heard != nil {
		if news := <-r.heard; news.Controls > 0 || news.err != nil {
			r.first = nil // it does not show elements that are controls by their listeners alone
		}
	}
	return late
}

// waitForContent waits for the requests and the first content of a document.
// waited is false if there was nothing to wait for.
func (ob *observer) waitForContent(ctx context.Context, t *tab, p place, r *report) (waited, late bool) {
	began := time.Now()
	c, err := r.stable(ctx, p, r.firstQuery(p))
	if c.Tree != nil && !pierced(ctx, p, c.Tree) {
		r.first, r.firstOf = c.Tree, p.document
	}
	for since := (&report{}); err == nil; waited = true {
		pending, limit := ob.hasRequests(t, since), loadedLimit
		if c.Unfinished {
			limit = contentLimit
		}
		left := limit - time.Since(began)
		switch {
		case !pending && !c.Unfinished:
			return waited || c.Changed, c.Busy
		case left <= 0:
			return true, true
		}
		q := newDocumentQuery()
		r.first = nil       // it is read again
		q.Late = inMS(left) // for the first change: there is no request to wait for
		if pending {
			bounded, stop := context.WithTimeout(ctx, left)
			if ob.waitForAnswers(bounded, t, since) != nil {
				stop()
				continue
			}
			stop()
			q.Late = inMS(afterAnswer)
		}
		c, err = r.stable(ctx, p, q)
	}
	return false, errors.Is(ctx.Err(), context.DeadlineExceeded) // or the document is gone
}

// waitStable waits for what the verb set off: see waitAfterAct and waitRendered.
func (ob *observer) waitStable(ctx context.Context, limit time.Duration, r *report, c *action.Changes) {
	t := ob.current()
	if t == nil || ob.modal(t) != nil {
		return
	}
	inner, leave := ob.enter(ctx, t, limit)
	defer leave()
	switch _, stays := ob.placeOf(t, r.place.document); {
	case t == r.tab && stays:
		c.Late = ob.waitAfterAct(inner, t, r)
	case acts(r.verb, nil):
		c.Late = ob.waitRendered(inner, t, r)
	}
}
