package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Receiver takes what the browser says to a client of a line. Both methods are
// called on the reading goroutine, in order, and must not block for long; what
// they are given is valid until they return.
type Receiver interface {
	// Event takes a whole event of one of the line's sessions.
	Event(session string, message []byte)
	// Answer takes one piece of the answer to a call of the line, without the
	// `{"id":N` it begins with. last ends it.
	Answer(call *Relayed, piece []byte, last bool)
}

// Relayed is a call of a line that waits for its answer.
type Relayed struct {
	ID      int64  // the client's own id of the call
	Session string // as the browser knows it
	Method  string

	line *Line
}

// Line is a client's share of a connection: a browser session of its own, and
// the sessions that grew from it. Nothing of other sessions comes through.
type Line struct {
	conn *Conn
	to   Receiver
	root string
	own  map[string]struct{} // guarded by conn.mu
}

const mostCalls = 4096 // of a line that wait for their answers: a client that sends more is not waiting for any

// ErrFlood is returned to a line that has too many calls waiting.
var ErrFlood = fmt.Errorf("more than %d calls wait for their answers", mostCalls)

// ErrNoSession is returned for a session that is not the line's.
var ErrNoSession = errors.New("the session is not one of this client")

// Attach gives a client a browser session of its own
// (Target.attachToBrowserTarget). It must be closed.
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

// Root returns the id of the line's browser session, which its client does not
// know.
func (l *Line) Root() string { return l.root }

// Adopt makes a session one of the line.
func (l *Line) Adopt(session string) {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	if l.own == nil {
		return
	}
	l.own[session] = struct{}{}
	l.conn.lines[session] = l
}

// Drop takes a session that has ended from the line. Its calls stay
// unanswered, as the browser leaves them.
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

// Owns reports whether a session is one of the line.
func (l *Line) Owns(session string) bool {
	l.conn.mu.Lock()
	defer l.conn.mu.Unlock()
	return l.conn.lines[session] == l
}

// forget drops calls that wait. The connection's mu is held.
func (l *Line) forget(which func(*Relayed) bool) {
	for id, r := range l.conn.relayed {
		if r.line == l && which(r) {
			delete(l.conn.relayed, id)
			l.conn.waitingOf[l]--
		}
	}
}

// Send sends a call for the client; its answer comes to the Receiver. params
// must be a JSON value or empty. Errors: ErrNoSession, ErrFlood, ErrClosed.
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
	case c.waitingOf[l] >= mostCalls:
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
	method, _ := json.Marshal(call.Method)   // a string: cannot fail
	session, _ := json.Marshal(call.Session) // the same
	message := make([]byte, 0, len(params)+len(method)+len(session)+64)
	message = strconv.AppendInt(append(message, `{"id":`...), id, 10)
	message = append(append(message, `,"method":`...), method...)
	if len(params) > 0 {
		message = append(append(message, `,"params":`...), params...)
	}
	return append(append(append(message, `,"sessionId":`...), session...), '}')
}

// Close ends the line's browser session and all that grew from it
// (Target.detachFromTarget). Nothing reaches the Receiver when it has
// returned but what was on its way.
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

// answerHead begins every answer: the browser writes the id first.
var answerHead = []byte(`{"id":`)

// answered returns the call of a line that a message answers, with what
// follows the message's id; nil where it answers none.
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

// sessionOf returns the session a message belongs to, empty for the browser's
// own. The browser writes it last: the final brace ends the message, so that
// the member before it is the message's, and a comma before the quote means
// that the quote is no part of a string.
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

// lineOf returns the line a message's session belongs to, nil for the
// engine's.
func (c *Conn) lineOf(message []byte) (*Line, string) {
	session := sessionOf(message)
	if session == "" {
		return nil, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines[session], session
}
