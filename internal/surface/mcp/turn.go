package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// errPending ends a turn whose question nobody has answered yet.
var errPending = errors.New("a question waits")

const leastWait = time.Second // on a question, for the later calls of a turn

// binder is the type of action.Call.Bind.
type binder = func(context.Context) (context.Context, func())

// turn is the state of one tool call: its calls through the gate and its reply.
type turn struct {
	surface    *Surface
	caller     action.Caller
	source     action.Source
	bind       binder
	session    string // as the tool call names it
	connection string // that it came by
	id         string
	until      time.Time // when waiting for questions ends
	tell       func(phase string)
	asked      func(action.Pending)
	watch      *action.CrawlWatch
	run        *action.RunWatch
	made       int
	report     bool // the call reports what it changed
	readOnly   bool // sessions that are started here only read
	quiet      bool // the answer cannot contain notes
	reply      reply
}

// call makes one call through the gate and keeps the parts that every result
// has. If no session is open and none was named, it starts one first, because
// agents expect that a browser is open. A question without an answer is
// errPending.
func (t *turn) call(ctx context.Context, verb string, args any) (action.Result, error) {
	before := t.surface.starts.last(t.owner())
	result, err := t.surface.o.Gate.Call(ctx, t.request(verb, args))
	if t.begins(verb, err) {
		if ended := fault.From(err); !nothingOpen(err) {
			t.reply.notes = append(t.reply.notes, ended.Message+": a new session was started")
		}
		if err := t.start(ctx, before); err != nil {
			return action.Result{}, err
		}
		result, err = t.surface.o.Gate.Call(ctx, t.request(verb, args))
	}
	if err != nil {
		return action.Result{}, err
	}
	t.reply.note(result)
	if result.Pending != nil {
		return result, errPending
	}
	if result.Changes != nil {
		t.reply.changed(result.Changes)
	}
	return result, nil
}

// begins reports whether a session is to be started for a call that failed. If
// the agent's session ended unexpectedly, a new one is started only for a call
// that navigates, because other calls are about a page that no longer exists.
func (t *turn) begins(verb string, err error) bool {
	if t.session != "" || !strings.HasPrefix(verb, "page.") && !strings.HasPrefix(verb, "tab.") {
		return false
	}
	f := fault.From(err)
	return nothingOpen(err) || verb == action.VerbPageGoto.Name && f != nil && f.Code == fault.NotActive && f.Details["state"] == "ended"
}

// nothingOpen reports whether the caller has no session at all. It is false if
// the caller's session ended unexpectedly, which the caller must be told.
func nothingOpen(err error) bool {
	f := fault.From(err)
	return f != nil && f.Code == fault.NotActive && f.Details["state"] == "none"
}

// request returns the next call of the turn.
func (t *turn) request(verb string, args any) action.Call {
	t.made++
	return action.Call{
		ID: fmt.Sprintf("mcp-%s-%d", t.id, t.made), Verb: verb, Caller: t.caller, Session: t.session, Connection: t.connection,
		Args: args, Surface: "mcp", Source: t.source, Changes: t.report, Quiet: t.quiet, Wait: max(time.Until(t.until), leastWait), Progress: t.tell, Asked: t.asked, Crawl: t.watch, Run: t.run, Bind: t.bind,
	}
}

// refused records that the turn was refused before it made a call.
func (t *turn) refused(ctx context.Context, why error) {
	t.surface.o.Gate.Refuse(ctx, action.Call{
		ID: fmt.Sprintf("mcp-%s-0", t.id), Caller: t.caller, Session: t.session, Surface: "mcp", Source: t.source,
	}, why)
}

// start starts a session, unless another call of the same connection has
// started one since last.
func (t *turn) start(ctx context.Context, last time.Time) error {
	release, err := t.surface.starts.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	if t.surface.starts.last(t.owner()) != last {
		return nil
	}
	result, err := t.surface.o.Gate.Call(ctx, t.request(action.VerbSessionStart.Name, &action.SessionStart{Effects: t.effects("")}))
	if err != nil {
		return err
	}
	t.reply.note(result)
	if result.Pending != nil {
		return errPending
	}
	t.surface.starts.add(t.owner())
	t.reply.notes = append(t.reply.notes, "no session was open, so one was started")
	return nil
}

// act makes a call that changes the page, and reports what changed.
func (t *turn) act(ctx context.Context, verb string, args any) (action.Result, error) {
	t.report = true
	result, err := t.call(ctx, verb, args)
	t.report = false
	if err == nil && result.Changes == nil {
		t.show(ctx)
	}
	return result, err
}

// show adds the current state of the page, after calls that did not report it
// themselves.
func (t *turn) show(ctx context.Context) {
	if t.reply.modal != nil {
		return
	}
	at := &action.WaitFor{Locator: action.Locator{Selector: ":root"}} // which every page has: what is asked for is what changed
	t.report = true
	result, err := t.call(ctx, action.VerbPageWaitFor.Name, at)
	t.report = false
	if err != nil || result.Changes == nil {
		t.look(ctx)
	}
}

// look adds a snapshot to the reply if there is no report of changes. While a
// dialog is open the page cannot be read. If the snapshot fails, the act was
// still done, so the failure is only a note.
func (t *turn) look(ctx context.Context) {
	if t.reply.modal != nil {
		return
	}
	result, err := t.call(ctx, action.VerbPageSnapshot.Name, &action.TakeSnapshot{})
	if err != nil {
		t.reply.notes = append(t.reply.notes, "the page could not be shown: "+untrusted.ToolLine(fault.From(err).Message, 300)+"; call browser_snapshot")
		return
	}
	if shot, ok := result.Data.(*action.Snapshot); ok {
		t.reply.snapshot(shot)
	}
}

// owner identifies whose session is meant by a call that names none.
type owner struct {
	caller     action.Caller
	connection string
}

func (t *turn) owner() owner { return owner{t.caller, t.connection} }

// starts ensures that concurrent calls of one connection start only one
// session.
type starts struct {
	gate chan struct{}
	mu   *sync.Mutex
	done map[owner]time.Time // when each owner last started one; removed when all running calls are newer
}

func newStarts() starts {
	return starts{gate: make(chan struct{}, 1), mu: &sync.Mutex{}, done: map[owner]time.Time{}}
}

func (s starts) enter(ctx context.Context) (release func(), err error) {
	select {
	case s.gate <- struct{}{}:
		return func() { <-s.gate }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// last returns when an owner last started a session; the zero time if that was
// before all calls that are still running.
func (s starts) last(of owner) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done[of]
}

func (s starts) add(of owner) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.done, func(_ owner, at time.Time) bool { return now.Sub(at) > 2*toolLimit })
	s.done[of] = now
}
