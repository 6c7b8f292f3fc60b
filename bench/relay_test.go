package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

const attachVerb = "cdp.attach"

// Attach gives a client its place at the one browser.
func (s single) Attach(ctx context.Context, _ action.Call, _ action.Pin, heed func(action.Message)) (action.Attachment, error) {
	return s.browser.Attach(ctx, heed)
}

// socket is a client's WebSocket, read in pieces like a browser's pipe.
type socket struct {
	b    *testing.B
	conn *websocket.Conn
	now  io.Reader
	buf  [64 << 10]byte
}

func (s *socket) Write(message []byte) error {
	return s.conn.Write(s.b.Context(), websocket.MessageText, message)
}

func (s *socket) Read() ([]byte, error) { panic("read in pieces") }

func (s *socket) Close() error { return s.conn.CloseNow() }

func (s *socket) ReadPiece() ([]byte, bool, error) {
	if s.now == nil {
		var err error
		if _, s.now, err = s.conn.Reader(s.b.Context()); err != nil {
			return nil, false, err
		}
	}
	n, err := s.now.Read(s.buf[:])
	if err == io.EOF {
		s.now, err = nil, nil
		return s.buf[:n], true, err
	}
	return s.buf[:n], false, err
}

// asker is the least of a client: it makes one call after the other.
type asker struct {
	b       *testing.B
	wire    cdp.Pieces
	session string
	id      int
}

// answer is what became of a call: its first bytes, and how long they and all
// of them took.
type answer struct {
	head        []byte
	size        int
	first, last time.Duration
}

func (a *asker) ask(method string, params any) answer {
	a.b.Helper()
	a.id++
	call := map[string]any{"id": a.id, "method": method}
	if params != nil {
		call["params"] = params
	}
	if a.session != "" {
		call["sessionId"] = a.session
	}
	message, err := json.Marshal(call)
	must(a.b, err)
	begin := time.Now()
	must(a.b, a.wire.Write(message))
	for {
		got := a.message(begin)
		if !bytes.HasPrefix(got.head, []byte(`{"id":`)) {
			continue // an event
		}
		if bytes.Contains(got.head, []byte(`"error":`)) {
			a.b.Fatalf("%s: %s", method, got.head)
		}
		return got
	}
}

// message reads one message and keeps its beginning.
func (a *asker) message(begin time.Time) (got answer) {
	a.b.Helper()
	for {
		piece, last, err := a.wire.ReadPiece()
		must(a.b, err)
		if got.size += len(piece); got.first == 0 {
			got.first = time.Since(begin)
		}
		if len(got.head) < 1<<10 {
			got.head = append(got.head, piece[:min(len(piece), 1<<10)]...)
		}
		if last {
			got.last = time.Since(begin)
			return got
		}
	}
}

// enter opens a page and makes its session the one that is asked.
func (a *asker) enter() {
	a.b.Helper()
	var made struct {
		Result struct{ TargetID, SessionID string }
	}
	must(a.b, json.Unmarshal(a.ask("Target.createTarget", map[string]any{"url": "about:blank"}).head, &made))
	must(a.b, json.Unmarshal(a.ask("Target.attachToTarget", map[string]any{"targetId": made.Result.TargetID, "flatten": true}).head, &made))
	a.session = made.Result.SessionID
}

// askers are a client on the browser's own pipe, and one of the endpoint: a
// WebSocket to the real surface, gate, relay and engine.
func askers(b *testing.B) (bare, relayed *asker) {
	b.Helper()
	c := browsertest.For(b)
	r := openRemote(b)
	header := http.Header{"Authorization": {"Bearer " + r.token}}
	conn, _, err := websocket.Dial(b.Context(), "ws"+strings.TrimPrefix(r.url, "http")+"/cdp", &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // it is the connection's
	must(b, err)
	conn.SetReadLimit(-1)
	b.Cleanup(func() { _ = conn.Close(websocket.StatusNormalClosure, "") })
	bare, relayed = &asker{b: b, wire: pieces(b, c)}, &asker{b: b, wire: &socket{b: b, conn: conn}}
	bare.enter()
	relayed.enter()
	return bare, relayed
}

// BenchmarkRelayCall measures a small call. The goal is 0.15 ms above the pipe.
func BenchmarkRelayCall(b *testing.B) {
	bare, relayed := askers(b)
	one := map[string]any{"expression": "1"}
	var least, took []time.Duration
	for b.Loop() {
		least = append(least, bare.ask("Runtime.evaluate", one).last)
		took = append(took, relayed.ask("Runtime.evaluate", one).last)
	}
	pipe, relay := milliseconds(median(least)), milliseconds(median(took))
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(pipe, "pipe-ms")
	b.ReportMetric(relay, "relay-ms")
	b.ReportMetric(relay-pipe, "added-ms")
}

// BenchmarkRelayLarge measures an answer of many bytes, from its first to its
// last: what comes before is the browser's own, which writes when it has all
// of it. The goal is 500 MB/s.
func BenchmarkRelayLarge(b *testing.B) {
	bare, relayed := askers(b)
	for _, size := range []int{16 << 20, 32 << 20} {
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) { large(b, bare, relayed, size) })
	}
}

func large(b *testing.B, bare, relayed *asker, size int) {
	text := map[string]any{"expression": fmt.Sprintf(`"x".repeat(%d)`, size), "returnByValue": true}
	var least, took, whole []time.Duration
	var before, after runtime.MemStats
	var allocated uint64
	for b.Loop() {
		got := bare.ask("Runtime.evaluate", text)
		least = append(least, got.last-got.first)
		runtime.ReadMemStats(&before)
		got = relayed.ask("Runtime.evaluate", text)
		runtime.ReadMemStats(&after)
		if got.size < size {
			b.Fatalf("of %d bytes came %d", size, got.size)
		}
		allocated += after.TotalAlloc - before.TotalAlloc
		took, whole = append(took, got.last-got.first), append(whole, got.last)
	}
	rate := func(d time.Duration) float64 { return float64(size) / 1e6 / d.Seconds() }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rate(median(least)), "pipe-MB/s")
	b.ReportMetric(rate(median(took)), "relay-MB/s")
	b.ReportMetric(milliseconds(median(whole)), "answer-ms")
	b.ReportMetric(float64(allocated)/float64(b.N)/(1<<10), "KiB/answer")
}
