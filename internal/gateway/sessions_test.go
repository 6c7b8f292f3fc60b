package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const (
	crowdScopes  = 20
	manySessions = 5  // of a scope
	manyCalls    = 12 // of a session, half of them writes
)

// manyAgents is a gateway with the real gate, trail and sessions, and boxes in
// memory.
type manyAgents struct {
	*gate.Gate
	trail *audit.Log

	mu   sync.Mutex
	done map[string]int // how often each text was typed

	click func(ctx context.Context, ref string) error // nil if the test does not click
}

// onePixel is a picture, as PNG.
var onePixel = func() []byte {
	var picture bytes.Buffer
	_ = png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1)))
	return picture.Bytes()
}()

// echo is a browser that answers with the text of the call.
type echo struct {
	session.Browser // nil: methods that the test does not need panic
	manyAgents      *manyAgents
	stream          sandbox.Stream
	over            chan struct{}
}

func (e *echo) Configure(engine.Options) {}

func (e *echo) Look(_ context.Context, verb string, args any) (action.Facts, action.Pin, error) {
	facts := action.Facts{Page: e.Page()}
	if verb == "page.type" {
		facts.Element = &action.Element{Role: "searchbox", Name: "Search", Type: "search"}
	}
	if click, is := args.(*action.Click); is {
		names := map[string]string{"e1": "Next", "e2": "Back", "e7": "Delete invoice"}
		facts.Element = &action.Element{Role: "button", Tag: "button", Name: names[click.Ref], Ref: click.Ref}
	}
	return facts, action.Pin{Tab: "t1", Document: "d1"}, nil
}

func (e *echo) Do(ctx context.Context, _ string, args any, _ action.Pin) (action.Result, error) {
	switch a := args.(type) {
	case *action.Type:
		e.manyAgents.mu.Lock()
		e.manyAgents.done[a.Input]++
		e.manyAgents.mu.Unlock()
		return action.Result{Notes: []string{a.Input}}, nil
	case *action.TakeSnapshot:
		return action.Result{Notes: []string{a.Ref}}, nil
	case *action.Click:
		return action.Result{}, e.manyAgents.click(ctx, a.Ref)
	case *action.TakeScreenshot:
		return action.Result{Data: &action.Screenshot{Format: "png", Bytes: onePixel}}, nil
	}
	return action.Result{}, errors.New("not asked for")
}

func (e *echo) Acting() []string      { return nil }
func (e *echo) Busy() bool            { return false }
func (e *echo) Page() action.Page     { return action.Page{URL: "https://app.example/", Title: "App"} }
func (e *echo) Done() <-chan struct{} { return e.over }
func (e *echo) Err() error            { return nil }

func (e *echo) Close() error {
	close(e.over)
	return e.stream.Close()
}

func openManyAgents(t *testing.T, limits session.Config) *manyAgents {
	t.Helper()
	c := &manyAgents{done: map[string]int{}}
	state, log := t.TempDir(), slog.New(slog.DiscardHandler)
	db := try(store.Open(t.Context(), filepath.Join(state, "glovebox.db")))(t)
	files := try(artifact.Open(t.Context(), filepath.Join(state, "artifacts"), db, artifact.Limits{}, log))(t)
	key := try(profile.Key("", state))(t)
	profiles := try(profile.Open(t.Context(), filepath.Join(state, "profiles"), db, key, log))(t)
	signing := audit.Signing{Key: try(audit.Key(state))(t), Folder: filepath.Join(state, "checkpoints")}
	c.trail = try(audit.Open(t.Context(), audit.Options{DB: db, Log: log, Signing: signing}))(t)
	c.trail.Record(action.Record{EventType: action.EventConfig, Detail: "started"}) // a query cannot start before record 2
	proxy := egress.New(egress.Options{Log: log})
	fakeSessions := try(session.New(t.Context(), session.Options{
		DB: db, Artifacts: files, Profiles: profiles, Driver: sandboxtest.NewEngine().Driver("gw"), Egress: proxy,
		Record: c.trail.Record, Config: limits, Log: log,
		Open: func(ctx context.Context, box sandbox.Box, _ engine.Options) (session.Browser, error) {
			stream, err := box.CDP(ctx)
			return &echo{manyAgents: c, stream: stream, over: make(chan struct{})}, err
		},
	}))(t)
	rules := try(policy.New(policy.Config{Enabled: true, Trusted: []string{"app.example"}}))(t)
	desk := try(approval.Open(t.Context(), approval.Options{DB: db, Log: log}))(t)
	c.Gate = try(gate.New(gate.Options{Sessions: fakeSessions, Policy: rules, Approvals: desk, Audit: c.trail, Log: log}))(t)
	t.Cleanup(func() {
		ctx := context.Background()
		err := errors.Join(c.Close(ctx), fakeSessions.Close(ctx))
		desk.Close()
		c.trail.Close()
		if err := errors.Join(err, proxy.Shutdown(ctx), files.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func try[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func limits(perScope, all int) session.Config {
	return session.Config{
		Enabled: true, Provider: "sandbox", Width: 1280, Height: 720, DPI: 96,
		Network:     action.Network{Navigation: []string{"app.example"}, Subresources: "same-site"},
		IdleTimeout: 5 * time.Minute, MaxAge: 20 * time.Minute, MaxActions: -1, MaxFailures: 3, HolderGone: time.Minute,
		MaxConcurrent: perScope, MaxSessions: all, Retention: -1,
	}
}

func (c *manyAgents) start(ctx context.Context, scope string) (action.Result, error) {
	return c.Call(ctx, action.Call{Verb: "session.start", Args: &action.SessionStart{}, Caller: action.Caller{Actor: "bot", Scope: scope, Role: action.Agent}})
}

// TestAHundredSessionsAtOnce lets each session's agent write and read at the same
// time: every answer belongs to its call, nothing is done twice, and the trail
// has each call's intent before its outcome.
func TestAHundredSessionsAtOnce(t *testing.T) {
	c := openManyAgents(t, limits(manySessions, crowdScopes*manySessions))
	var agents sync.WaitGroup
	for n := range crowdScopes * manySessions {
		agents.Go(func() { c.work(t, fmt.Sprintf("scope%d", n%crowdScopes), n) })
	}
	agents.Wait()
	if want := crowdScopes * manySessions * manyCalls / 2; len(c.done) != want {
		t.Errorf("%d texts were typed, want %d", len(c.done), want)
	}
	for text, times := range c.done {
		if times != 1 {
			t.Errorf("%s was typed %d times", text, times)
		}
	}
	verdict, err := c.trail.Verify(t.Context())
	if err != nil || !verdict.OK {
		t.Fatalf("the trail is broken: %+v, %v", verdict, err)
	}
	for scope := range crowdScopes {
		c.pairs(t, fmt.Sprintf("scope%d", scope))
	}
}

// work makes the calls of one agent.
func (c *manyAgents) work(t *testing.T, scope string, n int) {
	started, err := c.start(t.Context(), scope)
	if err != nil {
		t.Errorf("session %d: %v", n, err)
		return
	}
	for i := range manyCalls {
		token := fmt.Sprintf("a%dc%d", n, i)
		call := action.Call{ID: token, Verb: "page.snapshot", Args: &action.TakeSnapshot{Ref: token}, Session: started.Session, Caller: action.Caller{Actor: "bot", Scope: scope, Role: action.Agent}}
		if i%2 == 0 {
			call.Verb, call.Args = "page.type", &action.Type{Locator: action.Locator{Selector: "input"}, Input: token}
		}
		result, err := c.Call(t.Context(), call)
		if err != nil || len(result.Notes) != 1 || result.Notes[0] != token {
			t.Errorf("call %s was answered %v, %v", token, result.Notes, err)
		}
	}
}

// pairs reads the whole trail of a scope. Each call must have one intent and then
// one outcome, and each agent's calls must be in their order.
func (c *manyAgents) pairs(t *testing.T, scope string) {
	t.Helper()
	var after int64 = 1 // after 0, a query starts at the end
	state, last := map[string]string{}, map[string]int{}
	calls := 0
	for {
		records, err := c.trail.Query(t.Context(), action.AuditQuery{After: after, Limit: 500}, scope)
		if err != nil {
			t.Fatal(err)
		}
		if len(records.Records) == 0 {
			break
		}
		for _, r := range records.Records {
			if r.Seq <= after && after > 1 {
				t.Fatalf("record %d follows %d", r.Seq, after)
			}
			after = r.Seq
			if r.EventType != action.EventIntent && r.EventType != action.EventOutcome {
				continue
			}
			if before := state[r.CorrelationID]; r.EventType == action.EventIntent && before != "" || r.EventType == action.EventOutcome && before != action.EventIntent {
				t.Errorf("%s of %s follows %q", r.EventType, r.CorrelationID, before)
			}
			state[r.CorrelationID] = r.EventType
			var agent, i int
			if got, _ := fmt.Sscanf(r.CorrelationID, "a%dc%d", &agent, &i); got == 2 && r.EventType == action.EventOutcome {
				calls++
				if id := r.SessionID; last[id] != i {
					t.Errorf("session %s: call %d is recorded in place %d", id, i, last[id])
				}
				last[r.SessionID]++
			}
		}
	}
	if want := manySessions * manyCalls; calls != want {
		t.Errorf("%s has %d calls, want %d", scope, calls, want)
	}
	for id, end := range state {
		if end != action.EventOutcome {
			t.Errorf("call %s has no outcome", id)
		}
	}
}

// TestOneStartTooMany starts more sessions at once than are allowed: exactly the
// limit must start, whether it is the limit of a scope or of all.
func TestOneStartTooMany(t *testing.T) {
	for name, of := range map[string]struct {
		limits session.Config
		scope  func(n int) string
	}{
		"of a scope": {limits(7, -1), func(int) string { return "one" }},
		"of all":     {limits(-1, 7), func(n int) string { return fmt.Sprintf("scope%d", n) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := openManyAgents(t, of.limits)
			answers := make(chan error, 24)
			for n := range cap(answers) {
				go func() {
					_, err := c.start(context.Background(), of.scope(n))
					answers <- err
				}()
			}
			started := 0
			for range cap(answers) {
				switch err := <-answers; {
				case err == nil:
					started++
				case fault.CodeOf(err) != fault.LimitReached:
					t.Errorf("a start was refused with %v", err)
				}
			}
			if started != 7 {
				t.Errorf("%d of 7 possible sessions started", started)
			}
		})
	}
}
