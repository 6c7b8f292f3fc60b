// Package engine drives one browser over one CDP connection: its tabs, frames and
// dialogs, with a function for each verb of a page. It looks at elements and pins
// them, and then acts on exactly what was pinned, or refuses.
//
// Browser is the facade. Its parts share a base; Browser.assemble makes them, and a
// part knows only those that were made before it.
package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

const (
	openLimit  = 2 * time.Minute  // to open a browser that may have just started on a busy machine; callers have shorter limits
	setupLimit = 10 * time.Second // to set up a new tab, which a page with an endless script delays
)

// Browser is the browser of one session. It is safe for concurrent use; verbs
// that act take turns.
type Browser struct {
	*base
	turn  chan struct{} // holds a token while no verb acts
	verbs map[string]verb

	clients      *clients
	geometry     *geometry
	effects      *effects
	elements     *elements
	reader       *reader
	targets      *targets
	certificates *certificates
	outgoing     *outgoingRequests
	guard        *documentGuard
	observer     *observer
	dialogs      *dialogs
	actor        *actor
	navigator    *navigator
	contents     *contents
	camera       *camera
	cookies      cookies
	injection    *injection
	siteData     *siteData
}

// Open takes over a browser. In a fresh one it opens an empty tab in a new
// off-the-record context, with Options.Keeps in the profile; to the pages of one
// that has any it attaches. The browser owns the transport from then on. Faults:
// not_active, cdp_error.
func Open(ctx context.Context, t cdp.Transport, o Options) (*Browser, error) {
	b := &Browser{base: newBase(ctx, o), turn: make(chan struct{}, 1)}
	b.assemble()
	b.verbs = b.verbTable()
	b.observer.lastID.Store(time.Now().UnixMilli()) // higher than the ids that an earlier gateway process used in the same documents
	b.turn <- struct{}{}
	b.state.Do(func(*state) { // events may arrive before conn is set: they wait for the lock
		b.conn = cdp.Open(t, firstID(), b.event)
		b.root = b.conn.Root()
	})
	b.own.Go(func() {
		defer b.end()
		b.work.run(b.conn.Done())
	})
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	if err := b.start(ctx); err != nil {
		_ = b.Close()
		return nil, b.toFault(ctx, "open", openLimit, err)
	}
	return b, nil
}

// firstID returns an id from which calls are counted, so that they differ from those
// of an earlier connection. Chromium takes ids of 31 bits.
func firstID() int64 {
	return 1<<20 + rand.Int64N(1<<30) //nolint:gosec // not a secret
}

func (b *Browser) start(ctx context.Context) error {
	// Sessions of an earlier connection would go on pausing new targets.
	off := autoAttach{Flatten: true}
	asked := b.root.Send("Browser.getVersion", nil)
	if err := b.root.Call(ctx, "Target.setAutoAttach", off, nil); err != nil {
		return err
	}
	var v version
	if err := asked.Wait(ctx, &v); err != nil {
		return err
	}
	b.state.Do(func(s *state) { s.version = v })
	discover := map[string]any{"discover": true, "filter": pagesOnly}
	found := b.root.Send("Target.setDiscoverTargets", discover)
	if err := b.root.Call(ctx, "Target.setAutoAttach", attachToAll, nil); err != nil {
		return err
	}
	if err := found.Wait(ctx, nil); err != nil {
		return err
	}
	if err := b.root.Call(ctx, "Fetch.enable", pausing(nil), nil); err != nil {
		return err
	}
	t := b.current()
	if t == nil {
		var err error
		if t, err = b.targets.firstTab(ctx); err != nil {
			return err
		}
	}
	if err := t.wait(ctx); err != nil {
		return err
	}
	var behaviour map[string]any
	b.state.Do(func(s *state) {
		b.downloads.Configure(s.downloadSettings())
		behaviour = s.downloadBehaviour()
		b.targets.refusePrompts(s)
		b.targets.permit(s)
	})
	return b.root.Call(ctx, "Browser.setDownloadBehavior", behaviour, nil)
}

// firstTab opens a tab in a new off-the-record context: a normal profile writes
// cookies to disk, encrypted with a constant key.
func (ts *targets) firstTab(ctx context.Context) (*tab, error) {
	if ts.options().Keeps { // a warm browser does not keep its profile
		return ts.newTab(ctx)
	}
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := ts.root.Call(ctx, "Target.createBrowserContext", map[string]any{"disposeOnDetach": false}, &made); err != nil {
		return nil, err
	}
	ts.state.Do(func(s *state) { s.context = made.ID })
	return ts.newTab(ctx)
}

// newTab opens an empty tab, which becomes the active one.
func (ts *targets) newTab(ctx context.Context) (*tab, error) {
	params := map[string]any{"url": "about:blank"}
	ts.state.Do(func(s *state) {
		s.inContext(params)
		s.making++
	})
	defer ts.state.Do(func(s *state) { s.making-- })
	var made struct {
		ID string `json:"targetId"`
	}
	if err := ts.root.Call(ctx, "Target.createTarget", params, &made); err != nil {
		return nil, err
	}
	var t *tab
	if err := ts.await(ctx, func(s *state) bool { t = s.tabs[made.ID]; return t != nil }); err != nil {
		return nil, err
	}
	ts.state.Do(func(s *state) {
		if !t.closed {
			s.show(t)
		}
	})
	return t, t.wait(ctx)
}

// Configure replaces the options. A warm browser gets the guard and viewport of its
// session so. It does not wait for the browser.
func (b *Browser) Configure(o Options) {
	o = o.filled()
	var before metrics
	var sessions []*cdp.Session
	b.state.Do(func(s *state) {
		before = s.options.metrics()
		emulated := s.options.Emulate
		s.options = o
		b.downloads.Configure(s.downloadSettings())
		b.targets.emulateAgain(s, emulated)
		if o.Life > 0 {
			b.refs.Begin(o.Life)
		}
		for _, t := range s.tabs {
			sessions = append(sessions, t.main.session)
		}
	})
	if before == o.metrics() {
		return
	}
	for _, s := range sessions {
		s.Send("Emulation.setDeviceMetricsOverride", o.metrics())
	}
}

// Done is closed when the connection to the browser has ended; Err then says
// why.
func (b *Browser) Done() <-chan struct{} { return b.conn.Done() }

// Err returns why the connection ended, nil while it lives.
func (b *Browser) Err() error {
	if err := b.conn.Err(); err != nil {
		return fmt.Errorf("the browser's connection ended: %w", err)
	}
	return nil
}

// Close ends the connection, not the browser. Calls that are under way fail with
// not_active. It waits for all goroutines of the engine.
func (b *Browser) Close() error {
	err := b.conn.Close()
	b.state.Do(func(s *state) {
		for _, t := range s.tabs {
			t.dropDialog()
		}
	})
	b.own.Wait()
	return err
}
