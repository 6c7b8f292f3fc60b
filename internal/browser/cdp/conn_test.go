package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is the browser's end of a connection: what was sent, and what the browser
// sends.
type wire struct {
	sent chan []byte
	say  chan []byte
	over chan struct{}
}

func newWire() *wire {
	return &wire{sent: make(chan []byte, 100), say: make(chan []byte, 100), over: make(chan struct{})}
}

func (w *wire) Read() ([]byte, error) {
	select {
	case data := <-w.say:
		return data, nil
	case <-w.over:
		return nil, io.EOF
	}
}

func (w *wire) Write(message []byte) error { w.sent <- message; return nil }

func (w *wire) Close() error {
	select {
	case <-w.over:
	default:
		close(w.over)
	}
	return nil
}

type sent struct {
	ID        int64
	SessionID string
	Method    string
	Params    json.RawMessage
}

func (w *wire) next(t *testing.T) sent {
	t.Helper()
	var s sent
	if err := json.Unmarshal(<-w.sent, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, onEvent func(cdp.Event)) (*cdp.Conn, *wire, context.Context) {
	t.Helper()
	w := newWire()
	conn := cdp.Open(w, 40, onEvent)
	t.Cleanup(func() { _ = conn.Close() })
	return conn, w, testwait.Context(t)
}

func TestAnswersAreMatchedToCallsInAnyOrder(t *testing.T) {
	conn, w, ctx := open(t, func(cdp.Event) {})
	first, second := conn.Session("s").Send("A.one", map[string]int{"x": 1}), conn.Root().Send("A.two", nil)
	one, two := w.next(t), w.next(t)
	if n := conn.Waiting(); n != 2 {
		t.Errorf("%d calls wait, want 2", n)
	}
	if one.ID <= 40 || one.SessionID != "s" || string(one.Params) != `{"x":1}` || two.SessionID != "" {
		t.Errorf("sent %+v and %+v", one, two)
	}
	for _, id := range []int64{7, two.ID, one.ID} { // 7: an answer to the call of an earlier connection
		data, _ := json.Marshal(map[string]any{"id": id, "result": map[string]int64{"was": id}})
		w.say <- data
	}
	for pending, id := range map[*cdp.Pending]int64{first: one.ID, second: two.ID} {
		var answer struct{ Was int64 }
		if err := pending.Wait(ctx, &answer); err != nil || answer.Was != id {
			t.Errorf("answer %d, %v; want %d", answer.Was, err, id)
		}
	}
	if n := conn.Waiting(); n != 0 {
		t.Errorf("%d calls wait after their answers", n)
	}
}

func TestEventsAndAnswersKeepTheirOrder(t *testing.T) {
	var seen []string
	conn, w, ctx := open(t, func(e cdp.Event) { seen = append(seen, e.Session+" "+e.Method) })
	call := conn.Root().Send("A.one", nil)
	id := w.next(t).ID
	w.say <- []byte(`{"method":"B.before","sessionId":"s","params":{}}`)
	answer, _ := json.Marshal(map[string]any{"id": id, "result": map[string]any{}})
	w.say <- answer
	if err := call.Wait(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, ","); got != "s B.before" { // delivered before the answer, on the reading goroutine
		t.Errorf("events %q", got)
	}
}

func TestAnErrorAnswerIsAnError(t *testing.T) {
	conn, w, ctx := open(t, func(cdp.Event) {})
	call := conn.Root().Send("A.one", nil)
	answer, _ := json.Marshal(map[string]any{"id": w.next(t).ID, "error": map[string]any{"code": -32601, "message": "not found", "data": "more"}})
	w.say <- answer
	var refused *cdp.Error
	if err := call.Wait(ctx, nil); !errors.As(err, &refused) || refused.Method != "A.one" || refused.Code != -32601 {
		t.Errorf("error %v", err)
	}
}

func TestCallsOfADetachedSessionFail(t *testing.T) {
	conn, w, ctx := open(t, func(cdp.Event) {})
	gone, other := conn.Session("gone").Send("A.one", nil), conn.Session("other").Send("A.two", nil)
	w.next(t)
	id := w.next(t).ID
	conn.Detach("gone", errors.New("the renderer crashed"))
	if err := gone.Wait(ctx, nil); !errors.Is(err, cdp.ErrDetached) || !strings.Contains(err.Error(), "crashed") {
		t.Errorf("error %v", err)
	}
	answer, _ := json.Marshal(map[string]any{"id": id, "result": map[string]any{}})
	w.say <- answer
	if err := other.Wait(ctx, nil); err != nil {
		t.Errorf("another session's call failed: %v", err)
	}
}

func TestCallsFailWhenTheConnectionEnds(t *testing.T) {
	for name, last := range map[string][]byte{"closed": nil, "nonsense": []byte("{")} {
		t.Run(name, func(t *testing.T) {
			conn, w, ctx := open(t, func(cdp.Event) {})
			call := conn.Root().Send("A.one", nil)
			if last == nil {
				_ = w.Close()
			} else {
				w.say <- last
			}
			if err := call.Wait(ctx, nil); !errors.Is(err, cdp.ErrClosed) {
				t.Errorf("error %v", err)
			}
			<-conn.Done()
			if err := conn.Root().Call(ctx, "A.two", nil, nil); !errors.Is(err, cdp.ErrClosed) || conn.Err() == nil {
				t.Errorf("a later call: %v", err)
			}
		})
	}
}

func TestACancelledCallIsRemoved(t *testing.T) {
	conn, w, ctx := open(t, func(cdp.Event) {})
	short, cancel := context.WithCancel(ctx)
	call := conn.Root().Send("A.one", nil)
	id := w.next(t).ID
	cancel()
	if err := call.Wait(short, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	late, _ := json.Marshal(map[string]any{"id": id, "result": map[string]any{}})
	w.say <- late // an answer without a call must not end the connection
	next := conn.Root().Send("A.two", nil)
	answer, _ := json.Marshal(map[string]any{"id": w.next(t).ID, "result": map[string]any{}})
	w.say <- answer
	if err := next.Wait(ctx, nil); err != nil {
		t.Error(err)
	}
}

func TestPipeSeparatesMessages(t *testing.T) {
	var out strings.Builder
	p := cdp.NewPipe(strings.NewReader("one\x00two\x00cut"), &out, func() error { return nil })
	for _, want := range []string{"one", "two"} {
		if got, err := p.Read(); err != nil || string(got) != want {
			t.Errorf("read %q, %v; want %q", got, err, want)
		}
	}
	if _, err := p.Read(); err == nil {
		t.Error("a message without its end was read")
	}
	if err := p.Write([]byte("three")); err != nil || out.String() != "three\x00" {
		t.Errorf("wrote %q, %v", out.String(), err)
	}
	if p.Write([]byte("a\x00b")) == nil {
		t.Error("a message with a NUL byte was sent")
	}
}
