package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/surface/stream"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// tab is a tab of a real Chromium.
type tab struct {
	*cdp.Session
	t   *testing.T
	ctx context.Context
}

// openTab opens an address in a Chromium of its own.
func openTab(t *testing.T, at string, flags ...string) *tab {
	t.Helper()
	chromium := browsertest.For(t, flags...)
	conn := cdp.Open(chromium.Transport(), 0, func(e cdp.Event) {
		if e.Method == "Runtime.exceptionThrown" {
			t.Errorf("the page failed: %s", e.Params)
		}
	})
	t.Cleanup(func() { _ = conn.Close() })
	ctx := testwait.Context(t)
	var target struct{ TargetID string }
	call(t, ctx, conn.Root(), "Target.createTarget", map[string]any{"url": "about:blank", "width": 1280, "height": 800}, &target)
	var attached struct{ SessionID string }
	call(t, ctx, conn.Root(), "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &tab{Session: conn.Session(attached.SessionID), t: t, ctx: ctx}
	p.do("Runtime.enable", nil)
	p.do("Page.navigate", map[string]any{"url": at})
	t.Cleanup(p.log)
	p.until("page", `document.readyState === "complete" && location.pathname.startsWith("/live/")`)
	return p
}

func call(t *testing.T, ctx context.Context, s *cdp.Session, method string, params, result any) {
	t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if err := s.Call(ctx, method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func (p *tab) do(method string, params any) {
	p.t.Helper()
	call(p.t, p.ctx, p.Session, method, params, nil)
}

// value evaluates an expression.
func (p *tab) value(expression string, into any) {
	p.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	call(p.t, p.ctx, p.Session, "Runtime.evaluate", map[string]any{
		"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &got)
	if len(got.ExceptionDetails) > 0 {
		p.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if into != nil && json.Unmarshal(got.Result.Value, into) != nil {
		p.t.Fatalf("%s: %s", expression, got.Result.Value)
	}
}

func (p *tab) until(what, expression string) {
	p.t.Helper()
	testwait.For(p.t, what, func() (holds bool) {
		p.value("!!("+expression+")", &holds)
		return holds
	})
}

// log tells what the page of a failed test said last.
func (p *tab) log() {
	if !p.t.Failed() {
		return
	}
	var text json.RawMessage
	err := p.Call(testwait.Context(p.t), "Runtime.evaluate", map[string]any{"expression": "document.body.innerText"}, &text)
	p.t.Logf("the page says %s, %v", text, err)
}

// shot keeps a picture of the page where a person wants to look at it.
func (p *tab) shot(name string) {
	dir := os.Getenv("GLOVEBOX_TEST_SHOTS")
	if dir == "" {
		return
	}
	var picture struct{ Data []byte }
	call(p.t, p.ctx, p.Session, "Page.captureScreenshot", map[string]any{"format": "png"}, &picture)
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture.Data, 0o600); err != nil {
		p.t.Error(err)
	}
}

// clickIn clicks a point of the picture, in the session's pixels, and returns the event.
func (p *tab) clickIn(x, y float64) map[string]any {
	p.t.Helper()
	var box struct{ X, Y, Width, Height float64 }
	p.value(`document.getElementById("picture").getBoundingClientRect().toJSON()`, &box)
	at := map[string]any{"x": box.X + box.Width*x/wide, "y": box.Y + box.Height*y/high, "button": "left", "clickCount": 1}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		at["type"] = kind
		p.do("Input.dispatchMouseEvent", at)
	}
	return at
}

func (p *tab) size(width, height int, phone bool) {
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})
}

// looksRight waits until the picture has the colours of the test picture.
func (p *tab) looksRight() {
	p.t.Helper()
	const read = `(() => {
		const e = [...document.querySelectorAll("#picture video, #picture canvas")].find((e) => !e.hidden);
		const c = document.createElement("canvas"); c.width = 320; c.height = 240;
		const g = c.getContext("2d"); g.drawImage(e, 0, 0, 320, 240);
		return [[80, 60], [240, 60], [80, 180], [240, 180]].map(([x, y]) => [...g.getImageData(x, y, 1, 1).data.slice(0, 3)]);
	})()`
	var seen [4][3]int
	testwait.For(p.t, "the colours of the picture", func() bool {
		p.value(read, &seen)
		right := true
		for i, q := range quarters {
			for j, c := range []uint8{q.R, q.G, q.B} {
				right = right && max(seen[i][j]-int(c), int(c)-seen[i][j]) < 30
			}
		}
		return right
	})
}

// moves waits until the white bar of the picture was at several places.
func (p *tab) moves() {
	p.t.Helper()
	p.value(`(async () => {
		const places = new Set();
		const c = document.createElement("canvas"); c.width = 320; c.height = 240;
		const g = c.getContext("2d", {willReadFrequently: true});
		while (places.size < 5) {
			const e = [...document.querySelectorAll("#picture video, #picture canvas")].find((e) => !e.hidden);
			g.drawImage(e, 0, 0, 320, 240);
			const row = g.getImageData(0, 118, 320, 1).data;
			let at = -1;
			for (let x = 0; x < 320; x++) if (row[4*x] > 220 && row[4*x+1] > 220 && row[4*x+2] > 220) { at = x; break; }
			if (at >= 0) places.add(at);
			await new Promise((r) => setTimeout(r, 30));
		}
	})()`, nil)
}

func (r *rig) page(extra string) string { return r.http.URL + "/live/s1#token=ann" + extra }

func TestABrowserShowsThePictureByEachTransport(t *testing.T) {
	for name, c := range map[string]struct {
		media        stream.Media
		extra, shown string
	}{
		"udp":       {both, "", "WebRTC, UDP"},
		"tcp":       {stream.Media{TCP: anyPort}, "", "WebRTC, TCP"},
		"websocket": {stream.Media{}, "", "WebSocket, VP8"},
		"jpeg":      {stream.Media{}, "&codec=jpeg", "WebSocket, JPEG"},
		"asked for": {both, "&transport=websocket", "WebSocket, VP8"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.media)
			p := openTab(t, r.page(c.extra))
			p.until("picture", `document.body.dataset.status === "live"`)
			var status string
			p.value(`document.getElementById("status").textContent`, &status)
			if !strings.Contains(status, c.shown) {
				t.Errorf("the status is %q, want %q", status, c.shown)
			}
			p.looksRight()
			p.moves()
			var at string
			p.value("location.href", &at)
			if strings.Contains(at, "ann") {
				t.Errorf("the token stays in the address: %s", at)
			}
			p.shot("live-" + strings.ReplaceAll(name, " ", "-"))
		})
	}
}

// TestABrowserFallsBackWhereMediaIsBlocked offers addresses where nothing answers.
func TestABrowserFallsBackWhereMediaIsBlocked(t *testing.T) {
	r := newRig(t, stream.Media{UDP: anyPort, Public: blackhole}, impatient(stream.Limits{Connect: 2 * time.Second}))
	p := openTab(t, r.page(""))
	p.until("picture", `document.getElementById("status").textContent.includes("WebSocket")`)
	p.looksRight()
}

func TestAPersonTakesDrivesAndHandsBack(t *testing.T) {
	r := newRig(t, both)
	p := openTab(t, r.page(""))
	p.until("picture", `document.body.dataset.status === "live"`)
	p.until("Take over", `!document.getElementById("take").hidden`)
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 600, "y": 400})
	p.value(`document.getElementById("take").click()`, nil)
	p.until("control", `document.body.dataset.mine === "true"`)
	p.shot("live-control-1280")
	at := p.clickIn(160.5, 60.5)
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": at["x"], "y": at["y"], "deltaX": 0, "deltaY": 200})
	testwait.For(t, "the wheel", func() bool { return len(r.recorded()) >= 4 })
	key := func(kind, key, code string, modifiers int) {
		e := map[string]any{"type": kind, "key": key, "code": code, "modifiers": modifiers}
		if kind == "keyDown" && len(key) == 1 && modifiers&2 == 0 {
			e["text"] = key
		}
		p.do("Input.dispatchKeyEvent", e)
	}
	for _, k := range []string{"a", "ß"} {
		key("keyDown", k, "KeyA", 0)
		key("keyUp", k, "KeyA", 0)
	}
	key("keyDown", "Enter", "Enter", 0)
	key("keyUp", "Enter", "Enter", 0)
	key("keyDown", "Ж", "KeyB", 0)
	key("keyUp", "Ж", "KeyB", 0)
	p.do("Input.imeSetComposition", map[string]any{"text": "に", "selectionStart": 1, "selectionEnd": 1})
	p.do("Input.insertText", map[string]any{"text": "日本"})
	p.value(`(() => {
		const data = new DataTransfer(); data.setData("text/plain", "pasted words");
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, cancelable: true}));
	})()`, nil)
	testwait.For(t, "the paste", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.clipboard == "pasted words" })
	testwait.For(t, "all input", func() bool { return strings.Contains(described(r.recorded()), "日本") && len(r.recorded()) >= 17 })
	const want = "move 160,60|buttonDown 1|buttonUp 1|scroll 0,2|keyDown 61|keyUp 61|keyDown df|keyUp df|keyDown ff0d|keyUp ff0d|" +
		"keyDown 1000416|keyUp 1000416|text 日本|keyDown ffe3|keyDown 76|keyUp 76|keyUp ffe3"
	if got := described(r.recorded()); got != want {
		t.Errorf("the session got\n%s, want\n%s", got, want)
	}
	var focused bool
	p.value(`document.activeElement.tagName === "TEXTAREA"`, &focused)
	for i, k := range []string{"Control", "Alt", "Shift"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": k, "code": k + "Left", "modifiers": []int{2, 3, 11}[i]})
	}
	p.until("way out of the picture", `document.activeElement.tagName !== "TEXTAREA"`)
	testwait.For(t, "the release of the keys", func() bool {
		return strings.HasSuffix(described(r.recorded()), "keyDown ffe3|keyDown ffe9|keyUp ffe3|keyUp ffe9")
	})
	if !focused {
		t.Error("the picture did not have the focus")
	}
	p.value(`document.getElementById("note").value = "signed in"; document.getElementById("hand-back").click()`, nil)
	p.until("hand-back", `document.body.dataset.mine === "false"`)
	r.mu.Lock()
	if r.note != "signed in" {
		t.Errorf("the note for the agent is %q", r.note)
	}
	r.mu.Unlock()
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mousePressed", "x": at["x"], "y": at["y"], "button": "left", "clickCount": 1})
	r.change(func(s *action.ViewState) { s.Holder = "bob" })
	p.until("other holder", `document.getElementById("holder").textContent.includes("bob")`)
	if got := described(r.recorded()); got != want+"|keyDown ffe3|keyDown ffe9|keyUp ffe3|keyUp ffe9" {
		t.Errorf("input after the hand-back arrived: %s", got)
	}
}

// TestThePageSaysWhyTheSessionIsPaused has a session that the gateway paused.
func TestThePageSaysWhyTheSessionIsPaused(t *testing.T) {
	r := newRig(t, stream.Media{})
	r.change(func(s *action.ViewState) {
		s.Name, s.State, s.By, s.Why = "invoices", "paused", "gateway", "it needs a code"
	})
	p := openTab(t, r.page(""))
	p.until("the reason", `document.getElementById("holder").textContent === "Paused by gateway: it needs a code"`)
	p.until("the name", `document.getElementById("name").textContent === "invoices" && document.title === "Live: invoices"`)
	p.until("the way on", `!document.getElementById("hand-back-form").hidden`)
	p.value(`document.getElementById("hand-back").click()`, nil)
	p.until("the session without a pause", `document.getElementById("holder").textContent === "The agent works" && document.getElementById("hand-back-form").hidden`)
}

// TestThePictureIsZoomed clicks a point of the session in a picture that is larger than
// its place, before and after it is moved.
func TestThePictureIsZoomed(t *testing.T) {
	r := newRig(t, stream.Media{})
	p := openTab(t, r.page(""))
	p.until("picture", `document.body.dataset.status === "live"`)
	p.value(`document.getElementById("take").click()`, nil)
	p.until("control", `document.body.dataset.mine === "true"`)
	p.value(`(() => { const zoom = document.getElementById("zoom"); zoom.value = "2"; zoom.dispatchEvent(new Event("change")); })()`, nil)
	p.until("a larger picture", `document.getElementById("stage").clientWidth > document.querySelector("main").clientWidth`)
	p.value(`document.getElementById("move").click()`, nil)
	var at struct{ X, Y float64 }
	p.value(`(() => { const box = document.querySelector("main").getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`, &at)
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": at.X, "y": at.Y, "deltaX": 120, "deltaY": 150})
	p.until("a moved picture", `document.querySelector("main").scrollTop === 150 && document.querySelector("main").scrollLeft === 120`)
	if got := described(r.recorded()); got != "" {
		t.Errorf("moving the picture sent %s to the session", got)
	}
	p.value(`document.getElementById("move").click()`, nil)
	p.clickIn(160.5, 120.5)
	testwait.For(t, "the click", func() bool { return described(r.recorded()) == "move 160,120|buttonDown 1|buttonUp 1" })
}

// described lists events, without moves that repeat a position.
func described(events []action.PersonInput) string {
	var parts []string
	last := ""
	for _, e := range events {
		part := e.Kind
		switch {
		case e.Kind == action.InputMove:
			part += fmt.Sprintf(" %d,%d", e.X, e.Y)
			if part == last {
				continue
			}
			last = part
		case e.Button != 0:
			part += fmt.Sprintf(" %d", e.Button)
		case e.Keysym != 0:
			part += fmt.Sprintf(" %x", e.Keysym)
		case e.Kind == action.InputScroll:
			part += fmt.Sprintf(" %d,%d", e.DX, e.DY)
		case e.Text != "":
			part += " " + e.Text
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "|")
}

func TestThePageFitsAPhoneAndTellsWhatToDo(t *testing.T) {
	r := newRig(t, both)
	p := openTab(t, r.http.URL+"/live/s1")
	p.size(360, 740, true)
	p.until("question for the token", `!document.getElementById("token-form").hidden`)
	p.shot("live-token-360")
	p.value(`(() => { document.getElementById("token").value = "ann"; document.querySelector("#token-form button").click(); })()`, nil)
	p.until("picture", `document.body.dataset.status === "live"`)
	p.value(`document.getElementById("take").click()`, nil)
	p.until("control", `document.body.dataset.mine === "true"`)
	var wider bool
	p.value("document.documentElement.scrollWidth > 360", &wider)
	if wider {
		t.Error("the page is wider than the phone")
	}
	var first bool
	p.value(`document.getElementById("picture").getBoundingClientRect().bottom <= document.querySelector("header").getBoundingClientRect().top`, &first)
	if !first {
		t.Error("the picture is not above the controls")
	}
	p.shot("live-control-360")
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": "dark"}}})
	p.shot("live-dark-360")
	r.endWith(errSessionClosed)
	p.until("end", `document.body.dataset.status === "ended" && document.getElementById("message").innerText.includes("session was closed")`)
	p.shot("live-ended-360")
	p.size(1280, 800, false)
	p.shot("live-ended-dark-1280")
}
