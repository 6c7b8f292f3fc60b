package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// report is what is to be told after a verb, from before it.
type report struct {
	viewedAs
	observer   *observer
	verb       string
	tab        *tab
	place      place // of what is acted on; the main frame's where nothing is
	node       int
	busy       map[string]string // requests that ran already
	began      time.Time
	limit      time.Duration
	prefetched prefetched
	walk       *injected.Walk     // by which the place is read when it is calm; nil where it is not all of the page
	read       *injected.Tree     // what was read so
	gone       []injected.Passing // words that came and went there

	changedAny, canvasDrawn bool   // the act changed something; a canvas or video
	rendered                string // the new document that was waited for
	unfinished              bool   // it still loads
}

// beginReport prepares a report on a verb. Where the viewer's last sight of the page
// was not kept, it is read now.
func (ob *observer) beginReport(ctx context.Context, t *tab, verb string, limit time.Duration, pin action.Pin) *report {
	r := &report{viewedAs: viewedBy(ctx), observer: ob, verb: verb, tab: t, limit: limit}
	defer func() { r.began = time.Now() }() // the act begins when this is done
	if t == nil {
		return r
	}
	ob.mu.Lock()
	r.busy = t.requests()
	crashed := t.crashed || t.dialog != nil
	ob.mu.Unlock()
	if !r.report {
		return r
	}
	if crashed || !acts(verb, nil) {
		return r
	}
	p, node, err := ob.elements.pinned(t, pin)
	if err != nil {
		p, _ = ob.rootPlace(t)
	}
	r.place, r.node = p, node
	if p.frame == nil {
		return r
	}
	ob.refresh(ctx, t, r)
	notifyWorld(p, "arm", injected.Arming{Node: node})
	return r
}

// finishReport adds a report to a result, where one was asked for. What was done is
// done: a page that cannot be read is a note.
func (ob *observer) finishReport(ctx context.Context, r *report, out *action.Result) {
	if !r.report {
		ob.waitForSent(ctx, r, out)
		return
	}
	left := max(time.Second, min(reportLimit, r.limit+slack-time.Since(r.began)))
	changes := &action.Changes{}
	if !ob.isHeld(r.tab) {
		ob.waitStable(ctx, left, r, changes)
	}
	if ob.waitForApproval(ctx, r.tab) || ob.waitForServers(ctx, r.tab) {
		left = reportLimit
		ob.waitStable(ctx, left, r, changes)
	}
	if ob.isHeld(r.tab) {
		return // nobody can read it now
	}
	bounded, stop := context.WithTimeout(ctx, left)
	defer stop()
	err := ob.changes(bounded, r, out, changes)
	out.Changes = changes
	now, _ := ob.outcome(nil, nil)
	out.Page, out.Modal = now.Page, now.Modal
	out.Notes = append(out.Notes, now.Notes...)
	if err != nil && out.Modal == nil {
		out.Notes = append(out.Notes, "what changed on the page could not be read; take a snapshot")
		ob.log().Debug("cannot say what changed", "verb", r.verb, "error", err)
	}
}

// notifyWorld calls a function of a world whose answer nobody waits for: what is
// called next comes after it.
func notifyWorld(p place, function string, arg any) {
	if params, err := p.world.Request(function, arg); err == nil {
		p.session.Send("Runtime.callFunctionOn", params)
	}
}

// actedOn is the reference of what a verb acted on.
func actedOn(out *action.Result) string {
	if a, ok := out.Data.(*action.Acted); ok && a.Element != nil {
		return a.Element.Ref
	}
	return ""
}

// outcome says what became of an act that changed no words.
func (r *report) outcome(c *action.Changes) string {
	switch {
	case c.Text != "" || !acts(r.verb, nil):
		return ""
	case c.Late:
		return action.StillMoving
	case r.canvasDrawn:
		return action.Drawn
	case r.changedAny:
		return action.LooksChanged
	}
	return action.NothingChanged
}
