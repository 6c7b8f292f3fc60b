package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// maxTabs is how many tabs a browser has: each costs about 16 MiB and 9 tasks
// of its box (measured on Chromium 156).
const maxTabs = 20

// listTabs lists the tabs in the order in which they were opened.
func (ts *targets) listTabs(_ context.Context, _ *action.None) (any, error) {
	list := &action.TabListing{Tabs: []action.Tab{}}
	ts.state.Do(func(s *state) {
		for _, t := range slices.SortedFunc(slices.Values(s.order), func(x, y *tab) int { return cmp.Compare(x.made, y.made) }) {
			list.Tabs = append(list.Tabs, s.tabInfo(t))
		}
	})
	return list, nil
}

// openTab opens a tab and goes to its first page. If that fails, it closes the tab.
// Faults: limit_reached, and those of page.goto.
func (nv *navigator) openTab(ctx context.Context, a *action.OpenTab) (any, error) {
	if guarded.Get(nv.state, func(s *state) bool { return len(s.order) >= maxTabs }) {
		return nil, fault.New(fault.LimitReached, "a browser has %d tabs at most, and this one has them", maxTabs).
			Hinted("close one with tab.close, or use one with tab.activate").With("limit", "tabs").With("max", maxTabs)
	}
	t, err := nv.targets.newTab(ctx)
	if err == nil && a.URL != "" {
		err = nv.firstVisit(ctx, t, a.URL)
	}
	if err != nil {
		if t != nil {
			nv.targets.discard(ctx, t)
		}
		return nil, err
	}
	out := guarded.Get(nv.state, func(s *state) action.Tab { return s.tabInfo(t) })
	return &out, nil
}

func (nv *navigator) firstVisit(ctx context.Context, t *tab, address string) error {
	ctx, leave := nv.enter(ctx, t, nv.within(0))
	defer leave()
	data, err := nv.visit(ctx, t, &action.Goto{URL: address}, action.Pin{})
	if err != nil {
		return nv.endedBy(ctx, t, action.VerbTabOpen.Name, nv.within(0), data, err)
	}
	return nil
}

// discard closes a tab that is not needed, even if the call has ended.
func (ts *targets) discard(ctx context.Context, t *tab) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer stop()
	if err := ts.shut(ctx, t); err != nil {
		ts.log().Debug("cannot close a tab", "tab", t.id, "error", err)
	}
}

// activateTab makes a tab the active one, on which verbs act. Faults: not_found.
func (ts *targets) activateTab(ctx context.Context, a *action.ByID) (any, error) {
	t, err := ts.tabOf(a.ID)
	if err != nil {
		return nil, err
	}
	err = ts.root.Call(ctx, "Target.activateTarget", map[string]string{"targetId": t.id}, nil)
	out := &action.Tab{}
	ts.state.Do(func(s *state) {
		switch {
		case t.closed:
			err = noSuchTab()
		case err == nil:
			s.order = append(slices.DeleteFunc(slices.Clone(s.order), func(other *tab) bool { return other == t }), t)
			s.change()
			*out = s.tabInfo(t)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// closeTab closes a tab. Before it closes the last one, it opens an empty one.
// Faults: not_found.
func (ts *targets) closeTab(ctx context.Context, a *action.ByID) (any, error) {
	t, err := ts.tabOf(a.ID)
	if err != nil {
		return nil, err
	}
	if guarded.Get(ts.state, func(s *state) bool { return len(s.order) == 1 }) {
		if _, err := ts.newTab(ctx); err != nil {
			return nil, err
		}
	}
	if err := ts.shut(ctx, t); err != nil {
		return nil, err
	}
	return &action.Closed{OK: true}, nil
}

// shut closes a tab and waits until it is gone.
func (ts *targets) shut(ctx context.Context, t *tab) error {
	ts.state.Do(func(*state) { t.leaving = true })
	err := ts.root.Call(ctx, "Target.closeTarget", map[string]string{"targetId": t.id}, nil)
	closed := func(*state) bool { return t.closed }
	if err != nil && !guarded.Get(ts.state, closed) {
		return err
	}
	return ts.await(ctx, closed)
}

func (b *base) tabOf(id string) (*tab, error) {
	t := guarded.Get(b.state, func(s *state) *tab {
		if t := s.tabs[id]; t != nil && !t.hidden {
			return t
		}
		return nil
	})
	if t == nil {
		return nil, noSuchTab()
	}
	return t, nil
}

func noSuchTab() error {
	return fault.New(fault.NotFound, "no tab has that id").Hinted("list the tabs there are with tab.list")
}

// closeSurplus closes a tab that a page opened beyond maxTabs, before it runs.
func (ts *targets) closeSurplus(s *state, t *target, opener string) {
	if o := s.tabs[opener]; o != nil {
		o.popups.done++
	}
	ts.notes.add("a page opened more than %d tabs: the rest is closed", maxTabs)
	ts.work.add(func() { ts.root.Send("Target.closeTarget", map[string]string{"targetId": t.id}) })
}

// closeStranded closes a tab that was opened for an address that another program opens.
func (ts *targets) closeStranded(_ *state, t *tab, address string) {
	ts.notes.add(leavesBrowser, untrusted.Shorten(address, mostQuote))
	t.leaving = true
	ts.work.add(func() { ts.root.Send("Target.closeTarget", map[string]string{"targetId": t.id}) })
}

const (
	answerLimit = 500 * time.Millisecond // for a renderer to answer
	closeLimit  = 2 * time.Second        // for a tab to close
)

// replaceHungTab returns a tab for a navigation whose renderer answers. After a
// time-out the renderer of t may be in an endless script: then t is closed and
// another tab is opened.
func (ts *targets) replaceHungTab(ctx context.Context, t *tab) (*tab, error) {
	var floods, doubtful, asking bool
	ts.state.Do(func(*state) {
		floods = t.main.console.Muted() && !t.crashed
		doubtful, asking = (t.suspect || floods) && !t.crashed, t.dialog != nil && t.dialogs >= maxDialogs
	})
	if asking {
		return ts.replace(ctx, t, "the page asked without end: its tab was closed and a new one opened")
	}
	if floods && !t.main.console.StopScripts(ctx) {
		return ts.replace(ctx, t, "the page wrote to its console without end: its tab was closed and a new one opened")
	}
	if !doubtful {
		return t, nil
	}
	probe, stop := context.WithTimeout(ctx, answerLimit)
	defer stop()
	err := t.main.session.Call(probe, "Runtime.evaluate", map[string]any{"expression": "1", "returnByValue": true}, nil)
	if err == nil {
		ts.state.Do(func(*state) { t.suspect = false })
		return t, nil
	}
	return ts.replace(ctx, t, "the page did not answer any more: its tab was closed and a new one opened")
}

// replace opens a new tab and closes the old one.
func (ts *targets) replace(ctx context.Context, t *tab, why string) (*tab, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	next, err := ts.newTab(ctx)
	if err != nil {
		return nil, err
	}
	ts.root.Send("Target.closeTarget", map[string]string{"targetId": t.id})
	bounded, end := context.WithTimeout(ctx, closeLimit)
	defer end()
	if err := ended(ctx, ts.await(bounded, func(*state) bool { return t.closed })); err != nil {
		return nil, err
	}
	ts.notes.add("%s", why)
	return next, nil
}
