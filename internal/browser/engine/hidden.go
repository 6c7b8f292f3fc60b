package engine

import (
	"cmp"
	"context"

	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// Hidden tabs are tabs of a crawl. No verb lists them or acts on them, and they
// leave nothing in the console and in the list of requests.

// visit is one page that a hidden tab goes to.
type visit struct {
	address   string // without a fragment
	resources bool
	reply     *reply // what the engine answers in place of the server; nil: the server is asked
	begun     bool   // its document was requested
	missed    bool   // a document or a style sheet could not be had
	redirect  string // address that the server or the page itself led to
	status    int
	mime      string
}

// unneeded are the types of requests that a crawl does without.
var unneeded = []string{"Image", "Media", "Font", "Ping"}

// everyRequest makes the browser ask the engine before it makes any request.
var everyRequest = map[string]any{"patterns": []map[string]string{{"urlPattern": "*", "requestStage": "Request"}}}

// intercepted returns the requests that a target asks about before they are made; nil
// for none: see requestPaused.
func intercepted(hidden, resources bool) map[string]any {
	switch {
	case !hidden:
		return nil
	case resources:
		return documentsOnly
	}
	patterns := []map[string]string{{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}}
	for _, kind := range unneeded {
		patterns = append(patterns, map[string]string{"urlPattern": "*", "resourceType": kind, "requestStage": "Request"})
	}
	return map[string]any{"patterns": patterns}
}

// hiddenTab says which hidden tab is opened.
type hiddenTab struct {
	context   string         // its browser context; empty for that of the session's tabs
	intercept map[string]any // the requests that the engine is asked about
	offline   bool           // see offlineTab
}

// setVisit says which page a hidden tab goes to; nil for none.
func (b *base) setVisit(t *tab, v *visit) {
	b.state.Do(func(*state) { t.visit = v })
}

// usable reports whether a tab is open and has not crashed.
func (b *base) usable(t *tab) bool {
	return guarded.Get(b.state, func(*state) bool { return !t.closed && !t.crashed })
}

// guardAllows reports whether the guard lets an address through.
func (b *base) guardAllows(address string) bool {
	guard := b.options().Guard
	return guard != nil && guard(address) == nil
}

// newHiddenTab opens a hidden tab. Until its id is known, no new tab that no page
// opened becomes the active one: see show.
func (ts *targets) newHiddenTab(ctx context.Context, h hiddenTab) (*tab, error) {
	params := map[string]any{"url": "about:blank", "background": true}
	ts.state.Do(func(s *state) {
		if in := cmp.Or(h.context, s.context); in != "" {
			params["browserContextId"] = in
		}
		s.hiding++
	})
	t, err := ts.hide(ctx, params, h.offline)
	ts.state.Do(func(s *state) {
		if s.hiding--; s.hiding == 0 {
			for _, other := range s.tabs {
				s.show(other)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err = t.wait(ctx); err == nil {
		err = t.main.session.Call(ctx, "Fetch.enable", h.intercept, nil)
	}
	if err != nil {
		ts.discard(ctx, t)
		return nil, err
	}
	return t, nil
}

func (ts *targets) hide(ctx context.Context, params map[string]any, offline bool) (*tab, error) {
	var made struct {
		ID string `json:"targetId"`
	}
	if err := ts.root.Call(ctx, "Target.createTarget", params, &made); err != nil {
		return nil, err
	}
	var t *tab
	err := ts.await(ctx, func(s *state) bool {
		if t = s.tabs[made.ID]; t != nil {
			t.hidden, t.main.hidden, t.offline = true, true, offline
		}
		return t != nil
	})
	return t, err
}

// judgeVisit decides on a request of a hidden tab: its own document and the
// requests that this needs are let through.
func (dg *documentGuard) judgeVisit(s *state, t *tab, from *target, p paused) {
	session := from.session
	refuse := func(reason string) {
		dg.work.add(func() {
			session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": reason})
		})
	}
	v := t.visit
	switch {
	case v == nil:
		refuse("Aborted") // the tab is between two pages
	case v.reply != nil:
		dg.replyTo(s, t, from, p)
	case p.Type != "" && p.Type != "Document":
		refuse("BlockedByClient")
	case p.Frame != t.root.id:
		dg.ask(s, session, t, p)
	case !v.begun && sameDocument(v.address, p.Request.URL):
		v.begun = true
		dg.ask(s, session, t, p)
	default:
		if v.redirect == "" && v.begun && !sameDocument(v.address, p.Request.URL) {
			v.redirect = p.Request.URL
		}
		refuse("Aborted")
	}
}

// sameDocument compares addresses as the browser parses them, without the
// fragment.
func sameDocument(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := parser.Parse(a)
	y, errY := parser.Parse(b)
	return errX == nil && errY == nil && pagetext.Unescape(x.Href(true)) == pagetext.Unescape(y.Href(true))
}

// isHidden reports whether a target belongs to a crawl.
func (t *target) isHidden() bool { return t != nil && (t.hidden || t.tab != nil && t.tab.hidden) }
