package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	firstBackoff = 20 * time.Millisecond
	lastBackoff  = time.Second // between two attempts to reach a gateway
	maxHeaders   = 64 << 10    // bytes of a request; what is longer than a token may be is refused after reading
)

// ErrLease is returned when no gateway answered within the lease.
var ErrLease = errors.New("no gateway answered within the lease")

// Dialer is the guest's end of the wire: it keeps one connection to the
// gateway and serves on it.
type Dialer struct {
	Dir        string // where the sockets are
	Assignment *Assignment
	Handler    http.Handler
	Lease      time.Duration
	Log        *slog.Logger

	answered atomic.Pointer[time.Time] // when a gateway last answered a ping
}

// Run dials, serves, and dials again, until ctx ends (nil) or no gateway has
// answered within the lease (ErrLease). A gateway that only accepts does not
// count: it has to answer pings.
func (d *Dialer) Run(ctx context.Context) error {
	d.alive()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := make(chan struct{})
	go func() {
		defer close(watch)
		d.watchLease(ctx, cancel)
	}()
	defer func() { <-watch }()
	backoff := firstBackoff
	for ctx.Err() == nil {
		before := *d.answered.Load()
		err := d.connect(ctx)
		if ctx.Err() != nil {
			break
		}
		if d.answered.Load().After(before) {
			backoff = firstBackoff
		}
		d.Log.Debug("the gateway is away", "reason", err)
		select {
		case <-ctx.Done():
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, lastBackoff)
	}
	if errors.Is(context.Cause(ctx), ErrLease) {
		return ErrLease
	}
	return nil
}

func (d *Dialer) alive() {
	now := time.Now()
	d.answered.Store(&now)
}

// watchLease ends everything when the last answer is a lease old.
func (d *Dialer) watchLease(ctx context.Context, end context.CancelCauseFunc) {
	for {
		left := d.Lease - time.Since(*d.answered.Load())
		if left <= 0 {
			end(ErrLease)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(left):
		}
	}
}

// connect serves on one connection until it ends.
func (d *Dialer) connect(ctx context.Context) error {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(d.Dir, BridgeSocket))
	if err != nil {
		return fmt.Errorf("cannot reach the gateway: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if err := sendHello(conn, d.Assignment.hello()); err != nil {
		return err
	}
	mux, err := yamux.Server(conn, muxConfig(d.Lease))
	if err != nil {
		return fmt.Errorf("cannot multiplex: %w", err)
	}
	base, cancel := context.WithCancel(ctx)
	defer cancel()
	requests := &inflight{next: d.Handler}
	server := &http.Server{
		Handler:           requests,
		ReadHeaderTimeout: callTimeout,
		MaxHeaderBytes:    maxHeaders,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          log.New(io.Discard, "", 0), // of broken connections
	}
	stop := context.AfterFunc(ctx, func() { _ = mux.Close() })
	defer stop()
	pinging := make(chan struct{})
	go func() {
		defer close(pinging)
		pingUntilLost(mux, min(heartbeat, d.Lease/3), d.alive)
	}()
	err = server.Serve(lanes{mux}) // returns when the connection is lost
	cancel()
	_, _ = server.Close(), mux.Close()
	<-pinging
	requests.wait()
	return fmt.Errorf("connection lost: %w", err)
}

// inflight counts requests, so that the end of a connection can wait for them.
type inflight struct {
	next   http.Handler
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// ServeHTTP passes requests on until wait was called.
func (f *inflight) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	closed := f.closed
	if !closed {
		f.wg.Add(1)
	}
	f.mu.Unlock()
	if closed {
		return
	}
	defer f.wg.Done()
	f.next.ServeHTTP(w, r)
}

func (f *inflight) wait() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wg.Wait()
}
