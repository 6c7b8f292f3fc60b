package engine

import (
	"context"
	"maps"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// report collects what is reported after a verb. It is begun before the verb.
type report struct {
	observe.Call
	observer  *observer
	verb      string
	tab       *tab
	place     place // frame of the element that is acted on, otherwise the main frame
	node      int
	busy      map[string]string // requests that were under way before
	began     time.Time
	limit     time.Duration
	late      lateEffects
	unwatched bool // changes are not recorded yet
	requested bool // requests were under way when the act was done
	asked     askedEarly
	walk      *injected.SnapshotOptions // how the page is read when it is stable; nil if it has more than one frame
	read      *injected.Tree            // what was read so
	gone      []injected.TransientText  // texts that came and went
	first     *injected.Tree            // of a new document that was read when it was stable, as a snapshot shows it; nil if not
	firstOf   string                    // that document
	heard     chan heardNews            // gets what the listeners of a new document say; nil if they were not asked for

	earlier                 bool   // something changed before the act, after the last report
	changedAny, canvasDrawn bool   // the act changed something; it changed a canvas or video
	rendered                string // the new document that was waited for
	unfinished              bool   // it still loads
}

// beginReport prepares the report of a verb. It reads the page if what the viewer
// was last shown cannot be compared.
func (ob *observer) beginReport(ctx context.Context, t *tab, verb string, args any, limit time.Duration, pin action.Pin) *report {
	r := &report{Call: observe.CallOf(ctx), observer: ob, verb: verb, tab: t, limit: limit, late: lateEffectsOf(verb, args)}
	defer func() { r.began = time.Now() }() // the act begins when this is done
	if t == nil {
		return r
	}
	unreadable := guarded.Get(ob.state, func(*state) bool {
		r.busy = maps.Clone(t.asking)
		return t.crashed || t.dialog != nil
	})
	if !r.Report || unreadable || !acts(verb, nil) {
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
	if r.unwatched = watchedWhenReady[verb] && node != 0; !r.unwatched {
		notifyWorld(p, "arm", injected.ActWatch{Node: node})
	}
	return r
}

// watchedWhenReady are verbs whose question for readiness begins to record changes.
var watchedWhenReady = map[string]bool{
	action.VerbPageClick.Name: true, action.VerbPageCheck.Name: true, action.VerbPageHover.Name: true,
	action.VerbPageType.Name: true, action.VerbPageSelect.Name: true,
}

// watches reports, once, whether a question to an element is to begin to record
// changes; r may be nil.
func (r *report) watches(p place, node int) bool {
	if r == nil || !r.unwatched || r.place.document != p.document || r.node != node {
		return false
	}
	r.unwatched = false
	return true
}

// finishReport adds the report to a result, if one was asked for. The act is done
// by then: that the page cannot be read is a note and no error.
func (ob *observer) finishReport(ctx context.Context, r *report, out *action.Result) {
	if !r.Report {
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

// notifyWorld calls a function of our script in a frame without waiting for its
// answer. Calls that follow run after it.
func notifyWorld(p place, function string, arg any) {
	if params, err := p.world.Request(function, arg); err == nil {
		p.session.Send("Runtime.callFunctionOn", params)
	}
}

// actedOn returns the reference of the element that a verb acted on.
func actedOn(out *action.Result) string {
	if a, ok := out.Data.(*action.Acted); ok && a.Element != nil {
		return a.Element.Ref
	}
	return ""
}

// outcome says what an act did that changed no text.
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
