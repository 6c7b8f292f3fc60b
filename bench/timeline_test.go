package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
)

// BenchmarkTimeline prints what a navigation, a click right after it, and a later click
// cost: every message between the page engine and the browser of a box, with the
// milliseconds since the call began. There is no gate and no record.
func BenchmarkTimeline(b *testing.B) {
	address := site(b) + "/small"
	box, err := startBoxed(b, address)
	must(b, err)
	line := &timeline{Transport: box.stream, methods: map[int64]string{}}
	browser, err := engine.Open(b.Context(), line, engine.Options{Width: width, Height: height, Guard: func(string) error { return nil }})
	must(b, err)
	b.Cleanup(func() { _ = browser.Close() })
	ctx := observe.Viewing(b.Context(), observe.Viewer{Actor: "bench", Surface: "mcp"}, true)
	visit := func() { must(b, perform(ctx, browser, "page.goto", &action.Goto{URL: address})) }
	click := func() {
		must(b, perform(ctx, browser, "page.click", &action.Click{Locator: action.Locator{Selector: "#count"}}))
	}
	for b.Loop() {
		for range 5 {
			visit()
			click()
		}
		line.print("navigate", visit)
		line.print("click right after it", click)
		time.Sleep(time.Second) // until the page has come to rest
		line.print("click", click)
	}
}

func perform(ctx context.Context, browser *engine.Browser, verb string, args any) error {
	_, pin, err := browser.Look(ctx, verb, args)
	if err == nil {
		_, err = browser.Do(ctx, verb, args, pin)
	}
	return err
}

// timeline prints the messages that pass while it is on.
type timeline struct {
	cdp.Transport
	mu      sync.Mutex
	began   time.Time // zero: it is off
	methods map[int64]string
}

func (t *timeline) print(name string, do func()) {
	fmt.Fprintf(os.Stdout, "\n%s\n", name)
	t.mu.Lock()
	t.began = time.Now()
	t.mu.Unlock()
	do()
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(os.Stdout, "%8.2f done\n", milliseconds(time.Since(t.began)))
	t.began = time.Time{}
}

func (t *timeline) note(arrow string, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var m struct {
		ID     int64
		Method string
		Params struct{ Type, Name string }
	}
	if json.Unmarshal(message, &m) != nil {
		return
	}
	what := m.Method
	if m.ID != 0 && what != "" {
		t.methods[m.ID] = what
	} else if m.ID != 0 {
		what = "answer to " + t.methods[m.ID]
	}
	if !t.began.IsZero() {
		fmt.Fprintf(os.Stdout, "%8.2f %s %6d bytes  %s %s%s\n", milliseconds(time.Since(t.began)), arrow, len(message), what, m.Params.Type, m.Params.Name)
	}
}

// Read returns the next message of the browser.
func (t *timeline) Read() ([]byte, error) {
	message, err := t.Transport.Read()
	if err == nil {
		t.note("<", message)
	}
	return message, err
}

// Write sends a message to the browser.
func (t *timeline) Write(message []byte) error {
	t.note(">", message)
	return t.Transport.Write(message)
}
