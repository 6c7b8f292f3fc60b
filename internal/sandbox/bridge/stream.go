package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Close codes of the CDP WebSocket (RFC 6455 section 7.4.2: 4000 to 4999 are
// for private use).
const (
	CloseReplaced    websocket.StatusCode = 4001 // another client took the browser over
	CloseBrowserGone websocket.StatusCode = 4002 // the browser crashed or was ended
)

// Why a CDP stream ended, in the chain of the error of Read.
var (
	ErrReplaced    = errors.New("another connection to the browser took over")
	ErrBrowserGone = errors.New("the browser ended")
)

const writeTimeout = 15 * time.Second // for one message to leave; the guest gives up on a deaf browser after 10

// stream is the gateway's end of a CDP WebSocket. Reads come from one
// goroutine at a time, writes from many.
type stream struct {
	conn *websocket.Conn
	ctx  context.Context // of the stream's life, which has no call of its own
	end  context.CancelFunc
	buf  bytes.Buffer
	once sync.Once
	thaw func(context.Context) error // before each message: a frozen browser answers none

	now   io.Reader // the message that is being read in pieces
	piece []byte
}

const pieceSize = 64 << 10 // bytes of a message handed out at a time; of a pipe's buffer, too

func newStream(conn *websocket.Conn, thaw func(context.Context) error) *stream {
	conn.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancel(context.Background())
	return &stream{conn: conn, ctx: ctx, end: cancel, thaw: thaw}
}

// Read returns the next message, which belongs to the caller.
func (s *stream) Read() ([]byte, error) {
	r, err := s.begin()
	if err != nil {
		return nil, err
	}
	s.buf.Reset()
	if _, err := s.buf.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("cannot read from the box: %w", ended(err))
	}
	message := bytes.Clone(s.buf.Bytes())
	if s.buf.Cap() > 1<<20 {
		s.buf = bytes.Buffer{} // one large screenshot does not hold its memory for ever
	}
	return message, nil
}

// begin begins the next message.
func (s *stream) begin() (io.Reader, error) {
	kind, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read from the box: %w", ended(err))
	}
	if kind != websocket.MessageText {
		_ = s.Close()
		return nil, errors.New("cannot read from the box: it sent no text")
	}
	return r, nil
}

// ReadPiece returns the next piece of a message, valid until the next call;
// last ends the message. It is used instead of Read.
func (s *stream) ReadPiece() (piece []byte, last bool, err error) {
	if s.now == nil {
		if s.now, err = s.begin(); err != nil {
			return nil, false, err
		}
	}
	if s.piece == nil {
		s.piece = make([]byte, pieceSize)
	}
	n, err := io.ReadFull(s.now, s.piece)
	switch err { //nolint:errorlint // bare ones end the message; wrapped ones are of a connection that broke off
	case nil:
		return s.piece[:n], false, nil
	case io.EOF, io.ErrUnexpectedEOF:
		s.now = nil
		return s.piece[:n], true, nil
	}
	return nil, false, fmt.Errorf("cannot read from the box: %w", ended(err))
}

// Write sends a message within 15 seconds, and has a frozen box go on before;
// where the message cannot be sent the stream ends.
func (s *stream) Write(message []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	if err := s.thaw(ctx); err != nil {
		return fmt.Errorf("cannot have the box go on: %w", err)
	}
	if err := s.conn.Write(ctx, websocket.MessageText, message); err != nil {
		return fmt.Errorf("cannot write to the box: %w", ended(err))
	}
	return nil
}

// Close ends the stream at once.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.end()
		_ = s.conn.CloseNow() // what it says of a connection that is gone already does not matter
	})
	return nil
}

func ended(err error) error {
	switch websocket.CloseStatus(err) {
	case CloseReplaced:
		return fmt.Errorf("%w: %w", ErrReplaced, err)
	case CloseBrowserGone:
		return fmt.Errorf("%w: %w", ErrBrowserGone, err)
	}
	return err
}
