package mcp_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// closed returns a gate that answers not_active until a session is started.
func closed() *fakeGate {
	d := site()
	var mu sync.Mutex
	open := false
	d.answer = func(_ context.Context, c action.Call) (action.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if c.Verb == "session.start" {
			open = true
		} else if !open {
			return action.Result{}, fault.New(fault.NotActive, "no session is open").Hinted("start one").With("state", "none")
		}
		return answerOf(c), nil
	}
	return d
}

func TestFirstPageToolStartsASession(t *testing.T) {
	d := closed()
	c := connect(t, surface(t, d), nil)
	result := use(t, c, "browser_navigate", map[string]any{"url": "a.example"})
	if result.IsError || !strings.Contains(text(t, result), "no session was open, so one was started") {
		t.Errorf("got %s", text(t, result))
	}
	if want := "page.goto session.start page.goto"; d.verbs() != want {
		t.Errorf("called %q, want %q", d.verbs(), want)
	}
	use(t, c, "browser_snapshot", nil)
	if strings.Count(d.verbs(), "session.start") != 1 {
		t.Errorf("called %q", d.verbs())
	}
}

func TestNamedSessionsAreNotStartedUnasked(t *testing.T) {
	d := closed()
	c := connect(t, surface(t, d), nil)
	for tool, args := range map[string]map[string]any{"browser_snapshot": {"session": "mine"}, "browser_close": nil} {
		if result := use(t, c, tool, args); !result.IsError || !strings.Contains(text(t, result), "not_active") {
			t.Errorf("%s: %s", tool, text(t, result))
		}
	}
	if strings.Contains(d.verbs(), "session.start") {
		t.Errorf("called %q", d.verbs())
	}
}

func TestConcurrentToolsStartOneSession(t *testing.T) {
	d := closed()
	inner := d.answer
	var first sync.WaitGroup
	first.Add(4)
	var once [4]sync.Once
	next := make(chan int, 4)
	for i := range 4 {
		next <- i
	}
	d.answer = func(ctx context.Context, c action.Call) (action.Result, error) {
		result, err := inner(ctx, c)
		if fault.CodeOf(err) == fault.NotActive { // all four are refused before one starts
			once[<-next].Do(first.Done)
			first.Wait()
		}
		return result, err
	}
	c := connect(t, surface(t, d), nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_snapshot"})
			if err != nil || result.IsError {
				t.Errorf("%v %+v", err, result)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(d.verbs(), "session.start"); n != 1 {
		t.Errorf("%d sessions were started", n)
	}
}

func TestQuestionThatWaitsIsToldAndTheSameCallPicksItUp(t *testing.T) {
	answered := false
	d := site()
	d.answer = func(_ context.Context, c action.Call) (action.Result, error) {
		if c.Verb == "page.click" && !answered {
			return action.Result{Session: "s1", Pending: &action.Pending{Approval: "q1", Risk: action.High}}, nil
		}
		return answerOf(c), nil
	}
	c := connect(t, surface(t, d), nil)
	result := use(t, c, "browser_click", map[string]any{"target": "e1"})
	got, out := text(t, result), structured(t, result)
	if result.IsError || !strings.Contains(got, "### Pending\n") || !strings.Contains(got, "Make the same call again") || !strings.Contains(got, "q1") {
		t.Errorf("got %s", got)
	}
	if out["state"] != "pending" || out["approval_id"] != "q1" || out["risk"] != "HIGH" || d.verbs() != "page.click" {
		t.Errorf("%s: %v", d.verbs(), out)
	}
	if got := text(t, use(t, c, "browser_approval_status", map[string]any{"approval_id": "q1"})); !strings.Contains(got, "make the same call again now") {
		t.Errorf("status: %s", got)
	}
	answered = true
	if got := text(t, use(t, c, "browser_click", map[string]any{"target": "e1"})); !strings.HasPrefix(got, "### Result\nClicked") {
		t.Errorf("got %s", got)
	}
}

func TestProgressIsToldWhileAQuestionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := site()
		d.answer = func(ctx context.Context, c action.Call) (action.Result, error) {
			timer := time.NewTimer(c.Wait)
			defer timer.Stop()
			select {
			case <-timer.C:
				return action.Result{Pending: &action.Pending{Approval: "q1", Risk: action.High}}, nil
			case <-ctx.Done():
				return action.Result{}, ctx.Err()
			}
		}
		var mu sync.Mutex
		notes := 0
		c := connect(t, surface(t, d), &sdk.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) {
				mu.Lock()
				defer mu.Unlock()
				notes++
			},
		})
		params := &sdk.CallToolParams{Name: "browser_click", Arguments: map[string]any{"target": "e1"}}
		params.SetProgressToken("p1")
		start := time.Now()
		result, err := c.CallTool(t.Context(), params)
		if err != nil || structured(t, result)["state"] != "pending" {
			t.Fatalf("%v %+v", err, result)
		}
		if took := time.Since(start); took != 50*time.Second {
			t.Errorf("it waited %s, want 50s", took)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if notes < 9 || notes > 10 { // every 5 s for 50 s; the last may fall together with the answer
			t.Errorf("%d notes of progress", notes)
		}
	})
}

func TestPhasesOfAStartAreTold(t *testing.T) {
	told := make(chan string, 1)
	d := site()
	d.answer = func(ctx context.Context, c action.Call) (action.Result, error) {
		c.Progress("starting the box")
		select { // the answer must not overtake the note
		case <-told:
		case <-ctx.Done():
		}
		return answerOf(c), nil
	}
	c := connect(t, surface(t, d), &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, note *sdk.ProgressNotificationClientRequest) {
			if note.Params.Message == "starting the box" {
				close(told)
			}
		},
	})
	params := &sdk.CallToolParams{Name: "browser_session", Arguments: map[string]any{"action": "start"}}
	params.SetProgressToken("p1")
	if result, err := c.CallTool(testwait.Context(t), params); err != nil || result.IsError {
		t.Fatalf("%v %+v", err, result)
	}
}

func TestCancelledCallsReachTheDoor(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	d := site()
	d.answer = func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return action.Result{}, ctx.Err()
	}
	c := connect(t, surface(t, d), nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "browser_snapshot"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-left
}

func TestWaitingForTimeLetsItPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := site()
		c := connect(t, surface(t, d), nil)
		start := time.Now()
		result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_wait_for", Arguments: map[string]any{"time": 2.5}})
		if err != nil || result.IsError || time.Since(start) != 2500*time.Millisecond || d.verbs() != "page.wait_for" {
			t.Errorf("%v %+v after %s: %s", err, result, time.Since(start), d.verbs())
		}
	})
}
