// Package observe keeps what each viewer of a browser was last shown of its pages, and
// says what changed since then.
package observe

import (
	"context"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	mostReport  = 5200 // bytes of changes, about 1,500 tokens; a longer report is a snapshot instead
	mostViewers = 4    // of a browser, for which is kept what they were shown
	mostGone    = 10   // texts that came and went, kept for each viewer
)

// Viewer is somebody to whom pages are shown: a party and the surface that it
// uses. A later report tells a viewer what changed since it was last shown a page.
type Viewer struct{ Actor, Surface string }

type viewerKey struct{}

// Call is the viewer of a call, and whether it wants a report of what the call
// changed.
type Call struct {
	By     Viewer
	Report bool
}

// Viewing marks the calls with a context as calls of a viewer. With report, the
// results of the calls say what changed on the page since the viewer was last shown it.
func Viewing(ctx context.Context, by Viewer, report bool) context.Context {
	return context.WithValue(ctx, viewerKey{}, Call{by, report})
}

// CallOf returns what Viewing noted.
func CallOf(ctx context.Context) Call {
	c, _ := ctx.Value(viewerKey{}).(Call)
	return c
}

// Page is one reading of a page, which can be compared with later ones.
type Page struct {
	*snapshot.Page
	ID    int // of the reading
	Since int // id of the reading that it can be compared with; 0 for none
}

// IDOrZero returns the id of a reading, 0 for nil.
func (p *Page) IDOrZero() int {
	if p == nil {
		return 0
	}
	return p.ID
}

// Shown is what somebody was shown: a document of a tab. Page is nil if the page must
// be read before it can be compared with a later reading.
type Shown struct {
	Tab      string
	Document string
	Page     *Page
}

// Console is what is reported of a browser's console.
type Console interface {
	Written() uint64
	Errors(since uint64, loaders map[string]string) (lines []string, now uint64)
}

// viewerState is what a viewer was last shown. It keeps one tab, and nothing of
// documents that are gone.
type viewerState struct {
	Shown
	viewer  Viewer
	at      action.Page    // address and title that the viewer knows
	written uint64         // number of console messages at the last report
	gone    []string       // texts that came and went, not reported yet
	missed  snapshot.Delta // changes between what was shown and Page, not reported yet
	earlier *snapshot.Page // the page before the last removal of nodes that was reported; nil if there was none in the document
}

// Viewers keeps what each viewer of a browser was last shown. It is safe for
// concurrent use.
type Viewers struct {
	all guarded.Value[states]
}

// states are the states of viewers. The one that was used last is last.
type states []*viewerState

// of returns the state of a viewer and makes it the newest. isNew reports whether
// there was none.
func (all *states) of(v Viewer) (s *viewerState, isNew bool) {
	at := slices.IndexFunc(*all, func(s *viewerState) bool { return s.viewer == v })
	if at >= 0 {
		s = (*all)[at]
		*all = slices.Delete(*all, at, at+1)
	} else {
		s, isNew = &viewerState{viewer: v}, true
		*all = (*all)[max(0, len(*all)-mostViewers+1):]
	}
	*all = append(*all, s)
	return s, isNew
}

// LastShown returns what a viewer was last shown. isNew reports whether it was shown
// nothing.
func (w *Viewers) LastShown(v Viewer) (shown Shown, isNew bool) {
	w.all.Do(func(all *states) {
		var s *viewerState
		s, isNew = all.of(v)
		shown = s.Shown
	})
	return shown, isNew
}

// Forget drops what was shown of a tab that is gone.
func (w *Viewers) Forget(tab string) {
	w.all.Do(func(all *states) {
		for _, s := range *all {
			if s.Tab == tab {
				s.Document, s.Page, s.gone, s.missed, s.earlier = "", nil, nil, snapshot.Delta{}, nil
			}
		}
	})
}

// CatchUp replaces the page that a viewer is compared with, if it is still had. The
// changes between the two pages are part of the viewer's next report.
func (w *Viewers) CatchUp(v Viewer, had, read *Page) {
	w.all.Do(func(all *states) {
		s, _ := all.of(v)
		if s.Page != had {
			return
		}
		if had != nil {
			s.missed = appended(s.missed, snapshot.Changes(had.Page, read.Page, snapshot.DeltaOptions{Most: mostReport}))
		}
		s.Page = read
	})
}

// AtPage notes where the page is now. It reports whether that is new to the viewer,
// and returns the console errors since its last report.
func (w *Viewers) AtPage(v Viewer, here action.Page, loaders map[string]string, console Console) (moved bool, errs []string) {
	w.all.Do(func(all *states) {
		s, isNew := all.of(v)
		moved = s.at != here
		s.at = here
		if isNew {
			s.written = console.Written()
			return
		}
		errs, s.written = console.Errors(s.written, loaders)
	})
	return moved, errs
}

// Show notes that the viewer of a call was shown a page. Without a report, the viewer
// is also told where the page is.
func (w *Viewers) Show(c Call, shown Shown, here action.Page, console Console) {
	if shown.Page != nil && !shown.Page.Compares() {
		shown.Page = nil
	}
	w.all.Do(func(all *states) {
		s, isNew := all.of(c.By)
		if s.Document != shown.Document {
			s.earlier = nil
		}
		s.Shown, s.gone, s.missed = shown, nil, snapshot.Delta{}
		if !c.Report {
			s.at = here
			if isNew {
				s.written = console.Written()
			}
		}
	})
}

// Compare returns the changes from what a viewer was shown to what was read now, which
// is then what the viewer was shown. gone are lines about texts that came and went in
// the tab; acted is the reference of what was acted on. ok is false if the viewer was
// shown another document. conceal takes out secrets: more may be known by now than
// when the page was read.
func (w *Viewers) Compare(v Viewer, now Shown, gone []string, acted string, conceal func(*Page)) (delta snapshot.Delta, ok bool) {
	w.all.Do(func(all *states) {
		for _, other := range *all {
			if other.Tab == now.Tab {
				other.gone = append(other.gone, gone...)
				other.gone = other.gone[max(0, len(other.gone)-mostGone):]
			}
		}
		s, _ := all.of(v)
		before := s.Page
		if before == nil || s.Tab != now.Tab || s.Document != now.Document || now.Page.Since != before.IDOrZero() {
			return
		}
		conceal(before)
		delta = snapshot.Changes(before.Page, now.Page.Page, snapshot.DeltaOptions{Acted: acted, Most: mostReport, Earlier: s.earlier})
		if delta.Removed {
			s.earlier = before.Page
		}
		delta = appended(s.missed, delta)
		for _, line := range s.gone {
			delta.Text += line
		}
		s.Page, s.gone, s.missed = now.Page, nil, snapshot.Delta{}
		ok = true
	})
	return delta, ok
}

// appended returns changes followed by the changes that came after them.
func appended(first, then snapshot.Delta) snapshot.Delta {
	if first.Text != "" && then.Text != "" && !strings.HasPrefix(then.Text, "in ") {
		first.Text += "in page:\n"
	}
	text := first.Text + then.Text
	return snapshot.Delta{Text: text, Much: first.Much || then.Much || len(text) > mostReport}
}
