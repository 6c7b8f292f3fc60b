package cdpproxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// deafWire is a client that sends and receives nothing.
type deafWire struct{}

func (deafWire) Read(ctx context.Context) ([]byte, error) {
	<-ctx.Done()
	return nil, io.EOF
}

func (deafWire) Write(ctx context.Context, _ []byte, _ bool) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAClientThatReadsNothingIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		over := make(chan error, 1)
		go func() { over <- o.run(t.Context(), deafWire{}) }()
		piece := make([]byte, pieceSize)
		began := time.Now()
		for range (maxQueued + maxBehind) / pieceSize {
			o.begin(false, piece)
		}
		held := time.Since(began)
		if err := <-over; !errors.Is(err, errSlow) {
			t.Errorf("it ended with %v", err)
		}
		if held > 2*maxHold {
			t.Errorf("the browser waited for %v", held)
		}
		if late := time.Since(began) - held; late > lastWrite {
			t.Errorf("it was disconnected %v after it was too far behind", late)
		}
		o.begin(true, piece)
		o.put(piece)
		if len(o.queue)+len(o.after) != 0 {
			t.Error("messages are queued for a client that has ended")
		}
	})
}

// fakeHost is a page engine with one context.
type fakeHost struct{}

func (fakeHost) Home() string              { return "HOME" }
func (fakeHost) Judge(string) error        { return nil }
func (fakeHost) Downloads() map[string]any { return nil }
func (fakeHost) Uploads() string           { return "" }
func (fakeHost) World() string             { return "ours" }
func (fakeHost) Keeps(string) bool         { return false }

// fakeBrowser is a browser in memory: it answers every call, and sends the events
// of the test.
type fakeBrowser struct {
	says  chan []byte
	asked chan recordedCall
	over  chan struct{}
	once  sync.Once
}

type recordedCall struct {
	ID      int64  `json:"id"`
	Session string `json:"sessionId"`
	Method  string `json:"method"`
}

func newFakeBrowser() *fakeBrowser {
	return &fakeBrowser{says: make(chan []byte, 16), asked: make(chan recordedCall, 16), over: make(chan struct{})}
}

func (b *fakeBrowser) Read() ([]byte, error) {
	select {
	case message := <-b.says:
		return message, nil
	case <-b.over:
		return nil, io.EOF
	}
}

func (b *fakeBrowser) Write(message []byte) error {
	var c recordedCall
	if err := json.Unmarshal(message, &c); err != nil {
		return err
	}
	answer := map[string]any{"id": c.ID, "result": map[string]string{"sessionId": "ROOT"}}
	raw, err := json.Marshal(answer)
	b.says <- raw
	b.asked <- c
	return err
}

func (b *fakeBrowser) Close() error {
	b.once.Do(func() { close(b.over) })
	return nil
}

func TestATargetWaitsForAClientsDebuggerWithALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		browser := newFakeBrowser()
		conn := cdp.Open(browser, 0, func(cdp.Event) {})
		c, err := Open(t.Context(), conn, fakeHost{}, func(action.Message) {})
		if err != nil {
			t.Fatal(err)
		}
		<-browser.asked
		ctx, leave := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- c.Serve(ctx, deafWire{}) }()
		for _, session := range []string{"LEFT", "GONE"} {
			browser.says <- []byte(`{"method":"Target.attachedToTarget","params":{"sessionId":"` + session + `","targetInfo":{"targetId":"T","type":"page","browserContextId":"HOME"},"waitingForDebugger":true},"sessionId":"ROOT"}`)
		}
		browser.says <- []byte(`{"method":"Target.detachedFromTarget","params":{"sessionId":"GONE"},"sessionId":"ROOT"}`)
		began := time.Now()
		if call := <-browser.asked; call.Method != "Runtime.runIfWaitingForDebugger" || call.Session != "LEFT" || time.Since(began) != pauseLimit {
			t.Errorf("%s of %s after %v", call.Method, call.Session, time.Since(began))
		}
		time.Sleep(2 * pauseLimit) // synthetic clock
		leave()
		<-over
		if call := <-browser.asked; call.Method != "Target.detachFromTarget" {
			t.Errorf("%s of %s", call.Method, call.Session)
		}
		_ = conn.Close()
	})
}
