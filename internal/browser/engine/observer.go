package engine

import (
	"context"
	"sync"
	"sync/atomic"
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

// refresh reads the page for a viewer whose last sight of it cannot be compared
// with another, or has only counted what is acted on.
func (ob *observer) refresh(ctx context.Context, t *tab, r *report) {
	ob.viewers.mu.Lock()
	o, _ := ob.viewers.of(r.by)
	document, had := o.document, o.page
	shown := o.tab == t && document != ""
	ob.viewers.mu.Unlock()
	if !shown {
		return
	}
	ctx, leave := ob.enter(ctx, t, catchLimit)
	defer leave()
	if had != nil && !ob.countedOnly(ctx, had, r) {
		return
	}
	if read, top, err := ob.observeAgain(ctx, t, had, false); err == nil && top.document == document {
		ob.viewers.mu.Lock()
		o.catchUp(had, read)
		ob.viewers.mu.Unlock()
	}
}

// observationOptions says how a frame is read to be compared with what it was; told says
// that what is otherwise in it is shown to a caller.
func (ob *observer) observationOptions(was *observation, told bool) injected.Walk {
	walk := ob.reader.snapshotOptions()
	walk.NoURLs, walk.Shown, walk.Fold, walk.News, walk.Since = true, told, true, true, was.idOrZero()
	return walk
}

// observeAgain reads the page to be compared with what it was, see sightWalk.
func (ob *observer) observeAgain(ctx context.Context, t *tab, was *observation, told bool) (*observation, place, error) {
	for tries := 0; ; tries++ {
		top, err := ob.main(ctx, t)
		if err != nil {
			return nil, top, err
		}
		read, err := ob.observe(ctx, t, top, ob.observationOptions(was, told))
		if err == nil || !moved(err) || tries >= 2 || ctx.Err() != nil {
			return read, top, err
		}
	}
}

// changes compares the page with what the viewer was shown of it.
func (ob *observer) changes(ctx context.Context, r *report, out *action.Result, c *action.Changes) error {
	var err error
	if t := ob.current(); t != nil && ob.modal(t) == nil {
		inner, leave := ob.enter(ctx, t, reportLimit)
		defer leave()
		err = ob.compare(inner, t, r, out, c)
	}
	ob.viewers.mu.Lock()
	o, isNew := ob.viewers.of(r.by)
	ob.viewers.mu.Unlock()
	ob.noteSurroundings(o, isNew, c)
	return err
}

// loaders returns the loaders of the documents that the tabs show, by tab.
func (b *base) loaders() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make(map[string]string, len(b.tabs))
	for _, t := range b.tabs {
		all[t.id] = t.root.loader
	}
	return all
}

// compare reads the page and says how it differs from the viewer's last sight.
func (ob *observer) compare(ctx context.Context, t *tab, r *report, out *action.Result, c *action.Changes) error {
	top, err := ob.main(ctx, t)
	if err != nil {
		return err
	}
	ob.viewers.mu.Lock()
	o, isNew := ob.viewers.of(r.by)
	was := o.page
	had := was != nil && o.tab == t && o.document == top.document && ob.fileOf(t) == nil
	known := o.tab != nil
	ob.viewers.mu.Unlock()
	if !had {
		c.Why = action.FirstLook
		if !isNew && known {
			c.Why = action.NewPage
		}
		return ob.snapshotInstead(ctx, t, c)
	}
	read, top, gone, err := ob.observeAfter(ctx, t, top, was, r)
	if err != nil {
		return err
	}
	delta, same := ob.compareWith(o, t, top, read, gone, actedOn(out))
	switch {
	case !same:
		c.Why = action.NewPage
		return ob.snapshotInstead(ctx, t, c)
	case delta.Much || ob.longerThanPage(delta, read):
		c.Why = action.MuchChanged
		return ob.snapshotInstead(ctx, t, c)
	}
	c.Text = delta.Text
	c.Outcome = r.outcome(c)
	return nil
}

// longerThanPage reports whether changes take more to tell than the page itself.
func (ob *observer) longerThanPage(delta snapshot.Delta, read *observation) bool {
	return len(delta.Text) > fewChanges && len(delta.Text) > len(read.Part(ob.reader.partOptions(&action.TakeSnapshot{})).Text)
}

// observeAfter reads the page, where it was not read when it was calm, and returns
// lines for what came and went.
func (ob *observer) observeAfter(ctx context.Context, t *tab, top place, was *observation, r *report) (read *observation, at place, gone []string, err error) {
	if r.read != nil && top.document == r.place.document && r.walk.Since == was.idOrZero() {
		merged, err := ob.reader.mergeFrames(ctx, t, top, &snapshot.Frame{Document: top.document, Tree: r.read})
		return newObservation(merged, *r.walk), top, ob.transientLines(r.gone), err
	}
	var asking sync.WaitGroup
	asking.Go(func() { gone = ob.transientTexts(ctx, t, r) })
	read, at, err = ob.observeAgain(ctx, t, was, true)
	asking.Wait()
	return read, at, gone, err
}

// snapshotInstead has a snapshot take the place of changes.
func (ob *observer) snapshotInstead(ctx context.Context, t *tab, c *action.Changes) error {
	data, err := ob.snapshot(ctx, t, &action.TakeSnapshot{}, action.Pin{})
	if shot, ok := data.(*action.Snapshot); ok && err == nil {
		c.Snapshot = shot
	}
	return err
}

// observation is a page as it was read once, to be compared with what it is later.
type observation struct {
	*snapshot.Page
	id    int // the number of the reading
	since int // of the one that it can be compared with; 0 is none
}

// idOrZero is that of a sight, 0 of none.
func (s *observation) idOrZero() int {
	if s == nil {
		return 0
	}
	return s.id
}

// observe reads a page so that it can be compared with other sights of it.
func (ob *observer) observe(ctx context.Context, t *tab, top place, walk injected.Walk) (*observation, error) {
	walk.Sight = int(ob.lastID.Add(1))
	read, err := ob.reader.readPage(ctx, t, top, walk)
	return newObservation(read, walk), err
}

func newObservation(read *snapshot.Page, by injected.Walk) *observation {
	return &observation{Page: read, id: by.Sight, since: by.Since}
}

// readAndShow reads what a snapshot shows, and notes that the viewer was shown it.
func (ob *observer) readAndShow(ctx context.Context, t *tab, top place, walk injected.Walk, a *action.TakeSnapshot) (*snapshot.Page, error) {
	if walk.Fold {
		read, err := ob.observe(ctx, t, top, walk)
		if err == nil {
			ob.markShown(ctx, t, top, read)
		}
		return read.Page, err
	}
	read, err := ob.reader.readPage(ctx, t, top, walk)
	if a.Ref == "" && err == nil { // read without marks, or in part
		ob.markShown(ctx, t, top, nil)
	}
	return read, err
}

// countedOnly reports whether what is acted on is in a run of which a sight only
// counted it: what it was is not known then.
func (ob *observer) countedOnly(ctx context.Context, s *observation, r *report) bool {
	if r.node == 0 || !s.Folded() || s.Holds(ob.refs.Ref(snapshot.Place{Document: r.place.document, Node: r.node})) {
		return false
	}
	unread, err := r.place.world.Reveal(ctx, r.node, s.id)
	return unread && err == nil
}

// observer says what an act changed on the page, for each viewer.
type observer struct {
	*base
	effects  *effects
	elements *elements
	reader   *reader
	viewers  viewers
	lastID   atomic.Int64 // the number of the last
}
