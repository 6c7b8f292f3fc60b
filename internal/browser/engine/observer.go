package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

const (
	reportLimit = 5 * time.Second // for a report, with the wait for the page
	catchLimit  = time.Second     // to read the page before an act, in addition to the act's own time
	fewChanges  = 1000            // bytes of changes that are reported even if a snapshot is shorter
)

// observer reports to each viewer what an act changed on the page.
type observer struct {
	*base
	effects  *effects
	elements *elements
	reader   *reader
	viewers  observe.Viewers
	lastID   atomic.Int64 // of the observations
}

// refresh reads the page before an act, if what the viewer was last shown cannot
// be compared with a later reading, or only counted the element that is acted on.
func (ob *observer) refresh(ctx context.Context, t *tab, r *report) {
	was, _ := ob.viewers.LastShown(r.By)
	if was.Tab != t.id || was.Document == "" {
		return
	}
	ctx, leave := ob.enter(ctx, t, catchLimit)
	defer leave()
	if was.Page != nil && !ob.countedOnly(ctx, was.Page, r) {
		return
	}
	if read, top, err := ob.observeAgain(ctx, t, was.Page, false); err == nil && top.document == was.Document {
		ob.viewers.CatchUp(r.By, was.Page, read)
	}
}

// observationOptions returns how a frame is read so that it can be compared with
// an earlier reading. told says that the changes are shown to a caller.
func (ob *observer) observationOptions(was *observe.Page, told bool) injected.SnapshotOptions {
	walk := ob.reader.snapshotOptions()
	walk.NoURLs, walk.Shown, walk.Fold, walk.News, walk.Since = true, told, true, true, was.IDOrZero()
	return walk
}

// observeAgain reads the page with observationOptions.
func (ob *observer) observeAgain(ctx context.Context, t *tab, was *observe.Page, told bool) (*observe.Page, place, error) {
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

// changes fills in what changed since the viewer was last shown the page, where
// the page is now, and the console errors since then.
func (ob *observer) changes(ctx context.Context, r *report, out *action.Result, c *action.Changes) error {
	var err error
	if t := ob.current(); t != nil && ob.modal(t) == nil {
		inner, leave := ob.enter(ctx, t, reportLimit)
		defer leave()
		err = ob.compare(inner, t, r, out, c)
	}
	c.Moved, c.Errors = ob.viewers.AtPage(r.By, ob.Page(), ob.loaders(), ob.netlog)
	return err
}

// loaders returns the loaders of the documents that the tabs show, by tab.
func (b *base) loaders() map[string]string {
	all := map[string]string{}
	b.state.Do(func(s *state) {
		for _, t := range s.tabs {
			all[t.id] = t.root.loader
		}
	})
	return all
}

// compare reads the page and fills in how it differs from what the viewer was
// last shown. If that cannot be said shortly, it fills in a snapshot.
func (ob *observer) compare(ctx context.Context, t *tab, r *report, out *action.Result, c *action.Changes) error {
	top, err := ob.main(ctx, t)
	if err != nil {
		return err
	}
	was, isNew := ob.viewers.LastShown(r.By)
	if was.Page == nil || was.Tab != t.id || was.Document != top.document || ob.fileOf(t) != nil {
		c.Why = action.FirstLook
		if !isNew && was.Tab != "" {
			c.Why = action.NewPage
		}
		return ob.snapshotInstead(ctx, t, ob.firstReading(ctx, t, top, r), c)
	}
	read, top, gone, err := ob.observeAfter(ctx, t, top, was.Page, r)
	if err != nil {
		return err
	}
	delta, same := ob.viewers.Compare(r.By, observe.Shown{Tab: t.id, Document: top.document, Page: read}, gone, actedOn(out), ob.conceal)
	switch {
	case !same:
		c.Why = action.NewPage
		return ob.snapshotInstead(ctx, t, nil, c)
	case delta.Much || ob.longerThanPage(delta, read):
		c.Why = action.MuchChanged
		if !read.Plain() {
			read = nil
		}
		return ob.snapshotInstead(ctx, t, read, c)
	}
	c.Text = delta.Text
	c.Earlier = r.earlier && c.Text != ""
	c.Outcome = r.outcome(c)
	return nil
}

// conceal takes known secrets out of a page, in a session with credentials.
func (ob *observer) conceal(page *observe.Page) {
	if ob.credentialed() {
		page.Conceal(ob.concealer())
	}
}

// longerThanPage reports whether the changes are longer than a snapshot of the page.
func (ob *observer) longerThanPage(delta snapshot.Delta, read *observe.Page) bool {
	return len(delta.Text) > fewChanges && len(delta.Text) > len(read.Part(ob.reader.partOptions(&action.TakeSnapshot{})).Text)
}

// observeAfter returns the page after the act, which may have been read with the
// wait for it, and lines about texts that came and went.
func (ob *observer) observeAfter(ctx context.Context, t *tab, top place, was *observe.Page, r *report) (read *observe.Page, at place, gone []string, err error) {
	if r.read != nil && top.document == r.place.document && r.walk.Since == was.IDOrZero() {
		merged, err := ob.reader.mergeFrames(ctx, t, top, &snapshot.Frame{Document: top.document, Tree: r.read})
		return newObservation(merged, *r.walk), top, ob.transientLines(r.gone), err
	}
	var asking sync.WaitGroup
	asking.Go(func() { gone = ob.transientTexts(ctx, t, r) })
	read, at, err = ob.observeAgain(ctx, t, was, true)
	asking.Wait()
	return read, at, gone, err
}

// firstReading returns what was read of a new document when it was loaded, nil if it
// was not.
func (ob *observer) firstReading(ctx context.Context, t *tab, top place, r *report) *observe.Page {
	if r.first == nil || r.firstOf != top.document {
		return nil
	}
	read, err := ob.reader.mergeFrames(ctx, t, top, &snapshot.Frame{Document: top.document, Tree: r.first})
	if err != nil {
		return nil
	}
	return newObservation(read, *r.walk)
}

// snapshotInstead fills in a snapshot in place of changes. The page may have been read
// already; nil reads it now.
func (ob *observer) snapshotInstead(ctx context.Context, t *tab, read *observe.Page, c *action.Changes) error {
	data, err := ob.snapshot(context.WithValue(ctx, readKey{}, read), t, &action.TakeSnapshot{}, action.Pin{})
	if shot, ok := data.(*action.Snapshot); ok && err == nil {
		c.Snapshot = shot
	}
	return err
}

// observe reads a page so that it can be compared with other observations.
func (ob *observer) observe(ctx context.Context, t *tab, top place, walk injected.SnapshotOptions) (*observe.Page, error) {
	if read, _ := ctx.Value(readKey{}).(*observe.Page); read != nil {
		return read, nil
	}
	walk.Sight = int(ob.lastID.Add(1))
	read, err := ob.reader.readPage(ctx, t, top, walk)
	return newObservation(read, walk), err
}

func newObservation(read *snapshot.Page, by injected.SnapshotOptions) *observe.Page {
	return &observe.Page{Page: read, ID: by.Sight, Since: by.Since}
}

// readAndShow reads the page for a snapshot and notes that its viewer is shown it.
func (ob *observer) readAndShow(ctx context.Context, t *tab, top place, walk injected.SnapshotOptions, a *action.TakeSnapshot) (*snapshot.Page, error) {
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

// countedOnly reports whether an observation holds the element that is acted on
// only as one of a number of similar ones, without its content.
func (ob *observer) countedOnly(ctx context.Context, s *observe.Page, r *report) bool {
	if r.node == 0 || !s.Folded() || s.Holds(ob.refs.Ref(snapshot.Place{Document: r.place.document, Node: r.node})) {
		return false
	}
	unread, err := r.place.world.Reveal(ctx, r.node, s.ID)
	return unread && err == nil
}

// markShown notes that the viewer of a context is shown a page. If read cannot be
// compared, the page is read once more before the next act: see refresh.
func (ob *observer) markShown(ctx context.Context, t *tab, top place, read *observe.Page) {
	c := observe.CallOf(ctx)
	if c.By == (observe.Viewer{}) || top.frame != t.root {
		return
	}
	ob.viewers.Show(c, observe.Shown{Tab: t.id, Document: top.document, Page: read}, ob.Page(), ob.netlog)
}
