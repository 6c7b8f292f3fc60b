package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/surface/relay"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// calls is a gate: it keeps the calls that it receives.
type calls struct {
	do func(context.Context, action.Call) (action.Result, error)

	mu   sync.Mutex
	came []action.Call
}

func (g *calls) Call(ctx context.Context, c action.Call) (action.Result, error) {
	g.mu.Lock()
	g.came = append(g.came, c)
	g.mu.Unlock()
	if g.do != nil {
		return g.do(ctx, c)
	}
	return action.Result{Data: &action.SessionListing{}}, nil
}

func (g *calls) Refuse(context.Context, action.Call, error) {}

func (g *calls) all() []action.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.came
}

// gateway is the real MCP and REST surface at an address that stays, so that it
// can be stopped and started again.
type gateway struct {
	t      *testing.T
	gate   *calls
	tokens *auth.TokenStore
	dir    string
	own    bool // it was started by a process of glovebox mcp
	front  *httptest.Server

	mu      sync.Mutex
	handler http.Handler
	stop    func()
}

func newGateway(t *testing.T) *gateway {
	t.Helper()
	g := &gateway{t: t, gate: &calls{}, dir: t.TempDir()}
	var err error
	if g.tokens, err = auth.Open(g.dir); err != nil {
		t.Fatal(err)
	}
	g.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		handler := g.handler
		g.mu.Unlock()
		if handler == nil { // as a port that nobody listens on
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(w, r)
	}))
	g.start()
	t.Cleanup(func() {
		g.end()
		g.front.Close()
	})
	return g
}

func (g *gateway) start() {
	g.t.Helper()
	tools, err := mcp.New(mcp.Options{Gate: g.gate, Version: "test"})
	if err != nil {
		g.t.Fatal(err)
	}
	h, err := rest.New(rest.Options{Gate: g.gate, Auth: g.tokens, MCP: tools.Handler(), Agents: tools, Background: g.own, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		g.t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handler = h
	g.stop = func() {
		h.Close()
		_ = tools.Close()
	}
}

func (g *gateway) end() {
	g.mu.Lock()
	stop := g.stop
	g.handler, g.stop = nil, nil
	g.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (g *gateway) token() string {
	text, err := os.ReadFile(filepath.Join(g.dir, auth.AgentFile))
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// process is a client of the relay, which sends and reads lines.
type process struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

// reach returns a client of the gateway at an address.
func reach(url, token string) func(context.Context, bool) (*client.Client, []string, error) {
	return func(context.Context, bool) (*client.Client, []string, error) {
		gateway, err := client.New(url, token)
		return gateway, nil, err
	}
}

func (g *gateway) run(t *testing.T, token string, change ...func(*relay.Options)) *process {
	t.Helper()
	toUs, in := io.Pipe()
	out, fromUs := io.Pipe()
	o := relay.Options{Gateway: reach(g.front.URL, token), In: toUs, Out: fromUs}
	for _, f := range change {
		f(&o)
	}
	p := &process{t: t, in: in, out: bufio.NewReader(out), done: make(chan error, 1)}
	go func() {
		err := relay.Run(t.Context(), o)
		_ = fromUs.CloseWithError(io.EOF)
		p.done <- err
	}()
	t.Cleanup(func() { _ = in.Close() })
	return p
}

func (p *process) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

type answer struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// receive reads one line, with a time limit.
func (p *process) receive() (a answer) {
	p.t.Helper()
	came := make(chan []byte, 1)
	go func() {
		line, _ := p.out.ReadBytes('\n')
		came <- line
	}()
	line := testwait.Receive(p.t, came, "an answer")
	if err := json.Unmarshal(line, &a); err != nil {
		p.t.Fatalf("%q: %v", line, err)
	}
	return a
}

// ends waits for the end.
func (p *process) ends() error {
	p.t.Helper()
	return testwait.Receive(p.t, p.done, "the end of the relay")
}

const (
	hello = `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"prober","version":"7"}}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list  = `{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"browser_session","arguments":{"action":"list"}}}`
)

func (p *process) initialize() {
	p.t.Helper()
	p.send(hello)
	if a := p.receive(); a.ID != "a" || a.Error != nil || !strings.Contains(string(a.Result), "2025-06-18") {
		p.t.Fatalf("initialize: %+v %s", a, a.Result)
	}
	p.send(ready)
}

// list makes a call that succeeds.
func (p *process) list(id string) {
	p.t.Helper()
	p.send(strings.Replace(list, "%", id, 1))
	if a := p.receive(); a.Error != nil || !strings.Contains(string(a.Result), "There are no sessions") {
		p.t.Errorf("%+v %s", a, a.Result)
	}
}

// broken waits until the process knows that its gateway is gone.
func (p *process) broken() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
	if a := p.receive(); a.ID != 99.0 || a.Error == nil {
		p.t.Errorf("%+v", a)
	}
}

func TestCallsReachTheGatewayAsTheTokensOwner(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token())
	p.initialize()
	p.list("1")
	c := g.gate.all()[0]
	if c.Caller.Role != action.Agent || c.Surface != "mcp" || c.Source.UserAgent != "prober/7" || c.Source.Address != "127.0.0.1" || !strings.HasPrefix(c.Connection, "stream:") || c.Bind == nil {
		t.Errorf("%+v", c)
	}
	_ = p.in.Close()
	if err := p.ends(); err != nil {
		t.Error(err)
	}
}

func TestARestartOfTheGatewayIsSurvived(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token())
	p.initialize()
	p.list("1")
	g.end()
	p.broken()
	g.start()
	p.list("2")
	all := g.gate.all()
	if len(all) != 2 || all[0].Connection != all[1].Connection || all[1].Source.UserAgent != "prober/7" {
		t.Errorf("%+v", all)
	}
}

// TestAClientIsIntroducedWhole checks that a gateway is told all that the client
// began with, also what the client said while there was none.
func TestAClientIsIntroducedWhole(t *testing.T) {
	heard := make(chan string, 16)
	url := answering(t, func(m answer) (reply string, goesOn bool) {
		if m.Method == "break" {
			return "", false
		}
		heard <- m.Method
		if m.ID == nil {
			return "", true
		}
		id, _ := json.Marshal(m.ID)
		return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":{}}`, true
	})
	away := false // is changed only while the process waits for its input
	p := newGateway(t).run(t, "", func(o *relay.Options) {
		o.Gateway = func(context.Context, bool) (*client.Client, []string, error) {
			if away {
				return nil, nil, fault.New(fault.NotActive, "away")
			}
			gateway, err := client.New(url, "")
			return gateway, nil, err
		}
	})
	p.send(hello)
	p.receive()
	away = true
	p.send(`{"jsonrpc":"2.0","id":1,"method":"break"}`)
	p.receive()
	p.send(ready)
	p.broken()
	away = false
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := p.receive(); a.ID != 2.0 || a.Error != nil {
		t.Errorf("%+v", a)
	}
	for _, want := range []string{"initialize", "initialize", "notifications/initialized", "ping"} {
		if got := testwait.Receive(t, heard, want); got != want {
			t.Fatalf("it heard %s, want %s", got, want)
		}
	}
}

func TestAGatewayIsStartedAtFirstAndWhereAProcessHadStartedIt(t *testing.T) {
	for _, own := range []bool{true, false} {
		g := newGateway(t)
		g.end()
		g.own = own
		g.start()
		var starts []bool
		token := g.token()
		p := g.run(t, token, func(o *relay.Options) {
			o.Gateway = func(_ context.Context, start bool) (*client.Client, []string, error) {
				starts = append(starts, start)
				gateway, err := client.New(g.front.URL, token)
				return gateway, nil, err
			}
		})
		p.initialize()
		p.list("1")
		g.end()
		p.broken()
		g.start()
		p.list("2")
		if len(starts) < 2 || !starts[0] || slices.Contains(starts[1:], !own) {
			t.Errorf("own %v: %v", own, starts)
		}
	}
}

func TestCallsInFlightAreAnsweredWhenTheConnectionBreaks(t *testing.T) {
	g := newGateway(t)
	arrived, left := make(chan struct{}), make(chan struct{})
	g.gate.do = func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return action.Result{}, ctx.Err()
	}
	p := g.run(t, g.token())
	p.initialize()
	p.send(strings.Replace(list, "%", `"x y"`, 1))
	<-arrived
	g.end()
	<-left
	a := p.receive()
	if a.ID != "x y" || a.Error != nil || !strings.Contains(string(a.Result), `"isError":true`) || !strings.Contains(string(a.Result), "### Error\\nnot_active: ") ||
		!strings.Contains(string(a.Result), "what became of the call is not known") || !strings.Contains(string(a.Result), "browser_snapshot") {
		t.Errorf("%+v %s", a, a.Result)
	}
	p.send(strings.Replace(list, "%", "7", 1)) // nobody is there
	if a := p.receive(); a.ID != 7.0 || !strings.Contains(string(a.Result), "the gateway cannot be reached") {
		t.Errorf("%+v %s", a, a.Result)
	}
	p.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	if a := p.receive(); a.ID != 8.0 || a.Error == nil || a.Error.Code != fault.NotActive.Info().RPC || !strings.HasPrefix(a.Error.Message, "not_active: ") {
		t.Errorf("%+v", a)
	}
	g.gate.do = nil
	g.start()
	p.list("9")
}

// breaking is a gateway that answers pings, asks the client once, and breaks the
// connection when a call was cancelled.
func breaking(t *testing.T) string {
	t.Helper()
	return answering(t, func(m answer) (reply string, goesOn bool) {
		switch m.Method {
		case "notifications/cancelled":
			return "", false
		case "tools/call":
			return `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`, true
		}
		return `{"jsonrpc":"2.0","id":2,"result":{}}`, true
	})
}

// answering is a gateway that answers each message as reply says, none if that is
// empty, and breaks the connection where it does not go on. It returns its address.
func answering(t *testing.T, reply func(m answer) (reply string, goesOn bool)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for {
			_, text, err := conn.Read(r.Context())
			var m answer
			if err != nil || json.Unmarshal(text, &m) != nil {
				return
			}
			said, goesOn := reply(m)
			if !goesOn || said != "" && conn.Write(r.Context(), websocket.MessageText, []byte(said)) != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestACancelledCallIsNotAnsweredWhenTheConnectionBreaks(t *testing.T) {
	url := breaking(t)
	p := newGateway(t).run(t, "", func(o *relay.Options) {
		o.Gateway = reach(url, "")
	})
	p.send(strings.Replace(list, "%", "1", 1))
	if a := p.receive(); a.Method != "elicitation/create" {
		t.Errorf("%+v", a)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if a := p.receive(); a.Method != "notifications/cancelled" { // what the gateway asked is over
		t.Errorf("%+v %s", a, a.Result)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`) // too late: the next connection must not take it for its own
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := p.receive(); a.ID != 2.0 || a.Error != nil {
		t.Errorf("%+v %s", a, a.Result)
	}
}

func TestTheEndOfTheInputCancelsWhatRuns(t *testing.T) {
	g := newGateway(t)
	arrived, left := make(chan struct{}), make(chan struct{})
	g.gate.do = func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return action.Result{}, ctx.Err()
	}
	p := g.run(t, g.token())
	p.initialize()
	p.send(strings.Replace(list, "%", "1", 1))
	<-arrived
	_ = p.in.Close()
	if err := p.ends(); err != nil {
		t.Error(err)
	}
	<-left
}

func TestWhatWasSentBeforeTheEndOfTheInputIsAnswered(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token(), func(o *relay.Options) {
		o.In = strings.NewReader(hello + "\n" + ready + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	})
	if a := p.receive(); a.ID != "a" {
		t.Errorf("%+v", a)
	}
	if a := p.receive(); a.ID != 1.0 || a.Error != nil {
		t.Errorf("%+v", a)
	}
	if err := p.ends(); err != nil {
		t.Error(err)
	}
}

func TestLinesThatAreNoMessagesAreRefusedAndTheRestWorks(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token())
	p.initialize()
	for name, c := range map[string]struct {
		line string
		code int
		id   any
	}{
		"no JSON":       {"hunter2", -32700, nil},
		"bad UTF-8":     {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, nil},
		"too deep":      {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), -32700, nil},
		"two in a line": {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, -32700, nil},
		"too long":      {`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 16<<20) + `"}`, -32600, nil},
		"a number":      {"42", -32600, nil},
		"no version":    {`{"id":1,"method":"ping"}`, -32600, 1.0},
		"no method":     {`{"jsonrpc":"2.0","id":"m"}`, -32600, "m"},
		"empty method":  {`{"jsonrpc":"2.0","id":2,"method":""}`, -32600, 2.0},
		"bad error":     {`{"jsonrpc":"2.0","id":2,"error":7}`, -32600, 2.0},
		"no id":         {`{"jsonrpc":"2.0","result":{}}`, -32600, nil},
		"strange id":    {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		"empty batch":   {"[]", -32600, nil},
		"batch":         {`[{"jsonrpc":"2.0","id":1,"method":"ping"},7]`, -32600, nil},
	} {
		p.send(c.line)
		if a := p.receive(); a.Error == nil || a.Error.Code != c.code || a.ID != c.id || a.Error.Message == "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	p.list("1")
	p.send("\r\n")
	p.list("2")
}

func TestABatchIsAnsweredWhole(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token())
	p.send(strings.Replace(hello, "2025-06-18", "2025-03-26", 1))
	p.receive()
	p.send(ready)
	p.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	line, err := p.out.ReadBytes('\n')
	var all []answer
	if json.Unmarshal(line, &all) != nil || len(all) != 2 {
		t.Errorf("%s %v", line, err)
	}
}

func TestFilesOfACallMayBeLarge(t *testing.T) {
	g := newGateway(t)
	g.gate.do = func(_ context.Context, c action.Call) (action.Result, error) {
		return action.Result{Data: &action.Uploaded{}}, nil
	}
	p := g.run(t, g.token())
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_file_upload","arguments":{"target":"e1","files":[{"name":"a","base64":"` + strings.Repeat("AAAA", 3<<19) + `"}]}}}`)
	a := p.receive()
	if all := g.gate.all(); a.Error != nil || len(all) == 0 || len(all[0].Args.(*action.Upload).Files[0].Bytes) != 9<<19 {
		t.Errorf("%+v %.300s", a, a.Result)
	}
}

func TestOnlyAValidTokenIsLetIn(t *testing.T) {
	g := newGateway(t)
	if err := g.run(t, "gbx_ag_wrong").ends(); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("%v", err)
	}
	if err := g.run(t, g.token(), func(o *relay.Options) { o.Tools = []string{"wings"} }).ends(); fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(err.Error(), "wings") {
		t.Errorf("%v", err)
	}
}

func TestARevokedTokenEndsItsStreams(t *testing.T) {
	g := newGateway(t)
	db, err := store.Open(t.Context(), filepath.Join(g.dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(g.tokens.Close(context.Background()), db.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := g.tokens.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	operator := action.Caller{Actor: "operator", Scope: "default", Role: action.Operator}
	made, err := g.tokens.Create(t.Context(), operator, action.TokenCreate{Name: "helper", Role: action.Agent})
	if err != nil {
		t.Fatal(err)
	}
	arrived, left := make(chan struct{}), make(chan struct{})
	g.gate.do = func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return action.Result{}, ctx.Err()
	}
	p := g.run(t, made.Secret)
	p.initialize()
	p.send(strings.Replace(list, "%", "1", 1))
	<-arrived
	if _, err := g.tokens.Revoke(t.Context(), operator, action.TokenRevoke{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	<-left
	if a := p.receive(); a.ID != 1.0 || !strings.Contains(string(a.Result), "not known") {
		t.Errorf("%+v %s", a, a.Result)
	}
	p.send(strings.Replace(list, "%", "2", 1))
	if a := p.receive(); a.ID != 2.0 || !strings.Contains(string(a.Result), "unauthenticated: ") {
		t.Errorf("%+v %s", a, a.Result)
	}
	if n := len(g.gate.all()); n != 1 {
		t.Errorf("%d calls were made", n)
	}
}

func TestWhatAClientAsksForReachesTheGateway(t *testing.T) {
	g := newGateway(t)
	p := g.run(t, g.token(), func(o *relay.Options) { o.Tools, o.ReadOnly = []string{"+debug"}, true })
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if a := p.receive(); !strings.Contains(string(a.Result), "browser_evaluate") || strings.Contains(string(a.Result), "browser_crawl") {
		t.Errorf("%s", a.Result)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_session","arguments":{"action":"start","effects":"asked"}}}`)
	p.receive()
	if c := g.gate.all()[0]; c.Args.(*action.SessionStart).Effects != string(action.SendNone) {
		t.Errorf("%+v", c.Args)
	}
}
