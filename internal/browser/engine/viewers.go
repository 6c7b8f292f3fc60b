package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

// Viewer is somebody to whom pages are shown: a party and the surface that it
// uses. A later report tells a viewer what changed since it was last shown a page.
type Viewer struct{ Actor, Surface string }

type viewerKey struct{}

// viewedAs is the viewer of a call, and whether it wants a report of what the
// call changed.
type viewedAs struct {
	by     Viewer
	report bool
}

// Viewing marks the calls with a context as calls of a viewer. With report, the
// results of Do say what changed on the page since the viewer was last shown it.
func Viewing(ctx context.Context, by Viewer, report bool) context.Context {
	return context.WithValue(ctx, viewerKey{}, viewedAs{by, report})
}

func viewedBy(ctx context.Context) viewedAs {
	v, _ := ctx.Value(viewerKey{}).(viewedAs)
	return v
}

// viewerState is what a viewer was last shown. It keeps one tab, and nothing of
// documents that are gone.
type viewerState struct {
	viewer   Viewer
	tab      *tab
	document string
	page     *observation   // nil if the page must be read before the next act
	at       action.Page    // address and title that the viewer knows
	written  uint64         // number of console messages at the last report
	gone     []string       // texts that came and went, not reported yet
	missed   snapshot.Delta // changes between what was shown and page, not reported yet
}

// viewers keeps what each viewer of a browser was last shown.
type viewers struct {
	mu  sync.Mutex
	all []*viewerState // the one that was used last is last
}

// stateLocked returns the state of a viewer and makes it the newest. isNew
// reports whether there was none.
func (w *viewers) stateLocked(v Viewer) (s *viewerState, isNew bool) {
	at := slices.IndexFunc(w.all, func(s *viewerState) bool { return s.viewer == v })
	if at >= 0 {
		s = w.all[at]
		w.all = slices.Delete(w.all, at, at+1)
	} else {
		s, isNew = &viewerState{viewer: v}, true
		w.all = w.all[max(0, len(w.all)-mostViewers+1):]
	}
	w.all = append(w.all, s)
	return s, isNew
}

// state returns a copy of a viewer's state. isNew reports whether there was none.
func (w *viewers) state(v Viewer) (s viewerState, isNew bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept, isNew := w.stateLocked(v)
	return *kept, isNew
}

// forget drops what was shown of a tab that is gone.
func (w *viewers) forget(t *tab) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.all {
		if s.tab == t {
			s.document, s.page, s.gone, s.missed = "", nil, nil, snapshot.Delta{}
		}
	}
}

// catchUp replaces the page that a viewer is compared with, if it is still had.
// The changes between the two pages are part of the viewer's next report.
func (w *viewers) catchUp(v Viewer, had, read *observation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, _ := w.stateLocked(v)
	if s.page != had {
		return
	}
	if had != nil {
		s.missed = appended(s.missed, snapshot.Changes(had.Page, read.Page, snapshot.DeltaOptions{Most: mostReport}))
	}
	s.page = read
}

// atPage notes where the page is now. It reports whether that is new to the
// viewer, and returns the console errors since its last report.
func (w *viewers) atPage(v Viewer, here action.Page, loaders map[string]string, log *netlog.Log) (moved bool, errs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, isNew := w.stateLocked(v)
	moved = s.at != here
	s.at = here
	if isNew {
		s.written = log.Written()
		return moved, nil
	}
	errs, s.written = log.Errors(s.written, loaders)
	return moved, errs
}

// show notes that a viewer was shown a page. read is nil if the page must be
// read before it can be compared. Without report, the viewer is also told where
// the page is.
func (w *viewers) show(v viewedAs, t *tab, document string, read *observation, here action.Page, written uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, isNew := w.stateLocked(v.by)
	s.tab, s.document, s.page, s.gone, s.missed = t, document, nil, nil, snapshot.Delta{}
	if read != nil && read.Compares() {
		s.page = read
	}
	if !v.report {
		s.at = here
		if isNew {
			s.written = written
		}
	}
}

// compare returns the changes from what a viewer was shown to what was read now,
// which is then what the viewer was shown. gone are lines about texts that came
// and went in the tab; acted is the reference of what was acted on. ok is false
// if the viewer was shown another document. conceal takes out secrets: more may
// be known by now than when the page was read.
func (w *viewers) compare(v Viewer, t *tab, document string, read *observation, gone []string, acted string, conceal func(*observation)) (delta snapshot.Delta, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.all {
		if other.tab == t {
			other.gone = append(other.gone, gone...)
			other.gone = other.gone[max(0, len(other.gone)-mostGone):]
		}
	}
	s, _ := w.stateLocked(v)
	before := s.page
	if before == nil || s.tab != t || s.document != document || read.since != before.idOrZero() {
		return delta, false
	}
	conceal(before)
	delta = snapshot.Changes(before.Page, read.Page, snapshot.DeltaOptions{Acted: acted, Most: mostReport})
	delta = appended(s.missed, delta)
	for _, line := range s.gone {
		delta.Text += line
	}
	s.page, s.gone, s.missed = read, nil, snapshot.Delta{}
	return delta, true
}

// appended returns changes followed by the changes that came after them.
func appended(first, then snapshot.Delta) snapshot.Delta {
	if first.Text != "" && then.Text != "" && !strings.HasPrefix(then.Text, "in ") {
		first.Text += "in page:\n"
	}
	text := first.Text + then.Text
	return snapshot.Delta{Text: text, Much: first.Much || then.Much || len(text) > mostReport}
}
