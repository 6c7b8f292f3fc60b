package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// caller is one end of the protocol at a page.
type caller func(method string, params any)

// beneath sends to the page's own session what neither the engine nor a client
// sent.
func (s *store) beneath() caller {
	s.t.Helper()
	sessions, answers := make(chan string, 100), make(chan int64, 100)
	s.lane.mu.Lock()
	s.lane.overhear = func(direction string, message []byte) {
		var m struct {
			ID      int64  `json:"id"`
			Method  string `json:"method"`
			Session string `json:"sessionId"`
		}
		if json.Unmarshal(message, &m) != nil {
			return
		}
		if direction == ">" && m.Method == "Input.dispatchMouseEvent" {
			sessions <- m.Session
		}
		if direction == "<" && m.ID > ownCalls {
			answers <- m.ID
		}
	}
	s.lane.mu.Unlock()
	s.must("page.hover", &action.Hover{Locator: selector("#on")})
	session, id := <-sessions, int64(ownCalls)
	return func(method string, params any) {
		s.t.Helper()
		id++
		message, err := json.Marshal(map[string]any{"id": id, "sessionId": session, "method": method, "params": params})
		must(s.t, err)
		must(s.t, s.wire.under.Write(message))
		select {
		case <-answers:
		case <-s.ctx.Done():
			s.t.Fatal("no answer")
		}
	}
}

const ownCalls = 1<<30 + 1<<28 // ids beyond those of every connection

func (c caller) click(x, y float64) {
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		at := map[string]any{"type": kind, "x": x, "y": y, "clickCount": 1, "button": "left"}
		if kind == "mouseMoved" {
			at["button"] = "none"
		}
		c("Input.dispatchMouseEvent", at)
	}
}

// goes tries every kind of input, and returns what of it the page had.
func (s *store) goes(c caller, x, y float64) string {
	s.t.Helper()
	s.eval(`document.title = ''; q.value = ''; q.focus()`)
	c("Input.insertText", map[string]string{"text": "text"})
	for _, kind := range []string{"rawKeyDown", "char", "keyUp"} {
		c("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "k", "code": "KeyK", "windowsVirtualKeyCode": 75, "text": "k"})
	}
	s.paid.Store(0)
	c.click(20, 20)
	c.click(x, y)
	had := s.eval(`document.title + ' ' + q.value`)
	if s.paid.Load() > 0 {
		had += " paid"
	}
	return strings.TrimSpace(had)
}

func TestInputThatNoActAnnouncedReachesNothing(t *testing.T) {
	s := newStore(t)
	s.show(`<style>body{margin:0}</style><button id=x style="display:block;width:90px;height:60px" onclick="document.title+='pressed'">Next</button><input id=q>
		<script>for (const k of ['pointerdown', 'mouseup', 'keydown', 'keyup', 'beforeinput']) document.addEventListener(k, () => { if (!document.title.includes(k)) document.title += k + ',' })</script>
		<iframe id=f style="position:absolute;left:0;top:200px;width:300px;height:200px;border:0" src="OTHER/frame"></iframe>`)
	c := s.beneath()
	if had := s.goes(c, 50, 230); had != "" {
		t.Errorf("the page had %q", had)
	}
	const all = "beforeinput,keydown,keyup,pointerdown,mouseup,pressed textk paid"
	g := s.connect()
	g.call("", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	client := caller(func(method string, params any) { t.Helper(); g.call(g.attached(anyPage).Session, method, params) })
	if had := s.goes(client, 50, 230); had != all {
		t.Errorf("with a client, the page had %q", had)
	}
	s.show(`<style>body{margin:0}</style><button id=x style="display:block;width:90px;height:60px" onclick="document.title+='pressed'">Next</button><input id=q>` +
		`<iframe id=f style="position:absolute;left:0;top:200px;width:300px;height:200px;border:0" src="OTHER/frame"></iframe>`) // documents that are new
	if had := s.goes(client, 50, 230); had != "pressed textk paid" {
		t.Errorf("in a new document, the page had %q", had)
	}
	s.must("page.click", &action.Click{Locator: selector("#on")})
	if had := s.goes(client, 50, 230); had != "pressed textk paid" {
		t.Errorf("after an act, the page had %q", had)
	}
	again := s.RefuseInput(s.ctx)
	if had := s.goes(client, 50, 230); had != "" {
		t.Errorf("while pages refuse input, the page had %q", had)
	}
	again()
	if had := s.goes(client, 50, 230); had != "pressed textk paid" {
		t.Errorf("when they accept it again, the page had %q", had)
	}
	_ = g.leave()
	c = s.beneath()
	if had := s.goes(c, 50, 230); had != "" {
		t.Errorf("after the client, the page had %q", had)
	}
}

func TestAnActIsGuardedWhileAClientIsAttached(t *testing.T) {
	s := newStore(t)
	s.show(strings.Replace(comes, "SRC", "NEAR", 1) + `<script>addEventListener('mousemove', come)</script>`)
	s.connect()
	if err := s.unpaid("page.click", &action.Click{Locator: selector("#x")}); fault.CodeOf(err) != fault.PageChanged {
		t.Errorf("the press that came to another frame was told of as %v", err)
	}
	s.goesOn()
}
