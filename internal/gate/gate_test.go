package gate_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	agent    = action.Caller{Actor: "bot", Scope: "acme", Role: action.Agent}
	viewer   = action.Caller{Actor: "eye", Scope: "acme", Role: action.Viewer}
	operator = action.Caller{Actor: "ann", Scope: "acme", Role: action.Operator}
)

// fakeSessions simulates sessions: one session with one page that shows one
// element. It records what was done.
type fakeSessions struct {
	mu      sync.Mutex
	element *action.Element
	state   string // of the session; open if empty
	held    string // why it is paused
	to      *action.Destination
	secret  *action.SecretFacts
	lookErr error
	doErr   error
	look    func(ctx context.Context) // runs inside Look
	do      func(ctx context.Context) // runs inside Do
	picture func(ctx context.Context) (string, error)
	looked  int
	peeked  bool
	done    []string
	args    any           // of the last call that was done
	wait    time.Duration // the same call's
	pins    []action.Pin
	halts   []string
	remarks []string
	wanted  map[string]string                            // requestable hosts, by address
	changes *action.Changes                              // the report of changes, if a call asks for one
	equal   func(action.Call) (action.Call, bool, error) // is PageAct
}

func (s *fakeSessions) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if s.look != nil {
		s.look(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked++
	s.peeked = s.peeked || call.Peek
	facts := action.Facts{
		Session:     action.SessionFacts{ID: "s1", Box: "b1", State: cmp.Or(s.state, "open"), Held: s.held},
		Page:        action.Page{URL: "https://app.example.com/invoices?token=hunter2", Title: "Invoices"},
		Destination: s.to,
		Secret:      s.secret,
	}
	pin := action.Pin{Session: "s1", Document: "d1"}
	if v, _ := action.Lookup(call.Verb); v.Target {
		facts.Element = s.element
		pin.Print = s.element.Name
	}
	return facts, pin, s.lookErr
}

func (s *fakeSessions) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if s.do != nil {
		s.do(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.args, s.wait = call.Args, call.Wait
	s.done, s.pins = append(s.done, call.Verb), append(s.pins, pin)
	result := action.Result{Session: "s1", Page: &action.Page{URL: "https://app.example.com/next"}}
	if call.Changes {
		result.Changes = s.changes
	}
	switch call.Verb {
	case action.VerbSessionShow.Name:
		result.Data = &action.Session{ID: "s1", Scope: "acme"}
	case action.VerbArtifactList.Name:
		result.Data = &action.ArtifactListing{}
	}
	return result, s.doErr
}

func (s *fakeSessions) TargetScreenshot(ctx context.Context, _ action.Call, pin action.Pin) (string, error) {
	if s.picture != nil {
		return s.picture(ctx)
	}
	return "picture of " + pin.Print, nil
}

func (s *fakeSessions) Pause(_ context.Context, session, code, why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halts = append(s.halts, session+" "+code+" "+why)
	return nil
}

func (s *fakeSessions) QueueNotice(session, words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remarks = append(s.remarks, session+": "+words)
}

func (s *fakeSessions) PageAct(_ context.Context, call action.Call) (action.Call, bool, error) {
	if s.equal != nil {
		return s.equal(call)
	}
	return call, false, nil
}

func (s *fakeSessions) RequestableHost(_, address string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted[address]
}

func (s *fakeSessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.done)
}

// testGate is a gate with all real parts except the sessions.
type testGate struct {
	*gate.Gate
	fakeSessions *fakeSessions
	audit        *audit.Log
	db           *store.DB
	file         string // of the database

	behind func(gate.Sessions) (*gate.Gate, error) // makes another gate for other sessions
}

func build(t testing.TB, c policy.Config) *testGate { return buildWith(t, c, gate.Credentials{}) }

func buildWith(t testing.TB, c policy.Config, credentials gate.Credentials) *testGate {
	return buildOn(t, c, credentials, func(h *testGate) gate.Sessions { return h.fakeSessions })
}

// buildOn is build with other sessions.
func buildOn(t testing.TB, c policy.Config, credentials gate.Credentials, sessions func(*testGate) gate.Sessions) *testGate {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.db")
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(ctx, audit.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := approval.Open(ctx, approval.Options{DB: db, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	judge, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeSessions{
		element: &action.Element{Role: "button", Tag: "button", Name: "Delete invoice", Ref: "e7"},
		to:      &action.Destination{URL: "https://app.example.com/", Host: "app.example.com", Site: "example.com", Allowed: true},
	}
	h := &testGate{fakeSessions: s, audit: trail, db: db, file: file}
	h.Gate, err = gate.New(gate.Options{Sessions: sessions(h), Policy: judge, Approvals: queue, Audit: trail, Log: log, HostRequests: true, Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// close closes a testGate. In a synctest bubble it must be called before the
// bubble ends.
func (h *testGate) close(t testing.TB) {
	t.Helper()
	if err := h.Close(testwait.Context(t)); err != nil {
		t.Error(err)
	}
	h.audit.Close()
	_ = h.db.Close()
}

func open(t testing.TB) *testGate { return openWith(t, policy.Config{Enabled: true}) }

func openWith(t testing.TB, c policy.Config) *testGate {
	h := build(t, c)
	t.Cleanup(func() { h.close(t) })
	return h
}

// records returns the trail.
func (h *testGate) records(t testing.TB) []action.Record {
	t.Helper()
	page, err := h.audit.Query(context.Background(), action.AuditQuery{Limit: 1000}, "acme")
	if err != nil {
		t.Fatal(err)
	}
	return page.Records
}

// last returns intent and outcome of the newest call, and checks that every call
// has exactly one of each.
func (h *testGate) last(t testing.TB) (intent, outcome action.Record) {
	t.Helper()
	seen := map[string]string{}
	for _, r := range h.records(t) {
		switch r.EventType {
		case action.EventIntent:
			seen[r.CorrelationID] += "i"
			intent = r
		case action.EventOutcome:
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

func TestNewRefusesMissingParts(t *testing.T) {
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

func TestABatchIsRecordedInItsSession(t *testing.T) {
	h := open(t)
	steps := []action.Step{{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: "e1"}}}}
	result, err := h.Call(t.Context(), action.Call{Verb: "page.batch", Caller: agent, Args: &action.Batch{Steps: steps}})
	if err != nil || result.Session != "s1" {
		t.Fatalf("%+v, %v", result, err)
	}
	if intent, outcome := h.last(t); intent.SessionID != "s1" || intent.ContainerID != "b1" || outcome.SessionID != "s1" {
		t.Errorf("recorded %+v and %+v", intent, outcome)
	}
}

func TestRefusedCallsHaveIntentAndOutcome(t *testing.T) {
	zero := (*action.Click)(nil)
	for name, c := range map[string]struct {
		call   action.Call
		change func(*fakeSessions)
		want   fault.Code
	}{
		"unknown verb":         {action.Call{Verb: "page.fly", Caller: agent}, nil, fault.UnknownAction},
		"no caller":            {action.Call{Verb: "page.click", Caller: action.Caller{Scope: "acme"}}, nil, fault.Unauthenticated},
		"unknown role":         {snapshot(action.Caller{Actor: "x", Scope: "acme", Role: "root"}), nil, fault.DeniedByPolicy},
		"wrong arguments":      {action.Call{Verb: "page.click", Caller: agent, Args: &action.Goto{}}, nil, fault.InvalidRequest},
		"not a pointer":        {action.Call{Verb: "page.click", Caller: agent, Args: action.Click{}}, nil, fault.InvalidRequest},
		"nil arguments":        {action.Call{Verb: "page.click", Caller: agent, Args: zero}, nil, fault.InvalidRequest},
		"no element":           {action.Call{Verb: "page.click", Caller: agent}, nil, fault.MissingSelector},
		"no address":           {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: " "}}, nil, fault.MissingURL},
		"no id":                {action.Call{Verb: "approval.status", Caller: agent}, nil, fault.InvalidRequest},
		"out of bounds":        {action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: action.Locator{Ref: "e1"}, ClickCount: 9}}, nil, fault.InvalidRequest},
		"control character":    {action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Role: "textbox", Name: "a\x1b[A"}, Input: "a"}}, nil, fault.InvalidRequest},
		"line in address":      {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: "https://a.example/\r\nX: y"}}, nil, fault.InvalidRequest},
		"long session":         {action.Call{Verb: "page.snapshot", Caller: agent, Session: strings.Repeat("s", 65)}, nil, fault.InvalidRequest},
		"viewer writes":        {click(viewer), nil, fault.DeniedByPolicy},
		"agent answers":        {action.Call{Verb: "approval.answer", Caller: agent, Args: &action.Answer{ID: "q", Approve: true}}, nil, fault.DeniedByPolicy},
		"agent audits":         {action.Call{Verb: "audit.query", Caller: agent}, nil, fault.DeniedByPolicy},
		"viewer runs a script": {action.Call{Verb: "page.execute", Caller: viewer, Args: &action.Execute{Expression: "1"}}, nil, fault.DeniedByPolicy},
		"agent reads HTML":     {action.Call{Verb: "page.content", Caller: agent}, nil, fault.DeniedByPolicy},
		"viewer goes to read":  {scrape(viewer, "https://app.example.com/"), nil, fault.DeniedByPolicy},
		"control in selector":  {action.Call{Verb: "page.scrape", Caller: agent, Args: &action.Scrape{Selectors: map[string]string{"a": "h1\x1b"}}}, nil, fault.InvalidRequest},
		"nothing to read":      {action.Call{Verb: "page.scrape", Caller: agent}, nil, fault.InvalidRequest},
		"blocked scrape": {scrape(agent, "https://evil.example/"), func(s *fakeSessions) {
			s.to = &action.Destination{URL: "https://evil.example/", Host: "evil.example", Reason: "not on the list"}
		}, fault.BlockedDomain},
		"look fails": {click(agent), func(s *fakeSessions) { s.lookErr = fault.New(fault.StaleRef, "gone").Hinted("look again") }, fault.StaleRef},
		"blocked": {action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: "https://evil.example/"}}, func(s *fakeSessions) {
			s.to = &action.Destination{URL: "https://evil.example/", Host: "evil.example", Reason: "not on the list"}
		}, fault.BlockedDomain},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			if c.change != nil {
				c.change(h.fakeSessions)
			}
			_, err := h.Call(t.Context(), c.call)
			wantCode(t, name, err, c.want)
			if n := h.fakeSessions.count(); n != 0 {
				t.Fatalf("%d calls were done", n)
			}
			intent, outcome := h.last(t)
			if intent.Seq == 0 || outcome.Result != "fault" || !strings.HasPrefix(outcome.Error, string(c.want)) {
				t.Errorf("intent %+v\noutcome %+v", intent, outcome)
			}
		})
	}
}

func scrape(who action.Caller, to string) action.Call {
	return action.Call{Verb: "page.scrape", Caller: who, Args: &action.Scrape{Selectors: map[string]string{"a": "h1"}, URL: to}}
}

func TestAScriptIsRecordedWithoutItsText(t *testing.T) {
	h := open(t)
	call := action.Call{Verb: "page.execute", Caller: operator, Args: &action.Execute{Expression: "login('hunter2')"}}
	if _, err := h.Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	intent, _ := h.last(t)
	if !strings.HasPrefix(intent.InputValue, "script of 16 characters, sha256 ") || intent.Risk != "HIGH" || intent.HITLDecision != "operator" {
		t.Errorf("intent %+v", intent)
	}
	if strings.Contains(fmt.Sprintf("%+v", h.records(t)), "login(") {
		t.Error("the script is in the trail")
	}
}

func TestAWriteIsRecordedBeforeItRuns(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
	var before int
	h.fakeSessions.do = func(context.Context) { before = len(h.records(t)) }
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

func TestNothingRunsIfTheIntentCannotBeStored(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
	if _, err := h.db.Writer.Exec(`PRAGMA query_only = 1`); err != nil {
		t.Fatal(err)
	}
	_, err := h.Call(t.Context(), click(agent))
	wantCode(t, "write", err, fault.AuditUnavailable)
	if n := h.fakeSessions.count(); n != 0 {
		t.Errorf("%d writes ran", n)
	}
	result, err := h.Call(t.Context(), snapshot(agent))
	wantCode(t, "read", err, fault.AuditUnavailable)
	if result.Page != nil || result.Session != "" {
		t.Errorf("an unrecorded read returned %+v", result)
	}
}

func TestAnOutcomeThatCannotBeStoredIsReported(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
	h.fakeSessions.do = func(context.Context) {
		if _, err := h.db.Writer.Exec(`PRAGMA query_only = 1`); err != nil {
			t.Error(err)
		}
	}
	result, err := h.Call(t.Context(), click(agent))
	if err != nil || len(result.Notes) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
}

func TestOperatorsReadTheTrailThroughTheGate(t *testing.T) {
	h := open(t)
	if _, err := h.Call(t.Context(), snapshot(agent)); err != nil {
		t.Fatal(err)
	}
	page, err := h.Call(t.Context(), action.Call{Verb: "audit.query", Caller: operator, Args: &action.AuditQuery{AuditFilter: action.AuditFilter{Verb: "page.snapshot"}}})
	if err != nil || len(page.Data.(*action.AuditPage).Records) != 2 {
		t.Fatalf("got %+v, %v", page.Data, err)
	}
	verdict, err := h.Call(t.Context(), action.Call{Verb: "audit.verify", Caller: operator})
	if err != nil || !verdict.Data.(*action.AuditVerdict).OK {
		t.Fatalf("got %+v, %v", verdict.Data, err)
	}
	stranger := action.Caller{Actor: "bob", Scope: "other", Role: action.Operator}
	page, err = h.Call(t.Context(), action.Call{Verb: "audit.query", Caller: stranger, Args: &action.AuditQuery{AuditFilter: action.AuditFilter{Verb: "page.snapshot"}}})
	if err != nil || len(page.Data.(*action.AuditPage).Records) != 0 {
		t.Fatalf("another scope read %+v, %v", page.Data, err)
	}
	if intent, _ := h.last(t); intent.HITLDecision != "operator" {
		t.Errorf("intent %+v", intent)
	}
}

func TestEveryVerbAndRoleHasOneIntentAndOneOutcome(t *testing.T) {
	h := open(t)
	locator := action.Locator{Ref: "e7"}
	args := map[string]any{
		"page.goto": &action.Goto{URL: "https://app.example.com/"}, "page.click": &action.Click{Locator: locator},
		"page.type": &action.Type{Locator: locator, Input: "x"}, "page.press": &action.Press{Key: "Tab"},
		"page.select":      &action.Select{Locator: locator, Values: []string{"a"}},
		"page.fill_secret": &action.FillSecret{Locator: locator, Secret: "password"}, "credential.capture": &action.Capture{Domain: "a.example"},
		"page.drag":    &action.Drag{From: locator, To: locator},
		"artifact.get": &action.ByID{ID: "a1"}, "approval.status": &action.ByID{ID: "q1"}, "approval.show": &action.ByID{ID: "q1"},
		"approval.answer": &action.Answer{ID: "q1"},
		"page.scrape":     &action.Scrape{Selectors: map[string]string{"a": "h1"}}, "page.execute": &action.Execute{Expression: "1"},
	}
	calls := 0
	for i := range action.Verbs {
		v := action.Verbs[i]
		if call, names := v.OnElement(locator); names && args[v.Name] == nil {
			args[v.Name] = call
		}
		for _, caller := range []action.Caller{agent, viewer, operator, {Scope: "acme"}} {
			before := h.fakeSessions.count()
			id := fmt.Sprintf("%s-%s", v.Name, caller.Role)
			_, err := h.Call(t.Context(), action.Call{ID: id, Verb: v.Name, Caller: caller, Args: args[v.Name], Wait: time.Nanosecond})
			calls++
			if v.Class != action.Read && caller.Role == action.Viewer && (err == nil || h.fakeSessions.count() != before) {
				t.Errorf("a viewer did %s", v.Name)
			}
			if (v.Class == action.Admin && caller.Role == action.Agent || caller.Role == "") && (err == nil || h.fakeSessions.count() != before) {
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

func TestConcurrentCallsLeaveACompleteTrail(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
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
