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

type viewing struct{}

// viewed is who sees what a call answers, and whether it wants to be told what
// the call changed.
type viewed struct {
	by     Viewer
	report bool
}

// Viewing marks what is done with a context as seen by a viewer. With report
// Do's result says what is otherwise on the page than the viewer was last shown.
func Viewing(ctx context.Context, by Viewer, report bool) context.Context {
	return context.WithValue(ctx, viewing{}, viewed{by, report})
}

func viewedBy(ctx context.Context) viewed {
	v, _ := ctx.Value(viewing{}).(viewed)
	return v
}

// onlooker is a viewer and what it was last shown: of one tab, and nothing of
// documents that are gone. It is guarded by audience.mu.
type onlooker struct {
	viewer   Viewer
	tab      *tab
	document string
	page     *seen          // nil where it is to be read before the next act
	at       action.Page    // where it was told that it is
	written  uint64         // console messages that there were
	gone     []string       // that came and went, not told yet
	missed   snapshot.Delta // between what it was shown and page, not told yet
}

// audience is who looks at a browser. The newest is last.
type audience struct {
	mu  sync.Mutex
	all []*onlooker
}

// of returns a viewer's place, which is then the newest; new says that it was
// not there. w.mu is held.
func (w *audience) of(v Viewer) (o *onlooker, isNew bool) {
	at := slices.IndexFunc(w.all, func(o *onlooker) bool { return o.viewer == v })
	if at >= 0 {
		o = w.all[at]
		w.all = slices.Delete(w.all, at, at+1)
	} else {
		o, isNew = &onlooker{viewer: v}, true
		w.all = w.all[max(0, len(w.all)-mostViewers+1):]
	}
	w.all = append(w.all, o)
	return o, isNew
}

// forget drops what was shown of a tab that is gone.
func (w *audience) forget(t *tab) {
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
func (o *onlooker) catchUp(had, read *seen) {
	if o.page != had {
		return
	}
	if had != nil {
		o.missed = following(o.missed, snapshot.Changes(had.Page, read.Page, snapshot.DeltaOptions{Most: mostReport}))
	}
	o.page = read
}

// moved says what is otherwise around the page: where it is, and what went
// wrong.
func (ob *observer) moved(o *onlooker, isNew bool, c *action.Changes) {
	here := ob.Page()
	loaders := ob.loaders()
	ob.audience.mu.Lock()
	defer ob.audience.mu.Unlock()
	c.Moved = o.at != here
	o.at = here
	if isNew {
		o.written = ob.netlog.Written()
		return
	}
	c.Errors, o.written = ob.netlog.Errors(o.written, loaders)
}

// shown notes that the viewer of a context was shown a page. One that another
// sight of it cannot be compared with is read again before the next act, see
// catchUp.
func (ob *observer) shown(ctx context.Context, t *tab, top place, read *seen) {
	v := viewedBy(ctx)
	if v.by == (Viewer{}) || top.frame != t.root {
		return
	}
	here := ob.Page()
	written := ob.netlog.Written()
	ob.audience.mu.Lock()
	defer ob.audience.mu.Unlock()
	o, isNew := ob.audience.of(v.by)
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

// differs compares what was read with what an onlooker was shown, and is what
// it was shown from then on. same is false where it is of another document.
func (ob *observer) differs(o *onlooker, t *tab, top place, read *seen, gone []string, deed string) (delta snapshot.Delta, same bool) {
	ob.audience.mu.Lock()
	defer ob.audience.mu.Unlock()
	for _, other := range ob.audience.all {
		if other.tab == t {
			other.gone = append(other.gone, gone...)
			other.gone = other.gone[max(0, len(other.gone)-mostGone):]
		}
	}
	before := o.page
	if before == nil || o.tab != t || o.document != top.document || read.since != before.number() {
		return delta, false
	}
	if ob.credentialed() { // more may be known to be secret than when it was read
		before.Conceal(ob.concealer())
	}
	delta = snapshot.Changes(before.Page, read.Page, snapshot.DeltaOptions{Acted: deed, Most: mostReport})
	delta = following(o.missed, delta)
	for _, line := range o.gone {
		delta.Text += line
	}
	o.page, o.gone, o.missed = read, nil, snapshot.Delta{}
	return delta, true
}

// following are changes with those that came after them.
func following(first, then snapshot.Delta) snapshot.Delta {
	if first.Text != "" && then.Text != "" && !strings.HasPrefix(then.Text, "in ") {
		first.Text += "in page:\n"
	}
	text := first.Text + then.Text
	return snapshot.Delta{Text: text, Much: first.Much || then.Much || len(text) > mostReport}
}
