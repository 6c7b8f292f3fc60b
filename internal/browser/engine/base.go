package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/tasks"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// base is what all parts of the engine share: the connection, and the tabs with
// their frames and targets, as the browser reports them. base.mu guards their
// fields, too.
type base struct {
	conn      *cdp.Conn
	root      *cdp.Session
	work      *queue
	refs      snapshot.Refs
	notes     notes
	netlog    *netlog.Log
	downloads *download.List
	ledger    outgoing.Ledger
	own       tasks.Group     // every goroutine this browser started
	life      context.Context //nolint:containedctx // ends with the connection, and with it what is prepared
	end       context.CancelFunc

	mu       sync.Mutex
	options  Options
	version  version       // of the browser, set before there is a tab
	timeout  time.Duration // of a call that names none; never changed
	context  string        // browser context of the session's tabs; empty for the browser's own profile
	home     string        // browser context of the first tab, named there too
	sessions map[string]*target
	tabs     map[string]*tab
	order    []*tab        // by their last activation; the last one is active
	changed  chan struct{} // closed and replaced at each change of state
	made     int           // tabs so far
	making   int           // tabs that the engine is opening
	hiding   int           // tabs of a crawl that are being opened
}

func newBase(ctx context.Context, o Options) *base {
	b := &base{
		work:     newQueue(),
		options:  o.filled(),
		timeout:  o.Timeout,
		sessions: make(map[string]*target),
		tabs:     make(map[string]*tab),
		changed:  make(chan struct{}),
	}
	b.life, b.end = context.WithCancel(context.WithoutCancel(ctx))
	b.refs.Begin(o.Life)
	b.netlog = netlog.New(netlog.Host{
		Later: b.work.add, Go: func(task func()) { b.own.Go(task) }, Done: b.life.Done(), Note: b.notes.add, ProxyAnswer: proxyRefusal,
	})
	b.downloads = download.New(download.Host{
		Send: func(method string, params any) { b.work.add(func() { b.root.Send(method, params) }) },
		Go:   func(task func()) { b.own.Go(task) }, Note: b.notes.add, Name: untrusted.FileName,
		Done: b.life.Done(), Err: func() error { return b.conn.Err() },
	})
	return b
}

// Page returns the address and title of the active tab, without asking the browser.
func (b *base) Page() action.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.activeLocked(); t != nil {
		return action.Page{URL: t.root.url, Title: t.title}
	}
	return action.Page{}
}

// current returns the active tab, nil for none.
func (b *base) current() *tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.activeLocked()
}

func (b *base) activeLocked() *tab {
	if len(b.order) == 0 {
		return nil
	}
	return b.order[len(b.order)-1]
}

// change wakes everybody in await. base.mu is held.
func (b *base) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// await waits until holds returns true. It calls holds with base.mu held, after each
// change of state.
func (b *base) await(ctx context.Context, holds func() bool) error {
	for {
		b.mu.Lock()
		ok, changed := holds(), b.changed
		b.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-b.conn.Done():
			return b.conn.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *base) log() *slog.Logger {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.options.Log
}

// within returns the limit of a call that names its own, or 0.
func (b *base) within(own time.Duration) time.Duration {
	switch {
	case own > 0:
		return own
	case b.timeout > 0:
		return b.timeout
	}
	return verbLimit
}

// noTabReason returns the error that says why there is no active tab.
func (b *base) noTabReason() error {
	if err := b.conn.Err(); err != nil {
		return err
	}
	return noTab()
}

var errNoTab = errors.New("no tab")

func noTab() error {
	return fault.New(fault.NotActive, "the browser has no open tab").
		Hinted("open one with tab.open, or start a new session").Because(errNoTab)
}

// queue runs the jobs of events in order, on another goroutine than the one that
// reads the connection.
type queue struct{ jobs *cdp.Queue }

func newQueue() *queue { return &queue{jobs: cdp.NewQueue()} }

func (q *queue) add(job func()) { q.jobs.Add(job) }

func (q *queue) run(done <-chan struct{}) { q.jobs.Run(done) }
