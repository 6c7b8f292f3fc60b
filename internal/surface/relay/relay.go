// Package relay passes messages of the Model Context Protocol between standard
// input and output and the gateway, where the MCP server runs. It reads which
// message answers which, so that every request is answered when the connection
// breaks, and connects again for the next one.
package relay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

const (
	lastWords  = 100 * time.Millisecond // for answers that are on their way when the input ends
	replayTime = 10 * time.Second       // for the gateway to know the client again
	quietTime  = time.Second / 2        // without an answer, after which memory may be released
)

// Options say what is connected with what.
type Options struct {
	// Gateway returns a client of the gateway, each time that a connection is made.
	// start says that it may start one if none runs. unmet are hosts that the client
	// was set up for, and that the gateway does not allow.
	Gateway  func(ctx context.Context, start bool) (gateway *client.Client, unmet []string, err error)
	Tools    []string // groups of tools; the usual ones when empty
	ReadOnly bool     // sessions only read
	In       io.Reader
	Out      io.Writer
}

// Run relays until the input or ctx ends, which is no error. Faults: those of
// Gateway and of connecting, before anything is relayed.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle := time.AfterFunc(quietTime, releaseMemory)
	defer idle.Stop()
	r := &relay{o: o, name: randid.New("", 8), start: true, out: &output{to: o.Out, failed: cancel, idle: idle}}
	defer r.close()
	if err := r.connect(ctx, false); err != nil {
		return err
	}
	lines := make(chan []byte)
	dialling, ended := context.WithCancel(ctx) // ends with the input too, so that nobody waits for a gateway
	defer ended()
	go func() { // ends with the input or with the process: reading standard input cannot be interrupted
		defer ended()
		defer close(lines)
		r.scan(ctx, lines)
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, more := <-lines:
			if !more {
				r.drain(ctx)
				return nil
			}
			r.take(ctx, dialling, line)
		}
	}
}

// relay is one client and its connection to the gateway. The fields without a
// lock belong to the goroutine of Run.
type relay struct {
	o     Options
	name  string // of this client, for the gateway
	out   *output
	link  *link
	start bool   // a gateway may be started: at first, and if the one before was started by such a process
	hello []byte // the client's initialize
	ready []byte // and its notifications/initialized
}

// scan passes on the lines of the input. One that is too long is empty.
func (r *relay) scan(ctx context.Context, to chan<- []byte) {
	in := bufio.NewReaderSize(r.o.In, 16<<10)
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > mcp.MostLine; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		whole := bytes.TrimSpace(line)
		if long || len(whole) > 0 {
			if long {
				whole = nil
			}
			select {
			case to <- whole:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
		line, long = nil, false
	}
}

// take passes a line of the client to the gateway. Where it must connect first,
// dialling limits that.
func (r *relay) take(ctx, dialling context.Context, line []byte) {
	if line == nil {
		r.out.refuse(refusal{code: codeInvalid, text: fmt.Sprintf("the line has more than %d bytes", mcp.MostLine)})
		return
	}
	all, wrong := parse(line)
	if wrong != nil {
		r.out.refuse(*wrong)
		return
	}
	first, second := all[0].method == "initialize", all[0].method == "notifications/initialized"
	switch { // before it connects, which may fail: what the client has said it does not say again
	case first:
		r.hello, r.ready = line, nil
	case second:
		r.ready = line
	}
	if r.link.over() {
		if err := r.connect(dialling, !first); err != nil {
			r.out.fail(requests(all), err)
			return
		}
		if second && r.hello != nil {
			return // it was sent with what the client began with
		}
	}
	r.link.send(ctx, line, all)
}

// connect connects to the gateway. again says to introduce the client, where it
// has introduced itself before.
func (r *relay) connect(ctx context.Context, again bool) error {
	r.close()
	gateway, unmet, err := r.o.Gateway(ctx, r.start)
	if err != nil {
		return err
	}
	defer gateway.Close()
	l := newLink(r.out)
	conn, background, err := gateway.MCP(ctx, client.Agent{Tools: r.o.Tools, ReadOnly: r.o.ReadOnly, Name: r.name, Unmet: unmet, Pinged: l.alive})
	if err != nil {
		return err
	}
	l.start(conn)
	r.link, r.start = l, background
	if !again || r.hello == nil {
		return nil
	}
	if err := r.introduce(ctx); err != nil {
		r.close()
		return fault.New(fault.NotActive, "the gateway was started again and does not accept the client").
			Hinted("start the client again").Because(err)
	}
	return nil
}

// introduce sends what the client began with, and drops the answer.
func (r *relay) introduce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	hello, err := withID(r.hello, replayID)
	if err != nil {
		return err
	}
	if err := r.link.replay(ctx, hello); err != nil {
		return err
	}
	if r.ready != nil {
		r.link.send(ctx, r.ready, nil)
	}
	return nil
}

// drain waits a moment for answers, because programs may send and close.
func (r *relay) drain(ctx context.Context) {
	late := time.After(lastWords)
	for !r.link.over() && r.link.waits() {
		select {
		case <-ctx.Done():
			return
		case <-late:
			return
		case <-time.After(lastWords / 20):
		}
	}
}

// close ends the connection. Its calls are cancelled by the gateway.
func (r *relay) close() {
	if r.link != nil {
		r.link.close()
	}
}

// output is the client's side. Its lines are whole.
type output struct {
	mu     sync.Mutex
	to     io.Writer
	failed func()      // is called when the client no longer reads
	idle   *time.Timer // releases memory when nothing is written
}

func (o *output) line(text []byte) {
	if bytes.IndexByte(text, '\n') >= 0 {
		var flat bytes.Buffer
		if json.Compact(&flat, text) != nil {
			return
		}
		text = flat.Bytes()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.idle.Reset(quietTime)
	if _, err := o.to.Write(append(text, '\n')); err != nil {
		o.failed()
	}
}

// answer is a message of the relay itself.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (o *output) write(a answer) {
	a.Version = "2.0"
	if text, err := json.Marshal(a); err == nil { // of parts that were read as JSON
		o.line(text)
	}
}

func (o *output) refuse(r refusal) {
	if r.id == nil {
		r.id = json.RawMessage("null")
	}
	o.write(answer{ID: r.id, Error: &rpcError{Code: r.code, Message: r.text}})
}

// request is a request of the client that is not answered yet.
type request struct {
	id   json.RawMessage
	tool bool // it calls a tool: its answer is for a model
}

// requests returns those messages that must be answered.
func requests(all []message) (open []request) {
	for _, m := range all {
		if m.method != "" && m.id != nil {
			open = append(open, request{id: m.id, tool: m.method == "tools/call"})
		}
	}
	return open
}

// fail answers requests with a fault.
func (o *output) fail(open []request, why error) {
	f := fault.From(why)
	for _, q := range open {
		if result, err := mcp.Failure(f); q.tool && err == nil {
			o.write(answer{ID: q.id, Result: result})
			continue
		}
		text := string(f.Code) + ": " + f.Message
		if f.Hint != "" {
			text += "; " + f.Hint
		}
		o.write(answer{ID: q.id, Error: &rpcError{Code: f.Code.Info().RPC, Message: text}})
	}
}
