// Package cdp implements the Chrome DevTools Protocol: one connection with
// flattened sessions, calls and events. It knows nothing about pages. No other
// package uses the protocol's messages.
package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Transport transports complete messages in order. Read blocks until one arrives;
// Close makes it return an error. Write must be safe for concurrent use.
type Transport interface {
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// Event is an event of the browser.
type Event struct {
	Session string // id of the session it belongs to; empty for the browser's own
	Method  string
	Params  json.RawMessage
}

// ErrClosed is wrapped by every error of a connection that has ended.
var ErrClosed = errors.New("cdp connection closed")

// ErrDetached is wrapped by the error of a call whose session ended before the
// answer.
var ErrDetached = errors.New("cdp session detached")

// Error is an error answer of the browser.
type Error struct {
	Method  string `json:"-"`
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

// Error returns the method and the browser's message.
func (e *Error) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("%s: %s (%d): %s", e.Method, e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("%s: %s (%d)", e.Method, e.Message, e.Code)
}

// Conn is a connection to one browser. It is safe for concurrent use.
type Conn struct {
	transport Transport
	onEvent   func(Event)
	next      atomic.Int64
	done      chan struct{}

	mu        sync.Mutex
	waiting   map[int64]*Pending
	relayed   map[int64]*Relayed
	lines     map[string]*Line // by session
	waitingOf map[*Line]int    // number of a line's calls in relayed
	err       error
}

// Open starts a connection over a transport and takes ownership of it. onEvent is
// called for every event on the reading goroutine, which keeps the order of
// events and answers: it must not block and must not wait for a call. firstID is
// the id of the first call: a connection that takes over a browser from another
// connection starts with a different number, so that it does not take answers to
// the other's calls for its own.
func Open(transport Transport, firstID int64, onEvent func(Event)) *Conn {
	c := &Conn{
		transport: transport,
		onEvent:   onEvent,
		done:      make(chan struct{}),
		waiting:   make(map[int64]*Pending),
		relayed:   make(map[int64]*Relayed),
		lines:     make(map[string]*Line),
		waitingOf: make(map[*Line]int),
	}
	c.next.Store(firstID)
	go c.read()
	return c
}

// Done is closed when the connection has ended; Err then says why.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended; nil if it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Waiting returns how many calls are not answered yet, including those of lines.
func (c *Conn) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) + len(c.relayed)
}

// Close ends the connection and waits for its reader. Waiting calls fail.
func (c *Conn) Close() error {
	err := c.transport.Close()
	<-c.done
	return err
}

// Root returns the browser's own session.
func (c *Conn) Root() *Session { return &Session{conn: c} }

// Session returns the session with this id.
func (c *Conn) Session(id string) *Session { return &Session{conn: c, id: id} }

// Detach fails the waiting calls of an ended session. The error wraps err and
// ErrDetached.
func (c *Conn) Detach(session string, err error) {
	c.mu.Lock()
	var lost []*Pending
	for id, p := range c.waiting {
		if p.session == session {
			lost = append(lost, p)
			delete(c.waiting, id)
		}
	}
	c.mu.Unlock()
	for _, p := range lost {
		p.fail(fmt.Errorf("%s: %w: %w", p.method, ErrDetached, err))
	}
}

type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// read reads messages. Answers to calls of a line are passed on in pieces;
// everything else is read completely.
func (c *Conn) read() {
	in := piecesOf(c.transport)
	var parts []byte // of a message in several pieces
	for {
		piece, last, err := in.ReadPiece()
		if err != nil {
			c.end(err)
			return
		}
		if call, rest := c.answered(piece); call != nil {
			err = pass(in, call, rest, last)
		} else {
			if !last {
				if parts, err = join(in, append(parts[:0], piece...)); err == nil {
					piece = parts
				}
			}
			if err == nil {
				err = c.take(piece)
			}
			if cap(parts) > keptBuffer {
				parts = nil
			}
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

const keptBuffer = 1 << 20 // bytes kept between messages, so that a large screenshot's memory is released

// join reads the rest of a message whose first piece is parts.
func join(in Pieces, parts []byte) ([]byte, error) {
	for {
		piece, last, err := in.ReadPiece()
		if parts = append(parts, piece...); err != nil || last {
			return parts, err
		}
	}
}

// pass passes on an answer, whose first piece is given.
func pass(in Pieces, call *Relayed, piece []byte, last bool) error {
	to := call.line.to
	to.Answer(call, piece, last)
	for !last {
		var err error
		if piece, last, err = in.ReadPiece(); err != nil {
			return err
		}
		to.Answer(call, piece, last)
	}
	return nil
}

// take handles a complete message: an event, or an answer to a call of ours.
func (c *Conn) take(data []byte) error {
	if call, rest := c.answered(data); call != nil { // its first piece was too short to see this
		call.line.to.Answer(call, rest, true)
		return nil
	}
	if line, session := c.lineOf(data); line != nil && !bytes.HasPrefix(data, answerHead) {
		line.to.Event(session, data)
		return nil
	}
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("malformed message: %w", err)
	}
	if m.ID == 0 {
		c.onEvent(Event{Session: m.Session, Method: m.Method, Params: m.Params})
		return nil
	}
	c.mu.Lock()
	p := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	if p != nil {
		p.answer(m)
	}
	return nil
}

func (c *Conn) end(err error) {
	_ = c.transport.Close()
	err = fmt.Errorf("%w: %w", ErrClosed, err)
	c.mu.Lock()
	c.err = err
	lost := c.waiting
	c.waiting = nil
	clear(c.relayed)
	c.mu.Unlock()
	for _, p := range lost {
		p.fail(fmt.Errorf("%s: %w", p.method, err))
	}
	close(c.done)
}

// Session is a session of a connection, for one target. It is a value without
// state of its own.
type Session struct {
	conn *Conn
	id   string
}

// ID returns the session id, empty for the browser's own session.
func (s *Session) ID() string { return s.id }

// Call sends a call and waits for its answer. params and result may be nil. An
// error answer of the browser is an *Error.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	return s.Send(method, params).Wait(ctx, result)
}

// Post sends a call without waiting for its answer.
func (s *Session) Post(method string, params any) { s.Send(method, params) }

// Send sends a call and returns at once, so that several calls can be sent
// together.
func (s *Session) Send(method string, params any) *Pending {
	p := &Pending{conn: s.conn, session: s.id, method: method, done: make(chan struct{})}
	m := message{Session: s.id, Method: method}
	if params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			p.fail(fmt.Errorf("%s: cannot encode parameters: %w", method, err))
			return p
		}
		m.Params = raw
	}
	m.ID = s.conn.next.Add(1)
	p.id = m.ID
	data, err := json.Marshal(m)
	if err != nil {
		p.fail(fmt.Errorf("%s: cannot encode: %w", method, err))
		return p
	}
	s.conn.mu.Lock()
	if s.conn.waiting == nil {
		err := s.conn.err
		s.conn.mu.Unlock()
		p.fail(fmt.Errorf("%s: %w", method, err))
		return p
	}
	s.conn.waiting[p.id] = p
	s.conn.mu.Unlock()
	if err := s.conn.transport.Write(data); err != nil {
		p.forget()
		p.fail(fmt.Errorf("%s: %w: %w", method, ErrClosed, err))
	}
	return p
}

// Pending is a sent call.
type Pending struct {
	conn    *Conn
	id      int64
	session string
	method  string

	once   sync.Once
	done   chan struct{}
	result json.RawMessage
	err    error
}

// Wait waits for the answer and decodes it into result, which may be nil.
func (p *Pending) Wait(ctx context.Context, result any) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		p.forget()
		return fmt.Errorf("%s: %w", p.method, ctx.Err())
	}
	if p.err != nil || result == nil {
		return p.err
	}
	if err := json.Unmarshal(p.result, result); err != nil {
		return fmt.Errorf("%s: cannot decode answer: %w", p.method, err)
	}
	return nil
}

// Done is closed when the call is answered, or will not be answered any more.
func (p *Pending) Done() <-chan struct{} { return p.done }

func (p *Pending) forget() {
	p.conn.mu.Lock()
	delete(p.conn.waiting, p.id)
	p.conn.mu.Unlock()
}

func (p *Pending) answer(m message) {
	p.once.Do(func() {
		p.result = m.Result
		if m.Error != nil {
			m.Error.Method = p.method
			p.err = m.Error
		}
		close(p.done)
	})
}

func (p *Pending) fail(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.done)
	})
}
