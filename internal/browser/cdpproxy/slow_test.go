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

// deaf is a client that sends nothing and takes nothing.
type deaf struct{}

func (deaf) Read(ctx context.Context) ([]byte, error) {
	<-ctx.Done()
	return nil, io.EOF
}

func (deaf) Write(ctx context.Context, _ []byte, _ bool) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAClientThatTakesNothingIsPutOutBeforeItsMessagesFillTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		over := make(chan error, 1)
		go func() { over <- o.run(t.Context(), deaf{}) }()
		piece := make([]byte, pieceSize)
		began := time.Now()
		for range (mostQueued + ahead) / pieceSize {
			o.begin(false, piece)
		}
		held := time.Since(began)
		if err := <-over; !errors.Is(err, errSlow) {
			t.Errorf("it ended with %v", err)
		}
		if held > 2*patience {
			t.Errorf("the browser was held up for %v", held)
		}
		if late := time.Since(began) - held; late > lastWrite {
			t.Errorf("it was put out %v after it was too far behind", late)
		}
		o.begin(true, piece)
		o.put(piece)
		if len(o.queue)+len(o.after) != 0 {
			t.Error("messages are kept for a client that is gone")
		}
	})
}

// hall is a page engine with one context.
type hall struct{}

func (hall) Home() string              { return "HOME" }
func (hall) Judge(string) error        { return nil }
func (hall) Downloads() map[string]any { return nil }
func (hall) Uploads() string           { return "" }
func (hall) World() string             { return "ours" }
func (hall) Keeps(string) bool         { return false }

// booth is a browser in memory: it answers every call, and says what it is
// told to.
type booth struct {
	says  chan []byte
	asked chan booked
	over  chan struct{}
	once  sync.Once
}

type booked struct {
	ID      int64  `json:"id"`
	Session string `json:"sessionId"`
	Method  string `json:"method"`
}

func newBooth() *booth {
	return &booth{says: make(chan []byte, 16), asked: make(chan booked, 16), over: make(chan struct{})}
}

func (b *booth) Read() ([]byte, error) {
	select {
	case message := <-b.says:
		return message, nil
	case <-b.over:
		return nil, io.EOF
	}
}

func (b *booth) Write(message []byte) error {
	var c booked
	if err := json.Unmarshal(message, &c); err != nil {
		return err
	}
	answer := map[string]any{"id": c.ID, "result": map[string]string{"sessionId": "ROOT"}}
	raw, err := json.Marshal(answer)
	b.says <- raw
	b.asked <- c
	return err
}

func (b *booth) Close() error {
	b.once.Do(func() { close(b.over) })
	return nil
}

func TestATargetDoesNotWaitForEverForAClientsDebugger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		browser := newBooth()
		conn := cdp.Open(browser, 0, func(cdp.Event) {})
		c, err := Open(t.Context(), conn, hall{}, func(action.Message) {})
		if err != nil {
			t.Fatal(err)
		}
		<-browser.asked
		ctx, leave := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- c.Serve(ctx, deaf{}) }()
		for _, session := range []string{"LEFT", "GONE"} {
			browser.says <- []byte(`{"method":"Target.attachedToTarget","params":{"sessionId":"` + session + `","targetInfo":{"targetId":"T","type":"page","browserContextId":"HOME"},"waitingForDebugger":true},"sessionId":"ROOT"}`)
		}
		browser.says <- []byte(`{"method":"Target.detachedFromTarget","params":{"sessionId":"GONE"},"sessionId":"ROOT"}`)
		began := time.Now()
		if call := <-browser.asked; call.Method != "Runtime.runIfWaitingForDebugger" || call.Session != "LEFT" || time.Since(began) != pauseLimit {
			t.Errorf("%s of %s after %v", call.Method, call.Session, time.Since(began))
		}
		time.Sleep(2 * pauseLimit) // synthetic
		leave()
		<-over
		if call := <-browser.asked; call.Method != "Target.detachFromTarget" {
			t.Errorf("%s of %s", call.Method, call.Session)
		}
		_ = conn.Close()
	})
}
