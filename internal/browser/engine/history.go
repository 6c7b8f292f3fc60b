package engine

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

type history struct {
	Current int `json:"currentIndex"`
	Entries []struct {
		ID  int    `json:"id"`
		URL string `json:"url"`
	} `json:"entries"`
}

func (nv *navigator) back(ctx context.Context, t *tab, _ *action.None, _ action.Pin) (any, error) {
	if nv.dropFile(t) { // the page before the file is still there
		nv.observer.viewers.Forget(t.id)
		here := nv.facts(t)
		return &here, nil
	}
	return nv.travel(ctx, t, -1)
}

func (nv *navigator) forward(ctx context.Context, t *tab, _ *action.None, _ action.Pin) (any, error) {
	return nv.travel(ctx, t, +1)
}

// travel goes along the history. At the end of the history it does nothing.
func (nv *navigator) travel(ctx context.Context, t *tab, by int) (any, error) {
	var h history
	if err := t.main.session.Call(ctx, "Page.getNavigationHistory", nil, &h); err != nil {
		return nil, err
	}
	to := h.Current + by
	if to < 0 || to >= len(h.Entries) {
		here := nv.facts(t)
		return &here, nil
	}
	before := nv.effects.mark(t)
	entry := map[string]int{"entryId": h.Entries[to].ID}
	if err := t.main.session.Call(ctx, "Page.navigateToHistoryEntry", entry, nil); err != nil {
		return nil, err
	}
	return nv.reloaded(ctx, t, before)
}

func (nv *navigator) reload(ctx context.Context, t *tab, a *action.Reload, pin action.Pin) (any, error) {
	if pin.Tab != t.id || strconv.FormatBool(nv.posted(t)) != pin.Print {
		return nil, errChanged
	}
	before := nv.effects.mark(t)
	params := map[string]bool{"ignoreCache": a.IgnoreCache}
	if err := t.main.session.Call(ctx, "Page.reload", params, nil); err != nil {
		return nil, err
	}
	return nv.reloaded(ctx, t, before)
}

// posted reports whether the tab's document is the answer to a form that was
// posted. To reload it would post the form again.
func (b *base) posted(t *tab) bool {
	return guarded.Get(b.state, func(*state) bool { return t.posted })
}

// reloaded waits for a document that the browser was told to load.
func (nv *navigator) reloaded(ctx context.Context, t *tab, before mark) (any, error) {
	err := nv.await(ctx, func(*state) bool {
		now := t.moves
		return t.closed ||
			t.root.loader != before.loader && t.root.events["load"] ||
			now.within > before.moves.within || now.downloads > before.moves.downloads ||
			t.root.loader == before.loader && now.asked > before.moves.asked && now.stopped > before.moves.stopped
	})
	if err != nil {
		nv.giveUp(t, err)
		if data := nv.partly(t, before, ""); data != nil {
			here := nv.facts(t)
			return &here, err
		}
		return nil, err
	}
	if err := nv.loadFault(t); err != nil {
		return nil, err
	}
	nv.arrivedAt(ctx, t, "")
	here := nv.facts(t)
	return &here, nil
}

// loadFault returns the fault of a load that ended on an error page.
func (nv *navigator) loadFault(t *tab) error {
	return guarded.Get(nv.state, func(*state) error {
		loader := t.root.loader
		switch away := t.away[loader]; {
		case t.refused != nil:
			return t.refused
		case away != nil:
			return away
		case !t.root.failed || t.status[loader] != 0:
			return nil
		}
		return unloaded(t.root.url, cmp.Or(t.failures[loader], "net::ERR_FAILED"))
	})
}

// Headers of an answer that the egress proxy wrote in place of a server. The proxy
// removes them from what servers send. Only plain HTTP can have them: a TLS
// connection that the proxy refuses fails as a tunnel.
const (
	refusedHeader = "x-glovebox-refused"
	failedHeader  = "x-glovebox-failed"
)

// proxyRefusal returns the fault of a document that the egress proxy answered
// itself, nil for any other.
func proxyRefusal(address string, headers map[string]string) error {
	if !strings.HasPrefix(address, "http://") {
		return nil
	}
	for name, words := range headers {
		switch strings.ToLower(name) {
		case refusedHeader:
			return fault.New(fault.BlockedDomain, "%s is not allowed: %s", host(address), words).
				Hinted("stay on the hosts the session allows; an operator can add hosts to security.network")
		case failedHeader:
			return unloaded(address, words)
		}
	}
	return nil
}
