package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestDialogsNeverBlock(t *testing.T) {
	tr := start(t)
	tr.visit(`<button onclick="document.title = prompt('Name?', 'you')">Ask</button><a href="javascript:alert('hi')">Say</a>`)
	r := tr.must("page.click", &action.Click{Locator: selector("button")})
	if r.Modal == nil || r.Modal.Kind != "prompt" || r.Modal.Message != "Name?" || r.Modal.Default != "you" || !r.Data.(*action.Acted).OK {
		t.Fatalf("clicked into a dialog: %+v, modal %+v", r.Data, r.Modal)
	}
	for verb, args := range map[string]any{
		"page.snapshot": &action.TakeSnapshot{}, "page.screenshot": &action.TakeScreenshot{}, "page.extract": &action.Extract{},
		"page.goto": &action.Goto{URL: "about:blank"}, "page.click": &action.Click{Locator: selector("button")}, "page.back": &action.None{},
	} {
		f := tr.refuse(fault.DialogOpen, verb, args)
		if !strings.Contains(f.Message, "Name?") {
			t.Errorf("%s: %v does not name the dialog", verb, f)
		}
	}
	if r = tr.must("page.dialog", &action.AnswerDialog{Accept: true, Prompt: "me"}); r.Modal != nil || r.Page.Title != "me" {
		t.Errorf("answered: modal %+v, page %+v", r.Modal, r.Page)
	}
	if r = tr.must("page.click", &action.Click{Locator: selector("a")}); r.Modal == nil || r.Modal.Kind != "alert" {
		t.Errorf("a javascript: link: modal %+v", r.Modal)
	}
	tr.must("page.dialog", &action.AnswerDialog{})
	tr.refuse(fault.InvalidRequest, "page.dialog", &action.AnswerDialog{})
	tr.wantTitle("me")
}

func TestDialogsDuringAnyVerb(t *testing.T) {
	tr := start(t)
	s := serve(t, `<title>up</title><script>alert('loading')</script><p>Later</p>`)
	r := tr.must("page.goto", &action.Goto{URL: s.URL})
	if r.Modal == nil || r.Data.(*action.Navigated).Status != 200 {
		t.Errorf("goto: %+v, modal %+v", r.Data, r.Modal)
	}
	tr.must("page.dialog", &action.AnswerDialog{Accept: true})
	tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "Later"}})
	asks := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<p>Here</p><script>fetch('/go').then(() => confirm('sure?'))</script>`)
	})
	mux.HandleFunc("/go", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-asks:
		case <-r.Context().Done():
		}
	})
	tr.must("page.goto", &action.Goto{URL: listen(t, mux).URL})
	waited := make(chan action.Result, 1)
	go func() {
		r, err := tr.Do(tr.ctx, "page.wait_for", &action.WaitFor{Locator: selector("#none"), Timeout: new(120_000)}, action.Pin{})
		if err != nil {
			t.Error(err)
		}
		waited <- r
	}()
	tr.wantBusy(true, "an element is waited for")
	close(asks)
	if r = <-waited; r.Modal == nil || r.Data.(*action.Waited).Found {
		t.Errorf("wait_for: %+v, modal %+v", r.Data, r.Modal)
	}
	tr.must("page.dialog", &action.AnswerDialog{})
	tr.visit(`<body onclick="onbeforeunload = e => { e.preventDefault(); return 'stay' }">Unload`)
	tr.must("page.click", &action.Click{Locator: selector("body")})
	left := tr.must("page.goto", &action.Goto{URL: "about:blank"})
	if got := tr.Page().URL; got != "about:blank" || !strings.Contains(strings.Join(left.Notes, " "), "asked to stay") {
		t.Errorf("beforeunload kept us at %s, notes %q", got, left.Notes)
	}
}

func TestUnansweredDialogIsDismissed(t *testing.T) {
	tr := start(t, func(o *engine.Options) { o.DialogTimeout = 100 * time.Millisecond })
	tr.visit(`<button onclick="document.title = confirm('sure?')">Ask</button>`)
	tr.must("page.click", &action.Click{Locator: selector("button")})
	var r action.Result
	for {
		var err error
		if r, err = tr.Do(tr.ctx, "page.wait_for", &action.WaitFor{}, action.Pin{}); err == nil {
			break
		}
		expect(t, fault.DialogOpen, err)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "sure?") {
		t.Errorf("notes %q", r.Notes)
	}
	tr.wantTitle("false")
}

func TestCrashedRendererFailsAtOnceAndTheTabLives(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<p>Here</p>`)
	hung := make(chan error, 1)
	hour := 60_000
	waiting := make(chan struct{})
	var once atomic.Bool
	tr.lane.fail(func(method string, _ int64, _ string) ([]byte, error) {
		if method == "Runtime.callFunctionOn" && once.CompareAndSwap(false, true) {
			close(waiting)
		}
		return nil, nil
	})
	go func() {
		_, err := tr.Do(tr.ctx, "page.wait_for", &action.WaitFor{Locator: selector("#none"), Timeout: &hour}, action.Pin{})
		hung <- err
	}()
	<-waiting
	tr.lane.fail(nil)
	crash(tr)
	expect(t, fault.PageCrashed, <-hung)
	tr.refuse(fault.PageCrashed, "page.extract", &action.Extract{})
	tr.refuse(fault.PageCrashed, "page.click", &action.Click{Locator: selector("p")})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	if got := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted).Text; got != "Here" {
		t.Errorf("after the crash: %q", got)
	}
	tr.must("page.click", &action.Click{Locator: selector("p")})
}

// crash kills the renderer of the active tab.
func crash(tr *trial) {
	_, pin, err := tr.Look(tr.ctx, "page.extract", &action.Extract{})
	must(tr.t, err)
	must(tr.t, engine.Kill(tr.Browser, pin.Tab))
}

func TestHungPageTimesOutAndGotoWorksAgain(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<button onclick="for(;;);">Spin</button>`, "/ok": `<title>ok</title>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	f := tr.refuse(fault.ActionTimeout, "page.click", &action.Click{Locator: selector("button"), Timing: action.Timing{Timeout: 1000}})
	if f.Message != "browser_action_timeout:click:1s" {
		t.Errorf("message %q", f.Message)
	}
	r := tr.must("page.goto", &action.Goto{URL: s.URL + "/ok"})
	if r.Page.Title != "ok" {
		t.Errorf("at %+v, notes %q", r.Page, r.Notes)
	}
	tr.wantTitle("ok")
}

func TestOpenTakesOverABrowserThatHasPages(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<title>kept</title><a target=_blank href="/">open</a><iframe srcdoc="<button onclick='top.document.title+=1'>In</button>"></iframe>`)
	lost := tr.Browser
	tr.lane = tr.wire.join() // the old connection is never heard again
	b, err := engine.Open(tr.ctx, tr.lane, engine.Options{Guard: openAll})
	must(t, err)
	must(t, lost.Close())
	tr.Browser = b
	if got := tr.Page(); got.URL != s.URL+"/" || got.Title != "kept" {
		t.Errorf("took over %+v", got)
	}
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "In"}})
	tr.wantTitle("kept1")
	if r := tr.must("page.click", &action.Click{Locator: selector("a")}); r.Page.Title != "kept" || r.Page.URL != s.URL+"/" {
		t.Errorf("the new tab is at %+v, notes %q", r.Page, r.Notes)
	}
	_, err = lost.Do(tr.ctx, "page.extract", &action.Extract{}, action.Pin{})
	expect(t, fault.NotActive, err)
	if lost.Err() == nil {
		t.Error("a closed browser has no error")
	}
	<-lost.Done()
}

const target = `<input id=i><button id=b onclick="document.title+='x'">Go</button>`

// TestClickSurvivesTheFailureOfEachCall makes each protocol call of a click
// fail in turn: with the browser's own refusal, and with the connection gone.
func TestClickSurvivesTheFailureOfEachCall(t *testing.T) {
	tr := start(t)
	s := tr.visit(target)
	args := &action.Click{Locator: selector("#b"), Timing: action.Timing{Timeout: 2000}}
	total := countCalls(tr, args)
	if total < 6 {
		t.Fatalf("a click made %d calls", total)
	}
	for n := 1; n <= total; n++ {
		tr.must("page.goto", &action.Goto{URL: s.URL})
		var calls atomic.Int64
		tr.lane.fail(func(_ string, id int64, session string) ([]byte, error) {
			if calls.Add(1) != int64(n) {
				return nil, nil
			}
			return refusal(id, session), nil
		})
		_, err := tr.do("page.click", args)
		tr.lane.fail(nil)
		if err != nil {
			clean(t, n, err)
		}
		tr.must("page.click", args)
	}
	for n := 1; n <= total; n++ {
		dropped(t, s.URL, args, n, n == total)
	}
}

func countCalls(tr *trial, args *action.Click) int {
	tr.must("page.reload", &action.Reload{})
	var calls atomic.Int64
	tr.lane.fail(func(string, int64, string) ([]byte, error) { calls.Add(1); return nil, nil })
	tr.must("page.click", args)
	tr.lane.fail(nil)
	return int(calls.Load())
}

func refusal(id int64, session string) []byte {
	data, _ := json.Marshal(map[string]any{"id": id, "sessionId": session, "error": map[string]any{"code": -32000, "message": "injected failure"}})
	return data
}

// clean expects a fault that shows no internals.
func clean(t *testing.T, n int, err error) {
	t.Helper()
	f := fault.From(err)
	if f.Code == fault.Internal || f.Hint == "" || strings.Contains(f.Message, "injected") || strings.Contains(f.Message, "Input.") {
		t.Errorf("call %d: %v (hint %q)", n, err, f.Hint)
	}
}

// dropped clicks on a new connection that ends at the n-th call.
func dropped(t *testing.T, url string, args *action.Click, n int, last bool) {
	t.Helper()
	t.Run(fmt.Sprintf("dropped at call %d", n), func(t *testing.T) {
		tr := start(t)
		tr.must("page.goto", &action.Goto{URL: url})
		var calls atomic.Int64
		tr.lane.fail(func(string, int64, string) ([]byte, error) {
			if calls.Add(1) >= int64(n) {
				return nil, errors.New("injected end")
			}
			return nil, nil
		})
		_, err := tr.do("page.click", args)
		if calls.Load() == int64(n-1) && last { // it asked once less than the click that was counted
			must(t, err)
			return
		}
		expect(t, fault.NotActive, err)
		select {
		case <-tr.Done():
		case <-tr.ctx.Done():
			t.Error("the connection is not done")
		}
	})
}
