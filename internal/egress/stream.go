package egress

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const tunnelIdle = 10 * time.Minute // without a byte in either direction; most WebSockets ping more often

var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// deadlineWriter writes to a client, which must receive each piece within
// writeTime.
type deadlineWriter struct{ net.Conn }

// Write writes p under its own deadline.
func (s deadlineWriter) Write(p []byte) (int, error) {
	if err := s.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	return s.Conn.Write(p)
}

// watchedBody is a request's body. Each piece must arrive within idleTime. It
// records whether the end was read.
type watchedBody struct {
	io.ReadCloser
	client *client
	ended  atomic.Bool
}

// Read reads under its own deadline.
func (w *watchedBody) Read(p []byte) (int, error) {
	if err := w.client.conn.SetReadDeadline(time.Now().Add(idleTime)); err != nil {
		return 0, err
	}
	n, err := w.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		w.ended.Store(true)
	}
	return n, err
}

// Close does not read the rest of the body; the connection must end then.
func (w *watchedBody) Close() error { return nil }

// idleTimerBody is an answer's body that resets a timer at each piece.
type idleTimerBody struct {
	io.ReadCloser
	timer *time.Timer
}

// Read reads and resets the timer.
func (s *idleTimerBody) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.timer.Reset(tunnelIdle)
	return n, err
}

// copyBoth copies bytes in both directions until both ends have finished, one fails, or
// no byte was copied for idle.
func copyBoth(client, server net.Conn, idle time.Duration) {
	var moved atomic.Int64
	moved.Store(time.Now().UnixNano())
	var both sync.WaitGroup
	carry := func(to, from net.Conn) {
		if err := copyUntilIdle(to, from, idle, &moved); err != nil {
			_, _ = to.Close(), from.Close()
			return
		}
		_ = closeWrite(to)
	}
	both.Go(func() { carry(server, client) })
	both.Go(func() { carry(client, server) })
	both.Wait()
}

// copyUntilIdle copies until the end of from. Both directions share moved, so
// that a long download does not count as idle because nothing is uploaded.
func copyUntilIdle(to, from net.Conn, idle time.Duration, moved *atomic.Int64) error {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for {
		since := time.Unix(0, moved.Load())
		if err := from.SetReadDeadline(since.Add(idle)); err != nil {
			return err
		}
		n, err := from.Read(*buffer)
		if n > 0 {
			moved.Store(time.Now().UnixNano())
			if _, err := (deadlineWriter{to}).Write((*buffer)[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded) && time.Since(time.Unix(0, moved.Load())) < idle:
			continue
		case err != nil:
			return err
		}
	}
}

// closeWrite closes the sending direction of a connection, or the whole
// connection if that is not possible.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
