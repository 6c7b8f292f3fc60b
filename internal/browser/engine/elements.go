package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// elements finds the elements that calls name, and pins them.
type elements struct {
	*base
	geometry *geometry
	last     lastLook
}

// locate finds the element that a locator names. It waits for the element as long
// as the caller says, otherwise until the page is stable.
func (es *elements) locate(ctx context.Context, t *tab, l action.Locator, timing action.Timing) (match, error) {
	if l.Zero() {
		return match{}, fault.New(fault.MissingSelector, "no element was named").
			Hinted("give a ref from a snapshot, a selector, a role with a name, a text, or x and y")
	}
	if l.Ref != "" {
		return es.byRef(ctx, t, l.Ref)
	}
	if isPoint(l) {
		s, err := es.hitTest(ctx, t, l)
		return s.match, err
	}
	if _, err := es.main(ctx, t); err != nil {
		return match{}, err
	}
	q, err := es.allowedQuery(ctx, injected.Query{Selector: l.Selector, Role: l.Role, Name: l.Name, Text: l.Text, Index: l.Index})
	if err != nil {
		return match{}, err
	}
	q.Strict = l.Strict
	wait := timing.Limit(findLimit)
	deadline, doubted := time.Now().Add(wait), time.Now().Add(min(wait, ambiguityLimit))
	for {
		h, err := es.search(ctx, t, q, l)
		if fault.CodeOf(err) == fault.Ambiguous && time.Now().Before(doubted) && !es.isStable(ctx, t) {
			if err := sleep(ctx, pollInterval); err != nil {
				return match{}, err
			}
			continue
		}
		if err != nil && !moved(err) || h.node != 0 {
			return h, err
		}
		left := time.Until(deadline)
		switch {
		case left <= 0:
			return match{}, notFound(l, "after "+wait.String())
		case err == nil && timing.Timeout == 0 && es.isStable(ctx, t):
			return match{}, notFound(l, "on the page, which has loaded and stands still")
		}
		if err := es.pollOnce(ctx, t, q, min(left, pollInterval)); err != nil {
			return match{}, err
		}
	}
}

// ambiguityLimit is how long a locator may match several elements of a page that
// still changes, before it is refused as ambiguous.
const ambiguityLimit = time.Second

// pollInterval is how long only the main frame is watched before all frames are
// searched again.
const pollInterval = 150 * time.Millisecond

// pollOnce waits in the main frame for the element to appear there.
func (es *elements) pollOnce(ctx context.Context, t *tab, q injected.Query, wait time.Duration) error {
	p, err := es.main(ctx, t)
	if err != nil {
		return err
	}
	q.Wait = int(wait/time.Millisecond) + 1
	started := time.Now()
	_, err = p.world.Find(ctx, q)
	if err != nil && !moved(err) {
		return err
	}
	return sleep(ctx, min(wait, 10*time.Millisecond)-time.Since(started)) // not too often, if the page answers at once
}

// sleep waits, at most until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// search looks through all frames once, the main frame first. It returns the first
// visible match in that order, or the match that the query's index names.
func (es *elements) search(ctx context.Context, t *tab, q injected.Query, l action.Locator) (match, error) {
	var best match
	var distinct []match
	total := 0
	for _, p := range es.places(t) {
		found, err := es.searchIn(ctx, p, q)
		if err != nil {
			if p.frame == t.root || !moved(err) {
				return match{}, err
			}
			continue
		}
		total += found.Matches
		for _, node := range found.Distinct {
			distinct = append(distinct, match{place: p, node: node})
		}
		if q.Index != nil {
			rest := *q.Index - found.Matches
			q.Index = &rest
		}
		if found.Node == 0 || found.Facts == nil {
			continue
		}
		h := match{place: p, node: found.Node, facts: *found.Facts, visible: q.Index != nil || found.Visible > 0}
		if best.node == 0 || h.visible && !best.visible {
			best = h
		}
		if best.visible && !q.Strict {
			break
		}
	}
	if q.Strict && len(distinct) > 1 {
		return match{}, es.ambiguous(ctx, l, distinct)
	}
	best.matches = total
	return best, nil
}

func (es *elements) searchIn(ctx context.Context, p place, q injected.Query) (injected.Found, error) {
	found, err := p.world.Find(ctx, q)
	if err != nil {
		return found, err
	}
	if found.Node == 0 && q.Selector == "" {
		// Elements in closed shadow roots are found by role and text once our script
		// knows the roots.
		news, err := p.world.Pierce(ctx)
		if err != nil {
			return found, err
		}
		if news > 0 {
			if found, err = p.world.Find(ctx, q); err != nil {
				return found, err
			}
		}
	}
	return es.filterByText(ctx, p, q, found)
}

// isStable reports whether nothing loads in a tab and nothing has changed in its
// documents for a while. An element that is missing then will not appear.
func (es *elements) isStable(ctx context.Context, t *tab) bool {
	var since time.Duration
	quiet := guarded.Get(es.state, func(*state) bool {
		since = time.Since(t.lastBusy)
		return t.root.events["load"] && len(t.inflight) == 0 && len(t.coming()) == 0 && !es.ledger.Waiting(t.id)
	})
	if !quiet {
		return false
	}
	for _, p := range es.places(t) {
		still, err := p.world.Idle(ctx)
		if err != nil || still.Scripts && min(since, still.For()) < quietFor {
			return false
		}
	}
	return true
}

const quietFor = 500 * time.Millisecond // without a change or request, of a page with scripts

// ambiguous returns the fault of a locator that matches several elements, with
// their names and references.
func (es *elements) ambiguous(ctx context.Context, l action.Locator, distinct []match) error {
	const most = 8
	var names []string
	for _, h := range distinct[:min(most, len(distinct))] {
		facts, err := h.place.world.Facts(ctx, h.node)
		if err != nil || facts.Gone {
			continue
		}
		h.facts = facts
		names = append(names, es.candidate(h))
	}
	more := ""
	if len(distinct) > len(names) {
		more = fmt.Sprintf(" and %d more", len(distinct)-len(names))
	}
	return fault.New(fault.Ambiguous, "%d elements match %s, and nothing was done: %s%s", len(distinct), describe(l), strings.Join(names, "; "), more).
		Hinted("name the one that you mean by its ref, or by index").With("matches", len(distinct)).With("candidates", names)
}

// candidate describes an element in a few words: role, name, reference, and what
// distinguishes it from others of its name.
func (es *elements) candidate(h match) string {
	e := es.element(h)
	text := fmt.Sprintf("%s %q [%s]", e.Role, untrusted.Shorten(untrusted.Title(e.Name), 60), e.Ref)
	if where := untrusted.Title(cmp.Or(e.Item, h.facts.Row, e.Dialog, e.Within)); where != "" {
		text += fmt.Sprintf(" in %q", untrusted.Shorten(where, 60))
	}
	if es.credentialed() {
		text = es.concealer().Text(text)
	}
	return text
}

func notFound(l action.Locator, when string) error {
	return fault.New(fault.NotFound, "no element matches %s %s", describe(l), when).
		Hinted("take a snapshot to see what is there, and name the element by its ref")
}

func describe(l action.Locator) string {
	switch {
	case l.Selector != "":
		return fmt.Sprintf("selector %q", l.Selector)
	case l.Role != "" && l.Name != "":
		return fmt.Sprintf("role %q with name %q", l.Role, l.Name)
	case l.Role != "":
		return fmt.Sprintf("role %q", l.Role)
	}
	return fmt.Sprintf("text %q", l.Text)
}
