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
	minBackoff     = 20 * time.Millisecond
	maxBackoff     = time.Second // longest pause between two attempts to reach a gateway
	maxHeaderBytes = 64 << 10    // bytes of a request's headers; larger than a token may be, so that those get a proper refusal
)

// ErrLease is returned when no gateway answered within the lease.
var ErrLease = errors.New("no gateway answered within the lease")

// Dialer is the guest's side of the bridge: it keeps one connection to the
// gateway and serves requests on it.
type Dialer struct {
	Dir        string // where the sockets are
	Assignment *Assignment
	Handler    http.Handler
	Lease      time.Duration
	Log        *slog.Logger

	lastAnswer atomic.Pointer[time.Time] // when a gateway last answered a ping
}

// Run connects, serves, and reconnects, until ctx ends (nil) or no gateway has
// answered a ping within the lease (ErrLease). A gateway that accepts the
// connection but answers no ping does not renew the lease.
func (d *Dialer) Run(ctx context.Context) error {
	d.markAlive()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := make(chan struct{})
	go func() {
		defer close(watch)
		d.watchLease(ctx, cancel)
	}()
	defer func() { <-watch }()
	backoff := minBackoff
	for ctx.Err() == nil {
		before := *d.lastAnswer.Load()
		err := d.connect(ctx)
		if ctx.Err() != nil {
			break
		}
		if d.lastAnswer.Load().After(before) {
			backoff = minBackoff
		}
		d.Log.Debug("the gateway is away", "reason", err)
		select {
		case <-ctx.Done():
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, maxBackoff)
	}
	if errors.Is(context.Cause(ctx), ErrLease) {
		return ErrLease
	}
	return nil
}

func (d *Dialer) markAlive() {
	now := time.Now()
	d.lastAnswer.Store(&now)
}

// watchLease cancels everything with ErrLease when the lease has expired.
func (d *Dialer) watchLease(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		left := d.Lease - time.Since(*d.lastAnswer.Load())
		if left <= 0 {
			cancel(ErrLease)
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
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          log.New(io.Discard, "", 0), // it only reports broken connections
	}
	stop := context.AfterFunc(ctx, func() { _ = mux.Close() })
	defer stop()
	pinging := make(chan struct{})
	go func() {
		defer close(pinging)
		pingUntilLost(mux, min(heartbeat, d.Lease/3), d.markAlive)
	}()
	err = server.Serve(streamListener{mux}) // returns when the connection is lost
	cancel()
	_, _ = server.Close(), mux.Close()
	<-pinging
	requests.wait()
	return fmt.Errorf("connection lost: %w", err)
}

// inflight counts the requests being served, so that connect can wait for them.
type inflight struct {
	next   http.Handler
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// ServeHTTP serves r unless wait has been called.
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
