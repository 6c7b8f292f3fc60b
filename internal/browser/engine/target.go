package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// targets keeps the targets that the browser reports, and opens and closes tabs.
type targets struct {
	*base
	clients *clients
}

// target is a target of the protocol that the engine is attached to: a tab, a frame
// in another process, or a worker.
type target struct {
	id      string
	kind    string // page, iframe, worker, service_worker, shared_worker…
	url     string // of a worker's script
	session *cdp.Session
	tab     *tab // nil for workers
	settled bool // it is set up: the browser reports all its frames
	hidden  bool // a tab of a crawl, or a target that it started

	console   *netlog.Source
	parent    *target      // the target that created it, if known
	hasScript bool         // later documents of it get our script
	admission *cdp.Pending // the script that makes those accept clients' input
}

type filter struct {
	Type    string `json:"type,omitempty"`
	Exclude bool   `json:"exclude,omitempty"`
}

type autoAttach struct {
	On      bool     `json:"autoAttach"`
	Pause   bool     `json:"waitForDebuggerOnStart"`
	Flatten bool     `json:"flatten"`
	Filter  []filter `json:"filter,omitempty"`
}

// New targets are paused until their requests are intercepted: otherwise the first
// request of a popup would not be judged.
var (
	attachToAll = autoAttach{On: true, Pause: true, Flatten: true, Filter: []filter{
		{Type: "browser", Exclude: true},
		{Type: "tab", Exclude: true},
		{Type: "browser_ui", Exclude: true}, // Chromium's own surfaces
		{},
	}}
	pagesOnly = []filter{{Type: "page"}, {Exclude: true}}
)

type targetInfo struct {
	ID      string `json:"targetId"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Opener  string `json:"openerId"`
	Context string `json:"browserContextId"`
	Parent  string `json:"parentFrameId"`
}

type attached struct {
	Session string     `json:"sessionId"`
	Info    targetInfo `json:"targetInfo"`
}

// attach adds a target that the browser reports.
func (ts *targets) attach(s *state, from string, e attached) {
	if e.Info.Type == "browser" {
		return // the session of a client: see Attach
	}
	t := &target{id: e.Info.ID, kind: e.Info.Type, url: strings.TrimPrefix(e.Info.URL, "blob:"), session: ts.conn.Session(e.Session)}
	parent := s.sessions[from]
	t.parent, t.hidden = parent, parent.isHidden()
	t.console = ts.netlog.Source(t.session, t.kind, func() { t.page().session.Send("Page.crash", nil) })
	if t.kind == "page" && s.unwanted(e.Info.Opener) {
		ts.work.add(func() { ts.root.Send("Target.closeTarget", map[string]string{"targetId": t.id}) })
		return
	}
	if t.kind == "page" && len(s.order) >= maxTabs && s.making+s.hiding == 0 {
		ts.closeSurplus(s, t, e.Info.Opener)
		s.change()
		return
	}
	switch {
	case t.kind == "page":
		ts.addTab(s, t, e.Info)
	case t.kind == "iframe" && parent != nil && parent.tab != nil:
		t.tab = parent.tab
		f := t.tab.frame(t.id, e.Info.Parent)
		f.target = t
		t.tab.forget(f)
	}
	s.sessions[e.Session] = t
	viewport, hidden := s.options.metrics(), t.isHidden()
	resources := t.tab != nil && t.tab.visit != nil && t.tab.visit.resources
	first := append(s.options.certifying(t.kind), s.options.emulating(t.kind, s.version)...)
	ts.work.add(func() { ts.setUp(t, viewport, intercepted(hidden, resources), first) })
	s.change()
}

func (ts *targets) addTab(s *state, t *target, info targetInfo) {
	n := newTab(s, t, &ts.refs)
	n.root.url, n.title, n.opener = info.URL, info.Title, info.Opener
	t.tab = n
	s.made++
	n.made = s.made
	s.tabs[n.id] = n
	if s.hiding == 0 || info.Opener != "" {
		s.order = append(s.order, n)
	}
	if s.home == "" {
		s.home = info.Context
	}
	if s.context == "" && !s.options.Keeps {
		s.context = info.Context
	}
	if opener := s.tabs[info.Opener]; opener != nil {
		opener.popups.done++
		n.group = opener.group
		if !injected.LeavesBrowser(opener.opened) {
			ts.notes.add("a new tab was opened and is now the active one")
		}
	}
}

// online keeps navigator.onLine true. A box has no network interface, so pages would
// act as if they were offline. The protocol's own emulation does not change the
// property (Chromium 156); therefore this script runs before those of a page or
// worker.
const online = `Object.defineProperty((self.Navigator || self.WorkerNavigator).prototype, "onLine", {get: () => true, configurable: true, enumerable: true})`

// setUp prepares a target. The calls are sent together; the last one lets the target
// run. Another goroutine waits for the answers, so that a page with an endless
// script delays nothing else.
func (ts *targets) setUp(t *target, viewport metrics, intercept map[string]any, first []command) {
	var sent []*cdp.Pending
	send := func(method string, params any) { sent = append(sent, t.session.Send(method, params)) }
	if t.tab == nil {
		send("Target.setAutoAttach", attachToAll)
		send("Runtime.evaluate", map[string]string{"expression": online})
		netlog.Listen(send)
		send("Runtime.runIfWaitingForDebugger", nil)
		ts.own.Go(func() { ts.settled(t, sent, nil) })
		return
	}
	send("Page.enable", nil)
	send("Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	send("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": injected.Source() + refuseScript + injected.RelayScript(t.tab.channel) + injected.KeepPageScript(), "worldName": injected.World, "runImmediately": true})
	sent = append(sent, ts.clients.admitInWorlds(t)...)
	send("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": online})
	netlog.Listen(send)
	send("Inspector.enable", nil)
	if intercept != nil {
		send("Fetch.enable", intercept)
	}
	send("Page.setInterceptFileChooserDialog", map[string]bool{"enabled": true})
	send("Target.setAutoAttach", attachToAll)
	if t.kind == "page" {
		send("Page.setPrerenderingAllowed", map[string]bool{"isAllowed": false})
		send("Emulation.setFocusEmulationEnabled", map[string]bool{"enabled": true})
		send("Emulation.setDeviceMetricsOverride", viewport)
	}
	for _, each := range first {
		send(each.method, each.params)
	}
	tree := t.session.Send("Page.getFrameTree", nil)
	send("Runtime.runIfWaitingForDebugger", nil)
	ts.own.Go(func() { ts.settled(t, sent, tree) })
}

func (ts *targets) settled(t *target, sent []*cdp.Pending, tree *cdp.Pending) {
	ctx, cancel := context.WithTimeout(context.Background(), setupLimit)
	defer cancel()
	for _, p := range sent {
		if err := p.Wait(ctx, nil); err != nil && !errors.Is(err, cdp.ErrClosed) {
			ts.log().Debug("cannot set up a target", "target", t.id, "type", t.kind, "error", err)
		}
	}
	if tree != nil {
		var answer struct {
			Tree frameTree `json:"frameTree"`
		}
		if tree.Wait(ctx, &answer) == nil {
			ts.state.Do(func(*state) { t.tab.merge(t, answer.Tree, nil) })
		}
	}
	ts.state.Do(func(s *state) {
		t.settled = true
		if t.kind == "page" {
			t.tab.setUp()
		}
		s.change()
	})
}

// page returns the page or frame that a target belongs to.
func (t *target) page() *target {
	for t.tab == nil && t.parent != nil {
		t = t.parent
	}
	return t
}

// detach removes a target. It returns the tab that is closed with it, nil for none.
func (ts *targets) detach(s *state, session string) (closed *tab) {
	t := s.sessions[session]
	if t == nil {
		return nil
	}
	delete(s.sessions, session)
	t.console.Close()
	ts.conn.Detach(session, errClosedTab)
	if t.tab == nil {
		return nil
	}
	if t.kind == "page" {
		closed = t.tab
		ts.removeTab(s, closed)
	} else {
		t.tab.lose(t)
	}
	s.change()
	return closed
}

var errClosedTab = fault.New(fault.PageChanged, "the tab or frame went away").
	Hinted("take a new snapshot: it shows what is there now")

func (ts *targets) removeTab(s *state, t *tab) {
	t.closed = true
	t.leavePage()
	delete(s.tabs, t.id)
	s.keepSites(t)
	wasActive := s.active() == t
	s.order = slices.DeleteFunc(slices.Clone(s.order), func(other *tab) bool { return other == t })
	t.dropDialog()
	t.interrupt(errClosedTab)
	t.setUp()
	if next := s.active(); wasActive && next != nil {
		if !t.leaving {
			ts.notes.add("the active tab was closed; the one before it is active")
		}
		session := next.main.session
		ts.work.add(func() { session.Send("Page.bringToFront", nil) })
	}
}

// wait waits until the tab is set up.
func (t *tab) wait(ctx context.Context) error {
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
