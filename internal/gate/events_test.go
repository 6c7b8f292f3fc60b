package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// follower collects events.
type follower struct {
	mu     sync.Mutex
	began  int
	events []action.Event
	fail   error
}

func (f *follower) watch() *action.EventWatch {
	return &action.EventWatch{
		Begin: func() { f.mu.Lock(); defer f.mu.Unlock(); f.began++ },
		Event: func(e action.Event) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.events = append(f.events, e)
			return f.fail
		},
	}
}

func (f *follower) seen() (began int, list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		list = append(list, strings.TrimSpace(e.Kind+" "+e.Record.Action+" "+e.Record.HITLDecision))
	}
	return f.began, list
}

func (h *testGate) follow(ctx context.Context, by action.Caller, kinds string, f *follower) error {
	_, err := h.Call(ctx, action.Call{Verb: "events.follow", Caller: by, Args: &action.FollowEvents{Kinds: kinds}, Events: f.watch()})
	return err
}

func TestAFollowerGetsTheEventsOfItsScopeInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		all, some := &follower{}, &follower{}
		over := make(chan error, 2)
		start := time.Now()
		go func() { over <- h.follow(context.Background(), operator, "", all) }()
		go func() { over <- h.follow(context.Background(), operator, "question,answer", some) }()
		synctest.Wait()
		call := click(agent)
		call.Wait = time.Second
		if _, err := h.Call(context.Background(), call); err != nil {
			t.Fatal(err)
		}
		q := h.waiting(t)
		if err := h.answer(t, action.Answer{ID: q.ID}); err != nil {
			t.Fatal(err)
		}
		h.audit.Record(action.Record{EventType: action.EventAlert, Scope: "acme", Detail: "look"})
		h.audit.Record(action.Record{EventType: action.EventAlert, Scope: "other", Detail: "not yours"})
		h.audit.Record(action.Record{EventType: action.EventQuestion, Detail: "of no scope"})
		h.audit.Record(action.Record{EventType: action.EventConfig, Detail: "loaded"})
		synctest.Wait()
		want := []string{"question page.click pending", "action page.click pending", "action approval.list operator", "answer page.click denied", "action approval.answer operator", "alert", "config"}
		if began, got := all.seen(); began != 1 || !slices.Equal(got, want) {
			t.Errorf("began %d, got %q", began, got)
		}
		if began, got := some.seen(); began != 1 || !slices.Equal(got, []string{want[0], want[3]}) {
			t.Errorf("began %d, got %q", began, got)
		}
		for _, e := range some.events {
			if e.Question == nil || e.Question.ID != q.ID || e.Question.Element.Name != "Delete invoice" || e.ID != e.Record.Seq {
				t.Errorf("event %+v", e)
			}
		}
		for range 2 {
			if err := <-over; err != nil {
				t.Errorf("ended with %v", err)
			}
		}
		if took := time.Since(start); took != 5*time.Minute {
			t.Errorf("followed for %s", took)
		}
	})
}

func TestOnlyPeopleFollowEvents(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		by    action.Caller
		kinds string
		want  fault.Code
	}{
		{agent, "", fault.DeniedByPolicy}, {agent, "question", fault.DeniedByPolicy}, {agent, "session", fault.DeniedByPolicy},
		{viewer, "", fault.DeniedByPolicy}, {viewer, "question", fault.DeniedByPolicy}, {viewer, "session,question", fault.DeniedByPolicy}, {viewer, "session", ""},
		{operator, "", ""}, {operator, "session,alert", ""}, {operator, "sessions", fault.InvalidRequest}, {operator, "action,all", fault.InvalidRequest},
	} {
		_, err := h.Call(t.Context(), action.Call{Verb: "events.follow", Caller: c.by, Args: &action.FollowEvents{Kinds: c.kinds}})
		wantCode(t, fmt.Sprint(c.by.Role, " ", c.kinds), err, c.want)
	}
	f := &follower{}
	wantCode(t, "an agent that watches", h.follow(t.Context(), agent, "session", f), fault.DeniedByPolicy)
	if began, _ := f.seen(); began != 0 {
		t.Error("following started")
	}
}

func TestTheNumberOfFollowersIsLimitedByScope(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		ctx, leave := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() { wantCode(t, "a follower", h.follow(ctx, operator, "", &follower{}), "") })
		}
		synctest.Wait()
		wantCode(t, "one more", h.follow(ctx, operator, "", &follower{}), fault.LimitReached)
		other := operator
		other.Scope = "other"
		wg.Go(func() { wantCode(t, "of another scope", h.follow(ctx, other, "", &follower{}), "") })
		synctest.Wait()
		leave()
		wg.Wait()
		later, end := context.WithTimeout(context.Background(), time.Second)
		defer end()
		wantCode(t, "after they left", h.follow(later, operator, "", &follower{}), "")
	})
}

func TestAPageOfEventsEndsAtTheEndOfTheTrail(t *testing.T) {
	h := open(t)
	for i := range 250 {
		h.audit.Record(action.Record{EventType: action.EventAlert, Scope: []string{"acme", "other"}[i%2], Detail: fmt.Sprint(i)})
	}
	heard := 0
	for after := int64(0); ; {
		result, err := h.Call(t.Context(), action.Call{Verb: "events.follow", Caller: operator, Args: &action.FollowEvents{Kinds: "alert", After: &after}})
		if err != nil {
			t.Fatal(err)
		}
		page := result.Data.(*action.EventPage)
		for _, e := range page.Events {
			if e.Record.Scope != "acme" || e.Record.Detail != fmt.Sprint(2*heard) || e.ID <= after {
				t.Fatalf("event %d is %+v", heard, e)
			}
			heard++
		}
		if len(page.Events) == 0 {
			break
		}
		after = page.Last
	}
	if heard != 125 {
		t.Errorf("got %d", heard)
	}
	result, err := h.Call(t.Context(), action.Call{Verb: "events.follow", Caller: operator, Args: &action.FollowEvents{}})
	if page, ok := result.Data.(*action.EventPage); err != nil || !ok || len(page.Events) != 0 || page.Last < 250 {
		t.Errorf("a page after the end: %+v, %v", page, err)
	}
}

func TestAnErrorOfAFollowerIsReturned(t *testing.T) {
	h := open(t)
	h.audit.Record(action.Record{EventType: action.EventAlert, Scope: "acme"})
	zero := int64(0)
	f := &follower{fail: errors.New("no space")}
	_, err := h.Call(t.Context(), action.Call{Verb: "events.follow", Caller: operator, Args: &action.FollowEvents{After: &zero}, Events: f.watch()})
	if _, heard := f.seen(); err == nil || len(heard) != 1 {
		t.Errorf("got %v, %v", heard, err)
	}
}
