package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// wire is one connection of a guest: the gateway opens streams on it, each
// for one request.
type wire struct {
	mux      *yamux.Session
	client   *http.Client
	answered atomic.Pointer[time.Time] // when the guest last answered a ping
}

func (w *wire) close() { _ = w.mux.Close() }

func (w *wire) alive() {
	now := time.Now()
	w.answered.Store(&now)
}

// admit hears the hello of a connection and makes a wire of it.
func (l *Link) admit(conn net.Conn) (*wire, error) {
	stop := context.AfterFunc(l.ctx, func() { _ = conn.Close() })
	defer stop()
	h, err := receiveHello(conn)
	if err != nil {
		return nil, err
	}
	if h.Box != l.o.Box {
		return nil, errors.New("guest is of another box")
	}
	mux, err := yamux.Client(conn, muxConfig(l.o.Lease))
	if err != nil {
		return nil, fmt.Errorf("cannot multiplex: %w", err)
	}
	w := &wire{mux: mux, client: &http.Client{
		Transport: &http.Transport{
			DialContext:            func(context.Context, string, string) (net.Conn, error) { return openLane(mux) },
			DisableKeepAlives:      true, // a stream costs nothing; a kept one would outlive its token's moment
			DisableCompression:     true,
			MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	w.alive()
	if err := l.install(w, h); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// install makes w the current wire; the one before ends.
func (l *Link) install(w *wire, h hello) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.o.Adopt:
		l.scope, l.session = h.Scope, h.Session
		l.o.Adopt = false // later connections must say the same
	case h.Scope != l.scope || h.Session != l.session:
		return errors.New("guest claims another scope or session")
	}
	if l.away != nil {
		l.away.Stop()
		l.away = nil
	}
	if l.current != nil {
		l.current.close()
	} else {
		close(l.arrived)
	}
	l.current = w
	return nil
}

// keep pings the guest until the wire ends, then starts the lease.
func (l *Link) keep(w *wire) {
	l.wg.Go(func() { refuseStreams(w) })
	l.wg.Go(func() { pingUntilLost(w.mux, min(heartbeat, l.o.Lease/3), w.alive) })
	<-w.mux.CloseChan()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != w {
		return // replaced, or the link ended
	}
	l.current = nil
	l.arrived = make(chan struct{})
	l.away = time.AfterFunc(l.o.Lease-time.Since(*w.answered.Load()), l.lapse)
}

// lapse ends the link unless the guest came back just now.
func (l *Link) lapse() {
	l.mu.Lock()
	back := l.current != nil
	l.mu.Unlock()
	if !back {
		l.end(unreachable(l.o.Box))
	}
}

func unreachable(box string) *fault.Fault {
	return fault.New(fault.NotActive, "the guest of box %s cannot be reached any more", box).
		Hinted("the box is gone; start a new session")
}

// refuseStreams ends a wire on which the guest opens a stream: only the
// gateway asks.
func refuseStreams(w *wire) {
	if s, err := w.mux.Accept(); err == nil {
		_ = s.Close()
		w.close()
	}
}

// pingUntilLost pings the other side until the connection ends, and ends it
// when a ping is not answered. answered is told of every answer.
func pingUntilLost(mux *yamux.Session, every time.Duration, answered func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := mux.Ping(); err != nil {
			_ = mux.Close()
			return
		}
		answered()
		select {
		case <-tick.C:
		case <-mux.CloseChan():
			return
		}
	}
}
