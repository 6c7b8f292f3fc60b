package bridge

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	maxEgress   = 512 // open connections of one browser; Chromium opens at most 256 to one proxy
	dialTimeout = 5 * time.Second
)

// acceptEgress passes every connection on egress.sock to Options.Egress, and
// closes them all when the link ends.
func (l *Link) acceptEgress() {
	open := connSet{conns: map[*setConn]struct{}{}}
	defer open.closeAll()
	for {
		conn, err := l.egress.AcceptUnix()
		if err != nil && retryAccept(l.ctx, err) {
			continue
		}
		if err != nil {
			l.socketFailed(err)
			return
		}
		c := open.add(conn)
		if c == nil || l.options.Egress == nil {
			_ = conn.Close()
			continue
		}
		l.wg.Go(func() { l.options.Egress(c) })
	}
}

// connSet is the set of open egress connections of a box.
type connSet struct {
	mu    sync.Mutex
	conns map[*setConn]struct{}
}

// setConn removes itself from its set when it is closed.
type setConn struct {
	*net.UnixConn
	set *connSet
}

// Close closes the connection and removes it from the set.
func (c *setConn) Close() error {
	c.set.mu.Lock()
	delete(c.set.conns, c)
	c.set.mu.Unlock()
	return c.UnixConn.Close()
}

// add adds a connection, or returns nil when there are too many.
func (t *connSet) add(conn *net.UnixConn) *setConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.conns) >= maxEgress {
		return nil
	}
	c := &setConn{UnixConn: conn, set: t}
	t.conns[c] = struct{}{}
	return c
}

func (t *connSet) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.conns {
		_ = c.UnixConn.Close()
	}
}

// Forward is the guest's side of the browser's network access: it forwards the
// bytes of every connection that listener accepts to the socket at path, until
// ctx ends. It owns the listener and returns when all connections have ended.
func Forward(ctx context.Context, listener net.Listener, path string) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, maxEgress)
	for {
		conn, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && retryAccept(ctx, err) {
			continue
		}
		if err != nil {
			_ = listener.Close()
			return fmt.Errorf("cannot accept the browser's connections: %w", err)
		}
		select {
		case slots <- struct{}{}:
			wg.Go(func() {
				forwardConn(ctx, conn, path)
				<-slots
			})
		default:
			_ = conn.Close()
		}
	}
}

// forwardConn copies bytes between a connection of the browser and the socket. When
// nothing listens on the socket it closes the browser's connection.
func forwardConn(ctx context.Context, inner net.Conn, path string) {
	defer func() { _ = inner.Close() }()
	dialer := net.Dialer{Timeout: dialTimeout}
	outer, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return
	}
	defer func() { _ = outer.Close() }()
	stop := context.AfterFunc(ctx, func() { _, _ = inner.Close(), outer.Close() })
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { copyHalf(outer, inner) })
	wg.Go(func() { copyHalf(inner, outer) })
	wg.Wait()
}

// copyHalf copies from src to dst until src ends, then closes dst for writing. On an
// error it closes both, so that the copy in the other direction ends too.
func copyHalf(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		_, _ = dst.Close(), src.Close()
		return
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
