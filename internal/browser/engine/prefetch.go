package engine

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// prefetched are questions of a report that were sent while the verb still waited
// for what it set off, so that the answers travel together.
type prefetched struct {
	document          string // that was asked
	asked             injected.StableQuery
	stable, listeners *cdp.Pending
}

type reportKey struct{}

// reportOf returns the report that a verb is to make, nil for none.
func reportOf(ctx context.Context) *report {
	if r, _ := ctx.Value(reportKey{}).(*report); r != nil && r.Report {
		return r
	}
	return nil
}

// prefetch sends the questions of waitAfterAct. It is called when the act in a
// frame is done; r may be nil.
func (r *report) prefetch(t *tab, p place) {
	if r == nil || r.place.document != p.document {
		return
	}
	r.send(p, r.observer.actQuery(t, r))
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	if params, ok := e.of(p).Query(); ok {
		r.prefetched.listeners = p.session.Send(injected.ListenersMethod, params)
	}
}

// prefetchNew sends the questions of waitRendered. It is called when the tab shows
// a new document; r may be nil.
func (r *report) prefetchNew(p place) {
	if r == nil || r.place.document == p.document || r.prefetched.document == p.document {
		return
	}
	notifyWorld(p, "arm", injected.ActWatch{})
	r.send(p, newDocumentQuery())
}

func (r *report) send(p place, q injected.StableQuery) {
	if params, err := p.world.Request("waitStable", q); err == nil {
		r.prefetched = prefetched{document: p.document, asked: q, stable: p.session.Send("Runtime.callFunctionOn", params)}
	}
}

// singleFrameOptions returns how the tab's page is read if it is one frame, nil if
// it has more.
func (ob *observer) singleFrameOptions(t *tab, r *report) *injected.SnapshotOptions {
	if r.place.frame != t.root || guarded.Get(ob.state, func(*state) bool { return len(t.frames) > 1 }) {
		return nil
	}
	was, _ := ob.viewers.LastShown(r.By)
	walk := ob.observationOptions(was.Page, true)
	walk.Sight, walk.Hosts = int(ob.lastID.Add(1)), injected.ClosedPerCall
	return &walk
}

// stable waits for the answer to a question that was sent before, or asks now.
func (r *report) stable(ctx context.Context, p place, q injected.StableQuery) (c injected.Stability, err error) {
	asked := r.prefetched.stable
	r.prefetched.stable = nil
	if asked == nil || r.prefetched.document != p.document {
		c, err = p.world.WaitStable(ctx, q)
	} else {
		q = r.prefetched.asked
		var a injected.Answer
		if err = asked.Wait(ctx, &a); err == nil {
			err = a.Decode(&c)
		}
	}
	if err != nil {
		return c, fmt.Errorf("cannot wait for the page: %w", err)
	}
	r.walk, r.gone = q.Walk, append(r.gone, c.Gone...)
	return c, nil
}

// takeListeners stores the listeners that prefetch asked for. ok is false if it
// did not ask.
func (ob *observer) takeListeners(ctx context.Context, r *report) (news injected.NewListeners, ok bool) {
	asked := r.prefetched.listeners
	r.prefetched.listeners = nil
	var all injected.Listeners
	if asked == nil || asked.Wait(ctx, &all) != nil {
		return news, false
	}
	news, err := ob.reader.storeListeners(ctx, r.place, all)
	return news, err == nil
}
