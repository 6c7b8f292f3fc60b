package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

const (
	reportLimit = 5 * time.Second // for a report, waiting for the page included
	catchLimit  = time.Second     // for the page to be read before an act, beside the act's own time
	mostReport  = 5200            // bytes of changes, about 1,500 tokens; beyond it the page is shown instead
	fewChanges  = 1000            // bytes of changes that are told even where the page is short, too
	mostViewers = 4               // of a browser, whose last sight of it is kept
	mostGone    = 10              // words that came and went, kept for a viewer
)

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

// report is what is to be told after a verb, from before it.
type report struct {
	viewed
	verb  string
	tab   *tab
	place place // of what is acted on; the main frame's where nothing is
	node  int
	busy  map[string]string // requests that ran already
	began time.Time
	limit time.Duration
	ahead ahead
	walk  *injected.Walk     // by which the place is read when it is calm; nil where it is not all of the page
	read  *injected.Tree     // what was read so
	gone  []injected.Passing // words that came and went there

	stirred, drawn bool   // the act changed something; a canvas or video
	rendered       string // the new document that was waited for
	unfinished     bool   // it still loads
}

// expect prepares a report on a verb. Where the viewer's last sight of the page
// was not kept, it is read now.
func (b *Browser) expect(ctx context.Context, t *tab, verb string, limit time.Duration, pin action.Pin) *report {
	r := &report{viewed: viewedBy(ctx), verb: verb, tab: t, limit: limit}
	defer func() { r.began = time.Now() }() // the act begins when this is done
	if t == nil {
		return r
	}
	b.mu.Lock()
	r.busy = t.requests()
	crashed := t.crashed || t.dialog != nil
	b.mu.Unlock()
	if !r.report {
		return r
	}
	if crashed || !acts(verb, nil) {
		return r
	}
	p, node, err := b.pinned(t, pin)
	if err != nil {
		p, _ = b.rootPlace(t)
	}
	r.place, r.node = p, node
	if p.frame == nil {
		return r
	}
	b.catchUp(ctx, t, r)
	tellWorld(p, "arm", injected.Arming{Node: node})
	return r
}

// tellWorld calls a function of a world whose answer nobody waits for: what is
// called next comes after it.
func tellWorld(p place, function string, arg any) {
	if params, err := p.world.Request(function, arg); err == nil {
		p.session.Send("Runtime.callFunctionOn", params)
	}
}

// catchUp reads the page for a viewer whose last sight of it cannot be compared
// with another, or has only counted what is acted on.
func (b *Browser) catchUp(ctx context.Context, t *tab, r *report) {
	b.audience.mu.Lock()
	o, _ := b.audience.of(r.by)
	document, had := o.document, o.page
	shown := o.tab == t && document != ""
	b.audience.mu.Unlock()
	if !shown {
		return
	}
	ctx, leave := b.enter(ctx, t, catchLimit)
	defer leave()
	if had != nil && !b.unread(ctx, had, r) {
		return
	}
	if read, top, err := b.sight(ctx, t, had, false); err == nil && top.document == document {
		b.audience.mu.Lock()
		o.catchUp(had, read)
		b.audience.mu.Unlock()
	}
}

// sightWalk says how a frame is read to be compared with what it was; told says
// that what is otherwise in it is shown to a caller.
func (b *Browser) sightWalk(was *seen, told bool) injected.Walk {
	walk := b.plainWalk()
	walk.NoURLs, walk.Shown, walk.Fold, walk.News, walk.Since = true, told, true, true, was.number()
	return walk
}

// sight reads the page to be compared with what it was, see sightWalk.
func (b *Browser) sight(ctx context.Context, t *tab, was *seen, told bool) (*seen, place, error) {
	for tries := 0; ; tries++ {
		top, err := b.main(ctx, t)
		if err != nil {
			return nil, top, err
		}
		read, err := b.see(ctx, t, top, b.sightWalk(was, told))
		if err == nil || !moved(err) || tries >= 2 || ctx.Err() != nil {
			return read, top, err
		}
	}
}

// tell adds a report to a result, where one was asked for. What was done is
// done: a page that cannot be read is a note.
func (b *Browser) tell(ctx context.Context, r *report, out *action.Result) {
	if !r.report {
		b.sent(ctx, r, out)
		return
	}
	left := max(time.Second, min(reportLimit, r.limit+slack-time.Since(r.began)))
	changes := &action.Changes{}
	if !b.isHeld(r.tab) {
		b.waitStable(ctx, left, r, changes)
	}
	if b.released(ctx, r.tab) || b.serversAnswered(ctx, r.tab) {
		left = reportLimit
		b.waitStable(ctx, left, r, changes)
	}
	if b.isHeld(r.tab) {
		return // nobody can read it now
	}
	bounded, stop := context.WithTimeout(ctx, left)
	defer stop()
	err := b.changes(bounded, r, out, changes)
	out.Changes = changes
	now, _ := b.outcome(nil, nil)
	out.Page, out.Modal = now.Page, now.Modal
	out.Notes = append(out.Notes, now.Notes...)
	if err != nil && out.Modal == nil {
		out.Notes = append(out.Notes, "what changed on the page could not be read; take a snapshot")
		b.log().Debug("cannot say what changed", "verb", r.verb, "error", err)
	}
}

// waitStable waits for what the verb set off.
func (b *Browser) waitStable(ctx context.Context, limit time.Duration, r *report, c *action.Changes) {
	t := b.current()
	if t == nil || b.modal(t) != nil {
		return
	}
	inner, leave := b.enter(ctx, t, limit)
	defer leave()
	switch _, stays := b.placeOf(t, r.place.document); {
	case t == r.tab && stays:
		c.Late = b.calm(inner, t, r)
	case acts(r.verb, nil):
		c.Late = b.rendered(inner, t, r)
	}
}

// changes compares the page with what the viewer was shown of it.
func (b *Browser) changes(ctx context.Context, r *report, out *action.Result, c *action.Changes) error {
	var err error
	if t := b.current(); t != nil && b.modal(t) == nil {
		inner, leave := b.enter(ctx, t, reportLimit)
		defer leave()
		err = b.compare(inner, t, r, out, c)
	}
	b.audience.mu.Lock()
	o, isNew := b.audience.of(r.by)
	b.audience.mu.Unlock()
	b.moved(o, isNew, c)
	return err
}

// moved says what is otherwise around the page: where it is, and what went
// wrong.
func (b *Browser) moved(o *onlooker, isNew bool, c *action.Changes) {
	here := b.Page()
	loaders := b.loaders()
	b.audience.mu.Lock()
	defer b.audience.mu.Unlock()
	c.Moved = o.at != here
	o.at = here
	if isNew {
		o.written = b.netlog.Written()
		return
	}
	c.Errors, o.written = b.netlog.Errors(o.written, loaders)
}

// loaders returns the loaders of the documents that the tabs show, by tab.
func (b *Browser) loaders() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(map[string]string, len(b.tabs))
	for _, t := range b.tabs {
		all[t.id] = t.root.loader
	}
	return all
}

// compare reads the page and says how it differs from the viewer's last sight.
func (b *Browser) compare(ctx context.Context, t *tab, r *report, out *action.Result, c *action.Changes) error {
	top, err := b.main(ctx, t)
	if err != nil {
		return err
	}
	b.audience.mu.Lock()
	o, isNew := b.audience.of(r.by)
	was := o.page
	had := was != nil && o.tab == t && o.document == top.document && b.fileOf(t) == nil
	known := o.tab != nil
	b.audience.mu.Unlock()
	if !had {
		c.Why = action.FirstLook
		if !isNew && known {
			c.Why = action.NewPage
		}
		return b.showInstead(ctx, t, c)
	}
	read, top, gone, err := b.lookAgain(ctx, t, top, was, r)
	if err != nil {
		return err
	}
	delta, same := b.differs(o, t, top, read, gone, acted(out))
	switch {
	case !same:
		c.Why = action.NewPage
		return b.showInstead(ctx, t, c)
	case delta.Much || b.longer(delta, read):
		c.Why = action.MuchChanged
		return b.showInstead(ctx, t, c)
	}
	c.Text = delta.Text
	c.Outcome = r.outcome(c)
	return nil
}

// outcome says what became of an act that changed no words.
func (r *report) outcome(c *action.Changes) string {
	switch {
	case c.Text != "" || !acts(r.verb, nil):
		return ""
	case c.Late:
		return action.StillMoving
	case r.drawn:
		return action.Drawn
	case r.stirred:
		return action.LooksChanged
	}
	return action.NothingChanged
}

// longer reports whether changes take more to tell than the page itself.
func (b *Browser) longer(delta snapshot.Delta, read *seen) bool {
	return len(delta.Text) > fewChanges && len(delta.Text) > len(read.Part(b.room(&action.TakeSnapshot{})).Text)
}

// lookAgain reads the page, where it was not read when it was calm, and returns
// lines for what came and went.
func (b *Browser) lookAgain(ctx context.Context, t *tab, top place, was *seen, r *report) (read *seen, at place, gone []string, err error) {
	if r.read != nil && top.document == r.place.document && r.walk.Since == was.number() {
		merged, err := b.merge(ctx, t, top, &snapshot.Frame{Document: top.document, Tree: r.read})
		return sighted(merged, *r.walk), top, b.lines(r.gone), err
	}
	var asking sync.WaitGroup
	asking.Go(func() { gone = b.passed(ctx, t, r) })
	read, at, err = b.sight(ctx, t, was, true)
	asking.Wait()
	return read, at, gone, err
}

// differs compares what was read with what an onlooker was shown, and is what
// it was shown from then on. same is false where it is of another document.
func (b *Browser) differs(o *onlooker, t *tab, top place, read *seen, gone []string, deed string) (delta snapshot.Delta, same bool) {
	b.audience.mu.Lock()
	defer b.audience.mu.Unlock()
	for _, other := range b.audience.all {
		if other.tab == t {
			other.gone = append(other.gone, gone...)
			other.gone = other.gone[max(0, len(other.gone)-mostGone):]
		}
	}
	before := o.page
	if before == nil || o.tab != t || o.document != top.document || read.since != before.number() {
		return delta, false
	}
	if b.credentialed() { // more may be known to be secret than when it was read
		before.Conceal(b.concealer())
	}
	delta = snapshot.Changes(before.Page, read.Page, snapshot.DeltaOptions{Acted: deed, Most: mostReport})
	delta = following(o.missed, delta)
	for _, line := range o.gone {
		delta.Text += line
	}
	o.page, o.gone, o.missed = read, nil, snapshot.Delta{}
	return delta, true
}

// showInstead has a snapshot take the place of changes.
func (b *Browser) showInstead(ctx context.Context, t *tab, c *action.Changes) error {
	data, err := b.snapshot(ctx, t, &action.TakeSnapshot{}, action.Pin{})
	if shot, ok := data.(*action.Snapshot); ok && err == nil {
		c.Snapshot = shot
	}
	return err
}

// acted is the reference of what a verb acted on.
func acted(out *action.Result) string {
	if a, ok := out.Data.(*action.Acted); ok && a.Element != nil {
		return a.Element.Ref
	}
	return ""
}

// shown notes that the viewer of a context was shown a page. One that another
// sight of it cannot be compared with is read again before the next act, see
// catchUp.
func (b *Browser) shown(ctx context.Context, t *tab, top place, read *seen) {
	v := viewedBy(ctx)
	if v.by == (Viewer{}) || top.frame != t.root {
		return
	}
	here := b.Page()
	written := b.netlog.Written()
	b.audience.mu.Lock()
	defer b.audience.mu.Unlock()
	o, isNew := b.audience.of(v.by)
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
