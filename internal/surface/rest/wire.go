package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxMessage is the longest message that a client of the DevTools protocol may
// send, in bytes. It is the limit of the connection to the box.
const maxMessage = 64 << 20

// wireLimits bound what a client may send.
type wireLimits struct {
	message int64         // bytes of a message
	large   chan struct{} // holds a token for each message above maxBody that is being read; nil: no such limit
}

// wire is a WebSocket of a client. A separate goroutine reads it, because a
// connection whose read was cancelled cannot be closed with a code.
type wire struct {
	conn *websocket.Conn
	wireLimits
	in   bytes.Buffer
	out  io.WriteCloser  // the message that is being written in pieces
	life context.Context //nolint:containedctx // of what is written: a writer keeps the first context it is given
	end  context.CancelFunc

	want chan struct{} // signals that the next message may be read
	came chan error    // it is in in, or there is none
	done chan struct{} // the goroutine has ended
}

func newWire(conn *websocket.Conn, limits wireLimits) *wire {
	conn.SetReadLimit(limits.message)
	life, end := context.WithCancel(context.Background())
	w := &wire{conn: conn, wireLimits: limits, life: life, end: end, want: make(chan struct{}), came: make(chan error, 1), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for {
			select {
			case <-w.want:
			case <-w.life.Done():
				return
			}
			err := w.receive(context.Background()) // ends with the connection, see close
			select {
			case w.came <- err:
			case <-w.life.Done():
				return
			}
		}
	}()
	return w
}

// close sends the reason, ends the connection and waits for the goroutine. A Read that
// still waits, or comes later, fails.
func (w *wire) close(code websocket.StatusCode, why string) {
	_ = w.conn.Close(code, why) // within a time limit; a client that has gone needs no reason
	w.end()
	<-w.done
}

// Read returns the client's next message, text or binary, from any number of
// frames. After an error it must not be called again.
func (w *wire) Read(ctx context.Context) ([]byte, error) {
	select {
	case w.want <- struct{}{}:
	case <-w.done:
		return nil, errEnded
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case err := <-w.came:
		return w.in.Bytes(), err
	case <-w.done:
		return nil, errEnded
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

var errEnded = errors.New("the connection has ended")

func (w *wire) receive(ctx context.Context) error {
	_, r, err := w.conn.Reader(ctx)
	if err != nil {
		return fmt.Errorf("cannot read from the client: %w", err)
	}
	if w.in.Cap() > 1<<20 {
		w.in = bytes.Buffer{} // so that one large message does not keep its memory
	}
	w.in.Reset()
	if w.large != nil {
		if _, err := w.in.ReadFrom(io.LimitReader(r, maxBody)); err != nil {
			return fmt.Errorf("cannot read from the client: %w", err)
		}
		if w.in.Len() == maxBody {
			release, err := w.enter()
			if err != nil {
				return err
			}
			defer release()
		}
	}
	if _, err := w.in.ReadFrom(r); err != nil {
		return fmt.Errorf("cannot read from the client: %w", err)
	}
	return nil
}

// enter waits until the rest of a large message may be read. The client must
// then send it in time.
func (w *wire) enter() (release func(), err error) {
	select {
	case w.large <- struct{}{}:
	case <-w.life.Done():
		return nil, fmt.Errorf("cannot read from the client: %w", w.life.Err())
	}
	late := time.AfterFunc(bodyLimit, func() { _ = w.conn.CloseNow() })
	return func() {
		late.Stop()
		<-w.large
	}, nil
}

// Write sends a piece of a message as a frame. If ctx ends before the piece is
// sent, the connection ends.
func (w *wire) Write(ctx context.Context, piece []byte, last bool) error {
	defer context.AfterFunc(ctx, w.end)()
	if w.out == nil && last {
		return writeError(w.conn.Write(w.life, websocket.MessageText, piece))
	}
	if w.out == nil {
		out, err := w.conn.Writer(w.life, websocket.MessageText)
		if err != nil {
			return writeError(err)
		}
		w.out = out
	}
	if _, err := w.out.Write(piece); err != nil || !last {
		return writeError(err)
	}
	out := w.out
	w.out = nil
	return writeError(out.Close())
}

func writeError(err error) error {
	if err != nil {
		return fmt.Errorf("cannot write to the client: %w", err)
	}
	return nil
}

// closing returns the code and the reason that tell a client why its connection
// ends (RFC 6455, 7.4.1).
func closing(err error) (websocket.StatusCode, string) {
	f := fault.From(err)
	switch {
	case f == nil:
		return websocket.StatusNormalClosure, ""
	case errors.Is(err, errShutdown), f.Details["ended"] == "left":
		return websocket.StatusServiceRestart, "the gateway ends"
	case f.Details["limit"] != nil && f.Code == fault.NotActive:
		return websocket.StatusGoingAway, reason(f)
	case f.Details["ended"] == "closed":
		return websocket.StatusNormalClosure, reason(f)
	case f.Code == fault.LimitReached, f.Code == fault.InvalidRequest, f.Code == fault.Unauthenticated, f.Code == fault.SessionPaused, f.Code == fault.DeniedByPolicy:
		return websocket.StatusPolicyViolation, reason(f)
	}
	return websocket.StatusInternalError, reason(f)
}

// reason shortens the text of a fault to the size of a close frame.
func reason(f *fault.Fault) string {
	const most = 123 // RFC 6455, 5.5.1
	text := string(f.Code) + ": " + f.Message
	for len(text) > most {
		r := []rune(text)
		text = string(r[:len(r)-1])
	}
	return text
}
