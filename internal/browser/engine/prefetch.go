package engine

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// prefetched is what a report asks the page while the verb still waits for what it
// set off: the answers travel together.
type prefetched struct {
	document        string // that they are about
	asked           injected.Calm
	calm, listeners *cdp.Pending
}

type reportKey struct{}

// reportOf is the report that is to be made of a verb; nil where none is.
func reportOf(ctx context.Context) *report {
	if r, _ := ctx.Value(reportKey{}).(*report); r != nil && r.report {
		return r
	}
	return nil
}

// prefetch asks what calm will: call it when the act in a place is done.
func (r *report) prefetch(t *tab, p place) {
	if r == nil || r.place.document != p.document {
		return
	}
	r.send(p, r.observer.actQuery(t, r))
	e := &p.frame.listeners
	e.mu.Lock()
	defer e.mu.Unlock()
	if params, ok := e.of(p).Asking(); ok {
		r.prefetched.listeners = p.session.Send(injected.ListenersMethod, params)
	}
}

// prefetchNew asks what rendered will: call it when the tab shows a new document.
func (r *report) prefetchNew(p place) {
	if r == nil || r.place.document == p.document || r.prefetched.document == p.document {
		return
	}
	notifyWorld(p, "arm", injected.Arming{})
	r.send(p, newDocumentQuery())
}

func (r *report) send(p place, q injected.Calm) {
	if params, err := p.world.Request("calm", q); err == nil {
		r.prefetched = prefetched{document: p.document, asked: q, calm: p.session.Send("Runtime.callFunctionOn", params)}
	}
}

// singleFrameOptions is how the report's place is read where it is all of the tab's page;
// nil where there are other frames.
func (ob *observer) singleFrameOptions(t *tab, r *report) *injected.Walk {
	ob.mu.Lock()
	alone := r.place.frame == t.root && len(t.frames) == 1
	ob.mu.Unlock()
	if !alone {
		return nil
	}
	ob.viewers.mu.Lock()
	o, _ := ob.viewers.of(r.by)
	was := o.page
	ob.viewers.mu.Unlock()
	walk := ob.observationOptions(was, true)
	walk.Sight, walk.Hosts = int(ob.lastID.Add(1)), injected.ClosedPerCall
	return &walk
}

// stable waits for what was asked ahead of a place, or asks now.
func (r *report) stable(ctx context.Context, p place, q injected.Calm) (c injected.Calmed, err error) {
	asked := r.prefetched.calm
	r.prefetched.calm = nil
	if asked == nil || r.prefetched.document != p.document {
		c, err = p.world.Calm(ctx, q)
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

// takeListeners has the place's world know of the listeners that were asked for; ok
// is false where they were not.
func (ob *observer) takeListeners(ctx context.Context, r *report) (news injected.News, ok bool) {
	asked := r.prefetched.listeners
	r.prefetched.listeners = nil
	var all injected.Listeners
	if asked == nil || asked.Wait(ctx, &all) != nil {
		return news, false
	}
	news, err := ob.reader.storeListeners(ctx, r.place, all)
	return news, err == nil
}
