package macro_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/macro"
	"github.com/gloveboxhq/glovebox/internal/store"
)

var (
	bot    = action.Caller{Actor: "bot", Scope: "acme", Role: action.Agent}
	person = action.Caller{Actor: "ann", Scope: "acme", Role: action.Operator}
)

// browser is the sessions behind a real gate: it notes what is done, and does
// it as it is told.
type browser struct {
	macro.Sessions
	approved []string
	checks   []action.RunCheck
	fails    map[string]error         // by verb, or by verb and what it names
	slow     map[string]time.Duration // by verb

	mu   sync.Mutex
	done []string
	open int
}

func (b *browser) Look(_ context.Context, c action.Call) (action.Facts, action.Pin, error) {
	facts := action.Facts{Session: action.SessionFacts{ID: c.Session, State: "open"}, Page: action.Page{URL: "https://a.example/"}}
	facts.Destination = &action.Destination{URL: "https://a.example/", Host: "a.example", Site: "a.example", Allowed: true}
	if args, is := c.Args.(*action.RunOpen); is {
		facts.Run = &action.RunGrant{Hosts: args.Hosts}
		for _, h := range args.Hosts {
			if !slices.Contains(b.approved, h) {
				facts.Run.Unknown = append(facts.Run.Unknown, h)
			}
		}
	}
	return facts, action.Pin{Session: c.Session}, nil
}

func (b *browser) Do(ctx context.Context, c action.Call, _ action.Pin) (action.Result, error) {
	what := c.Verb
	if args, is := c.Args.(*action.Click); is {
		what += " " + args.Selector
	}
	b.mu.Lock()
	b.done = append(b.done, what)
	slow, fail := b.slow[c.Verb], b.fails[what]
	if fail == nil {
		fail = b.fails[c.Verb]
	}
	b.mu.Unlock()
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return action.Result{}, ctx.Err()
		}
	}
	if fail != nil {
		return action.Result{}, fail
	}
	result := action.Result{Session: c.Session}
	switch args := c.Args.(type) {
	case *action.RunOpen:
		b.mu.Lock()
		b.open++
		b.mu.Unlock()
		result.Session, result.Data = "s1", &action.Session{ID: "s1"}
	case *action.RunProbe:
		result.Data = &action.RunChecks{Checks: b.checks}
	case *action.RunEnd:
		b.mu.Lock()
		b.open--
		b.mu.Unlock()
	case *action.Goto:
		result.Data = &action.Navigated{URL: args.URL, Title: "A", Status: 200}
	case *action.Find:
		result.Data = &action.Matches{Total: strings.Count(args.Text, "x")}
	case *action.WaitFor:
		result.Data = &action.Waited{Found: args.Selector != "#never"}
	case *action.TakeScreenshot:
		result.Data, result.Artifacts = &action.Screenshot{Format: "png"}, []action.Artifact{{ID: "a1", Size: 7}}
	case *action.TakeSnapshot:
		result.Data = &action.Snapshot{Tree: &action.Node{Role: "page", Children: []*action.Node{{Role: "button", Name: "Save", Ref: "e1"}}}}
	case *action.Extract:
		result.Data = &action.Extracted{Text: "hello", URL: "https://a.example/", Title: "A"}
	default:
		result.Data = &action.Acted{OK: true, Element: &action.Element{Role: "button", Name: "Save"}}
	}
	return result, nil
}

func (b *browser) did() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.done)
}

// house is a gate with runs, before a browser.
type house struct {
	*macro.Door
	t    *testing.T
	b    *browser
	db   *store.DB
	gate *gate.Gate
	desk *approval.Desk
	runs *macro.Runs
	log  *audit.Log
}

func openHouse(t *testing.T, path string, b *browser) *house {
	t.Helper()
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	h := &house{t: t, b: b}
	var err error
	if h.db, err = store.Open(ctx, path); err != nil {
		t.Fatal(err)
	}
	if h.log, err = audit.Open(ctx, audit.Options{DB: h.db, Log: log}); err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"a.example"}})
	if err != nil {
		t.Fatal(err)
	}
	if h.desk, err = approval.Open(ctx, approval.Options{DB: h.db, Log: log}); err != nil {
		t.Fatal(err)
	}
	if h.runs, err = macro.OpenRuns(ctx, macro.RunsOptions{DB: h.db, Log: log, Retention: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if h.gate, err = gate.New(gate.Options{Sessions: h.runs.Beside(b), Policy: rules, Desk: h.desk, Audit: h.log, Log: log}); err != nil {
		t.Fatal(err)
	}
	h.Door = macro.New(h.gate, h.runs)
	return h
}

func (h *house) close() {
	ctx := context.Background()
	if err := h.runs.Close(ctx); err != nil {
		h.t.Error(err)
	}
	if err := h.gate.Close(ctx); err != nil {
		h.t.Error(err)
	}
	h.log.Close()
	_ = h.db.Close()
}

func good() *browser {
	return &browser{approved: []string{"a.example"}, fails: map[string]error{}, slow: map[string]time.Duration{}, checks: []action.RunCheck{
		{Name: action.BoxActive, OK: true}, {Name: action.DisplayReady, OK: true}, {Name: action.AllowlistLoaded, OK: true},
	}}
}

// inHouse runs f in a house in a bubble whose clock moves on when all wait.
func inHouse(t *testing.T, b *browser, f func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := openHouse(t, filepath.Join(t.TempDir(), "state.db"), b)
		defer func() {
			h.close()
			if b.open != 0 {
				t.Errorf("%d browsers are left", b.open)
			}
		}()
		f(h)
	})
}

// input is a run of these actions.
func input(actions ...action.RunAction) *action.RunStart {
	return &action.RunStart{URL: a + "/", DomainAllowlist: []string{"a.example"}, Actions: actions}
}

func click(selector string) action.RunAction {
	return action.RunAction{Type: "left_click", Locator: action.Locator{Selector: selector}}
}

func (h *house) make(who action.Caller, verb string, args any, wait time.Duration) (action.Run, error) {
	result, err := h.Call(context.Background(), action.Call{Verb: verb, Caller: who, Args: args, Surface: "rest", Wait: wait})
	if run, ok := result.Data.(*action.Run); ok {
		return *run, err
	}
	return action.Run{}, err
}

// run starts a run and waits for its end.
func (h *house) run(who action.Caller, args *action.RunStart) action.Run {
	h.t.Helper()
	run, err := h.make(who, "run.start", args, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

func (h *house) wants(run action.Run, status, reason string) {
	h.t.Helper()
	if run.State != action.RunEnded || run.FinalStatus != status || run.Reason == nil || run.Reason.Code != reason || run.Ended == nil {
		h.t.Errorf("want %s (%s), got %s %s %+v\n%+v", status, reason, run.State, run.FinalStatus, run.Reason, run.Log)
	}
}

func steps(run action.Run) (all []string) {
	for _, e := range run.Log {
		name := e.Action
		if !e.Success {
			name = "!" + name
		}
		all = append(all, name)
	}
	return all
}

var checked = []string{"DOMAIN_ALLOWLIST_APPROVED", "DOCKER_CONTAINER_ACTIVE", "XVFB_DISPLAY_READY", "DOMAIN_ALLOWLIST_LOADED"}

func TestARunDoesItsActionsInOrder(t *testing.T) {
	inHouse(t, good(), func(h *house) {
		run := h.run(bot, input(
			action.RunAction{Type: "read_page"}, action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("s3cret text")},
			click("#a"), action.RunAction{Type: "scroll_down"}, action.RunAction{Type: "search_text", Locator: action.Locator{Text: "x"}},
			action.RunAction{Type: "wait", MS: new(250)}, action.RunAction{Type: "screenshot", Locator: action.Locator{Name: "../../the end.png"}},
			action.RunAction{Type: "go_back"}, action.RunAction{Type: "navigate", URL: a + "/two"}))
		h.wants(run, action.RunFailed, "approval_timeout") // to type is MEDIUM off a trusted site: nobody answered
		run = h.run(person, input(
			action.RunAction{Type: "read_page"}, action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("s3cret text")},
			click("#a"), action.RunAction{Type: "scroll_down"}, action.RunAction{Type: "search_text", Locator: action.Locator{Text: "x"}},
			action.RunAction{Type: "wait", MS: new(250)}, action.RunAction{Type: "screenshot", Locator: action.Locator{Name: "../../the end.png"}},
			action.RunAction{Type: "go_back"}, action.RunAction{Type: "navigate", URL: a + "/two"}))
		h.wants(run, action.RunCompleted, "completed")
		want := slices.Concat(checked, []string{"navigate", "read_page", "form_input", "left_click", "scroll_down", "search_text", "wait", "screenshot", "go_back", "navigate"})
		if got := steps(run); !slices.Equal(got, want) {
			t.Errorf("did %v", got)
		}
		if len(run.Screenshots) != 1 || run.Screenshots[0].Name != "001-______the_end.png" || run.Screenshots[0].Path != "/v1/artifacts/a1" {
			t.Errorf("screenshots %+v", run.Screenshots)
		}
		if run.Content.Text != "hello" || len(run.Content.Elements) != 1 || run.Content.Elements[0].Ref != "e1" {
			t.Errorf("content %+v", run.Content)
		}
		for _, e := range run.Log {
			if strings.Contains(e.Details, "s3cret") {
				t.Errorf("what was typed is in the log: %+v", e)
			}
		}
		again, err := h.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0)
		if err != nil || again.FinalStatus != action.RunCompleted || len(again.Log) != len(run.Log) {
			t.Errorf("shown as %+v, %v", again, err)
		}
	})
}

func TestAnUnsoundRunIsRefusedWhole(t *testing.T) {
	b := good()
	inHouse(t, b, func(h *house) {
		for name, spoil := range map[string]func(*action.RunStart){
			"no list":         func(r *action.RunStart) { r.DomainAllowlist = nil },
			"no host":         func(r *action.RunStart) { r.DomainAllowlist = []string{"a.example", "https://a.example/"} },
			"everything":      func(r *action.RunStart) { r.DomainAllowlist = []string{"*"} },
			"no actions":      func(r *action.RunStart) { r.Actions = nil },
			"unknown type":    func(r *action.RunStart) { r.Actions[1].Type = "download" },
			"no type":         func(r *action.RunStart) { r.Actions[1].Type = "" },
			"foreign field":   func(r *action.RunStart) { r.Actions[1].URL = a },
			"no element":      func(r *action.RunStart) { r.Actions[1].Selector = "" },
			"url elsewhere":   func(r *action.RunStart) { r.URL = "https://b.example/" },
			"sub-domain":      func(r *action.RunStart) { r.URL = "https://x.a.example/" },
			"navigate away":   func(r *action.RunStart) { r.Actions[1] = action.RunAction{Type: "navigate", URL: "https://b.example/"} },
			"no url":          func(r *action.RunStart) { r.URL = "a.example" },
			"file":            func(r *action.RunStart) { r.URL = "file:///etc/passwd" },
			"user in url":     func(r *action.RunStart) { r.URL = "https://u:p@a.example/" },
			"too long":        func(r *action.RunStart) { r.Actions = slices.Repeat(r.Actions, 51) },
			"time":            func(r *action.RunStart) { r.Timeout = new(120_001) },
			"no time":         func(r *action.RunStart) { r.Timeout = new(0) },
			"folder outside":  func(r *action.RunStart) { r.ScreenshotDir = "../shots" },
			"folder climbs":   func(r *action.RunStart) { r.ScreenshotDir = "shots/../../x" },
			"absolute folder": func(r *action.RunStart) { r.ScreenshotDir = "/tmp/shots" },
			"value twice": func(r *action.RunStart) {
				r.Actions[1] = action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("x"), Options: []string{"x"}}
			},
			"control in value": func(r *action.RunStart) {
				r.Actions[1] = action.RunAction{Type: "form_input", Locator: action.Locator{Selector: "#q"}, Value: new("x\x1b")}
			},
		} {
			args := input(click("#a"), click("#b"))
			spoil(args)
			if _, err := h.make(person, "run.start", args, 0); fault.CodeOf(err).Info().Status != 400 || fault.From(err).Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, args := range []*action.RunStart{{Archetype: "Reviewer"}, {Phase: "Deploy"}} {
			args.URL, args.DomainAllowlist, args.Actions = a, []string{"a.example"}, []action.RunAction{click("#a")}
			if _, err := h.make(person, "run.start", args, 0); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%+v: %v", args, err)
			}
		}
		if _, err := h.make(action.Caller{Actor: "eve", Scope: "acme", Role: action.Viewer}, "run.start", input(click("#a")), 0); fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("a viewer's: %v", err)
		}
		if did := b.did(); len(did) != 0 {
			t.Errorf("did %v", did)
		}
		result, err := h.Call(h.t.Context(), action.Call{Verb: "run.list", Caller: person, Args: &action.RunList{}})
		if err != nil || len(result.Data.(*action.RunListing).Runs) != 0 {
			t.Errorf("recorded %+v %v", result.Data, err)
		}
	})
}

func TestWhatFailsIsNotedAndTheNextIsDone(t *testing.T) {
	b := good()
	b.fails["page.click #missing"] = fault.New(fault.NotFound, "no element matches")
	inHouse(t, b, func(h *house) {
		run := h.run(person, input(click("#missing"), click("#missing"), click("#there"), click("#missing")))
		h.wants(run, action.RunCompleted, "actions_failed")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"!left_click", "!left_click", "left_click", "!left_click"}) || run.Failed() != 3 {
			t.Errorf("did %v", got)
		}
	})
}

func TestFaultsThatEndARun(t *testing.T) {
	for code, want := range map[fault.Code]string{
		fault.BlockedDomain: action.RunBlocked, "credential_detected": action.RunFailed, fault.NotActive: action.RunFailed,
		fault.LimitReached: action.RunFailed, fault.Internal: action.RunFailed,
	} {
		b := good()
		b.fails["page.click #a"] = fault.New(code, "why")
		inHouse(t, b, func(h *house) {
			run := h.run(person, input(click("#a"), click("#b")))
			h.wants(run, want, string(code))
			if did := b.did(); slices.Contains(did, "page.click #b") || steps(run)[len(run.Log)-1] != "!left_click" {
				t.Errorf("%s: did %v, noted %v", code, did, steps(run))
			}
		})
	}
}

func TestAPageThatDoesNotLoadEndsTheRun(t *testing.T) {
	b := good()
	b.fails["page.goto"] = fault.New(fault.NavigationFailed, "net::ERR_CONNECTION_REFUSED")
	inHouse(t, b, func(h *house) { h.wants(h.run(person, input(click("#a"))), action.RunFailed, "navigation_failed") })
}

func TestAFailedCheckEndsTheRunBeforeItsFirstAction(t *testing.T) {
	b := good()
	b.checks[1].OK, b.checks[1].Detail = false, "no display"
	inHouse(t, b, func(h *house) {
		run := h.run(person, input(click("#a")))
		h.wants(run, action.RunFailed, "preflight_failed")
		if did := b.did(); !slices.Equal(did, []string{"run.open", "run.probe", "run.end"}) || steps(run)[2] != "!XVFB_DISPLAY_READY" {
			t.Errorf("did %v, noted %v", did, steps(run))
		}
	})
}

func TestTheTimeIsThatOfAllActionsTogether(t *testing.T) {
	b := good()
	b.slow["page.click"], b.slow["run.open"] = 400*time.Millisecond, 20*time.Second
	inHouse(t, b, func(h *house) {
		args := input(slices.Repeat([]action.RunAction{click("#a")}, 10)...)
		args.Timeout = new(1000)
		run := h.run(person, args)
		h.wants(run, action.RunTimedOut, "timeout")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"left_click", "left_click", "!left_click"}) {
			t.Errorf("did %v", got)
		}
		args = input(action.RunAction{Type: "wait", MS: new(60_000)}, click("#a"))
		h.wants(h.run(person, args), action.RunTimedOut, "timeout")
	})
}

func TestThreeFailuresInARowAskAPerson(t *testing.T) {
	b := good()
	b.fails["page.click #missing"] = fault.New(fault.NotFound, "no element matches")
	inHouse(t, b, func(h *house) {
		args := input(slices.Repeat([]action.RunAction{click("#missing")}, 4)...)
		args.Timeout = new(1000)
		run, err := h.make(bot, "run.start", args, time.Minute) // far longer than its time: that stands still
		if err != nil || run.State != action.RunPaused || run.Reason.Code != "actions_failed" || run.Session != "s1" {
			t.Fatalf("run %+v, %v", run, err)
		}
		for who, want := range map[action.Caller]fault.Code{bot: fault.DeniedByPolicy, {Actor: "eve", Scope: "other", Role: action.Operator}: fault.NotFound} {
			if _, err := h.make(who, "run.resume", &action.RunResume{ID: run.ID, Guidance: "go on"}, 0); fault.CodeOf(err) != want {
				t.Errorf("%s resumed: %v", who.Actor, err)
			}
		}
		away := &action.RunResume{ID: run.ID, Guidance: "there", Actions: []action.RunAction{{Type: "navigate", URL: "https://b.example/"}}}
		if _, err := h.make(person, "run.resume", away, 0); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("resumed to elsewhere: %v", err)
		}
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "it is #there", Actions: []action.RunAction{click("#there")}}, 0); err != nil {
			t.Fatal(err)
		}
		run, err = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(run, action.RunCompleted, "actions_failed")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"!left_click", "!left_click", "!left_click", "!pause", "resume", "left_click"}) {
			t.Errorf("did %v", got)
		}
		if last := run.Log[len(run.Log)-2]; last.Details != "ann: it is #there" {
			t.Errorf("guidance %+v", last)
		}
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "go on"}, 0); fault.CodeOf(err) != fault.NotActive {
			t.Errorf("resumed after its end: %v", err)
		}
	})
}

func TestNobodyGuidesAPausedRun(t *testing.T) {
	b := good()
	b.fails["page.click"] = fault.New(fault.NotFound, "no element matches")
	inHouse(t, b, func(h *house) {
		h.wants(h.run(bot, input(click("#a"), click("#a"), click("#a"))), action.RunFailed, "no_guidance")
	})
}

func TestAPausedSessionPausesTheRunAndTheActionIsDoneAfterwards(t *testing.T) {
	b := good()
	b.fails["page.click #a"] = fault.New(fault.SessionPaused, "a person has taken the session")
	inHouse(t, b, func(h *house) {
		run, err := h.make(bot, "run.start", input(click("#a")), time.Minute)
		if err != nil || run.State != action.RunPaused || run.Reason.Code != "session_paused" {
			t.Fatalf("run %+v, %v", run, err)
		}
		b.mu.Lock()
		delete(b.fails, "page.click #a")
		b.mu.Unlock()
		if _, err := h.make(person, "run.resume", &action.RunResume{ID: run.ID, Guidance: "done"}, 0); err != nil {
			t.Fatal(err)
		}
		run, _ = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		h.wants(run, action.RunCompleted, "completed")
	})
}

func TestHostsThatNobodyApprovedWaitForAPerson(t *testing.T) {
	for answer, want := range map[string][2]string{"yes": {action.RunCompleted, "completed"}, "no": {action.RunBlocked, "approval_denied"}, "": {action.RunBlocked, "approval_timeout"}} {
		b := good()
		inHouse(t, b, func(h *house) {
			args := input(click("#a"))
			args.DomainAllowlist = append(args.DomainAllowlist, "b.example", "*.c.example")
			run, err := h.make(bot, "run.start", args, time.Second)
			if err != nil || run.State != action.RunPending || run.WaitsFor == "" || b.open != 0 {
				t.Fatalf("run %+v, %v", run, err)
			}
			q, err := h.desk.Show(h.t.Context(), "acme", run.WaitsFor)
			if err != nil || q.Risk != action.High || !strings.Contains(q.Why, "b.example, *.c.example") {
				t.Errorf("question %+v %v", q, err)
			}
			if answer != "" {
				if _, err := h.desk.Answer(h.t.Context(), person, action.Answer{ID: q.ID, Approve: answer == "yes", Reason: "because"}); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 { // a question of HIGH waits longer than one call
				run, _ = h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
			}
			h.wants(run, want[0], want[1])
			if ok := run.Log[0].Success; run.Log[0].Action != "DOMAIN_ALLOWLIST_APPROVED" || ok != (answer == "yes") || run.WaitsFor != "" {
				t.Errorf("first line %+v", run.Log[0])
			}
		})
	}
}

func TestACancelledRunKeepsWhatItDid(t *testing.T) {
	b := good()
	b.slow["page.reload"] = time.Hour
	inHouse(t, b, func(h *house) {
		run, err := h.make(bot, "run.start", input(click("#a"), action.RunAction{Type: "wait", MS: new(20_000)}, click("#b")), time.Second)
		if err != nil || run.State != action.RunRunning {
			t.Fatalf("%+v %v", run, err)
		}
		if _, err := h.make(action.Caller{Actor: "eve", Scope: "other", Role: action.Operator}, "run.cancel", &action.ByID{ID: run.ID}, 0); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another scope cancelled: %v", err)
		}
		run, err = h.make(bot, "run.cancel", &action.ByID{ID: run.ID}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(run, action.RunFailed, "cancelled")
		if got := steps(run)[5:]; !slices.Equal(got, []string{"left_click", "!wait"}) {
			t.Errorf("did %v", got)
		}
		if again, err := h.make(bot, "run.cancel", &action.ByID{ID: run.ID}, 0); err != nil || again.FinalStatus != run.FinalStatus {
			t.Errorf("cancelled twice: %+v %v", again, err)
		}
	})
}

func TestARunIsToldOfAndOutlivesItsCaller(t *testing.T) {
	inHouse(t, good(), func(h *house) {
		ctx, leave := context.WithCancel(h.t.Context())
		var lines, states []string
		watch := &action.RunWatch{
			Step: func(e action.RunEntry) {
				if lines = append(lines, e.Action); e.Action == "left_click" {
					leave()
				}
			},
			State: func(r action.Run) { states = append(states, r.State) },
		}
		args := input(click("#a"), action.RunAction{Type: "wait", MS: new(2000)}, click("#b"))
		result, err := h.Call(ctx, action.Call{Verb: "run.start", Caller: bot, Args: args, Run: watch})
		run := result.Data.(*action.Run)
		if err != nil || run.State != action.RunRunning || lines[0] != checked[0] || !slices.Contains(states, action.RunPending) || states[len(states)-1] != action.RunRunning {
			t.Fatalf("%+v, %v: %v %v", run, err, lines, states)
		}
		end, err := h.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 60}, 0)
		if err != nil {
			t.Fatal(err)
		}
		h.wants(end, action.RunCompleted, "completed")
	})
}

func TestEveryStepLeavesAnIntentAndAnOutcome(t *testing.T) {
	inHouse(t, good(), func(h *house) {
		run := h.run(person, input(click("#a"), action.RunAction{Type: "screenshot"}))
		page, err := h.log.Query(h.t.Context(), action.AuditQuery{Limit: 1000}, "acme")
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, r := range page.Records {
			if strings.HasPrefix(r.CorrelationID, run.ID+".") || r.Action == "run.start" {
				count[r.Action+" "+r.EventType]++
			}
		}
		for _, verb := range []string{"run.start", "run.open", "run.probe", "page.goto", "page.click", "page.screenshot", "run.end"} {
			if count[verb+" intent"] != 1 || count[verb+" outcome"] != 1 {
				t.Errorf("%s left %d intents and %d outcomes", verb, count[verb+" intent"], count[verb+" outcome"])
			}
		}
	})
}

func TestARestartFailsRunsAndEndsTheirBrowsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	b := good()
	b.slow["page.click"] = time.Hour
	first := openHouse(t, path, b)
	run, err := first.make(bot, "run.start", input(click("#a")), 50*time.Millisecond)
	for err == nil && run.Session == "" {
		run, err = first.make(bot, "run.show", &action.RunShow{ID: run.ID, Wait: 1}, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The second gateway reads what the first has stored so far, as after a crash.
	second := openHouse(t, path, good())
	got, err := second.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0)
	if err != nil {
		t.Fatal(err)
	}
	second.wants(got, action.RunFailed, "gateway_restarted")
	second.b.mu.Lock()
	second.b.open = 1
	second.b.mu.Unlock()
	second.Tidy()
	second.close()
	if did := second.b.did(); !slices.Equal(did, []string{"run.end"}) {
		t.Errorf("did %v", did)
	}
	first.close()
	third := openHouse(t, path, good())
	defer third.close()
	if got, err = third.make(bot, "run.show", &action.RunShow{ID: run.ID}, 0); err != nil || got.Reason.Code != "gateway_stopped" {
		t.Errorf("after an orderly end: %+v %v", got.Reason, err)
	}
}

func TestRunsHaveABound(t *testing.T) {
	b := good()
	b.slow["run.open"] = time.Hour
	inHouse(t, b, func(h *house) {
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = h.make(bot, "run.start", input(click("#a")), time.Millisecond)
		}
		if n != 21 || fault.CodeOf(err) != fault.LimitReached {
			t.Errorf("%d runs, then %v", n-1, err)
		}
	})
}
