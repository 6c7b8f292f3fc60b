package engine

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

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

// following are changes with those that came after them.
func following(first, then snapshot.Delta) snapshot.Delta {
	if first.Text != "" && then.Text != "" && !strings.HasPrefix(then.Text, "in ") {
		first.Text += "in page:\n"
	}
	text := first.Text + then.Text
	return snapshot.Delta{Text: text, Much: first.Much || then.Much || len(text) > mostReport}
}
