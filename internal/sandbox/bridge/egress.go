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
	maxEgress   = 512 // connections of one browser at once; Chromium opens at most 256 to one proxy
	dialTimeout = 5 * time.Second
)

// acceptEgress hands every connection on egress.sock to its owner, and closes
// them when the link ends.
func (l *Link) acceptEgress() {
	open := tracked{conns: map[*trackedConn]struct{}{}}
	defer open.closeAll()
	for {
		conn, err := l.egress.AcceptUnix()
		if err != nil && scarce(l.ctx, err) {
			continue
		}
		if err != nil {
			l.lost(err)
			return
		}
		c := open.add(conn)
		if c == nil || l.o.Egress == nil {
			_ = conn.Close()
			continue
		}
		l.wg.Go(func() { l.o.Egress(c) })
	}
}

// tracked is the set of open egress connections of a box.
type tracked struct {
	mu    sync.Mutex
	conns map[*trackedConn]struct{}
}

// trackedConn leaves its set when it is closed.
type trackedConn struct {
	*net.UnixConn
	set *tracked
}

// Close closes the connection and frees its place.
func (c *trackedConn) Close() error {
	c.set.mu.Lock()
	delete(c.set.conns, c)
	c.set.mu.Unlock()
	return c.UnixConn.Close()
}

// add returns nil when there are too many.
func (t *tracked) add(conn *net.UnixConn) *trackedConn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.conns) >= maxEgress {
		return nil
	}
	c := &trackedConn{UnixConn: conn, set: t}
	t.conns[c] = struct{}{}
	return c
}

func (t *tracked) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.conns {
		_ = c.UnixConn.Close()
	}
}

// Forward is the guest's side of the way out: it carries every connection that
// listener accepts to the socket at path, as plain bytes, until ctx ends. It
// owns the listener and returns when everything it started has ended.
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
		if err != nil && scarce(ctx, err) {
			continue
		}
		if err != nil {
			_ = listener.Close()
			return fmt.Errorf("cannot accept the browser's connections: %w", err)
		}
		select {
		case slots <- struct{}{}:
			wg.Go(func() {
				carry(ctx, conn, path)
				<-slots
			})
		default:
			_ = conn.Close()
		}
	}
}

// carry joins a connection of the browser to the socket. Where nobody listens
// the browser sees its proxy hang up.
func carry(ctx context.Context, inner net.Conn, path string) {
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
	wg.Go(func() { pipe(outer, inner) })
	wg.Go(func() { pipe(inner, outer) })
	wg.Wait()
}

// pipe copies until src ends and tells dst. Where dst broke src is closed, so
// that the other way ends too.
func pipe(dst, src net.Conn) {
	if _, err := io.Copy(dst, src); err != nil {
		_, _ = dst.Close(), src.Close()
		return
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
