package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	waitDefault = 5 * time.Second        // of a call that names no timeout
	quiet       = 500 * time.Millisecond // without a request: Chromium's definition of networkidle
)

func waitLimit(a *action.WaitFor) time.Duration {
	if a.Timeout == nil {
		return waitDefault
	}
	return min(time.Duration(max(*a.Timeout, 0))*time.Millisecond, 120*time.Second)
}

// waitFor waits until all conditions hold at the same time. A time-out is a result
// and no error.
func (ct *contents) waitFor(ctx context.Context, t *tab, a *action.WaitFor, _ action.Pin) (any, error) {
	w, err := ct.wanted(ctx, a)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(waitLimit(a))
	for {
		holds, err := ct.holds(ctx, t, w)
		if err != nil && !moved(err) || holds {
			return waited(holds, err)
		}
		left := time.Until(deadline)
		if left <= 0 {
			return &action.Waited{}, nil
		}
		came, err := ct.watch(ctx, t, w, left)
		if err != nil || came {
			return waited(came, err)
		}
	}
}

// waited returns the result. A wait that a dialog interrupts has found nothing.
func waited(found bool, err error) (any, error) {
	if err != nil && !errors.Is(err, errDialog) && !isContext(err) {
		return nil, err
	}
	return &action.Waited{Found: found}, err
}

// wanted are the conditions of a wait.
type wanted struct {
	element injected.Conditions // zero Query: no element
	ref     string
	located bool
	gone    string
	url     string
	idle    bool
}

func (ct *contents) wanted(ctx context.Context, a *action.WaitFor) (wanted, error) {
	w := wanted{gone: a.TextGone, url: a.URL, idle: a.NetworkIdle, ref: a.Ref, located: !a.Zero()}
	q := injected.Query{Selector: a.Selector, Role: a.Role, Name: a.Name, Text: a.Text, Index: a.Index}
	state := a.State
	if a.Zero() && a.TextGone == "" && a.URL == "" && !a.NetworkIdle {
		q.Selector, w.located = "body", true
	}
	if a.Text != "" && a.Selector == "" && a.Role == "" && state == "" {
		state = "visible" // a text is there when it is visible
	}
	q, err := ct.allowedQuery(ctx, q)
	w.element = injected.Conditions{Query: q, State: state}
	return w, err
}

// anywhere reports whether the conditions hold as soon as they hold in one frame, so
// that the others need not be asked.
func (w wanted) anywhere() bool {
	return w.located && w.ref == "" && w.gone == "" && w.url == "" && !w.idle && !w.element.Seen && !w.absent()
}

func (w wanted) absent() bool {
	return w.element.State == "detached" || w.element.State == "hidden"
}

func (ct *contents) holds(ctx context.Context, t *tab, w wanted) (bool, error) {
	var url string
	idle := guarded.Get(ct.state, func(*state) bool {
		url = t.root.url
		return len(t.inflight) == 0 && time.Since(t.lastBusy) >= quiet
	})
	if w.url != "" && !strings.Contains(ct.readAs(ctx, url), w.url) || w.idle && !idle {
		return false, nil
	}
	if w.element.Seen {
		return ct.seenHolds(ctx, t, w)
	}
	if w.gone != "" {
		gone, err := ct.inFrames(ctx, t, injected.Conditions{TextGone: w.gone}, true)
		if err != nil || !gone {
			return false, err
		}
	}
	switch {
	case !w.located:
		return true, nil
	case w.ref != "":
		return ct.refHolds(ctx, t, w)
	}
	return ct.inFrames(ctx, t, w.element, w.absent())
}

// seenHolds is holds for callers that may only find what a person could see.
func (ct *contents) seenHolds(ctx context.Context, t *tab, w wanted) (bool, error) {
	if _, err := ct.main(ctx, t); err != nil {
		return false, err
	}
	if w.gone != "" {
		h, err := ct.elements.search(ctx, t, injected.Query{Text: w.gone, Seen: true}, action.Locator{})
		if err != nil || h.node != 0 {
			return false, err
		}
	}
	switch {
	case !w.located:
		return true, nil
	case w.ref != "":
		return ct.refHolds(ctx, t, w)
	}
	h, err := ct.elements.search(ctx, t, w.element.Query, action.Locator{})
	return (h.node != 0) != w.absent(), err
}

// readAs returns an address in which a caller's text is searched: as callers are
// shown it, or as it is for operators.
func (b *base) readAs(ctx context.Context, address string) string {
	if ctx.Value(trusted{}) == true {
		return address
	}
	return b.concealer().Text(pagetext.MaskURL(address))
}

// inFrames reports whether a condition holds now in every frame, or in any.
func (ct *contents) inFrames(ctx context.Context, t *tab, c injected.Conditions, every bool) (bool, error) {
	if _, err := ct.main(ctx, t); err != nil {
		return false, err
	}
	for _, p := range ct.places(t) {
		if c.Selector == "" {
			if _, err := p.world.Pierce(ctx); err != nil && !moved(err) {
				return false, err
			}
		}
		r, err := p.world.Wait(ctx, c)
		if err != nil {
			return false, err
		}
		if r.Found != every {
			return r.Found, nil
		}
	}
	return every, nil
}

// refHolds reports whether the condition holds for the element of a reference, which
// can only disappear or change whether it is visible.
func (ct *contents) refHolds(ctx context.Context, t *tab, w wanted) (bool, error) {
	h, err := ct.elements.byRef(ctx, t, w.ref)
	if fault.CodeOf(err) == fault.StaleRef {
		if w.absent() {
			return true, nil
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	r, err := h.place.world.Wait(ctx, injected.Conditions{Query: injected.Query{Node: h.node}, State: w.element.State})
	return r.Found, err
}

// watch waits for a short time: in the main frame for the condition itself,
// otherwise for time to pass. came reports that the condition holds in the main
// frame and that this is enough.
func (ct *contents) watch(ctx context.Context, t *tab, w wanted, left time.Duration) (came bool, err error) {
	const least = 20 * time.Millisecond
	started := time.Now()
	span := min(left, pollInterval)
	if p, ok := ct.rootPlace(t); ok && w.ref == "" && (w.located || w.gone != "") {
		c := w.element
		c.TextGone = w.gone
		c.Wait = int(span/time.Millisecond) + 1
		r, err := p.world.Wait(ctx, c)
		if err != nil && !moved(err) || err == nil && r.Found && w.anywhere() {
			return err == nil, err
		}
		return false, sleep(ctx, min(left, least)-time.Since(started))
	}
	return false, sleep(ctx, min(left, 2*least))
}
