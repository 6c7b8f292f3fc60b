package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// Viewer is who a page is shown to, for telling it later what changed: a party
// and the surface it comes by.
type Viewer struct{ Actor, Surface string }

type viewerKey struct{}

// viewedAs is who sees what a call answers, and whether it wants to be told what
// the call changed.
type viewedAs struct {
	by     Viewer
	report bool
}

// Viewing marks what is done with a context as seen by a viewer. With report
// Do's result says what is otherwise on the page than the viewer was last shown.
func Viewing(ctx context.Context, by Viewer, report bool) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewedAs{by, report})
}

func viewedBy(ctx context.Context) viewedAs {
	v, _ := ctx.Value(viewerKey{}).(viewedAs)
	return v
}

// viewerState is a viewer and what it was last shown: of one tab, and nothing of
// documents that are gone. It is guarded by audience.mu.
type viewerState struct {
	viewer   Viewer
	tab      *tab
	document string
	page     *observation   // nil where it is to be read before the next act
	at       action.Page    // where it was told that it is
	written  uint64         // console messages that there were
	gone     []string       // that came and went, not told yet
	missed   snapshot.Delta // between what it was shown and page, not told yet
}

// viewers is who looks at a browser. The newest is last.
type viewers struct {
	mu  sync.Mutex
	all []*viewerState
}

// of returns a viewer's place, which is then the newest; new says that it was
// not there. w.mu is held.
func (w *viewers) of(v Viewer) (o *viewerState, isNew bool) {
	at := slices.IndexFunc(w.all, func(o *viewerState) bool { return o.viewer == v })
	if at >= 0 {
		o = w.all[at]
		w.all = slices.Delete(w.all, at, at+1)
	} else {
		o, isNew = &viewerState{viewer: v}, true
		w.all = w.all[max(0, len(w.all)-mostViewers+1):]
	}
	w.all = append(w.all, o)
	return o, isNew
}

// forget drops what was shown of a tab that is gone.
func (w *viewers) forget(t *tab) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.all {
		if o.tab == t {
			o.document, o.page, o.gone, o.missed = "", nil, nil, snapshot.Delta{}
		}
	}
}

// catchUp has an onlooker be compared with a later sight than it was shown; what
// is otherwise by then is told in the next report. audience.mu is held.
func (o *viewerState) catchUp(had, read *observation) {
	if o.page != had {
		return
	}
	if had != nil {
		o.missed = appended(o.missed, snapshot.Changes(had.Page, read.Page, snapshot.DeltaOptions{Most: mostReport}))
	}
	o.page = read
}

// noteSurroundings says what is otherwise around the page: where it is, and what went
// wrong.
func (ob *observer) noteSurroundings(o *viewerState, isNew bool, c *action.Changes) {
	here := ob.Page()
	loaders := ob.loaders()
	ob.viewers.mu.Lock()
	defer ob.viewers.mu.Unlock()
	c.Moved = o.at != here
	o.at = here
	if isNew {
		o.written = ob.netlog.Written()
		return
	}
	c.Errors, o.written = ob.netlog.Errors(o.written, loaders)
}

// markShown notes that the viewer of a context was shown a page. One that another
// sight of it cannot be compared with is read again before the next act, see
// catchUp.
func (ob *observer) markShown(ctx context.Context, t *tab, top place, read *observation) {
	v := viewedBy(ctx)
	if v.by == (Viewer{}) || top.frame != t.root {
		return
	}
	here := ob.Page()
	written := ob.netlog.Written()
	ob.viewers.mu.Lock()
	defer ob.viewers.mu.Unlock()
	o, isNew := ob.viewers.of(v.by)
	o.tab, o.document, o.page, o.gone, o.missed = t, top.document, nil, nil, snapshot.Delta{}
	if read != nil && read.Compares() {
		o.page = read
	}
	if !v.report { // a report says itself where the page is now
		o.at = here
		if isNew {
			o.written = written
		}
	}
}

// compareWith compares what was read with what an onlooker was shown, and is what
// it was shown from then on. same is false where it is of another document.
func (ob *observer) compareWith(o *viewerState, t *tab, top place, read *observation, gone []string, deed string) (delta snapshot.Delta, same bool) {
	ob.viewers.mu.Lock()
	defer ob.viewers.mu.Unlock()
	for _, other := range ob.viewers.all {
		if other.tab == t {
			other.gone = append(other.gone, gone...)
			other.gone = other.gone[max(0, len(other.gone)-mostGone):]
		}
	}
	before := o.page
	if before == nil || o.tab != t || o.document != top.document || read.since != before.idOrZero() {
		return delta, false
	}
	if ob.credentialed() { // more may be known to be secret than when it was read
		before.Conceal(ob.concealer())
	}
	delta = snapshot.Changes(before.Page, read.Page, snapshot.DeltaOptions{Acted: deed, Most: mostReport})
	delta = appended(o.missed, delta)
	for _, line := range o.gone {
		delta.Text += line
	}
	o.page, o.gone, o.missed = read, nil, snapshot.Delta{}
	return delta, true
}

// appended are changes with those that came after them.
func appended(first, then snapshot.Delta) snapshot.Delta {
	if first.Text != "" && then.Text != "" && !strings.HasPrefix(then.Text, "in ") {
		first.Text += "in page:\n"
	}
	text := first.Text + then.Text
	return snapshot.Delta{Text: text, Much: first.Much || then.Much || len(text) > mostReport}
}
