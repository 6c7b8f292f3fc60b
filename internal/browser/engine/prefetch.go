package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// askedEarly are questions of a report that travel with the last round trip of the
// verb.
type askedEarly struct {
	document  string // that was asked
	query     injected.StableQuery
	answer    []byte       // to the query: JSON text; nil before it came
	listeners *cdp.Pending // nil if they were not asked for
}

type reportKey struct{}

// readKey is the context key of a reading that a snapshot may use: an *observe.Page.
type readKey struct{}

// reportOf returns the report that a verb is to make, nil for none.
func reportOf(ctx context.Context) *report {
	if r, _ := ctx.Value(reportKey{}).(*report); r != nil && r.Report {
		return r
	}
	return nil
}

// startRoundTrip begins a round trip, with the questions of waitAfterAct where the
// report is about that frame. If requests are under way, the questions are asked when
// they are answered. It is called when the act is done; r may be nil.
func (r *report) startRoundTrip(t *tab, p place, by closing) roundTrip {
	if r == nil || r.place.document != p.document {
		return startRoundTrip(p, by)
	}
	if r.requested = r.observer.hasRequests(t, r); r.requested {
		return startRoundTrip(p, by)
	}
	sent := r.askWith(p, by, r.observer.actQuery(t, r), false)
	r.askForListeners(p, (*listeners).old)
	return sent
}

// askForListeners asks for the listeners of a document that were read before, beside a
// question that was sent, if a condition holds.
func (r *report) askForListeners(p place, when func(*listeners) bool) {
	p.frame.listeners.Do(func(l *listeners) {
		if params, ok := l.query(p); ok && when(l) {
			r.asked.listeners = p.session.Send(injected.ListenersMethod, params)
			l.read = time.Now()
		}
	})
}

// startInNewDocument begins the round trip that reads the title of a new document,
// with the questions of waitRendered; r may be nil.
func (r *report) startInNewDocument(p place) roundTrip {
	if r == nil || r.place.document == p.document || r.asked.document == p.document {
		return startRoundTrip(p, readTitle)
	}
	sent := r.askWith(p, readTitle, r.firstQuery(p), true)
	r.askListeners(p)
	return sent
}

// prepare asks for what the first question for the listeners of a frame's new document
// needs, so that the document's first frame does not delay it; r may be nil.
func (r *report) prepare(p place) {
	if r != nil {
		p.frame.listeners.Do(func(l *listeners) { l.prepare(p) })
	}
}

// heardNews is what the listeners of a new document say.
type heardNews struct {
	injected.NewListeners
	err error
}

// askListeners asks for the listeners of a new document, beside the question that
// waits for it.
func (r *report) askListeners(p place) {
	heard := make(chan heardNews, 1)
	r.heard = heard
	ob := r.observer
	ob.own.Go(func() {
		ctx, stop := context.WithTimeout(ob.life, contentLimit+stableLimit)
		defer stop()
		news, err := ob.reader.syncListeners(ctx, p)
		heard <- heardNews{news, err}
	})
}

// firstQuery returns how to wait for a document that has just loaded, and to read it
// then, as snapshotInstead does, if it is one frame.
func (r *report) firstQuery(p place) injected.StableQuery {
	q := newDocumentQuery()
	if q.Same = r.place.document == p.document; q.Same {
		return q
	}
	ob := r.observer
	if !r.Report || ob == nil || guarded.Get(ob.state, func(s *state) bool { t := s.active(); return t == nil || t.root != p.frame || len(t.frames) > 1 }) {
		return q
	}
	walk := ob.reader.snapshotOptions()
	showOptions(&walk, &action.TakeSnapshot{})
	walk.Sight, walk.Hosts = int(ob.lastID.Add(1)), injected.ClosedPerCall
	q.Walk = &walk
	return q
}

// askWith begins a round trip that runs a function and then waitStable. Its answer has
// what waitStable returned in the first line, and below it what the function returned.
// fresh also begins to record changes, between the two.
func (r *report) askWith(p place, by closing, q injected.StableQuery, fresh bool) roundTrip {
	raw, err := json.Marshal(q)
	if err != nil {
		return startRoundTrip(p, by)
	}
	const declaration = `async (n, q, fresh) => {
	const said = await (%s)(n);
	if (fresh) __glovebox.run('arm', '{}');
	return await __glovebox.run('waitStable', q) + '\n' + said;
}`
	r.asked = askedEarly{document: p.document, query: q}
	return roundTrip{report: r, asked: p.session.Send("Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": fmt.Sprintf(declaration, by.function), "uniqueContextId": p.world.Unique, "returnByValue": true, "awaitPromise": true,
		"arguments": []map[string]any{{"value": by.node}, {"value": string(raw)}, {"value": fresh}},
	})}
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

// stable returns the answer to a question that was asked before, or asks now.
func (r *report) stable(ctx context.Context, p place, q injected.StableQuery) (c injected.Stability, err error) {
	answer := r.asked.answer
	r.asked.answer = nil
	if answer == nil || r.asked.document != p.document {
		c, err = p.world.WaitStable(ctx, q)
	} else {
		q = r.asked.query
		err = json.Unmarshal(answer, &c)
	}
	if err != nil {
		return c, fmt.Errorf("cannot wait for the page: %w", err)
	}
	r.walk, r.gone = q.Walk, append(r.gone, c.Gone...)
	return c, nil
}

// takeListeners stores the listeners that were asked for with the round trip. known
// is false if there may be newer ones: the page changed while it was waited for, or
// elements were added since listeners were last read.
func (ob *observer) takeListeners(ctx context.Context, r *report, c injected.Stability) (news injected.NewListeners, known bool) {
	asked := r.asked.listeners
	r.asked.listeners = nil
	if asked == nil {
		return news, ob.reader.hasListeners(r.place, c.Elements)
	}
	var all injected.Listeners
	if asked.Wait(ctx, &all) != nil {
		return news, false
	}
	news, err := ob.reader.storeListeners(ctx, r.place, all)
	if known = err == nil && c.Still; known {
		r.place.frame.listeners.Do(func(l *listeners) { l.elements = c.Elements })
	}
	return news, known
}
