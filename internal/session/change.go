package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	lookLimit = 2 * time.Second // to list a browser's tabs, which it knows without asking the page
	mostNotes = 20              // kept for the agent's next answer
	shownText = 120             // characters of a title or an address in a note
)

// view is what a browser has open.
type view struct {
	Page action.Page `json:"page"` // the active one
	Tabs []string    `json:"tabs"` // ids
}

// sight is a view, and what the page engine would have told the next caller.
type sight struct {
	view  view
	notes []string
}

// look sees what a session has open, as far as the browser says.
func (r *Registry) look(ctx context.Context, l *live) sight {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	browser := l.stage().browser
	if browser == nil {
		return sight{}
	}
	seen := sight{view: view{Page: browser.Page()}}
	result, err := browser.Do(ctx, "tab.list", &action.None{}, action.Pin{})
	if err != nil {
		r.log.DebugContext(ctx, "cannot see what a session has open", "session", l.id, "error", err)
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

// since says in a few words how what is open differs from what was.
func (v view) since(before view) string {
	opened, shut := missing(v.Tabs, before.Tabs), missing(before.Tabs, v.Tabs)
	var changes []string
	retitled := v.Page.Title != before.Page.Title && v.Page.Title != "" && before.Page.Title != "" // it may not be known yet
	if v.Page.URL != before.Page.URL || retitled {
		changes = append(changes, fmt.Sprintf("the page went from %s to %s", place(before.Page), place(v.Page)))
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

// place is a page in a note. Its title is the page's own words.
func place(p action.Page) string {
	where := cut(bare(p.URL), shownText)
	if p.Title != "" {
		where += fmt.Sprintf(" %q", cut(p.Title, shownText))
	}
	return where
}

func cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}

// note keeps notes for the agent's next answer. mu must be held.
func (l *live) note(notes ...string) {
	all := append(l.control.Notes, notes...)
	l.control.Notes = slices.Clone(all[max(0, len(all)-mostNotes):])
	l.dirty = true
}

// QueueNotice has a session say something with the next answer to an agent, once.
// One that is over says nothing.
func (r *Registry) QueueNotice(session, words string) {
	r.mu.Lock()
	l := r.live[session]
	r.mu.Unlock()
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(words)
	r.askToSave()
}

// tellAgent adds what its session has to say to an agent's answer, once.
func (r *Registry) tellAgent(result *action.Result) {
	r.mu.Lock()
	l := r.live[result.Session]
	r.mu.Unlock()
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if warning := r.warning(l, time.Now()); warning != "" && l.control.Hold == nil && l.ending == nil {
		result.Notes = append(result.Notes, warning)
	}
	if l.control.Hold != nil || len(l.control.Notes) == 0 {
		return
	}
	result.Notes = append(l.control.Notes, result.Notes...)
	l.control.Notes, l.dirty = nil, true
	r.askToSave()
}

// text is c as it is stored; the zero control is nothing.
func (c control) text() (string, error) {
	if c.Hold == nil && len(c.Notes) == 0 && !c.Scripted && c.Actions == 0 && c.Until.IsZero() {
		return "", nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("cannot encode who holds a session: %w", err)
	}
	return string(text), nil
}

// read reads what text wrote.
func (c *control) read(text string) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return fmt.Errorf("cannot read who holds a session: %w", err)
	}
	return nil
}
