package gate_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// wireRig is a gate that asks when requests are sent, with a real page of a shop
// whose server records what is done.
type wireRig struct {
	t            *testing.T
	testGate     *testGate
	pageSessions *wireSessions
	site         *httptest.Server

	mu      sync.Mutex
	done    []string // methods and paths that changed something
	sending action.Sending
}

func (w *wireRig) sends() action.Sending {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sending
}

// wireSessions follows acts, as the real sessions do.
type wireSessions struct {
	pageSessions
	said []string
	mu   sync.Mutex
}

func (r *wireSessions) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if call.Act != nil {
		ctx = engine.Acting(ctx, *call.Act)
	}
	ctx = observe.Viewing(ctx, observe.Viewer{Actor: call.Caller.Actor}, call.Changes)
	result, err := r.pageSessions.Do(ctx, call, pin)
	result.Session = "s1"
	return result, err
}

func (r *wireSessions) QueueNotice(_, words string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, words)
}

const shop = `<!doctype html><title>Shop</title><h1>Things</h1><p id=said></p>
<button id=filter onclick="fetch('/api/search', {method: 'POST', body: 'q=1'}).then(() => said.textContent = 'found')">Filter things</button>
<button id=menu onclick="document.getElementById('more').hidden = false">Delete this thing…</button>
<div id=more hidden><h2>Delete the thing?</h2><button id=yes onclick="fetch('/api/thing', {method: 'DELETE'}).then(r => said.textContent = 'gone ' + r.status, e => said.textContent = 'failed')">Erase</button></div>
<button id=sly onclick="fetch('/api/items/7/delete', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({id: 7, password: 'hunter22', why: 'old'})}).then(() => said.textContent = 'deleted', () => said.textContent = 'failed')">Next page</button>
<button id=note onclick="fetch('/api/notes', {method: 'POST', body: 'text=hi'}).then(() => said.textContent = 'saved')">Save note</button>
<button id=hover onmouseover="fetch('/api/transfer?amount=900&to=x', {method: 'POST'})">Details</button>
<button id=twice onclick="fetch('/api/things/1', {method: 'DELETE'}); fetch('/api/things/2', {method: 'DELETE'})">Remove both</button>
<form method=post action=/invoices/5/delete><button id=posted>Remove invoice</button></form>
<form id=hidden method=post action=/invoices/6/delete></form><button id=scripted onclick="document.getElementById('hidden').submit()">Go on</button>
<button id=other onclick="fetch('/api/things/3', {method: 'DELETE'}); fetch('/api/messages/send', {method: 'POST'})">Tidy up</button>`

func newWire(t *testing.T, c policy.Config) *wireRig {
	t.Helper()
	w := &wireRig{t: t, pageSessions: &wireSessions{}}
	w.site = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/socket" {
			if c, err := websocket.Accept(out, r, nil); err == nil {
				_, _, _ = c.Read(r.Context())
				_ = c.CloseNow()
			}
			return
		}
		if r.Method != http.MethodGet {
			w.mu.Lock()
			w.done = append(w.done, r.Method+" "+r.URL.Path)
			w.mu.Unlock()
			if strings.HasPrefix(r.URL.Path, "/framed/") {
				out.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, port, _ := net.SplitHostPort(r.Host)
				_, _ = fmt.Fprintf(out, "<!doctype html><title>Gone</title><iframe src='http://localhost:%s/'></iframe>", port)
				return
			}
			out.WriteHeader(http.StatusAccepted)
			return
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(out, shop)
	}))
	t.Cleanup(w.site.Close)
	chromium := browsertest.For(t)
	w.testGate = buildOn(t, c, gate.Credentials{}, func(*testGate) gate.Sessions { return w.pageSessions })
	session := action.Session{ID: "s1", Actor: agent.Actor, Scope: agent.Scope}
	var err error
	w.pageSessions.browser, err = engine.Open(t.Context(), chromium.Transport(), engine.Options{Width: 800, Height: 600, Timeout: 5 * time.Minute, Guard: func(string) error { return nil },
		Outgoing: func(ctx context.Context, r action.Request) (action.Ruling, error) {
			ruling, err := w.testGate.Outgoing(ctx, session, action.Sender{Owner: action.Agent, Sending: w.sends()}, r)
			if ruling.Notice != "" { // as the sessions do
				w.pageSessions.QueueNotice(session.ID, ruling.Notice)
			}
			return ruling, err
		},
		Receipt: func(e action.Effect) { w.testGate.Receipt(session, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.pageSessions.browser.Close() })
	t.Cleanup(func() { w.testGate.close(t) })
	w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
	return w
}

func (w *wireRig) as(who action.Caller, verb string, args any, wait time.Duration) action.Result {
	w.t.Helper()
	result, err := w.testGate.Call(w.t.Context(), action.Call{Verb: verb, Caller: who, Args: args, Wait: wait})
	if err != nil {
		w.t.Fatalf("%s: %v", verb, err)
	}
	return result
}

func (w *wireRig) press(id string, wait time.Duration) action.Result {
	w.t.Helper()
	return w.as(agent, "page.click", &action.Click{Locator: named("#" + id)}, wait)
}

// did returns the requests that reached the server.
func (w *wireRig) did() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.done, ", ")
}

// asked returns the waiting questions.
func (w *wireRig) asked() []action.Question {
	w.t.Helper()
	r := w.as(operator, "approval.list", &action.ApprovalList{}, 0)
	return r.Data.(*action.QuestionListing).Questions
}

// answers lets a person answer the next questions, and returns them.
func (w *wireRig) answers(yes ...bool) (next func() action.Question) {
	w.t.Helper()
	answered, n := make(chan action.Question, len(yes)), 0
	w.testGate.attend(testwait.Context(w.t), w.t, func(q action.Question) {
		if n == len(yes) {
			return
		}
		if _, err := w.testGate.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: q.ID, Approve: yes[n], Reason: "for the test"}}); err == nil {
			n++
			answered <- q
		}
	})
	return func() action.Question {
		w.t.Helper()
		return testwait.Receive(w.t, answered, "a question")
	}
}

var atWire = policy.Config{Enabled: true, Trusted: []string{"127.0.0.1"}, AskAt: policy.AskAtWire}

// TestADeletionIsAskedAboutOnceWhenItIsSent deletes through a menu and a dialog.
// There is one question, which shows the request; steps that send nothing are not
// asked about.
func TestADeletionIsAskedAboutOnceWhenItIsSent(t *testing.T) {
	w := newWire(t, atWire)
	if r := w.press("menu", time.Second); r.Pending != nil || len(w.asked()) != 0 {
		t.Fatalf("opening a menu is asked about: %+v", r.Pending)
	}
	answered := w.answers(true)
	r := w.press("yes", time.Minute)
	q := answered()
	if q.Verb != action.EffectVerb || q.Request == nil || q.Request.Method != "DELETE" || !strings.HasSuffix(q.Request.URL, "/api/thing") ||
		!strings.Contains(q.Request.Cause, `page.click on button "Erase"`) || q.Risk < action.High {
		t.Errorf("question %+v, request %+v", q, q.Request)
	}
	if len(r.Effects) != 1 || r.Effects[0].Status != http.StatusAccepted || w.did() != "DELETE /api/thing" {
		t.Errorf("effects %+v, done %s", r.Effects, w.did())
	}
}

// TestAnEffectBehindHarmlessWordsIsAskedAbout presses a button with a harmless
// label that deletes. A person is asked when the request is sent, and a denial
// stops it.
func TestAnEffectBehindHarmlessWordsIsAskedAbout(t *testing.T) {
	w := newWire(t, atWire)
	answered := w.answers(false)
	_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#sly")}, Wait: time.Minute})
	q := answered()
	if q.Risk != action.High || q.Rule != "effect.address" {
		t.Errorf("question %+v", q)
	}
	shown := fmt.Sprint(q.Request.Fields)
	if strings.Contains(shown, "hunter22") || !strings.Contains(shown, "old") {
		t.Errorf("fields are shown as %s", shown)
	}
	if fault.CodeOf(err) != fault.ApprovalDenied || w.did() != "" {
		t.Errorf("fault %v, done %q", err, w.did())
	}
}

// TestRequestsWithoutACallAreAskedAbout checks that harmful requests of a page
// without a call are asked about, and that the agent learns what was refused.
func TestRequestsWithoutACallAreAskedAbout(t *testing.T) {
	w := newWire(t, atWire)
	answered := w.answers(false)
	w.as(agent, "page.hover", &action.Hover{Locator: named("#hover")}, time.Minute)
	if q := answered(); q.Risk != action.Critical || q.Request == nil {
		t.Errorf("question %+v", q)
	}
	if w.did() != "" {
		t.Errorf("done %q", w.did())
	}
}

// TestHarmlessRequestsAreAllowedWithReceipts checks harmless requests and
// requests to trusted hosts.
func TestHarmlessRequestsAreAllowedWithReceipts(t *testing.T) {
	w := newWire(t, atWire)
	for id, path := range map[string]string{"filter": "/api/search", "note": "/api/notes"} {
		r := w.press(id, time.Minute)
		if r.Pending != nil || len(r.Effects) != 1 || r.Effects[0].Status != http.StatusAccepted || !strings.HasSuffix(r.Effects[0].URL, path) {
			t.Errorf("%s: %+v %+v", id, r.Pending, r.Effects)
		}
	}
	found := false
	for _, r := range w.testGate.records(t) {
		found = found || r.EventType == action.EventOutcome && strings.Contains(r.Detail, "/api/notes: 202")
	}
	if !found {
		t.Error("no outcome names the request that it sent")
	}
}

// TestAMediumRequestIsAskedAboutOnce checks that a host that is allowed but not
// trusted is asked about once for each kind of request.
func TestAMediumRequestIsAskedAboutOnce(t *testing.T) {
	w := newWire(t, policy.Config{Enabled: true, AskAt: policy.AskAtWire})
	answered := w.answers(true)
	w.press("note", time.Minute)
	if q := answered(); q.Risk != action.Medium {
		t.Errorf("question %+v", q)
	}
	if r := w.press("note", time.Second); r.Pending != nil || w.did() != "POST /api/notes, POST /api/notes" {
		t.Errorf("asked again: %+v, %s", r.Pending, w.did())
	}
}

// TestActsOnAPageWithAChannelAreAskedAboutOnce checks that on a page with an open
// WebSocket, whose messages cannot be held, acts are asked about before they are
// done: MEDIUM ones once for each host, HIGH ones each time.
func TestActsOnAPageWithAChannelAreAskedAboutOnce(t *testing.T) {
	w := newWire(t, policy.Config{Enabled: true, AskAt: policy.AskAtWire})
	w.as(operator, "page.execute", &action.Execute{Expression: `new Promise(open => { s = new WebSocket('ws://' + location.host + '/socket'); s.onopen = () => {
		document.body.insertAdjacentHTML('beforeend', '<button id=apply>Apply the changes</button><button id=more2>Save the layout</button><button id=drop>Delete the layout</button>'); open(1) } })`, AwaitPromise: true}, 0)
	answered := w.answers(true)
	w.press("apply", time.Minute)
	if q := answered(); q.Risk != action.Medium || q.Request != nil || !strings.Contains(q.Why, "WebSocket") {
		t.Errorf("question %+v", q)
	}
	for _, id := range []string{"apply", "more2"} {
		if r := w.press(id, time.Second); r.Pending != nil {
			t.Errorf("%s: asked again: %+v", id, r.Pending)
		}
	}
	for range 2 {
		answered = w.answers(true)
		w.press("drop", time.Minute)
		if q := answered(); q.Risk != action.High || q.Request != nil {
			t.Errorf("question %+v", q)
		}
	}
}

// TestRequestsOfOneActAreOneQuestion checks that a question lists all requests that
// an act makes at once, and that the answer is for all of them.
func TestRequestsOfOneActAreOneQuestion(t *testing.T) {
	w := newWire(t, atWire)
	answered := w.answers(true)
	w.press("twice", time.Minute)
	if q := answered(); len(q.Requests) != 2 || !strings.HasPrefix(q.Why, "2 requests: ") || q.Requests[0].URL == q.Requests[1].URL {
		t.Errorf("question %+v", q)
	}
	if len(w.asked()) != 0 || len(w.did()) != len("DELETE /api/things/1, DELETE /api/things/2") {
		t.Errorf("asked %v, done %s", w.asked(), w.did())
	}
	answered = w.answers(false)
	_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#other")}, Wait: time.Minute})
	wantCode(t, "two kinds of harm", err, fault.ApprovalDenied)
	if q := answered(); len(q.Requests) != 2 || strings.Contains(w.did(), "things/3") || strings.Contains(w.did(), "send") {
		t.Errorf("question %+v, done %s", q, w.did())
	}
}

// TestRequestsOfOneActAreAnsweredSingly approves one of two requests: the other one is denied.
func TestRequestsOfOneActAreAnsweredSingly(t *testing.T) {
	w := newWire(t, atWire)
	asked := make(chan action.Question, 1)
	w.testGate.attend(testwait.Context(t), t, func(q action.Question) {
		answer := func(only ...int) error {
			_, err := w.testGate.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: q.ID, Approve: true, Only: only}})
			return err
		}
		for _, only := range [][]int{{0}, {3}, {1, -1}} {
			if err := answer(only...); fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("only %v: %v", only, err)
			}
		}
		first := slices.IndexFunc(q.Requests, func(h action.Held) bool { return strings.HasSuffix(h.URL, "/1") })
		if err := answer(first + 1); err == nil {
			asked <- q
		}
	})
	_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#twice")}, Wait: time.Minute})
	wantCode(t, "one of two", err, fault.ApprovalDenied)
	if q := testwait.Receive(t, asked, "a question"); len(q.Requests) != 2 {
		t.Errorf("question %+v", q)
	}
	testwait.For(t, "the approved request", func() bool { return w.did() == "DELETE /api/things/1" })
}

// TestARepeatedCallIsNotDoneTwice checks a call whose question is still open at
// its end: the answer says that the act was done, and a repetition waits for the
// answer without doing it again.
func TestARepeatedCallIsNotDoneTwice(t *testing.T) {
	w := newWire(t, atWire)
	w.press("menu", time.Second)
	args := &action.Click{Locator: named("#yes")}
	r := w.as(agent, "page.click", args, 100*time.Millisecond)
	if r.Pending == nil || !r.Pending.Done || w.did() != "" {
		t.Fatalf("pending %+v, done %q", r.Pending, w.did())
	}
	answered := w.answers(true)
	r = w.as(agent, "page.click", args, time.Minute)
	answered()
	if r.Pending != nil || len(r.Effects) != 1 || len(r.Notes) == 0 {
		t.Errorf("result %+v", r)
	}
	testwait.For(t, "the request", func() bool { return w.did() != "" })
	if w.did() != "DELETE /api/thing" {
		t.Errorf("done %q", w.did())
	}
}

// TestAFormIsAskedAboutOnce checks that a person is asked about the request of a form, and
// not about its button too.
func TestAFormIsAskedAboutOnce(t *testing.T) {
	w := newWire(t, atWire)
	answered := w.answers(true)
	r := w.press("posted", time.Minute)
	if q := answered(); q.Verb != action.EffectVerb || q.Risk != action.High || q.Request == nil || !strings.HasSuffix(q.Request.URL, "/invoices/5/delete") {
		t.Errorf("question %+v", q)
	}
	if w.did() != "POST /invoices/5/delete" || len(r.Effects) != 1 || len(w.asked()) != 0 {
		t.Errorf("done %q, effects %+v, asked %v", w.did(), r.Effects, w.asked())
	}
}

// TestAPageThatWaitsForADocumentIsReadAsItIs checks that a navigation by a script is
// held, that the page can be read meanwhile, and that an answer names the question; other
// acts are refused and name it too.
func TestAPageThatWaitsForADocumentIsReadAsItIs(t *testing.T) {
	w := newWire(t, atWire)
	args := &action.Click{Locator: named("#scripted")}
	r := w.as(agent, "page.click", args, 100*time.Millisecond)
	if r.Pending == nil || !r.Pending.Done || w.did() != "" {
		t.Fatalf("pending %+v, done %q", r.Pending, w.did())
	}
	question := r.Pending.Approval
	testwait.For(t, "the question's picture", func() bool { return w.asked()[0].Screenshot == "picture" })
	shown := w.as(agent, "page.snapshot", &action.TakeSnapshot{}, 0)
	if text := shown.Data.(*action.Snapshot).Text; !strings.Contains(text, "Filter things") || !strings.Contains(strings.Join(shown.Notes, " "), question) {
		t.Errorf("%s, notes %q", text, shown.Notes)
	}
	w.as(agent, "page.find", &action.Find{Text: "Things"}, 0)
	w.as(agent, "page.screenshot", &action.TakeScreenshot{}, 0)
	_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#filter")}})
	wantCode(t, "another act", err, fault.NotActionable)
	if f := fault.From(err); f.Retryable() || f.Details["approvalId"] != question {
		t.Errorf("another act: %+v, question %s", f, question)
	}
	answered := w.answers(true)
	r = w.as(agent, "page.click", args, time.Minute)
	answered()
	if w.did() != "POST /invoices/6/delete" || len(r.Effects) != 1 || r.Effects[0].Status != http.StatusAccepted {
		t.Errorf("done %q, effects %+v", w.did(), r.Effects)
	}
	if acted, ok := r.Data.(*action.Acted); !ok || !acted.OK || r.Page == nil || !strings.HasSuffix(r.Page.URL, "/invoices/6/delete") {
		t.Errorf("the repeated call says %+v at %+v", r.Data, r.Page)
	}
	w.as(agent, "page.back", &action.None{}, 0)
	w.as(agent, "page.wait_for", &action.WaitFor{Locator: action.Locator{Selector: "#filter"}}, 0)
}

// TestOthersActWhileACallWaitsForAPerson lets an operator act while an agent's call waits
// for the answer about its request.
func TestOthersActWhileACallWaitsForAPerson(t *testing.T) {
	w := newWire(t, atWire)
	ended := make(chan error, 1)
	go func() {
		_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#sly")}, Wait: time.Hour})
		ended <- err
	}()
	testwait.For(t, "a question", func() bool { return len(w.asked()) == 1 })
	w.as(operator, "page.click", &action.Click{Locator: named("#menu")}, 0)
	w.as(operator, "approval.answer", &action.Answer{ID: w.asked()[0].ID}, 0)
	wantCode(t, "the call that waited", testwait.Receive(t, ended, "the end of the call"), fault.ApprovalDenied)
}

// What a page can no longer send needs no answer: the question ends when the last of its
// requests is gone.
func TestAQuestionEndsWithItsRequests(t *testing.T) {
	w := newWire(t, atWire)
	if r := w.press("twice", time.Second); r.Pending == nil || len(w.asked()) != 1 {
		t.Fatalf("asked about %+v", w.asked())
	}
	w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
	testwait.For(t, "the end of the question", func() bool { return len(w.asked()) == 0 })
	if w.did() != "" {
		t.Errorf("done %s", w.did())
	}
	if r := w.press("menu", time.Hour); r.Pending != nil { // it waits for nobody, or the test does not end
		t.Errorf("pending %+v", r.Pending)
	}
}

// An agent that went on and comes back acts anew: the question that ended is no answer to
// the same call.
func TestAnActIsMadeAnewAfterItsRequestsWereGivenUp(t *testing.T) {
	w := newWire(t, atWire)
	for range 3 {
		if r := w.press("twice", time.Second); r.Pending == nil {
			t.Fatalf("%+v", r)
		}
		w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
	}
	if w.did() != "" {
		t.Errorf("done %s", w.did())
	}
}

// TestAReadOnlySessionSendsNothing checks that only reading requests are sent,
// that nobody is asked, and that rules can name harmless requests.
func TestAReadOnlySessionSendsNothing(t *testing.T) {
	w := newWire(t, policy.Config{Enabled: true, Trusted: []string{"127.0.0.1"}, AskAt: policy.AskAtWire,
		Effects: []policy.EffectRule{{Hosts: []string{"127.0.0.1"}, Methods: []string{"POST"}, Paths: []string{"/api/sea*"}, Risk: "LOW"}}})
	w.mu.Lock()
	w.sending = action.SendNone
	w.mu.Unlock()
	for _, id := range []string{"note", "sly", "twice"} {
		r := w.press(id, time.Minute)
		if len(r.Effects) == 0 || r.Effects[0].State != action.EffectRefused {
			t.Errorf("%s: %+v", id, r.Effects)
		}
	}
	if r := w.press("filter", time.Minute); len(r.Effects) != 1 || r.Effects[0].Status != http.StatusAccepted {
		t.Errorf("a request named by a rule: %+v", r.Effects)
	}
	if w.did() != "POST /api/search" || len(w.asked()) != 0 {
		t.Errorf("done %s, asked %v", w.did(), w.asked())
	}
}

// TestAnAgentLearnsThatNobodyFollowsQuestions expects a note before the question
// expires, though the agent would wait longer.
func TestAnAgentLearnsThatNobodyFollowsQuestions(t *testing.T) {
	w := newWire(t, policy.Config{Enabled: true})
	r := w.press("note", time.Hour)
	if r.Pending == nil || len(r.Notes) == 0 || !strings.Contains(strings.Join(r.Notes, " "), "glovebox approvals") {
		t.Errorf("pending %+v, notes %q", r.Pending, r.Notes)
	}
}

// TestNavigationsAreRecorded also checks navigations without a call.
func TestNavigationsAreRecorded(t *testing.T) {
	w := newWire(t, atWire)
	w.as(operator, "page.execute", &action.Execute{Expression: "void setTimeout(() => location.href = '/elsewhere')"}, 0)
	testwait.For(t, "the record of the navigation", func() bool {
		return slices.ContainsFunc(w.testGate.records(t), func(r action.Record) bool {
			return r.EventType == action.EventNavigation && strings.HasSuffix(r.TargetURL, "/elsewhere")
		})
	})
}
