package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// cord is both ends of a client's connection, in memory: Send and Take are the
// client's, Read and Write the gateway's.
type cord struct {
	up, down chan []byte
	over     chan struct{}
	once     sync.Once
	part     []byte
}

func newCord() *cord {
	return &cord{up: make(chan []byte), down: make(chan []byte), over: make(chan struct{})}
}

func (c *cord) Read(ctx context.Context) ([]byte, error) {
	select {
	case message := <-c.up:
		return message, nil
	case <-c.over:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *cord) Write(ctx context.Context, piece []byte, last bool) error {
	if c.part = append(c.part, piece...); !last {
		return nil
	}
	message := c.part
	c.part = nil
	select {
	case c.down <- message:
		return nil
	case <-c.over:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clientEnd is the client's end as a transport of our own connection.
type clientEnd struct{ *cord }

func (c clientEnd) Read() ([]byte, error) {
	select {
	case message := <-c.down:
		return message, nil
	case <-c.over:
		return nil, io.EOF
	}
}

func (c clientEnd) Write(message []byte) error {
	select {
	case c.up <- message:
		return nil
	case <-c.over:
		return io.EOF
	}
}

func (c clientEnd) Close() error {
	c.once.Do(func() { close(c.over) })
	return nil
}

// guest is a client of the protocol beside the engine.
type guest struct {
	*trial
	conn   *cdp.Conn
	served chan error

	mu    sync.Mutex
	heard []action.Message
	seen  []cdp.Event
	moved chan struct{}

	onEvent func(cdp.Event) // may be nil
}

// connect attaches a client.
func (tr *trial) connect() *guest {
	tr.t.Helper()
	g := &guest{trial: tr, served: make(chan error, 1), moved: make(chan struct{})}
	attachment, err := tr.Attach(tr.ctx, func(m action.Message) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.heard = append(g.heard, m)
	})
	must(tr.t, err)
	line := newCord()
	go func() { g.served <- attachment.Serve(tr.ctx, line); close(g.served); _ = clientEnd{line}.Close() }()
	g.conn = cdp.Open(clientEnd{line}, 0, func(e cdp.Event) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.seen = append(g.seen, e)
		if g.onEvent != nil {
			g.onEvent(e)
		}
		close(g.moved)
		g.moved = make(chan struct{})
	})
	tr.t.Cleanup(func() { _ = g.leave() })
	return g
}

func (g *guest) leave() error {
	_ = g.conn.Close()
	return <-g.served
}

func (g *guest) call(session, method string, params any) json.RawMessage {
	g.t.Helper()
	var result json.RawMessage
	if err := g.conn.Session(session).Call(g.ctx, method, params, &result); err != nil {
		g.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// refused expects that the gateway refuses a call, and says why.
func (g *guest) refused(session, method string, params any, why string) {
	g.t.Helper()
	var said *cdp.Error
	err := g.conn.Session(session).Call(g.ctx, method, params, nil)
	if !errors.As(err, &said) || said.Code != -32000 || !strings.Contains(said.Message, why) {
		g.t.Errorf("%s %v: %v, want a refusal with %q", method, params, err, why)
	}
}

// event waits for an event for which want returns true.
func (g *guest) event(want func(cdp.Event) bool) cdp.Event {
	g.t.Helper()
	for {
		g.mu.Lock()
		at := slices.IndexFunc(g.seen, want)
		moved := g.moved
		var found cdp.Event
		if at >= 0 {
			found = g.seen[at]
		}
		g.mu.Unlock()
		if at >= 0 {
			return found
		}
		select {
		case <-moved:
		case <-g.ctx.Done():
			g.t.Fatal("the event did not come")
		}
	}
}

type aTarget struct {
	Session string `json:"sessionId"`
	Waiting bool   `json:"waitingForDebugger"`
	Info    struct {
		ID      string `json:"targetId"`
		Type    string `json:"type"`
		URL     string `json:"url"`
		Context string `json:"browserContextId"`
	} `json:"targetInfo"`
}

// attached waits until the client is attached to a page that fits.
func (g *guest) attached(fits func(aTarget) bool) aTarget {
	g.t.Helper()
	var found aTarget
	g.event(func(e cdp.Event) bool {
		if e.Method != "Target.attachedToTarget" {
			return false
		}
		var a aTarget
		must(g.t, json.Unmarshal(e.Params, &a))
		if a.Info.Type == "page" && fits(a) {
			found = a
			return true
		}
		return false
	})
	return found
}

func (g *guest) follow() {
	g.t.Helper()
	g.call("", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
}

func anyPage(aTarget) bool { return true }

// open opens a page in a context, empty for the session's own, and returns its
// session.
func (g *guest) open(browserContext, url string) aTarget {
	g.t.Helper()
	params := map[string]string{"url": url}
	if browserContext != "" {
		params["browserContextId"] = browserContext
	}
	var made struct {
		ID string `json:"targetId"`
	}
	must(g.t, json.Unmarshal(g.call("", "Target.createTarget", params), &made))
	a := g.attached(func(a aTarget) bool { return a.Info.ID == made.ID })
	g.call(a.Session, "Page.enable", nil)
	g.call(a.Session, "Runtime.runIfWaitingForDebugger", nil)
	return a
}

func (g *guest) newContext() string {
	g.t.Helper()
	var made struct {
		ID string `json:"browserContextId"`
	}
	must(g.t, json.Unmarshal(g.call("", "Target.createBrowserContext", nil), &made))
	return made.ID
}

func (g *guest) evaluate(session, expression string) string {
	g.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	must(g.t, json.Unmarshal(g.call(session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}), &answer))
	return string(answer.Result.Value)
}
