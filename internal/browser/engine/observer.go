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

// catchUp reads the page for a viewer whose last sight of it cannot be compared
// with another, or has only counted what is acted on.
func (ob *observer) catchUp(ctx context.Context, t *tab, r *report) {
	ob.audience.mu.Lock()
	o, _ := ob.audience.of(r.by)
	document, had := o.document, o.page
	shown := o.tab == t && document != ""
	ob.audience.mu.Unlock()
	if !shown {
		return
	}
	ctx, leave := ob.enter(ctx, t, catchLimit)
	defer leave()
	if had != nil && !ob.unread(ctx, had, r) {
		return
	}
	if read, top, err := ob.sight(ctx, t, had, false); err == nil && top.document == document {
		ob.audience.mu.Lock()
		o.catchUp(had, read)
		ob.audience.mu.Unlock()
	}
}

// sightWalk says how a frame is read to be compared with what it was; told says
// that what is otherwise in it is shown to a caller.
func (ob *observer) sightWalk(was *seen, told bool) injected.Walk {
	walk := ob.reader.plainWalk()
	walk.NoURLs, walk.Shown, walk.Fold, walk.News, walk.Since = true, told, true, true, was.number()
	return walk
}

// sight reads the page to be compared with what it was, see sightWalk.
func (ob *observer) sight(ctx context.Context, t *tab, was *seen, told bool) (*seen, place, error) {
	for tries := 0; ; tries++ {
		top, err := ob.main(ctx, t)
		if err != nil {
			return nil, top, err
		}
		read, err := ob.see(ctx, t, top, ob.sightWalk(was, told))
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
	ob.audience.mu.Lock()
	o, isNew := ob.audience.of(r.by)
	ob.audience.mu.Unlock()
	ob.moved(o, isNew, c)
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
	ob.audience.mu.Lock()
	o, isNew := ob.audience.of(r.by)
	was := o.page
	had := was != nil && o.tab == t && o.document == top.document && ob.fileOf(t) == nil
	known := o.tab != nil
	ob.audience.mu.Unlock()
	if !had {
		c.Why = action.FirstLook
		if !isNew && known {
			c.Why = action.NewPage
		}
		return ob.showInstead(ctx, t, c)
	}
	read, top, gone, err := ob.lookAgain(ctx, t, top, was, r)
	if err != nil {
		return err
	}
	delta, same := ob.differs(o, t, top, read, gone, acted(out))
	switch {
	case !same:
		c.Why = action.NewPage
		return ob.showInstead(ctx, t, c)
	case delta.Much || ob.longer(delta, read):
		c.Why = action.MuchChanged
		return ob.showInstead(ctx, t, c)
	}
	c.Text = delta.Text
	c.Outcome = r.outcome(c)
	return nil
}

// longer reports whether changes take more to tell than the page itself.
func (ob *observer) longer(delta snapshot.Delta, read *seen) bool {
	return len(delta.Text) > fewChanges && len(delta.Text) > len(read.Part(ob.reader.room(&action.TakeSnapshot{})).Text)
}

// lookAgain reads the page, where it was not read when it was calm, and returns
// lines for what came and went.
func (ob *observer) lookAgain(ctx context.Context, t *tab, top place, was *seen, r *report) (read *seen, at place, gone []string, err error) {
	if r.read != nil && top.document == r.place.document && r.walk.Since == was.number() {
		merged, err := ob.reader.merge(ctx, t, top, &snapshot.Frame{Document: top.document, Tree: r.read})
		return sighted(merged, *r.walk), top, ob.lines(r.gone), err
	}
	var asking sync.WaitGroup
	asking.Go(func() { gone = ob.passed(ctx, t, r) })
	read, at, err = ob.sight(ctx, t, was, true)
	asking.Wait()
	return read, at, gone, err
}

// showInstead has a snapshot take the place of changes.
func (ob *observer) showInstead(ctx context.Context, t *tab, c *action.Changes) error {
	data, err := ob.snapshot(ctx, t, &action.TakeSnapshot{}, action.Pin{})
	if shot, ok := data.(*action.Snapshot); ok && err == nil {
		c.Snapshot = shot
	}
	return err
}

// seen is a page as it was read once, to be compared with what it is later.
type seen struct {
	*snapshot.Page
	sight int // the number of the reading
	since int // of the one that it can be compared with; 0 is none
}

// number is that of a sight, 0 of none.
func (s *seen) number() int {
	if s == nil {
		return 0
	}
	return s.sight
}

// see reads a page so that it can be compared with other sights of it.
func (ob *observer) see(ctx context.Context, t *tab, top place, walk injected.Walk) (*seen, error) {
	walk.Sight = int(ob.sights.Add(1))
	read, err := ob.reader.perceive(ctx, t, top, walk)
	return sighted(read, walk), err
}

func sighted(read *snapshot.Page, by injected.Walk) *seen {
	return &seen{Page: read, sight: by.Sight, since: by.Since}
}

// readShown reads what a snapshot shows, and notes that the viewer was shown it.
func (ob *observer) readShown(ctx context.Context, t *tab, top place, walk injected.Walk, a *action.TakeSnapshot) (*snapshot.Page, error) {
	if walk.Fold {
		read, err := ob.see(ctx, t, top, walk)
		if err == nil {
			ob.shown(ctx, t, top, read)
		}
		return read.Page, err
	}
	read, err := ob.reader.perceive(ctx, t, top, walk)
	if a.Ref == "" && err == nil { // read without marks, or in part
		ob.shown(ctx, t, top, nil)
	}
	return read, err
}

// unread reports whether what is acted on is in a run of which a sight only
// counted it: what it was is not known then.
func (ob *observer) unread(ctx context.Context, s *seen, r *report) bool {
	if r.node == 0 || !s.Folded() || s.Holds(ob.refs.Ref(snapshot.Place{Document: r.place.document, Node: r.node})) {
		return false
	}
	unread, err := r.place.world.Reveal(ctx, r.node, s.sight)
	return unread && err == nil
}

// observer says what an act changed on the page, for each viewer.
type observer struct {
	*base
	effects  *effects
	elements *elements
	reader   *reader
	audience audience
	sights   atomic.Int64 // the number of the last
}
