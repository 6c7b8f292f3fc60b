package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
)

const (
	lateStart    = 100 * time.Millisecond // for an effect to begin, where the page listens and nothing happened yet: a debounce
	calmLimit    = 500 * time.Millisecond // for changes to end
	requestLimit = 2 * time.Second        // for requests that an act made
	landLimit    = 500 * time.Millisecond // for the first requests and changes of a new document, once it is loaded
	drawLimit    = 2 * time.Second        // the same, where it shows nothing yet or says that it is loading
	afterAnswer  = 50 * time.Millisecond  // for a page to show what it was answered
)

// heardBy are the events that a page may answer late, by verb.
var heardBy = map[string][]string{
	"page.click":       {"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "contextmenu", "change", "input", "submit"},
	"page.type":        {"input", "keydown", "keyup", "keypress", "beforeinput", "change", "submit"},
	"page.fill_secret": {"input", "keydown", "keyup", "keypress", "beforeinput", "change"},
	"page.press":       {"keydown", "keyup", "keypress", "input", "beforeinput", "change", "click", "submit"},
	"page.select":      {"change", "input"},
	"page.hover":       {"mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter", "pointermove"},
	"page.upload":      {"change", "input"},
	"page.drag":        {"drop", "dragend", "mouseup", "pointerup"},
}

// calm waits for what a verb set off: changes of the document it acted in, and
// requests with what they change. A page that does nothing costs a round trip or
// two. It reports whether something was still going on.
func (b *Browser) calm(ctx context.Context, t *tab, r *report) (late bool) {
	ctx, stop := context.WithTimeout(ctx, requestLimit+calmLimit)
	defer stop()
	var c injected.Calmed
	defer func() { r.stirred, r.drawn = c.Stirred, c.Drawn }()
	c, err := r.calmed(ctx, r.place, b.calmAfter(t, r))
	if err != nil {
		return false // the document is gone, or the page is busy: what is read next says so
	}
	news, heeded := b.heedAhead(ctx, r)
	still := heeded && c.Still
	if !c.Stirred && news.Controls+news.Others > 0 { // among them may be one that answers late
		still = false
		c, err = r.calmed(ctx, r.place, b.calmAfter(t, r))
	}
	for err == nil && b.pending(t, r) {
		if b.answered(ctx, t, r) != nil {
			return true
		}
		q := b.calmAfter(t, r)
		q.Late, q.Kinds, still = inMS(afterAnswer), nil, false
		c, err = r.calmed(ctx, r.place, q)
	}
	if err != nil {
		return false
	}
	if c.Tree != nil && !still {
		news, err = b.heed(ctx, r.place)
	}
	if err == nil && news.Controls == 0 && c.Tree != nil && len(c.Tree.Hosts) == 0 {
		r.read = c.Tree
		tellWorld(r.place, "passed", struct{}{})
	}
	return c.Busy
}

// calmAfter says how what a verb set off is waited for.
func (b *Browser) calmAfter(t *tab, r *report) injected.Calm {
	q := injected.Calm{Most: inMS(calmLimit), Walk: b.walkAlone(t, r)}
	if kinds := heardBy[r.verb]; r.node != 0 && len(kinds) > 0 {
		q.Late, q.Kinds = inMS(lateStart), kinds
	}
	return q
}

func inMS(d time.Duration) int { return int(d / time.Millisecond) }

// pending reports whether requests of the verb run.
func (b *Browser) pending(t *tab, r *report) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t.asks(r.busy, b.ledger.Holds)
}

// answered waits until they do not.
func (b *Browser) answered(ctx context.Context, t *tab, r *report) error {
	return b.await(ctx, func() bool { return t.closed || t.crashed || !t.asks(r.busy, b.ledger.Holds) })
}

// waitedFor are the kinds of requests that pages show something of.
var waitedFor = map[string]bool{"XHR": true, "Fetch": true, "Script": true, "Stylesheet": true}

// endpoint is what a request asks, without its query: a page that polls asks
// the same again and again.
func endpoint(p netlog.Event) string {
	address, _, _ := strings.Cut(p.Request.URL, "?")
	return p.Request.Method + " " + address
}

// requests are those of the kinds that are waited for, by id. b.mu is held.
func (t *tab) requests() map[string]string { return maps.Clone(t.asking) }

// asks reports whether there are requests that did not run before, ask
// something else than those that did, and do not wait for a person. b.mu is held.
func (t *tab) asks(before map[string]string, waits func(id string) bool) bool {
	for id, what := range t.asking {
		if _, ran := before[id]; ran || waits(id) {
			continue
		}
		polls := false
		for _, other := range before {
			polls = polls || other == what
		}
		if !polls {
			return true
		}
	}
	return false
}

// passed ends the wait, and returns lines for what came and went meanwhile, in
// the main frame and the one that was acted in.
func (b *Browser) passed(ctx context.Context, t *tab, r *report) []string {
	root, ok := b.rootPlace(t)
	worlds := []injected.Frame{r.place.world}
	if ok && root.document != r.place.document {
		worlds = append(worlds, root.world)
	}
	for _, w := range worlds {
		if w.Session == nil {
			continue
		}
		p, err := w.Passed(ctx)
		if err != nil {
			continue
		}
		r.gone = append(r.gone, p.Gone...)
	}
	return b.lines(r.gone)
}

// lines are said of words that came and went.
func (b *Browser) lines(gone []injected.Passing) (lines []string) {
	for _, said := range gone {
		if b.credentialed() {
			said.Text = b.concealer().Text(said.Text)
		}
		lines = append(lines, fmt.Sprintf("+ %s %q (gone)\n", said.Role, said.Text))
	}
	return lines
}
