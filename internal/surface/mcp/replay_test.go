package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// held returns a gate whose calls wait until they are released. It counts calls
// that were cancelled.
func held() (d *fakeGate, arrived, let chan struct{}, lost *atomic.Int32) {
	d, arrived, let, lost = site(), make(chan struct{}, 1), make(chan struct{}), new(atomic.Int32)
	d.answer = func(ctx context.Context, c action.Call) (action.Result, error) {
		arrived <- struct{}{}
		select {
		case <-let:
		case <-ctx.Done():
			lost.Add(1)
			return action.Result{}, ctx.Err()
		}
		return answerOf(c), nil
	}
	return d, arrived, let, lost
}

// wired makes one request in a session of the protocol.
func wired(t *testing.T, ctx context.Context, method, url, token, session, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	headers = append(headers, "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := (&http.Client{Transport: bearer(token)}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// A client whose connection broke resumes the stream and gets the result of its
// call, whether it reconnects before or after the result. The call is made
// once. No other client can resume the stream.
func TestABrokenStreamIsTakenUpAndTheResultArrives(t *testing.T) {
	for name, late := range map[string]bool{"before the result": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			d, arrived, let, lost := held()
			url := guarded(t, surface(t, d))
			c, err := dial(t, url, "robot", "2025-11-25")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			ctx, breaks := context.WithCancel(t.Context())
			body := `{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"browser_click","arguments":{"target":"e1"}}}`
			stream := bufio.NewReader(wired(t, ctx, http.MethodPost, url, "robot", c.ID(), body).Body)
			id := ""
			for id == "" {
				line, err := stream.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if rest, found := strings.CutPrefix(line, "id: "); found {
					id = strings.TrimSpace(rest)
				}
			}
			<-arrived
			breaks()
			if _, err := io.ReadAll(stream); err == nil {
				t.Error("the connection did not break")
			}
			if late {
				close(let)
				use(t, c, "browser_approval_status", map[string]any{"approval_id": "q1"}) // its result has come by then
			} else {
				time.AfterFunc(100*time.Millisecond, func() { close(let) })
			}
			if got := wired(t, t.Context(), http.MethodGet, url, "thief", c.ID(), "", "Last-Event-ID", id).StatusCode; got != http.StatusForbidden {
				t.Errorf("another's token got %d", got)
			}
			if got := wired(t, t.Context(), http.MethodGet, url, "robot", c.ID(), "", "Last-Event-ID", "NOSTREAM_0").StatusCode; got != http.StatusBadRequest {
				t.Errorf("a stream that is none got %d", got)
			}
			again := wired(t, t.Context(), http.MethodGet, url, "robot", c.ID(), "", "Last-Event-ID", id)
			rest, err := io.ReadAll(again.Body)
			if err != nil || again.StatusCode != http.StatusOK || strings.Count(string(rest), `"id":70,`) != 1 || !strings.Contains(string(rest), "Clicked") {
				t.Errorf("%d %v %s", again.StatusCode, err, rest)
			}
			if lost.Load() != 0 || strings.Count(d.verbs(), "page.click") != 1 {
				t.Errorf("%d calls were given up of %s", lost.Load(), d.verbs())
			}
		})
	}
}

// breaking interrupts the first answer to a call of a tool after it has begun.
type breaking struct {
	http.RoundTripper
	cut atomic.Bool
}

func (b *breaking) RoundTrip(r *http.Request) (*http.Response, error) {
	tool := strings.Contains(r.Header.Get("Mcp-Method"), "tools/call")
	if r.Body != nil && !tool {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		tool = strings.Contains(string(body), `"tools/call"`)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil && tool && b.cut.CompareAndSwap(false, true) {
		answer.Body = &stump{ReadCloser: answer.Body}
	}
	return answer, err
}

// stump is a body that ends with an error after its first piece.
type stump struct {
	io.ReadCloser
	read bool
}

func (s *stump) Read(b []byte) (int, error) {
	if s.read {
		return 0, io.ErrUnexpectedEOF
	}
	s.read = true
	return s.ReadCloser.Read(b)
}

// The library's own client reconnects by itself, and its caller notices
// nothing.
func TestAClientThatLosesItsStreamGetsItsResult(t *testing.T) {
	d, arrived, let, lost := held()
	breaks := &breaking{RoundTripper: bearer("robot")}
	transport := &sdk.StreamableClientTransport{Endpoint: guarded(t, surface(t, d)), HTTPClient: &http.Client{Transport: breaks}}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	go func() {
		<-arrived
		close(let)
	}()
	result := use(t, c, "browser_click", map[string]any{"target": "e1"})
	if result.IsError || !strings.Contains(text(t, result), "Clicked") || !breaks.cut.Load() {
		t.Errorf("%s; broken %t", text(t, result), breaks.cut.Load())
	}
	if lost.Load() != 0 || d.verbs() != "page.click" {
		t.Errorf("%d calls were given up of %s", lost.Load(), d.verbs())
	}
}
