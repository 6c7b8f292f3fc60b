package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	lookLimit = 2 * time.Second // to list a browser's tabs, which needs no answer of a page
	maxNotes  = 20              // stored for the agent's next answer
	shownText = 120             // characters of a title or an address in a note
)

// view is what is open in a browser.
type view struct {
	Page action.Page `json:"page"` // the active one
	Tabs []string    `json:"tabs"` // ids
}

// observation is a view with the page engine's notes for the next caller.
type observation struct {
	view  view
	notes []string
}

// view returns what a session's browser has open, as far as the browser says.
func (c *control) view(ctx context.Context, sess *openSession) observation {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	browser := sess.stage().browser
	if browser == nil {
		return observation{}
	}
	seen := observation{view: view{Page: browser.Page()}}
	result, err := browser.Do(ctx, action.VerbTabList.Name, &action.None{}, action.Pin{})
	if err != nil {
		c.log.DebugContext(ctx, "cannot see what a session has open", "session", sess.id, "error", err)
		return seen
	}
	seen.notes = result.Notes
	if tabs, ok := result.Data.(*action.TabListing); ok && tabs != nil {
		for _, tab := range tabs.Tabs {
			seen.view.Tabs = append(seen.view.Tabs, tab.ID)
		}
	}
	return seen
}

// since describes what changed since an earlier view.
func (v view) since(before view) string {
	opened, shut := missing(v.Tabs, before.Tabs), missing(before.Tabs, v.Tabs)
	var changes []string
	retitled := v.Page.Title != before.Page.Title && v.Page.Title != "" && before.Page.Title != "" // a title may not be known yet
	if v.Page.URL != before.Page.URL || retitled {
		changes = append(changes, fmt.Sprintf("the page went from %s to %s", describePage(before.Page), describePage(v.Page)))
	}
	for _, tabs := range []struct {
		n   int
		did string
	}{{opened, "opened"}, {shut, "closed"}} {
		if tabs.n > 0 {
			changes = append(changes, fmt.Sprintf("tabs %s: %d", tabs.did, tabs.n))
		}
	}
	if len(changes) == 0 {
		return "address, title and tabs are as before; what is on the page may not be"
	}
	return strings.Join(changes, "; ")
}

// missing counts what is in a and not in b.
func missing(a, b []string) (n int) {
	for _, id := range a {
		if !slices.Contains(b, id) {
			n++
		}
	}
	return n
}

// describePage describes a page for a note. The title is quoted, because the page
// chose it.
func describePage(p action.Page) string {
	where := untrusted.Shorten(bare(p.URL), shownText)
	if p.Title != "" {
		where += fmt.Sprintf(" %q", untrusted.Shorten(p.Title, shownText))
	}
	return where
}

// addNote stores notes for the agent's next answer.
func (s *sessionState) addNote(notes ...string) {
	all := append(s.pause.Notes, notes...)
	s.pause.Notes = slices.Clone(all[max(0, len(all)-maxNotes):])
	s.dirty = true
}

// takeNotes returns the notes for the agent's next answer, once. A paused
// session keeps them.
func (o *openSession) takeNotes() (notes []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.pause.Hold != nil || len(o.state.pause.Notes) == 0 {
		return nil
	}
	notes, o.state.pause.Notes, o.state.dirty = o.state.pause.Notes, nil, true
	return notes
}

// queueNotice adds a note to the next answer to an agent of a session, once.
func (c *control) queueNotice(session, words string) {
	sess := c.sessions.withID(session)
	if sess == nil {
		return
	}
	sess.with(func(st *sessionState) { st.addNote(words) })
	c.saver.ask()
}

// addNotes adds the notes and warnings of the session to an agent's answer, once.
func (c *control) addNotes(result *action.Result) {
	sess := c.sessions.withID(result.Session)
	if sess == nil {
		return
	}
	at := sess.snapshot()
	if warning := c.warning(&at, time.Now()); warning != "" && at.pause.Hold == nil && at.ending == nil {
		result.Notes = append(result.Notes, warning)
	}
	if notes := sess.takeNotes(); len(notes) > 0 {
		result.Notes = append(notes, result.Notes...)
		c.saver.ask()
	}
}
