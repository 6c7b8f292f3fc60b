package gate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

// refuse makes a host blocked. could says whether a person could add it.
func (s *fakeSessions) refuse(host string, could bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = &action.Destination{URL: "https://" + host + "/x", Host: host, Site: host, Reason: "documents may not come from this host"}
	s.wanted = map[string]string{}
	if could {
		s.wanted[s.to.URL] = host
	}
}

func (h *testGate) goes(c action.Caller) *fault.Fault {
	_, err := h.Call(context.Background(), action.Call{Verb: "page.goto", Caller: c, Args: &action.Goto{URL: "https://new.example/x"}, Surface: "mcp"})
	return fault.From(err)
}

// hostQuestions returns the questions about hosts, in any state.
func (h *testGate) hostQuestions(t *testing.T) []action.Question {
	t.Helper()
	result, err := h.Call(context.Background(), action.Call{Verb: "approval.list", Caller: operator, Args: &action.ApprovalList{State: "all"}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Data.(*action.QuestionListing).Questions
}

func TestABlockedHostIsRefusedAndAPersonIsAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.refuse("new.example", true)
		began := time.Now()
		f := h.goes(agent)
		if f == nil || f.Code != fault.BlockedDomain || !strings.Contains(f.Hint, "a person was asked whether to add new.example") || f.Details["approval"] == nil || time.Since(began) != 0 {
			t.Fatalf("after %s: %+v", time.Since(began), f)
		}
		q := h.waiting(t)
		if q.Verb != "session.allow" || q.Risk != action.Medium || q.Session != "s1" || q.Input != "new.example" || q.Actor != "bot" || q.Expires.Sub(q.Asked) != approval.DefaultTimeouts.Medium {
			t.Errorf("question %+v", q)
		}
		if again := h.goes(agent); again.Details["approval"] != q.ID || len(h.hostQuestions(t)) != 1 {
			t.Errorf("asked again: %+v", again)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true, ForSession: true}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("for the session: %v", err)
		}
		if err := h.answer(t, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(h.fakeSessions.done) != "[session.allow]" {
			t.Errorf("done %v", h.fakeSessions.done)
		}
		var story []string
		for _, r := range h.records(t) {
			if r.Action == "session.allow" {
				story = append(story, r.EventType+" "+r.Actor+" "+r.SessionID+" "+r.InputValue)
				if !strings.Contains(r.Detail, "question "+q.ID) {
					t.Errorf("record %+v", r)
				}
			}
		}
		if want := "[question bot s1  answer ann s1  intent ann s1 page new.example outcome ann s1 page new.example]"; fmt.Sprint(story) != want {
			t.Errorf("the trail holds %v, want %s", story, want)
		}
		if state := h.hostQuestions(t)[0].State; state != "used" {
			t.Errorf("the question is %s", state)
		}
		h.last(t)
	})
}

func TestADeniedHostIsNotAskedAgainButAnUnansweredOneIs(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		h.fakeSessions.refuse("new.example", true)
		h.goes(agent)
		<-time.After(approval.DefaultTimeouts.Medium + time.Second)
		h.goes(agent)
		if n := len(h.hostQuestions(t)); n != 2 {
			t.Fatalf("%d questions after one was not answered, want 2", n)
		}
		q := h.waiting(t)
		if err := h.answer(t, action.Answer{ID: q.ID}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			<-time.After(5 * time.Minute)
			if f := h.goes(agent); !strings.Contains(f.Hint, "said no to new.example") {
				t.Errorf("hint %q", f.Hint)
			}
		}
		if n := len(h.hostQuestions(t)); n != 2 || h.fakeSessions.count() != 0 {
			t.Errorf("%d questions, %d calls done after a denial", n, h.fakeSessions.count())
		}
	})
}

func TestQuestionsAboutHostsAreLimited(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		var all sync.WaitGroup
		for i := range 40 {
			h.fakeSessions.refuse(fmt.Sprintf("h%d.example", i), true)
			all.Go(func() { h.goes(agent) })
			if i%4 == 0 {
				synctest.Wait()
			}
		}
		all.Wait()
		if n := len(h.hostQuestions(t)); n != 5 {
			t.Errorf("%d questions, want 5", n)
		}
		if f := h.goes(agent); !strings.Contains(f.Hint, "no more until those are answered") {
			t.Errorf("hint %q", f.Hint)
		}
	})
}

func TestHostQuestionsOfPagesAreLimitedForTheWholeSession(t *testing.T) {
	inBubble(t, func(t *testing.T, h *testGate) {
		s := action.Session{ID: "s1", Scope: "acme", Actor: "bot", Box: "b1"}
		for range 2 {
			for i := range 7 {
				h.RequestHost(s, fmt.Sprintf("h%d.example", i))
			}
			if n := len(h.hostQuestions(t)); n != 5 {
				t.Errorf("%d questions, want 5", n)
			}
			<-time.After(approval.DefaultTimeouts.Medium + time.Minute) // they expire, and a page cannot ask again
		}
		h.fakeSessions.refuse("h9.example", true)
		if h.goes(agent); len(h.hostQuestions(t)) != 6 { // its agent can
			t.Errorf("%d questions, want the agent's too", len(h.hostQuestions(t)))
		}
		for _, r := range h.records(t) {
			if r.EventType == action.EventQuestion && (r.Action != "session.allow" || r.SessionID != "s1" || r.Scope != "acme" || r.HITLDecision != "pending" || r.Risk != "MEDIUM") {
				t.Errorf("record %+v", r)
			}
		}
	})
}

func TestAHostIsAskedAboutOnlyIfItHelpsAnAgent(t *testing.T) {
	h := open(t)
	h.fakeSessions.refuse("10.0.0.1", false)
	h.goes(agent)
	h.fakeSessions.refuse("new.example", true)
	if f := h.goes(operator); f.Code != fault.BlockedDomain {
		t.Errorf("an operator: %v", f)
	}
	h.goes(viewer)
	h.fakeSessions.mu.Lock()
	h.fakeSessions.lookErr = fault.New(fault.BlockedDomain, "a page of no address").Hinted("go elsewhere")
	h.fakeSessions.to = nil
	h.fakeSessions.mu.Unlock()
	h.goes(agent)
	if n := len(h.hostQuestions(t)); n != 0 {
		t.Errorf("%d questions", n)
	}
	h.fakeSessions.mu.Lock()
	h.fakeSessions.lookErr = nil
	h.fakeSessions.to = &action.Destination{URL: "https://app.example.com/", Host: "app.example.com", Site: "example.com", Allowed: true}
	h.fakeSessions.doErr = fault.New(fault.BlockedDomain, "it redirects").Hinted("go elsewhere").With("url", "https://there.example/")
	h.fakeSessions.wanted = map[string]string{"https://there.example/": "there.example"}
	h.fakeSessions.mu.Unlock()
	if f := h.goes(agent); !strings.Contains(f.Hint, "there.example") { // the redirect's target
		t.Errorf("a redirect: %+v", f)
	}
}

func TestAnAgentCannotAddAHostOrAnswerItsQuestion(t *testing.T) {
	h := open(t)
	h.fakeSessions.refuse("new.example", true)
	h.goes(agent)
	q := h.waiting(t)
	for _, call := range []action.Call{
		{Verb: "session.allow", Args: &action.AllowHost{Host: "new.example"}}, {Verb: "approval.answer", Args: &action.Answer{ID: q.ID, Approve: true}},
		{Verb: "session.pause", Args: &action.Hands{}}, {Verb: "session.resume", Args: &action.HandBack{}},
		{Verb: "session.take", Args: &action.Hands{}}, {Verb: "session.hand_back", Args: &action.HandBack{}},
	} {
		for _, who := range []action.Caller{agent, viewer} {
			call.Caller = who
			_, err := h.Call(t.Context(), call)
			wantCode(t, call.Verb, err, fault.DeniedByPolicy)
		}
	}
	if h.fakeSessions.count() != 0 {
		t.Errorf("done %v", h.fakeSessions.done)
	}
}

func TestAnApprovedHostThatCannotBeAddedIsReported(t *testing.T) {
	h := open(t)
	h.fakeSessions.refuse("new.example", true)
	h.goes(agent)
	h.fakeSessions.mu.Lock()
	h.fakeSessions.doErr = fault.New(fault.NotActive, "session s1 is closed").Hinted("start a new session")
	h.fakeSessions.mu.Unlock()
	result, err := h.Call(t.Context(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: h.waiting(t).ID, Approve: true}})
	if err != nil || len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "was not added: session s1 is closed") {
		t.Errorf("%v, notes %q", err, result.Notes)
	}
}

func TestHostQuestionsDoNotDisplaceOthers(t *testing.T) {
	h := open(t)
	for s := range 4 {
		for i := range 4 {
			h.RequestHost(action.Session{ID: fmt.Sprintf("s%d", s), Scope: "acme", Actor: "bot"}, fmt.Sprintf("h%d.example", i))
		}
	}
	if n := len(h.hostQuestions(t)); n != 10 {
		t.Errorf("%d questions of a scope, want 10", n)
	}
}
