package workflow_test

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
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

var (
	bot    = action.Caller{Actor: "bot", Scope: "acme", Role: action.Agent}
	person = action.Caller{Actor: "ann", Scope: "acme", Role: action.Operator}
)

// browser simulates the sessions behind a real gate. It records what is done, and
// fails as the test says.
type browser struct {
	gate.Sessions
	approved []string
	checks   []action.RunCheck
	fails    map[string]error         // by verb, or by verb and target
	slow     map[string]time.Duration // by verb

	mu   sync.Mutex
	done []string
	open int

	late  bool   // a start succeeds although its call has ended
	ended string // id of the browser that was ended last
}

// QueueNotice does nothing, since the browser of a run ends with it.
func (b *browser) QueueNotice(string, string) {}

// behind passes calls to the browser or to the records of runs.
type behind struct {
	*browser
	runs *workflow.Runs
}

func (b behind) Look(ctx context.Context, c action.Call) (action.Facts, action.Pin, error) {
	if b.runs.Owns(c.Verb) {
		return b.runs.Look(ctx, c)
	}
	return b.browser.Look(ctx, c)
}

func (b behind) Do(ctx context.Context, c action.Call, pin action.Pin) (action.Result, error) {
	if b.runs.Owns(c.Verb) {
		return b.runs.Do(ctx, c)
	}
	return b.browser.Do(ctx, c, pin)
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
	if args, is := c.Args.(*action.RunAllow); is {
		facts.Destination = &action.Destination{URL: args.URL, Host: "b.example"}
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
		if testwait.Latency(ctx, slow); ctx.Err() != nil {
			if !b.late {
				return action.Result{}, ctx.Err()
			}
			fail = ctx.Err()
			b.mu.Lock()
			b.open++
			b.mu.Unlock()
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
	case *action.RunAllow:
		b.mu.Lock()
		clear(b.fails)
		b.mu.Unlock()
	case *action.RunProbe:
		result.Data = &action.RunChecks{Checks: b.checks}
	case *action.RunEnd:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.open == 0 {
			return action.Result{}, fault.New(fault.SessionNotFound, "there is no such session")
		}
		b.open--
		b.ended = c.Session
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

// harness is a gate with runs and a fake browser.
type harness struct {
	*workflow.Orchestrator
	t        *testing.T
	b        *browser
	db       *store.DB
	gate     *gate.Gate
	fakeGate *approval.Queue
	runs     *workflow.Runs
	log      *audit.Log
}

func openHarness(t *testing.T, path string, b *browser) *harness {
	t.Helper()
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	h := &harness{t: t, b: b}
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
	if h.fakeGate, err = approval.Open(ctx, approval.Options{DB: h.db, Log: log}); err != nil {
		t.Fatal(err)
	}
	if h.runs, err = workflow.OpenRuns(ctx, workflow.RunsOptions{DB: h.db, Log: log, Retention: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if h.gate, err = gate.New(gate.Options{Sessions: behind{b, h.runs}, Policy: rules, Approvals: h.fakeGate, Audit: h.log, Log: log}); err != nil {
		t.Fatal(err)
	}
	h.Orchestrator = workflow.New(h.gate, h.runs)
	return h
}

func (h *harness) close() {
	ctx := context.Background()
	if err := h.runs.Close(ctx); err != nil {
		h.t.Error(err)
	}
	if err := h.gate.Close(ctx); err != nil {
		h.t.Error(err)
	}
	h.checkOutputs()
	h.log.Close()
	_ = h.db.Close()
}

func good() *browser {
	return &browser{approved: []string{"a.example"}, fails: map[string]error{}, slow: map[string]time.Duration{}, checks: []action.RunCheck{
		{Name: action.BoxActive, OK: true}, {Name: action.DisplayReady, OK: true}, {Name: action.AllowlistLoaded, OK: true},
	}}
}

// withHarness runs f with a harness in a synctest bubble.
func withHarness(t *testing.T, b *browser, f func(h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := openHarness(t, filepath.Join(t.TempDir(), "state.db"), b)
		defer func() {
			h.close()
			if b.open != 0 {
				t.Errorf("%d browsers are left", b.open)
			}
		}()
		f(h)
	})
}

// input returns a run with these actions.
func input(actions ...action.RunAction) *action.RunStart {
	return &action.RunStart{URL: a + "/", DomainAllowlist: []string{"a.example"}, Actions: actions}
}

func click(selector string) action.RunAction {
	return action.RunAction{Type: "left_click", Locator: action.Locator{Selector: selector}}
}

func (h *harness) make(who action.Caller, verb string, args any, wait time.Duration) (action.Run, error) {
	result, err := h.Call(context.Background(), action.Call{Verb: verb, Caller: who, Args: args, Surface: "rest", Wait: wait})
	if run, ok := result.Data.(*action.Run); ok {
		return *run, err
	}
	return action.Run{}, err
}

// run starts a run and waits for its end.
func (h *harness) run(who action.Caller, args *action.RunStart) action.Run {
	h.t.Helper()
	run, err := h.make(who, "run.start", args, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

func (h *harness) wants(run action.Run, status, reason string) {
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
