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
	CloseReplaced    websocket.StatusCode = 4001 // another client connected to the browser
	CloseBrowserGone websocket.StatusCode = 4002 // the browser crashed or was stopped
)

// Reasons why a CDP stream ended, wrapped by the error of Read.
var (
	ErrReplaced    = errors.New("another connection to the browser took over")
	ErrBrowserGone = errors.New("the browser ended")
)

const writeTimeout = 15 * time.Second // for one message; the guest gives up after 10 on a browser that does not read

// stream is the gateway's side of a CDP WebSocket. One goroutine at a time may
// read; any number may write.
type stream struct {
	conn   *websocket.Conn
	ctx    context.Context // ends with the stream
	cancel context.CancelFunc
	buf    bytes.Buffer
	once   sync.Once
	thaw   func(context.Context) error // called before each message: a frozen browser does not answer

	message     io.Reader // the message that ReadPiece has begun
	pieceBuffer []byte
}

const pieceSize = 64 << 10 // bytes; the size of a pipe's buffer

func newStream(conn *websocket.Conn, thaw func(context.Context) error) *stream {
	conn.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancel(context.Background())
	return &stream{conn: conn, ctx: ctx, cancel: cancel, thaw: thaw}
}

// Read returns the next message, which the caller owns.
func (s *stream) Read() ([]byte, error) {
	r, err := s.nextMessage()
	if err != nil {
		return nil, err
	}
	s.buf.Reset()
	if _, err := s.buf.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("cannot read from the box: %w", closeReason(err))
	}
	message := bytes.Clone(s.buf.Bytes())
	if s.buf.Cap() > 1<<20 {
		s.buf = bytes.Buffer{} // free the memory of a large message
	}
	return message, nil
}

// nextMessage returns a reader for the next message.
func (s *stream) nextMessage() (io.Reader, error) {
	kind, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot read from the box: %w", closeReason(err))
	}
	if kind != websocket.MessageText {
		_ = s.Close()
		return nil, errors.New("cannot read from the box: it sent no text")
	}
	return r, nil
}

// ReadPiece returns the next piece of a message, valid until the next call. last
// is true for the last piece of a message. Use either ReadPiece or Read.
func (s *stream) ReadPiece() (piece []byte, last bool, err error) {
	if s.message == nil {
		if s.message, err = s.nextMessage(); err != nil {
			return nil, false, err
		}
	}
	if s.pieceBuffer == nil {
		s.pieceBuffer = make([]byte, pieceSize)
	}
	n, err := io.ReadFull(s.message, s.pieceBuffer)
	switch err { //nolint:errorlint // the message ended only if the error is not wrapped; a broken connection wraps it
	case nil:
		return s.pieceBuffer[:n], false, nil
	case io.EOF, io.ErrUnexpectedEOF:
		s.message = nil
		return s.pieceBuffer[:n], true, nil
	}
	return nil, false, fmt.Errorf("cannot read from the box: %w", closeReason(err))
}

// Write sends a message within 15 seconds. It thaws a frozen box first. A message
// that cannot be sent ends the stream.
func (s *stream) Write(message []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, writeTimeout)
	defer cancel()
	if err := s.thaw(ctx); err != nil {
		return fmt.Errorf("cannot have the box go on: %w", err)
	}
	if err := s.conn.Write(ctx, websocket.MessageText, message); err != nil {
		return fmt.Errorf("cannot write to the box: %w", closeReason(err))
	}
	return nil
}

// Close ends the stream without a closing handshake.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.cancel()
		_ = s.conn.CloseNow() // an error only means that it was closed already
	})
	return nil
}

func closeReason(err error) error {
	switch websocket.CloseStatus(err) {
	case CloseReplaced:
		return fmt.Errorf("%w: %w", ErrReplaced, err)
	case CloseBrowserGone:
		return fmt.Errorf("%w: %w", ErrBrowserGone, err)
	}
	return err
}
