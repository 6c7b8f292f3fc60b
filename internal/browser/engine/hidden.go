package engine

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// Hidden tabs are those of a crawl: no verb lists them, acts on them or is told
// of them, and they leave no trace in the console and the list of requests.

// visit is one page that a hidden tab goes to. Its fields are guarded by
// Browser.mu.
type visit struct {
	address   string // without a fragment
	resources bool
	empty     bool   // an empty document is all there is to see
	begun     bool   // its document was requested
	redirect  string // where a server or the page itself would have gone on
	status    int
	mime      string
}

// unneeded are the types of requests that tell a crawl nothing.
var unneeded = []string{"Image", "Media", "Font", "Ping"}

// intercepted are the requests that we are asked about before they are made.
func intercepted(hidden, resources bool) map[string]any {
	if !hidden || resources {
		return documentsOnly
	}
	patterns := []map[string]string{{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}}
	for _, kind := range unneeded {
		patterns = append(patterns, map[string]string{"urlPattern": "*", "resourceType": kind, "requestStage": "Request"})
	}
	return map[string]any{"patterns": patterns}
}

// newHiddenTab opens a tab beside the ones there are. Until its id is known,
// tabs that no page opened are in limbo: none of them becomes the active one.
func (b *Browser) newHiddenTab(ctx context.Context, o CrawlOptions) (*tab, error) {
	b.mu.Lock()
	params := map[string]any{"url": "about:blank", "background": true}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	b.hiding++
	b.mu.Unlock()
	t, err := b.hide(ctx, params)
	b.mu.Lock()
	b.hiding--
	if b.hiding == 0 {
		for _, other := range b.tabs {
			b.targets.show(other)
		}
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err = t.wait(ctx); err == nil {
		err = t.main.session.Call(ctx, "Fetch.enable", intercepted(true, o.Resources), nil)
	}
	if err != nil {
		b.targets.discard(ctx, t)
		return nil, err
	}
	return t, nil
}

func (b *Browser) hide(ctx context.Context, params map[string]any) (*tab, error) {
	var made struct {
		ID string `json:"targetId"`
	}
	if err := b.root.Call(ctx, "Target.createTarget", params, &made); err != nil {
		return nil, err
	}
	var t *tab
	err := b.await(ctx, func() bool {
		if t = b.tabs[made.ID]; t != nil {
			t.hidden, t.main.hidden = true, true
		}
		return t != nil
	})
	return t, err
}

// show makes a tab of limbo the active one. b.mu is held.
func (ts *targets) show(t *tab) {
	if !t.hidden && !slices.Contains(ts.order, t) {
		ts.order = append(ts.order, t)
		ts.change()
	}
}

// unwanted reports whether a new page was opened from a hidden tab: such a
// page is closed before it runs. One that does not name its opener counts as
// such as long as a hidden tab has asked for one. b.mu is held.
func (ts *targets) unwanted(opener string) bool {
	if o := ts.tabs[opener]; o != nil {
		return o.hidden
	}
	for _, t := range ts.tabs {
		if t.hidden && t.popups.asked > t.popups.done && ts.making+ts.hiding == 0 {
			t.popups.done++
			return true
		}
	}
	return false
}

// judgeVisit answers the browser for a request of a hidden tab: its own
// document and what that needs. b.mu is held.
func (dg *documentGuard) judgeVisit(t *tab, from *target, p paused) {
	session := from.session
	refuse := func(reason string) {
		dg.work.add(func() {
			session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": reason})
		})
	}
	v := t.visit
	switch {
	case v == nil:
		refuse("Aborted") // between two pages nothing is wanted
	case v.empty:
		if p.Frame != t.root.id || p.Request.URL != v.address {
			refuse("Aborted")
			return
		}
		dg.answerEmpty(from, p)
	case p.Type != "" && p.Type != "Document":
		refuse("BlockedByClient")
	case p.Frame != t.root.id:
		dg.ask(t, from, p)
	case !v.begun && sameDocument(v.address, p.Request.URL):
		v.begun = true
		dg.ask(t, from, p)
	default:
		if v.redirect == "" && v.begun && !sameDocument(v.address, p.Request.URL) {
			v.redirect = p.Request.URL
		}
		refuse("Aborted")
	}
}

// sameDocument compares addresses as the browser reads them, but for the
// fragment.
func sameDocument(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := parser.Parse(a)
	y, errY := parser.Parse(b)
	return errX == nil && errY == nil && pagetext.Unescape(x.Href(true)) == pagetext.Unescape(y.Href(true))
}

// isHidden reports whether a request or message of a target is a crawl's.
func (t *target) isHidden() bool { return t != nil && (t.hidden || t.tab != nil && t.tab.hidden) }
