package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Receiver receives messages for a client of a line. Both methods are called on
// the reading goroutine, in order, and must not block for long. Their arguments
// are valid until they return.
type Receiver interface {
	// Event receives a complete event of one of the line's sessions.
	Event(session string, message []byte)
	// Answer receives one piece of the answer to a call of the line, without the
	// leading `{"id":N`. last marks the last piece.
	Answer(call *Relayed, piece []byte, last bool)
}

// Relayed is a call of a line that waits for its answer.
type Relayed struct {
	ID      int64  // the client's own id of the call
	Session string // the browser's session id
	Method  string

	line *Line
}

// Line is a client's part of a connection: its own browser session, and the
// sessions attached from it. It receives nothing of other sessions.
type Line struct {
	conn *Conn
	to   Receiver
	root string
	own  map[string]struct{} // guarded by conn.mu
}

const maxWaitingCalls = 4096 // of a line; a client with more does not wait for answers

// ErrFlood is returned if a line has too many waiting calls.
var ErrFlood = fmt.Errorf("more than %d calls wait for their answers", maxWaitingCalls)

// ErrNoSession is returned for a session that does not belong to the line.
var ErrNoSession = errors.New("the session is not one of this client")

// Attach creates a browser session for a client (Target.attachToBrowserTarget).
// The line must be closed.
func (c *Conn) Attach(ctx context.Context, to Receiver) (*Line, error) {
	var made struct {
		Session string `json:"sessionId"`
	}
	if err := c.Root().Call(ctx, "Target.attachToBrowserTarget", nil, &made); err != nil {
		return nil, err
	}
	l := &Line{conn: c, to: to, root: made.Session, own: map[string]struct{}{}}
	l.Adopt(made.Session)
	return l, nil
}

// Root returns the id of the line's browser session. Its client does not know
// this id.
func (l *Line) Root() string { return l.root }

// Adopt adds a session to the line.
func (l *Line) Adopt(session string) {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	if l.own == nil {
		return
	}
	l.own[session] = struct{}{}
	l.conn.lines[session] = l
}

// Drop removes an ended session from the line. Its calls stay unanswered, as in
// the browser.
func (l *Line) Drop(session string) {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	if l.conn.lines[session] != l {
		return
	}
	delete(l.own, session)
	delete(l.conn.lines, session)
	l.forget(func(r *Relayed) bool { return r.Session == session })
}

// Owns reports whether a session belongs to the line.
func (l *Line) Owns(session string) bool {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	return l.conn.lines[session] == l
}

// forget removes waiting calls. The connection's mu must be held.
func (l *Line) forget(which func(*Relayed) bool) {
	for id, r := range l.conn.relayed {
		if r.line == l && which(r) {
			delete(l.conn.relayed, id)
			l.conn.waitingOf[l]--
		}
	}
}

// Send sends a call for the client; the Receiver gets its answer. params must be
// JSON or empty. Errors: ErrNoSession, ErrFlood, ErrClosed.
func (l *Line) Send(call *Relayed, params []byte) error {
	c := l.conn
	call.line = l
	id := c.next.Add(1)
	message := l.encode(id, call, params)
	c.mu.Lock()
	var refused error
	switch {
	case c.waiting == nil:
		refused = c.err
	case c.lines[call.Session] != l:
		refused = ErrNoSession
	case c.waitingOf[l] >= maxWaitingCalls:
		refused = ErrFlood
	default:
		c.relayed[id] = call
		c.waitingOf[l]++
	}
	c.mu.Unlock()
	if refused != nil {
		return refused
	}
	if err := c.transport.Write(message); err != nil {
		return fmt.Errorf("%s: %w: %w", call.Method, ErrClosed, err)
	}
	return nil
}

func (l *Line) encode(id int64, call *Relayed, params []byte) []byte {
	method, _ := json.Marshal(call.Method)   // cannot fail for a string
	session, _ := json.Marshal(call.Session) // likewise
	message := make([]byte, 0, len(params)+len(method)+len(session)+64)
	message = strconv.AppendInt(append(message, `{"id":`...), id, 10)
	message = append(append(message, `,"method":`...), method...)
	if len(params) > 0 {
		message = append(append(message, `,"params":`...), params...)
	}
	return append(append(append(message, `,"sessionId":`...), session...), '}')
}

// Close ends the line's browser session and all that were attached from it
// (Target.detachFromTarget). After it has returned, the Receiver gets only
// messages that were already being delivered.
func (l *Line) Close(ctx context.Context) error {
	c := l.conn
	c.mu.Lock()
	for session := range l.own {
		delete(c.lines, session)
	}
	l.own = nil
	l.forget(func(*Relayed) bool { return true })
	delete(c.waitingOf, l)
	c.mu.Unlock()
	return c.Root().Call(ctx, "Target.detachFromTarget", map[string]string{"sessionId": l.root}, nil)
}

// answerHead is the beginning of every answer, because the browser writes the id
// first.
var answerHead = []byte(`{"id":`)

// answered returns the call of a line that a message answers, and what follows
// the message's id; nil if it answers none.
func (c *Conn) answered(piece []byte) (*Relayed, []byte) {
	digits, found := bytes.CutPrefix(piece, answerHead)
	if !found {
		return nil, nil
	}
	end := bytes.IndexByte(digits, ',')
	if end < 1 || end > 19 { // digits of an int64
		return nil, nil
	}
	id, err := strconv.ParseInt(string(digits[:end]), 10, 64)
	if err != nil {
		return nil, nil
	}
	return c.relayedCall(id), digits[end:]
}

func (c *Conn) relayedCall(id int64) *Relayed {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.relayed[id]
	if call != nil {
		delete(c.relayed, id)
		c.waitingOf[call.line]--
	}
	return call
}

// sessionOf returns the session of a message, empty for the browser's own. The
// browser writes it last: the final brace ends the message, so the member before
// it belongs to the message, and a comma before the quote means that the quote is
// not inside a string.
func sessionOf(message []byte) string {
	const name = `,"sessionId":"`
	rest, found := bytes.CutSuffix(message, []byte(`"}`))
	if !found {
		return ""
	}
	at := bytes.LastIndexByte(rest, '"')
	if at < 0 || !bytes.HasSuffix(rest[:at+1], []byte(name)) {
		return ""
	}
	return string(rest[at+1:])
}

// lineOf returns the line of a message's session; nil for the engine's.
func (c *Conn) lineOf(message []byte) (*Line, string) {
	session := sessionOf(message)
	if session == "" {
		return nil, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines[session], session
}
