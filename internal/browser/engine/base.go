package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/tasks"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// base is what all parts of the engine share: the connection and the state of the
// browser.
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
	timeout   time.Duration // of a call that names none; never changed
	state     *guarded.Value[state]
}

func newBase(ctx context.Context, o Options) *base {
	b := &base{
		work:    newQueue(),
		timeout: o.Timeout,
		state:   guarded.New(newState(o.filled())),
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
	return guarded.Get(b.state, func(s *state) action.Page {
		if t := s.active(); t != nil {
			return t.page()
		}
		return action.Page{}
	})
}

// current returns the active tab, nil for none.
func (b *base) current() *tab { return guarded.Get(b.state, (*state).active) }

// options returns the present options.
func (b *base) options() Options {
	return guarded.Get(b.state, func(s *state) Options { return s.options })
}

func (b *base) log() *slog.Logger { return b.options().Log }

// await waits until holds returns true. It calls holds after each change of state.
func (b *base) await(ctx context.Context, holds func(s *state) bool) error {
	for {
		var ok bool
		var changed chan struct{}
		b.state.Do(func(s *state) { ok, changed = holds(s), s.changed })
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
