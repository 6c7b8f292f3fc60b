package engine

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// ahead is what a report asks the page while the verb still waits for what it
// set off: the answers travel together.
type ahead struct {
	document        string // that they are about
	asked           injected.Calm
	calm, listeners *cdp.Pending
}

type reporting struct{}

// reportOf is the report that is to be made of a verb; nil where none is.
func reportOf(ctx context.Context) *report {
	if r, _ := ctx.Value(reporting{}).(*report); r != nil && r.report {
		return r
	}
	return nil
}

// askAhead asks what calm will: call it when the act in a place is done.
func (r *report) askAhead(t *tab, p place) {
	if r == nil || r.place.document != p.document {
		return
	}
	r.ask(p, r.observer.calmAfter(t, r))
	e := &p.frame.ears
	e.mu.Lock()
	defer e.mu.Unlock()
	if params, ok := e.of(p).Asking(); ok {
		r.ahead.listeners = p.session.Send(injected.ListenersMethod, params)
	}
}

// askNew asks what rendered will: call it when the tab shows a new document.
func (r *report) askNew(p place) {
	if r == nil || r.place.document == p.document || r.ahead.document == p.document {
		return
	}
	tellWorld(p, "arm", injected.Arming{})
	r.ask(p, fresh())
}

func (r *report) ask(p place, q injected.Calm) {
	if params, err := p.world.Request("calm", q); err == nil {
		r.ahead = ahead{document: p.document, asked: q, calm: p.session.Send("Runtime.callFunctionOn", params)}
	}
}

// walkAlone is how the report's place is read where it is all of the tab's page;
// nil where there are other frames.
func (ob *observer) walkAlone(t *tab, r *report) *injected.Walk {
	ob.mu.Lock()
	alone := r.place.frame == t.root && len(t.frames) == 1
	ob.mu.Unlock()
	if !alone {
		return nil
	}
	ob.audience.mu.Lock()
	o, _ := ob.audience.of(r.by)
	was := o.page
	ob.audience.mu.Unlock()
	walk := ob.sightWalk(was, true)
	walk.Sight, walk.Hosts = int(ob.sights.Add(1)), injected.ClosedPerCall
	return &walk
}

// calmed waits for what was asked ahead of a place, or asks now.
func (r *report) calmed(ctx context.Context, p place, q injected.Calm) (c injected.Calmed, err error) {
	asked := r.ahead.calm
	r.ahead.calm = nil
	if asked == nil || r.ahead.document != p.document {
		c, err = p.world.Calm(ctx, q)
	} else {
		q = r.ahead.asked
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

// heedAhead has the place's world know of the listeners that were asked for; ok
// is false where they were not.
func (ob *observer) heedAhead(ctx context.Context, r *report) (news injected.News, ok bool) {
	asked := r.ahead.listeners
	r.ahead.listeners = nil
	var all injected.Listeners
	if asked == nil || asked.Wait(ctx, &all) != nil {
		return news, false
	}
	news, err := ob.reader.heedAll(ctx, r.place, all)
	return news, err == nil
}
