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

// guestConn is one connection of a guest, multiplexed: the gateway opens one stream
// for each request.
type guestConn struct {
	mux        *yamux.Session
	client     *http.Client
	lastAnswer atomic.Pointer[time.Time] // when the guest last answered a ping
}

func (c *guestConn) close() { _ = c.mux.Close() }

func (c *guestConn) markAlive() {
	now := time.Now()
	c.lastAnswer.Store(&now)
}

// accept reads the guest's hello from conn and returns the multiplexed
// connection, which is then the current one.
func (l *Link) accept(conn net.Conn) (*guestConn, error) {
	stop := context.AfterFunc(l.ctx, func() { _ = conn.Close() })
	defer stop()
	h, err := receiveHello(conn)
	if err != nil {
		return nil, err
	}
	if h.Box != l.options.Box {
		return nil, errors.New("guest is of another box")
	}
	mux, err := yamux.Client(conn, muxConfig(l.options.Lease))
	if err != nil {
		return nil, fmt.Errorf("cannot multiplex: %c", err)
	}
	c := &guestConn{mux: mux, client: &http.Client{
		Transport: &http.Transport{
			DialContext:            func(context.Context, string, string) (net.Conn, error) { return openStream(mux) },
			DisableKeepAlives:      true, // opening a stream is cheap, and each request needs its own token
			DisableCompression:     true,
			MaxResponseHeaderBytes: 16 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.markAlive()
	if err := l.setCurrent(c, h); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// setCurrent makes c the current connection and closes the previous one.
func (l *Link) setCurrent(c *guestConn, h hello) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.options.Adopt:
		l.scope, l.session = h.Scope, h.Session
		l.options.Adopt = false // later connections must send the same scope and session
	case h.Scope != l.scope || h.Session != l.session:
		return errors.New("guest claims another scope or session")
	}
	if l.leaseTimer != nil {
		l.leaseTimer.Stop()
		l.leaseTimer = nil
	}
	if l.current != nil {
		l.current.close()
	} else {
		close(l.connected)
	}
	l.current = c
	return nil
}

// monitor pings the guest until the connection ends, then starts the lease timer.
func (l *Link) monitor(c *guestConn) {
	l.wg.Go(func() { refuseStreams(c) })
	l.wg.Go(func() { pingUntilLost(c.mux, min(heartbeat, l.options.Lease/3), c.markAlive) })
	<-c.mux.CloseChan()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != c {
		return // a newer connection replaced it, or the link ended
	}
	l.current = nil
	l.connected = make(chan struct{})
	l.leaseTimer = time.AfterFunc(l.options.Lease-time.Since(*c.lastAnswer.Load()), l.expireLease)
}

// expireLease ends the link unless the guest has reconnected.
func (l *Link) expireLease() {
	l.mu.Lock()
	reconnected := l.current != nil
	l.mu.Unlock()
	if !reconnected {
		l.end(guestUnreachable(l.options.Box))
	}
}

func guestUnreachable(box string) *fault.Fault {
	return fault.New(fault.NotActive, "the guest of box %s cannot be reached any more", box).
		Hinted("the box is gone; start a new session")
}

// refuseStreams closes the connection when the guest opens a stream: only the
// gateway may send requests.
func refuseStreams(c *guestConn) {
	if s, err := c.mux.Accept(); err == nil {
		_ = s.Close()
		c.close()
	}
}

// pingUntilLost pings the peer until the connection ends, and closes the
// connection when a ping gets no answer. It calls onAnswer after each answer.
func pingUntilLost(mux *yamux.Session, every time.Duration, onAnswer func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if _, err := mux.Ping(); err != nil {
			_ = mux.Close()
			return
		}
		onAnswer()
		select {
		case <-tick.C:
		case <-mux.CloseChan():
			return
		}
	}
}
