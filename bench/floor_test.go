package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// floor is a bare protocol client: the fewest calls that do a thing at all,
// with no checks, no judgement and no record. It is what the engine and the
// gate are measured against.
type floor struct {
	b      *testing.B
	conn   *cdp.Conn
	tab    *cdp.Session
	load   func(url string)                // and wait for the load event
	move   func(method string, params any) // a call that loads a document, and wait for that
	loaded chan struct{}                   // has one when a document was loaded
	paused chan string                     // ids of requests that wait

	mu     sync.Mutex
	frames []*cdp.Session // of the frames that have a process of their own
}

func newFloor(ctx context.Context, b *testing.B, t cdp.Transport) *floor {
	b.Helper()
	loaded := make(chan struct{}, 1)
	paused := make(chan string, 1000)
	f := &floor{b: b, loaded: loaded, paused: paused}
	f.conn = cdp.Open(t, 0, func(e cdp.Event) {
		f.follows(e)
		if e.Method == "Fetch.requestPaused" {
			var p struct{ RequestID string }
			if json.Unmarshal(e.Params, &p) == nil {
				paused <- p.RequestID
			}
		}
		if e.Method == "Page.loadEventFired" {
			select {
			case loaded <- struct{}{}:
			default:
			}
		}
	})
	conn := f.conn
	var made struct{ BrowserContextID, TargetID, SessionID string }
	must(b, conn.Root().Call(ctx, "Target.createBrowserContext", nil, &made))
	must(b, conn.Root().Call(ctx, "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": made.BrowserContextID, "width": width, "height": height}, &made))
	must(b, conn.Root().Call(ctx, "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made))
	f.tab = conn.Session(made.SessionID)
	must(b, f.tab.Call(ctx, "Page.enable", nil, nil))
	must(b, f.tab.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil))
	f.move = func(method string, params any) {
		f.follow(func() { must(b, f.tab.Call(ctx, method, params, nil)) })
	}
	f.load = func(url string) { f.move("Page.navigate", map[string]any{"url": url}) }
	return f
}

// readFrames attaches to the frames that have processes of their own.
func (f *floor) readFrames(ctx context.Context, b *testing.B) {
	b.Helper()
	must(b, f.tab.Call(ctx, "Target.setAutoAttach", autoAttach, nil))
}

var autoAttach = map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}

// follows keeps the list of attached frames.
func (f *floor) follows(e cdp.Event) {
	var p struct {
		SessionID  string
		TargetInfo struct{ Type string }
	}
	if e.Session == "" || json.Unmarshal(e.Params, &p) != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case e.Method == "Target.attachedToTarget" && p.TargetInfo.Type == "iframe":
		frame := f.conn.Session(p.SessionID)
		frame.Post("Target.setAutoAttach", autoAttach)
		f.frames = append(f.frames, frame)
	case e.Method == "Target.detachedFromTarget":
		f.frames = slices.DeleteFunc(f.frames, func(s *cdp.Session) bool { return s.ID() == p.SessionID })
	}
}

// everywhere evaluates an expression for a text in the page and in each attached
// frame at the same time, and returns the texts together.
func (f *floor) everywhere(ctx context.Context, expression string) (string, error) {
	f.mu.Lock()
	places := append([]*cdp.Session{f.tab}, f.frames...)
	f.mu.Unlock()
	pending := make([]*cdp.Pending, len(places))
	for i, place := range places {
		pending[i] = place.Send("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	}
	var texts []string
	for _, p := range pending {
		var answer struct{ Result struct{ Value string } }
		if err := p.Wait(ctx, &answer); err != nil {
			return "", err
		}
		texts = append(texts, answer.Result.Value)
	}
	return strings.Join(texts, "\n"), nil
}

// pauseAll has every request paused, and lets it go on at once.
func (f *floor) pauseAll(b *testing.B) {
	b.Helper()
	must(b, f.conn.Root().Call(b.Context(), "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*"}}}, nil))
	ended := b.Context().Done()
	go func() {
		for {
			select {
			case id := <-f.paused:
				f.conn.Root().Send("Fetch.continueRequest", map[string]string{"requestId": id})
			case <-ended:
				return
			}
		}
	}()
}

// follow does what loads a document, and waits for that.
func (f *floor) follow(act func()) {
	select {
	case <-f.loaded:
	default:
	}
	act()
	testwait.Receive(f.b, f.loaded, "a document of the floor")
}

func (f *floor) evaluate(ctx context.Context, b *testing.B, expression string, result any) {
	b.Helper()
	var answer struct {
		Result struct{ Value json.RawMessage }
	}
	must(b, f.tab.Call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &answer))
	if result != nil {
		must(b, json.Unmarshal(answer.Result.Value, result))
	}
}

// click brings an element into view, finds its middle and sends the three
// mouse events together.
func (f *floor) click(ctx context.Context, b *testing.B, selector string) {
	b.Helper()
	var at struct{ X, Y float64 }
	f.evaluate(ctx, b, fmt.Sprintf(`(() => {const e = document.querySelector(%q); e.scrollIntoViewIfNeeded(); const r = e.getBoundingClientRect(); return {x: r.x + r.width/2, y: r.y + r.height/2}})()`, selector), &at)
	var pending []*cdp.Pending
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": at.X, "y": at.Y}
		if kind != "mouseMoved" {
			params["button"], params["clickCount"] = "left", 1
		}
		pending = append(pending, f.tab.Send("Input.dispatchMouseEvent", params))
	}
	for _, p := range pending {
		must(b, p.Wait(ctx, nil))
	}
}

// fill focuses a field, selects what is in it, and inserts text.
func (f *floor) fill(ctx context.Context, b *testing.B, selector, text string) {
	b.Helper()
	f.evaluate(ctx, b, fmt.Sprintf(`(() => {const e = document.querySelector(%q); e.focus(); e.select(); return true})()`, selector), nil)
	must(b, f.tab.Call(ctx, "Input.insertText", map[string]any{"text": text}, nil))
}

// walk is a simple walker in the page: roles by tag, names by text, what has a
// size. It computes no names from labels and ARIA, knows no shadow roots, no
// frames and no text hidden by other means, numbers nothing and masks nothing.
const walk = `(() => {
  const out = [];
  const visit = (e, depth) => {
    const r = e.getBoundingClientRect();
    if (r.width === 0 || r.height === 0 || getComputedStyle(e).visibility !== 'visible') return;
    const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join(' ').trim();
    if (own || /^(A|BUTTON|INPUT|SELECT|TEXTAREA)$/.test(e.tagName)) out.push([depth, e.tagName, own || e.getAttribute('aria-label') || e.name || '', e.value || '']);
    for (const c of e.children) visit(c, depth + 1);
  };
  visit(document.body, 0);
  return out;
})()`

// snapshot returns the bytes of the answer.
func (f *floor) snapshot(ctx context.Context, b *testing.B) int {
	b.Helper()
	var rows json.RawMessage
	f.evaluate(ctx, b, walk, &rows)
	if len(rows) <= len("[]") {
		b.Fatal("the floor saw nothing")
	}
	return len(rows)
}

// hover moves the pointer to the middle of an element.
func (f *floor) hover(ctx context.Context, b *testing.B, selector string) {
	b.Helper()
	var at struct{ X, Y float64 }
	f.evaluate(ctx, b, fmt.Sprintf(`(() => {const r = document.querySelector(%q).getBoundingClientRect(); return {x: r.x + r.width/2, y: r.y + r.height/2}})()`, selector), &at)
	must(b, f.tab.Call(ctx, "Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil))
}

// shoot takes a picture of the viewport.
func (f *floor) shoot(ctx context.Context, b *testing.B) {
	b.Helper()
	var shot struct{ Data []byte }
	must(b, f.tab.Call(ctx, "Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": true}, &shot))
	if len(shot.Data) == 0 {
		b.Fatal("the floor took no picture")
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
