package gate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	agent    = action.Caller{Actor: "bot", Scope: "acme", Role: action.Agent}
	viewer   = action.Caller{Actor: "eye", Scope: "acme", Role: action.Viewer}
	operator = action.Caller{Actor: "ann", Scope: "acme", Role: action.Operator}
)

// shelf is a small session room: one session with one page that shows one
// element. It remembers what was done.
type shelf struct {
	mu      sync.Mutex
	element *action.Element
	to      *action.Destination
	lookErr error
	doErr   error
	do      func(ctx context.Context) // runs inside Do
	looked  int
	done    []string
	pins    []action.Pin
}

func (s *shelf) Look(_ context.Context, call action.Call) (action.Facts, action.Pin, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked++
	facts := action.Facts{
		Session:     action.SessionFacts{ID: "s1", Box: "b1", State: "open"},
		Page:        action.Page{URL: "https://app.example.com/invoices?token=hunter2", Title: "Invoices"},
		Destination: s.to,
	}
	pin := action.Pin{Session: "s1", Document: "d1"}
	if v, _ := action.Lookup(call.Verb); v.Target {
		facts.Element = s.element
		pin.Print = s.element.Name
	}
	return facts, pin, s.lookErr
}

func (s *shelf) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if s.do != nil {
		s.do(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done, s.pins = append(s.done, call.Verb), append(s.pins, pin)
	return action.Result{Session: "s1", Page: &action.Page{URL: "https://app.example.com/next"}}, s.doErr
}

func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.done)
}

// house is a gate with everything real but the sessions.
type house struct {
	*gate.Gate
	shelf *shelf
	audit *audit.Log
	db    *store.DB
}

func build(t testing.TB, c policy.Config) *house {
	t.Helper()
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(ctx, audit.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	desk, err := approval.Open(ctx, approval.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{
		element: &action.Element{Role: "button", Tag: "button", Name: "Delete invoice", Ref: "e7"},
		to:      &action.Destination{URL: "https://app.example.com/", Host: "app.example.com", Site: "example.com", Allowed: true},
	}
	g, err := gate.New(gate.Options{Sessions: s, Policy: judge, Desk: desk, Audit: trail, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return &house{Gate: g, shelf: s, audit: trail, db: db}
}

// close ends a house. In a bubble it must happen before the bubble ends.
func (h *house) close(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		t.Error(err)
	}
	h.audit.Close()
	_ = h.db.Close()
}

func open(t testing.TB) *house {
	h := build(t, policy.Config{Enabled: true})
	t.Cleanup(func() { h.close(t) })
	return h
}

// records returns the trail.
func (h *house) records(t testing.TB) []action.Record {
	t.Helper()
	page, err := h.audit.Query(context.Background(), action.AuditQuery{Limit: 1000}, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return page.Records
}

// last returns intent and outcome of the newest call, and checks that there is
// exactly one of each for every call.
func (h *house) last(t testing.TB) (intent, outcome action.Record) {
	t.Helper()
	seen := map[string]string{}
	for _, r := range h.records(t) {
		switch r.EventType {
		case audit.Intent:
			seen[r.CorrelationID] += "i"
			intent = r
		case audit.Outcome:
			seen[r.CorrelationID] += "o"
			outcome = r
		}
	}
	for id, kinds := range seen {
		if kinds != "io" {
			t.Errorf("call %s left %q", id, kinds)
		}
	}
	return intent, outcome
}

func wantCode(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s: %q (%v), want %q", what, got, err, want)
	} else if err != nil && fault.From(err).Hint == "" {
		t.Errorf("%s: no hint", what)
	}
}

func snapshot(c action.Caller) action.Call {
	return action.Call{Verb: "page.snapshot", Caller: c, Args: &action.TakeSnapshot{}, Surface: "mcp"}
}

func click(c action.Caller) action.Call {
	return action.Call{Verb: "page.click", Caller: c, Args: &action.Click{Locator: action.Locator{Ref: "e7"}}, Surface: "mcp"}
}

func TestAGateNeedsAllItsParts(t *testing.T) {
	if g, err := gate.New(gate.Options{}); err == nil || g != nil {
		t.Fatal("an empty gate was made")
	}
}

func TestAReadRunsAndIsRecorded(t *testing.T) {
	h := open(t)
	if _, err := h.Call(t.Context(), snapshot(agent)); err != nil {
		t.Fatal(err)
	}
	intent, outcome := h.last(t)
	if intent.Risk != "LOW" || intent.HITLDecision != "auto_approved" || intent.SessionID != "s1" || intent.ContainerID != "b1" ||
		intent.Surface != "mcp" || intent.Domain != "app.example.com" || intent.Scope != "acme" || intent.Actor != "bot" {
		t.Errorf("intent %+v", intent)
	}
	if outcome.Result != "ok" || outcome.Error != "" {
		t.Errorf("outcome %+v", outcome)
	}
	if strings.Contains(fmt.Sprintf("%+v", h.records(t)), "hunter2") {
		t.Error("a token of the address is in the trail")
	}
}

func TestWhatIsRefusedLeavesIntentAndOutcome(t *testing.T) {
	zero := (*action.Click)(nil)
	for name, c := range map[string]struct {
		call   action.Call
		change func(*shelf)
		want   fault.Code
	}{
		"unknown verb":      {action.Call{Verb: "page.fly", Caller: agent}, nil, fault.UnknownAction},
		"no caller":         {action.Call{Verb: "page.click", Caller: action.Caller{Scope: "acme"}}, nil, fault.Unauthenticated},
		"unknown role":      {snapshot(action.Caller{Actor: "x", Scope: "acme", Role: "root"}), nil, fault.DeniedByPolicy},
		"wrong arguments":   {action.Call{Verb: "page.click", Caller: agent, Args: &action.Goto{}}, nil, fault.InvalidRequest},
		"not a pointer":     {action.Call{Verb: "page.click", Caller: agent, Args: action.Click{}}, nil, fault.InvalidRequest},
		"nil arguments":     {action.Call{Verb: "page.click", Caller: agent, Args: zero}, nil, fault.InvalidRequest},
		"no element":        {action.Call{Verb: "page.click", Caller: agent}, nil, fault.MissingSelector},
		"no address":        {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: " "}}, nil, fault.MissingURL},
		"no id":             {action.Call{Verb: "approval.status", Caller: agent}, nil, fault.InvalidRequest},
		"out of bounds":     {action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: action.Locator{Ref: "e1"}, ClickCount: 9}}, nil, fault.InvalidRequest},
		"control character": {action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: "a\x1b[A"}}, nil, fault.InvalidRequest},
		"line in address":   {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: "https://a.example/\r\nX: y"}}, nil, fault.InvalidRequest},
		"long session":      {action.Call{Verb: "page.snapshot", Caller: agent, Session: strings.Repeat("s", 65)}, nil, fault.InvalidRequest},
		"viewer writes":     {click(viewer), nil, fault.DeniedByPolicy},
		"agent answers":     {action.Call{Verb: "approval.answer", Caller: agent, Args: &action.Answer{ID: "q", Approve: true}}, nil, fault.DeniedByPolicy},
		"agent audits":      {action.Call{Verb: "audit.query", Caller: agent}, nil, fault.DeniedByPolicy},
		"look fails":        {click(agent), func(s *shelf) { s.lookErr = fault.New(fault.StaleRef, "gone").Hinted("look again") }, fault.StaleRef},
		"blocked": {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: "https://evil.example/"}}, func(s *shelf) {
			s.to = &action.Destination{URL: "https://evil.example/", Host: "evil.example", Reason: "not on the list"}
		}, fault.BlockedDomain},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			if c.change != nil {
				c.change(h.shelf)
			}
			_, err := h.Call(t.Context(), c.call)
			wantCode(t, name, err, c.want)
			if n := h.shelf.count(); n != 0 {
				t.Fatalf("%d calls were done", n)
			}
			intent, outcome := h.last(t)
			if intent.Seq == 0 || outcome.Result != "fault" || !strings.HasPrefix(outcome.Error, string(c.want)) {
				t.Errorf("intent %+v\noutcome %+v", intent, outcome)
			}
		})
	}
}

func TestAWriteIsRecordedBeforeItRuns(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	var before int
	h.shelf.do = func(context.Context) { before = len(h.records(t)) }
	if _, err := h.Call(t.Context(), click(agent)); err != nil {
		t.Fatal(err)
	}
	if before != 1 || len(h.records(t)) != 2 {
		t.Errorf("%d records before it ran, %d after", before, len(h.records(t)))
	}
	if _, outcome := h.last(t); outcome.TargetElement != `tab "History"` || outcome.Detail == "" {
		t.Errorf("outcome %+v", outcome)
	}
}

func TestWithoutRoomForAuditNothingRuns(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	if _, err := h.db.Writer.Exec(`PRAGMA query_only = 1`); err != nil {
		t.Fatal(err)
	}
	_, err := h.Call(t.Context(), click(agent))
	wantCode(t, "write", err, fault.AuditUnavailable)
	if n := h.shelf.count(); n != 0 {
		t.Errorf("%d writes ran", n)
	}
	result, err := h.Call(t.Context(), snapshot(agent))
	wantCode(t, "read", err, fault.AuditUnavailable)
	if result.Page != nil || result.Session != "" {
		t.Errorf("an unrecorded read showed %+v", result)
	}
}

func TestAnOutcomeThatCannotBeStoredIsTold(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	h.shelf.do = func(context.Context) {
		if _, err := h.db.Writer.Exec(`PRAGMA query_only = 1`); err != nil {
			t.Error(err)
		}
	}
	result, err := h.Call(t.Context(), click(agent))
	if err != nil || len(result.Notes) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
}

// inBubble runs f with a house in a bubble whose clock moves on when all wait.
func inBubble(t *testing.T, f func(t *testing.T, h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		defer h.close(t)
		f(t, h)
	})
}

// waiting returns the one question that waits.
func (h *house) waiting(t *testing.T) action.Question {
	t.Helper()
	result, err := h.Call(context.Background(), action.Call{Verb: "approval.list", Caller: operator})
	if err != nil {
		t.Fatal(err)
	}
	l := result.Data.(*action.QuestionListing)
	if len(l.Questions) != 1 {
		t.Fatalf("%d questions wait", len(l.Questions))
	}
	return l.Questions[0]
}

func (h *house) answer(t *testing.T, a action.Answer) error {
	t.Helper()
	_, err := h.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: operator, Args: &a})
	return err
}

func TestAQuestionBlocksUntilAPersonAnswers(t *testing.T) {
	for _, yes := range []bool{true, false} {
		inBubble(t, func(t *testing.T, h *house) {
			result := make(chan error, 1)
			go func() {
				_, err := h.Call(context.Background(), click(agent))
				result <- err
			}()
			synctest.Wait()
			q := h.waiting(t)
			if q.Risk != action.High || q.Element == nil || q.Element.Name != "Delete invoice" || q.Page.URL != "https://app.example.com/invoices?token=masked" {
				t.Errorf("question %+v", q)
			}
			time.Sleep(40 * time.Second) // the bubble's clock
			if h.shelf.count() != 0 {
				t.Error("it ran before the answer")
			}
			if err := h.answer(t, action.Answer{ID: q.ID, Approve: yes}); err != nil {
				t.Fatal(err)
			}
			err := <-result
			synctest.Wait()
			if yes && (err != nil || h.shelf.count() != 1) {
				t.Errorf("approved: %v, %d done", err, h.shelf.count())
			}
			if yes && h.shelf.pins[0].Print != "Delete invoice" {
				t.Errorf("done with pin %+v", h.shelf.pins[0])
			}
			if !yes {
				wantCode(t, "denied", err, fault.ApprovalDenied)
			}
			h.checkStory(t, yes)
		})
	}
}

// checkStory checks what a question left in the trail.
func (h *house) checkStory(t *testing.T, yes bool) {
	t.Helper()
	story, decision := map[string]int{}, map[bool]string{true: "approved", false: "denied"}[yes]
	for _, r := range h.records(t) {
		if r.Action != "page.click" {
			continue
		}
		story[r.EventType]++
		if r.EventType == audit.Intent && r.HITLDecision != "pending" ||
			r.EventType == audit.Outcome && (r.HITLDecision != decision || r.AnsweredBy != "ann") ||
			r.EventType == audit.Answer && (r.HITLDecision != decision || r.AnsweredBy != "ann") {
			t.Errorf("record %+v", r)
		}
	}
	if fmt.Sprint(story) != "map[answer:1 intent:1 outcome:1 question:1]" {
		t.Errorf("the trail holds %v", story)
	}
	if v, err := h.audit.Verify(context.Background()); err != nil || !v.OK {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

func TestSilenceDeniesAndIsRecorded(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		start := time.Now()
		_, err := h.Call(context.Background(), click(agent))
		wantCode(t, "silence", err, fault.ApprovalTimeout)
		if took := time.Since(start).Round(time.Second); took != time.Minute {
			t.Errorf("waited %s", took)
		}
		if _, outcome := h.last(t); outcome.HITLDecision != "expired" || outcome.DurationMS < 59_000 {
			t.Errorf("outcome %+v", outcome)
		}
		if h.shelf.count() != 0 {
			t.Error("it ran")
		}
	})
}

func TestACallThatDoesNotWaitPicksTheAnswerUpLater(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		call := click(agent)
		call.Wait = 2 * time.Second
		for range 2 { // identical questions are one
			result, err := h.Call(context.Background(), call)
			if err != nil || result.Pending == nil || result.Pending.Risk != action.High {
				t.Fatalf("got %+v, %v", result, err)
			}
			if _, outcome := h.last(t); outcome.Result != "pending" || outcome.HITLDecision != "pending" {
				t.Errorf("outcome %+v", outcome)
			}
		}
		q := h.waiting(t)
		status, err := h.Call(context.Background(), action.Call{Verb: "approval.status", Caller: agent, Args: &action.ByID{ID: q.ID}})
		if s := status.Data.(*action.Question); err != nil || s.State != "pending" || s.Element != nil {
			t.Errorf("status %+v, %v", s, err)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		other := call
		other.Args = &action.Click{Locator: action.Locator{Ref: "e7"}, ClickCount: 2}
		if result, err := h.Call(context.Background(), other); err != nil || result.Pending == nil {
			t.Errorf("another call used the approval: %+v, %v", result, err)
		}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending != nil || h.shelf.count() != 1 {
			t.Errorf("the same call: %+v, %v, %d done", result, err, h.shelf.count())
		}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil || h.shelf.count() != 1 {
			t.Errorf("the approval was used twice: %+v, %v", result, err)
		}
	})
}

func TestConcurrentIdenticalCallsShareAQuestionButNotItsAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		var wg sync.WaitGroup
		var timeouts, ok int
		var mu sync.Mutex
		for range 3 {
			wg.Go(func() {
				_, err := h.Call(context.Background(), click(agent))
				mu.Lock()
				defer mu.Unlock()
				switch fault.CodeOf(err) {
				case "":
					ok++
				case fault.ApprovalTimeout:
					timeouts++
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := h.answer(t, action.Answer{ID: h.waiting(t).ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if ok != 1 || timeouts != 2 || h.shelf.count() != 1 {
			t.Errorf("%d ran, %d expired, %d were done", ok, timeouts, h.shelf.count())
		}
	})
}

func TestAGrantCoversLaterCalls(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		h.shelf.element = &action.Element{Role: "button", Name: "Save"}
		call := click(agent)
		call.Wait = time.Second
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		if err := h.answer(t, action.Answer{ID: h.waiting(t).ID, Approve: true, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if result, err := h.Call(context.Background(), call); err != nil || result.Pending != nil {
				t.Fatalf("under the grant: %+v, %v", result, err)
			}
		}
		if intent, _ := h.last(t); intent.Rule != "grant" {
			t.Errorf("intent %+v", intent)
		}
		h.shelf.element = &action.Element{Role: "button", Name: "Delete"}
		if result, err := h.Call(context.Background(), call); err != nil || result.Pending == nil {
			t.Errorf("the grant covered a HIGH call: %+v, %v", result, err)
		}
	})
}

func TestEveryVerbEndsEvenIfSessionsHang(t *testing.T) {
	for verb, c := range map[string]struct {
		args any
		want string
	}{
		"page.back":     {&action.None{}, "browser_action_timeout:back:30s"},
		"page.goto":     {&action.Goto{URL: "https://app.example.com/", Timing: action.Timing{Timeout: 1500}}, "browser_action_timeout:goto:1.5s"},
		"page.reload":   {&action.Reload{Timing: action.Timing{Timeout: 120_000}}, "browser_action_timeout:reload:120s"},
		"page.wait_for": {&action.WaitFor{}, "browser_action_timeout:wait_for:5s"},
		"session.start": {&action.SessionStart{}, "browser_action_timeout:session.start:90s"},
	} {
		inBubble(t, func(t *testing.T, h *house) {
			stuck := make(chan struct{})
			defer close(stuck)
			h.shelf.do = func(context.Context) { <-stuck } // deaf to its context
			_, err := h.Call(context.Background(), action.Call{Verb: verb, Caller: agent, Args: c.args})
			wantCode(t, verb, err, fault.ActionTimeout)
			if fault.From(err).Message != c.want {
				t.Errorf("message %q, want %q", fault.From(err).Message, c.want)
			}
			if _, outcome := h.last(t); outcome.Result != "fault" {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
}

func TestACallerThatLeavesStillLeavesARecord(t *testing.T) {
	inBubble(t, func(t *testing.T, h *house) {
		h.shelf.element = &action.Element{Role: "tab", Name: "History"}
		ctx, cancel := context.WithCancel(context.Background())
		h.shelf.do = func(ctx context.Context) { cancel(); <-ctx.Done() }
		h.shelf.doErr = context.Canceled
		_, err := h.Call(ctx, click(agent))
		wantCode(t, "left", err, fault.ActionTimeout)
		if intent, outcome := h.last(t); intent.Seq == 0 || outcome.Result != "fault" {
			t.Errorf("intent %+v, outcome %+v", intent, outcome)
		}
	})
}

func TestAPanicIsAFaultAndIsRecorded(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	h.shelf.do = func(context.Context) { panic("secret detail") }
	_, err := h.Call(t.Context(), click(agent))
	wantCode(t, "panic", err, fault.Internal)
	if strings.Contains(err.Error(), "secret detail") {
		t.Error("the panic is shown")
	}
	if _, outcome := h.last(t); outcome.Result != "fault" {
		t.Errorf("outcome %+v", outcome)
	}
	h.shelf.element = nil // makes Look panic
	_, err = h.Call(t.Context(), click(agent))
	wantCode(t, "panic in look", err, fault.Internal)
	h.last(t)
}

func TestUnknownErrorsAreNotShown(t *testing.T) {
	h := open(t)
	h.shelf.doErr = errors.New("password=hunter2")
	_, err := h.Call(t.Context(), snapshot(agent))
	wantCode(t, "unknown error", err, fault.Internal)
	if strings.Contains(fmt.Sprintf("%s %+v", fault.From(err).Message, h.records(t)), "hunter2") {
		t.Error("the error's text is shown or recorded")
	}
}

func TestTypedSecretsAreNowhere(t *testing.T) {
	h := open(t)
	fill := action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: "hunter2"}}
	for name, e := range map[string]action.Element{
		"password":  {Role: "textbox", Tag: "input", Type: "password", Editable: true, Protected: true},
		"by name":   {Role: "textbox", Tag: "input", Name: "API key", Editable: true},
		"protected": {Role: "textbox", Tag: "input", Name: "Card number", Editable: true, Protected: true},
	} {
		for _, caller := range []action.Caller{agent, operator, viewer} {
			h.shelf.element = &e
			call := fill
			call.Caller, call.Wait = caller, time.Nanosecond
			if _, err := h.Call(t.Context(), call); err == nil && caller == viewer {
				t.Errorf("%s: a viewer typed", name)
			}
		}
	}
	h.shelf.lookErr = fault.New(fault.NotFound, "no such element").Hinted("look")
	if _, err := h.Call(t.Context(), fill); err == nil {
		t.Error("a failed look let it through")
	}
	h.last(t)
	list, err := h.Call(t.Context(), action.Call{Verb: "approval.list", Caller: operator, Args: &action.ApprovalList{State: "all"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range h.records(t) {
		if strings.Contains(fmt.Sprintf("%+v", r), "hunter2") {
			t.Errorf("the secret is in %+v", r)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v", *list.Data.(*action.QuestionListing)), "hunter2") {
		t.Error("the secret is in a question")
	}
}

func TestOtherTextIsKeptInertAndShort(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "searchbox", Tag: "input", Name: "Search", Editable: true}
	text := "find\u202e this" + strings.Repeat("x", 300)
	_, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: text}})
	if err != nil {
		t.Fatal(err)
	}
	_, outcome := h.last(t)
	if !strings.HasPrefix(outcome.InputValue, `find\u{202e} this`) || len([]rune(outcome.InputValue)) > 220 {
		t.Errorf("kept %q", outcome.InputValue)
	}
}

func TestOperatorsReadTheTrailThroughTheGate(t *testing.T) {
	h := open(t)
	if _, err := h.Call(t.Context(), snapshot(agent)); err != nil {
		t.Fatal(err)
	}
	page, err := h.Call(t.Context(), action.Call{Verb: "audit.query", Caller: operator, Args: &action.AuditQuery{Verb: "page.snapshot"}})
	if err != nil || len(page.Data.(*action.AuditPage).Records) != 2 {
		t.Fatalf("got %+v, %v", page.Data, err)
	}
	verdict, err := h.Call(t.Context(), action.Call{Verb: "audit.verify", Caller: operator})
	if err != nil || !verdict.Data.(*action.AuditVerdict).OK {
		t.Fatalf("got %+v, %v", verdict.Data, err)
	}
	stranger := action.Caller{Actor: "bob", Scope: "other", Role: action.Operator}
	page, err = h.Call(t.Context(), action.Call{Verb: "audit.query", Caller: stranger, Args: &action.AuditQuery{Verb: "page.snapshot"}})
	if err != nil || len(page.Data.(*action.AuditPage).Records) != 0 {
		t.Fatalf("another scope read %+v, %v", page.Data, err)
	}
	if intent, _ := h.last(t); intent.HITLDecision != "operator" {
		t.Errorf("intent %+v", intent)
	}
}

func TestEveryCallOfEveryVerbAndRoleLeavesOneOfEach(t *testing.T) {
	h := open(t)
	locator := action.Locator{Ref: "e7"}
	args := map[string]any{
		"page.goto": &action.Goto{URL: "https://app.example.com/"}, "page.click": &action.Click{Locator: locator},
		"page.type": &action.Type{Locator: locator, Input: "x"}, "page.press": &action.Press{Key: "Tab"},
		"page.select": &action.Select{Locator: locator, Values: []string{"a"}}, "page.hover": &action.Hover{Locator: locator},
		"artifact.get": &action.ByID{ID: "a1"}, "approval.status": &action.ByID{ID: "q1"}, "approval.show": &action.ByID{ID: "q1"},
		"approval.answer": &action.Answer{ID: "q1"},
	}
	calls := 0
	for i := range action.Verbs {
		v := &action.Verbs[i]
		for _, caller := range []action.Caller{agent, viewer, operator, {Scope: "acme"}} {
			before := h.shelf.count()
			id := fmt.Sprintf("%s-%s", v.Name, caller.Role)
			_, err := h.Call(t.Context(), action.Call{ID: id, Verb: v.Name, Caller: caller, Args: args[v.Name], Wait: time.Nanosecond})
			calls++
			if v.Class != action.Read && caller.Role == action.Viewer && (err == nil || h.shelf.count() != before) {
				t.Errorf("a viewer did %s", v.Name)
			}
			if (v.Class == action.Admin && caller.Role == action.Agent || caller.Role == "") && (err == nil || h.shelf.count() != before) {
				t.Errorf("%q did %s", caller.Role, v.Name)
			}
		}
	}
	h.last(t)
	seen := map[string]bool{}
	for _, r := range h.records(t) {
		seen[r.CorrelationID] = true
	}
	if len(seen) != calls {
		t.Errorf("%d calls left records of %d", calls, len(seen))
	}
	if v, err := h.audit.Verify(t.Context()); err != nil || !v.OK {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

func TestManyCallsAtOnceKeepTheTrailWhole(t *testing.T) {
	h := open(t)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for _, call := range []action.Call{snapshot(agent), click(agent), click(viewer), {Verb: "page.fly", Caller: agent}} {
				_, _ = h.Call(context.Background(), call)
			}
		})
	}
	wg.Wait()
	h.last(t)
	if n := len(h.records(t)); n != 160 {
		t.Errorf("80 calls left %d records", n)
	}
	if v, err := h.audit.Verify(t.Context()); err != nil || !v.OK {
		t.Errorf("verdict %+v, %v", v, err)
	}
}

func TestAddressesInRecordsHideSecrets(t *testing.T) {
	h := open(t)
	h.shelf.to = nil
	for given, want := range map[string]string{
		"https://a.example/?q=x&access_token=hunter2":       "https://a.example/?q=x&access_token=masked",
		"https://u:hunter2@a.example/":                      "https://masked@a.example/",
		"https://a.example/cb#id_token=hunter2&state=1":     "https://a.example/cb#id_token=masked&state=1",
		"https://a.example/%zz?token=hunter2":               "https://a.example/%zz?[masked]",
		"https://a.example/?%61pi_key=hunter2":              "https://a.example/?%61pi_key=masked",
		"https://a.example/search?q=a%20b&page=2#section-3": "https://a.example/search?q=a%20b&page=2#section-3",
	} {
		_, _ = h.Call(t.Context(), action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: given}})
		if intent, _ := h.last(t); intent.TargetURL != want {
			t.Errorf("%s is kept as %s, want %s", given, intent.TargetURL, want)
		}
	}
}

func BenchmarkCallWrite(b *testing.B) {
	h := open(b)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	benchmark(b, h, click(agent))
}

func BenchmarkCallRead(b *testing.B) {
	benchmark(b, open(b), snapshot(agent))
}

func benchmark(b *testing.B, h *house, call action.Call) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Call(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
