package cdpproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	askTimeout         = 10 * time.Second // for an answer of the browser that a client's call depends on
	closeTimeout       = 5 * time.Second  // for the browser to end a client's sessions
	pauseLimit         = 10 * time.Second // a new target waits for a client's debugger, and others wait with it
	maxBrowserSessions = 20               // browser sessions of a client
	maxContexts        = 20               // of a client
)

// Host is the part of the page engine that clients need. Its methods are also
// called on the goroutine that reads the connection, and must not wait for the
// browser.
type Host interface {
	Home() string               // browser context of the session's tabs
	Judge(address string) error // nil if a document may be loaded from this address
	Downloads() map[string]any  // parameters of Browser.setDownloadBehavior
	Uploads() string            // folder of files that pages may get; empty: none
	World() string              // name of the engine's own script world
	Keeps(target string) bool   // the engine answers a dialog of this target
}

// Client is one client of a session's browser.
type Client struct {
	conn      *cdp.Conn
	line      *cdp.Line
	host      Host
	onMessage func(action.Message)
	out       *outbox
	jobs      *cdp.Queue

	tail  []byte // end of the messages of the client's browser session
	begun bool   // an answer was partly passed on
	held  []byte // its last bytes, which may be the tail
	whole []byte // the answer, if it is inspected

	mu       sync.Mutex
	targets  map[string]string      // by session
	browsers map[string]struct{}    // further browser sessions of the client
	contexts map[string]struct{}    // contexts that the client made
	streams  map[string]struct{}    // streams that the client may read
	printing map[int64]struct{}     // its calls whose answers contain a stream's handle
	pauses   map[string]*time.Timer // of targets that wait for the client, by session; nil when it is closed
}

// Open opens a browser session for a client. onMessage is called for each call of the
// client, on one goroutine. Faults: cdp_error, not_active.
func Open(ctx context.Context, conn *cdp.Conn, host Host, onMessage func(action.Message)) (*Client, error) {
	c := &Client{
		conn: conn, host: host, onMessage: onMessage, out: newOutbox(), jobs: cdp.NewQueue(),
		targets: map[string]string{}, browsers: map[string]struct{}{}, contexts: map[string]struct{}{}, streams: map[string]struct{}{}, printing: map[int64]struct{}{},
		pauses: map[string]*time.Timer{},
	}
	var err error
	if c.line, err = conn.Attach(ctx, c); err != nil {
		return nil, lost(err)
	}
	c.tail = []byte(`,"sessionId":"` + c.line.Root() + `"}`)
	return c, nil
}

func lost(err error) error {
	if errors.Is(err, cdp.ErrClosed) {
		return fault.New(fault.NotActive, "the browser is gone").Hinted("start a new session").Because(err)
	}
	return fault.New(fault.CDPError, "the browser could not take the client").Hinted("connect again").Because(err)
}

// Close ends the client's sessions and contexts in the browser.
func (c *Client) Close() {
	c.mu.Lock()
	for _, timer := range c.pauses {
		timer.Stop()
	}
	c.pauses = nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = c.line.Close(ctx) // if the browser does not answer, the session ends anyway
}

// Serve passes messages in both directions, as action.Attachment says, and closes
// the client.
func (c *Client) Serve(ctx context.Context, wire action.Wire) error {
	defer c.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	work.Go(func() { cancel(c.out.run(ctx, wire)) })
	work.Go(func() { c.jobs.Run(ctx.Done()) })
	work.Go(func() {
		select {
		case <-c.conn.Done():
			cancel(lost(c.conn.Err()))
		case <-ctx.Done():
		}
	})
	err := c.receive(ctx, wire)
	cancel(err)
	work.Wait()
	return ended(context.Cause(ctx))
}

// ended returns the fault for a client that was ended.
func ended(err error) error {
	switch {
	case errors.Is(err, errGone):
		return nil
	case errors.Is(err, errSlow):
		return fault.New(fault.LimitReached, "%s", errSlow).Hinted("read answers as they come").Because(err)
	case errors.Is(err, errMalformed):
		return fault.New(fault.InvalidRequest, "%s", errMalformed).Hinted("send JSON with id, method, params and sessionId").Because(err)
	}
	return err
}

// errGone is the cause if the client disconnected.
var errGone = errors.New("the client went away")

// receive reads the client's calls one by one.
func (c *Client) receive(ctx context.Context, wire action.Wire) error {
	for {
		message, err := wire.Read(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return fmt.Errorf("%w: %w", errGone, err)
		}
		if err := c.take(ctx, message); err != nil {
			return err
		}
	}
}

// take judges one call and carries out the judgement. An error ends the client.
func (c *Client) take(ctx context.Context, message []byte) error {
	m, err := parse(message)
	if err != nil {
		c.onMessage(action.Message{Method: "malformed", Refused: errMalformed.Error()})
		c.refuse(m, -32600, err.Error()) // JSON-RPC 2.0, invalid request
		return nil
	}
	if m.session != "" && (m.session == c.line.Root() || !c.line.Owns(m.session)) {
		c.onMessage(action.Message{Method: m.method, Refused: cdp.ErrNoSession.Error()})
		c.refuse(m, -32001, "Session with given id not found.") // as the browser says it
		return nil
	}
	m.root = c.isRoot(m.session)
	j, err := judge((*grant)(c), &m)
	if err == nil {
		err = c.permitted(ctx, j)
	}
	if err != nil {
		c.onMessage(action.Message{Method: m.method, Refused: err.Error()})
		c.refuse(m, -32000, "glovebox: "+m.method+": "+err.Error())
		c.abandon(m)
		return nil
	}
	c.onMessage(action.Message{Method: m.method, Refused: j.noted})
	return c.forward(ctx, m, j)
}

// abandon fails a paused request that a client wanted to continue with a
// forbidden address. Clients such as Playwright ignore the answer to their call,
// and the page would wait forever.
func (c *Client) abandon(m call) {
	if m.method != "Fetch.continueRequest" || m.session == "" {
		return
	}
	p, err := m.decode()
	if err != nil {
		return
	}
	id, err := read[string](p, "requestId")
	if err != nil || id == "" {
		return
	}
	c.jobs.Add(func() {
		c.conn.Session(m.session).Send("Fetch.failRequest", map[string]string{"requestId": id, "errorReason": "BlockedByClient"})
	})
}

func (c *Client) isRoot(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, browser := c.browsers[session]
	return session == "" || browser
}

// permitted checks the part of a judgement that needs an answer of the browser.
func (c *Client) permitted(ctx context.Context, j judgement) error {
	if j.session != "" && (j.session == c.line.Root() || !c.line.Owns(j.session)) {
		return refusal("the session is not one of this client")
	}
	if j.target == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var answer struct {
		Info info `json:"targetInfo"`
	}
	err := c.conn.Root().Call(ctx, "Target.getTargetInfo", map[string]string{"targetId": j.target}, &answer)
	if err != nil || !(*grant)(c).sees(answer.Info) {
		return refusal("the client has no such target")
	}
	return nil
}

// forward passes a call on. If its answer must be inspected, it waits for the
// answer before the next call is read.
func (c *Client) forward(ctx context.Context, m call, j judgement) error {
	if j.params != nil {
		var err error
		if m.params, err = j.params.encode(); err != nil {
			return err
		}
	}
	switch j.wants {
	case targets, contexts, newContext, oldContext:
		c.ask(ctx, m, j)
		return nil
	case stream:
		c.mu.Lock()
		c.printing[m.id] = struct{}{}
		c.mu.Unlock()
	}
	session := m.session
	if session == "" {
		session = c.line.Root()
	}
	err := c.line.Send(&cdp.Relayed{ID: m.id, Session: session, Method: m.method}, m.params)
	switch {
	case errors.Is(err, cdp.ErrNoSession):
		c.refuse(m, -32001, "Session with given id not found.")
	case errors.Is(err, cdp.ErrFlood):
		return fault.New(fault.LimitReached, "%s", err).Hinted("wait for answers")
	case err != nil:
		return lost(err)
	}
	return nil
}

// refuse answers a call with an error of the protocol.
func (c *Client) refuse(m call, code int, why string) {
	c.reply(m, "error", map[string]any{"code": code, "message": why})
}

func (c *Client) reply(m call, name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("{}")
	}
	head := []byte(`{"id":` + strconv.FormatInt(m.id, 10) + `,"` + name + `":`)
	end := []byte("}")
	if m.session != "" {
		session, _ := json.Marshal(m.session) // cannot fail for a string
		end = append(append([]byte(`,"sessionId":`), session...), '}')
	}
	c.out.put(head, raw, end)
}
