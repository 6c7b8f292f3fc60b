package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

// asksForHelp is an agent's request for a person.
func asksForHelp(reason string) action.Call {
	return action.Call{Verb: "session.request_human", Caller: agent, Session: "s1", Args: &action.HumanRequest{Reason: reason}, Wait: 50 * time.Second}
}

// openQuestions returns the questions that wait for people.
func (h *testGate) openQuestions(t *testing.T) []action.Question {
	t.Helper()
	result, err := h.Call(t.Context(), action.Call{Verb: "approval.list", Caller: operator, Args: &action.ApprovalList{State: approval.Pending}})
	if err != nil {
		t.Fatal(err)
	}
	return result.Data.(*action.QuestionListing).Questions
}

// A request for a person is a question: whatever shows questions shows it, once, and its
// answer hands the session back with a note.
func TestARequestForAPersonIsAQuestion(t *testing.T) {
	for _, approve := range []bool{true, false} {
		h := open(t)
		for range 2 {
			if _, err := h.Call(t.Context(), asksForHelp("a code from the phone")); err != nil {
				t.Fatal(err)
			}
			h.fakeSessions.held = action.HelpWanted
		}
		all := h.openQuestions(t)
		if len(all) != 1 || all[0].Verb != "session.resume" || all[0].Session != "s1" || !strings.Contains(all[0].Why, "a code from the phone") ||
			!strings.Contains(all[0].Why, "glovebox session watch s1") {
			t.Fatalf("questions %+v", all)
		}
		answer := action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: all[0].ID, Approve: approve, Reason: "it is 1234"}}
		if result, err := h.Call(t.Context(), answer); err != nil || len(result.Notes) > 0 {
			t.Fatal(result.Notes, err)
		}
		last := h.fakeSessions.done[len(h.fakeSessions.done)-1]
		note, want := "", map[bool]string{true: "a person has done it: it is 1234", false: "a person said that nobody does it: it is 1234"}[approve]
		if a, is := h.fakeSessions.args.(*action.HandBack); is {
			note = a.Note
		}
		if last != "session.resume" || note != want {
			t.Errorf("%s with %q, want %q", last, note, want)
		}
		if len(h.openQuestions(t)) != 0 {
			t.Error("the question still waits")
		}
	}
}

// Nobody can help in a session that has ended.
func TestTheQuestionsOfASessionEndWithIt(t *testing.T) {
	h := open(t)
	if _, err := h.Call(t.Context(), asksForHelp("a code from the phone")); err != nil {
		t.Fatal(err)
	}
	if all := h.openQuestions(t); len(all) != 1 {
		t.Fatalf("questions %+v", all)
	}
	h.Over("s2")
	if all := h.openQuestions(t); len(all) != 1 {
		t.Errorf("the end of another session ended it: %+v", all)
	}
	h.Over("s1")
	if all := h.openQuestions(t); len(all) != 0 {
		t.Errorf("questions of a session that has ended: %+v", all)
	}
}

// A pause for another reason is not ended by an answer to the agent's words.
func TestAnAnswerToAnAgentEndsNoOtherPause(t *testing.T) {
	h := open(t)
	h.fakeSessions.held = string(fault.CredentialDetected)
	if _, err := h.Call(t.Context(), asksForHelp("please let me go on")); err != nil {
		t.Fatal(err)
	}
	if all := h.openQuestions(t); len(all) != 0 {
		t.Fatalf("asked %+v", all)
	}
	h.fakeSessions.held = ""
	if _, err := h.Call(t.Context(), asksForHelp("a captcha")); err != nil {
		t.Fatal(err)
	}
	q := h.openQuestions(t)[0]
	h.fakeSessions.held = string(fault.CredentialDetected) // before a person answers
	for _, approve := range []bool{true, false} {
		result, err := h.Call(t.Context(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: q.ID, Approve: approve}})
		if approve && (err != nil || len(result.Notes) != 1) {
			t.Errorf("%v, notes %q", err, result.Notes)
		}
		if slices.Contains(h.fakeSessions.done, "session.resume") {
			t.Fatal("the session was resumed")
		}
	}
}

// A person who hands the session back in another way has answered the question.
func TestHandingBackAnswersTheRequestForAPerson(t *testing.T) {
	for _, verb := range []string{"session.hand_back", "session.resume"} {
		h := open(t)
		if _, err := h.Call(t.Context(), asksForHelp("a captcha")); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Call(t.Context(), action.Call{Verb: verb, Caller: operator, Session: "s1", Args: &action.HandBack{}}); err != nil {
			t.Fatal(err)
		}
		if all := h.openQuestions(t); len(all) != 0 {
			t.Errorf("%s leaves %+v", verb, all)
		}
		if _, err := h.Call(t.Context(), asksForHelp("another one")); err != nil {
			t.Fatal(err)
		}
		if all := h.openQuestions(t); len(all) != 1 || !strings.Contains(all[0].Why, "another one") {
			t.Errorf("after %s: %+v", verb, all)
		}
	}
}

// Where nobody follows questions, an agent learns at once how its user helps. Asked again,
// it waits.
func TestAnAgentIsToldThatNobodyFollowsItsRequest(t *testing.T) {
	h := open(t)
	for _, want := range []time.Duration{2 * time.Second, 50 * time.Second} {
		result, err := h.Call(t.Context(), asksForHelp("a captcha"))
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, "glovebox session watch s1") {
			t.Errorf("notes %q", notes)
		}
		if got := h.fakeSessions.wait; got != want {
			t.Errorf("it waits for %v, want %v", got, want)
		}
	}
	h.openQuestions(t) // a person looks
	result, err := h.Call(t.Context(), asksForHelp("a captcha"))
	if err != nil || len(result.Notes) > 0 {
		t.Error(result.Notes, err)
	}
}
