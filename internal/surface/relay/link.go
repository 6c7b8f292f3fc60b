package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	silence  = 90 * time.Second // of the gateway, which sends a ping every 20 s, until it is given up
	replayID = "glovebox-relay" // of the request that the relay makes itself
)

// link is one connection to the gateway.
type link struct {
	out  *output
	conn *websocket.Conn
	deaf *time.Timer   // closes the connection when nothing comes
	done chan struct{} // nothing more is read

	mu      sync.Mutex
	ended   bool                       // nothing more is sent
	quiet   bool                       // it was ended on this side: nobody is told
	open    map[string]request         // requests of the client without an answer
	asked   map[string]json.RawMessage // ids of requests of the gateway without an answer
	replays bool                       // the answer to a request of the relay itself is expected
	replied chan error                 // and goes here
}

func newLink(out *output) *link {
	return &link{out: out, done: make(chan struct{}), open: map[string]request{}, asked: map[string]json.RawMessage{}, replied: make(chan error, 1)}
}

// start begins to read. It must be called before the other methods, but for
// alive.
func (l *link) start(conn *websocket.Conn) {
	l.mu.Lock()
	l.conn = conn
	l.deaf = time.AfterFunc(silence, func() { _ = conn.CloseNow() })
	l.mu.Unlock()
	go func() { // close waits for it
		defer close(l.done)
		l.read()
		l.deaf.Stop()
		_ = conn.CloseNow()
		l.end()
	}()
}

// alive notes that the gateway is there.
func (l *link) alive() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deaf != nil {
		l.deaf.Reset(silence)
	}
}

// over reports whether the connection has ended.
func (l *link) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// waits reports whether a request of the client has no answer yet.
func (l *link) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) > 0
}

// send sends a line of the client, which holds the messages. If the connection
// ends, their requests are answered with a fault.
func (l *link) send(ctx context.Context, line []byte, all []message) {
	l.mu.Lock()
	if l.ended { // since it was looked at
		l.mu.Unlock()
		l.out.fail(requests(all), lost())
		return
	}
	for _, q := range requests(all) {
		l.open[key(q.id)] = q
	}
	for _, m := range all {
		switch {
		case m.cancelled != nil: // no answer comes
			delete(l.open, key(m.cancelled))
		case m.method == "":
			if _, waits := l.asked[key(m.id)]; !waits && len(all) == 1 {
				l.mu.Unlock()
				return // the answer to a request of a connection before
			}
			delete(l.asked, key(m.id))
		}
	}
	l.mu.Unlock()
	if l.conn.Write(ctx, websocket.MessageText, line) != nil {
		_ = l.conn.CloseNow() // the reader answers what is open
	}
}

// replay sends a request of the relay itself and waits for the answer.
func (l *link) replay(ctx context.Context, line []byte) error {
	l.mu.Lock()
	l.replays = true
	l.mu.Unlock()
	if err := l.conn.Write(ctx, websocket.MessageText, line); err != nil {
		return fmt.Errorf("cannot write to the gateway: %w", err)
	}
	select {
	case err := <-l.replied:
		return err
	case <-l.done:
		return errors.New("the connection broke")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read passes on what the gateway sends, until the connection ends.
func (l *link) read() {
	var in bytes.Buffer
	for {
		_, r, err := l.conn.Reader(context.Background()) // ends with the connection
		if err != nil {
			return
		}
		if in.Cap() > 1<<20 {
			in = bytes.Buffer{} // so that one large message does not keep its memory
		}
		in.Reset()
		if _, err := in.ReadFrom(r); err != nil {
			return
		}
		l.alive()
		if l.note(peekAll(in.Bytes()), in.Bytes()) {
			l.out.line(in.Bytes())
		}
	}
}

// note keeps which requests are open. It reports whether the message is for the
// client.
func (l *link) note(all []message, text []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range all {
		at := key(m.id)
		switch {
		case m.id == nil:
		case m.method != "":
			l.asked[at] = m.id
		case l.replays && at == "text "+replayID:
			l.replays = false
			l.replied <- replayed(text)
			return false
		default:
			delete(l.open, at)
		}
	}
	return true
}

// replayed returns why the gateway did not accept what was replayed.
func replayed(text []byte) error {
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	if a.Error != nil {
		return errors.New(a.Error.Message)
	}
	return nil
}

// end answers what is open when the connection has ended.
func (l *link) end() {
	l.mu.Lock()
	l.ended = true
	open, asked, quiet := l.open, l.asked, l.quiet
	l.open, l.asked = nil, nil
	l.mu.Unlock()
	if quiet {
		return
	}
	for _, id := range asked {
		l.out.write(answer{Method: "notifications/cancelled", Params: map[string]any{"requestId": id, "reason": "the connection to the gateway broke"}})
	}
	for _, q := range open {
		l.out.fail([]request{q}, lost())
	}
}

// lost is the fault of a request whose answer will not come.
func lost() error {
	return fault.New(fault.NotActive, "the connection to the gateway broke before the answer came: what became of the call is not known").
		Hinted("look before you repeat it: browser_snapshot shows the page")
}

// close ends the connection without a word to the client.
func (l *link) close() {
	l.mu.Lock()
	l.quiet = true
	l.mu.Unlock()
	_ = l.conn.CloseNow()
	<-l.done
}
