package gate

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// ruleHelp is the rule of a question whether a person takes a session over.
const ruleHelp = "session.help"

// askForPerson asks people to take the session over before an agent waits for that. It is
// a question like others, so that it is shown wherever questions are. Approved it hands
// the session back, and denied as well, with another note. notes are for the agent when
// nobody follows questions: it waits only for a short time then, to tell its user, and as
// long as it likes when it asks again. In a session that is paused for another reason the
// agent only waits: an answer to its words must not end that pause.
func (p *invocation) askForPerson(ctx context.Context) (notes []string, err error) {
	if p.call.Verb != action.VerbSessionRequestHuman.Name || p.facts.Session.Held != "" && p.facts.Session.Held != action.HelpWanted {
		return nil, nil
	}
	q, fresh, err := p.helpQuestion(ctx)
	if err != nil || p.call.Caller.Role != action.Agent || p.g.attention.isAttended(p.call.Caller.Scope) {
		return nil, err
	}
	if fresh && p.call.Wait > unattendedWait {
		p.call.Wait = unattendedWait
	}
	return []string{"nobody follows questions now: tell your user to run `glovebox approvals watch`, or `glovebox session watch " + q.Session +
		"`, which prints the address at which the session is watched and taken over"}, nil
}

// helpQuestion puts the question, or returns the one that waits.
func (p *invocation) helpQuestion(ctx context.Context) (q action.Question, fresh bool, err error) {
	ask := func() (action.Question, bool, error) {
		return p.g.askQuestion(ctx, approval.Request{
			Subject: approval.Subject{Scope: p.call.Caller.Scope, Session: p.facts.Session.ID, Verb: action.VerbSessionResume.Name, Args: &action.HandBack{Note: ruleHelp}},
			Actor:   p.call.Caller.Actor, Risk: action.Medium, Rule: ruleHelp,
			Why: p.call.Caller.Actor + " asks for a person: " + p.inputText() + ". Open the live view (glovebox session watch " + p.facts.Session.ID +
				") and do it there; approving hands the session back then, and denying says that nobody does it",
			Page: action.Page{URL: p.g.shownURL(p.facts.Page.URL), Title: p.facts.Page.Title},
		})
	}
	q, fresh, err = ask()
	if err == nil && q.State != approval.Pending { // it expired, or nobody used its answer: the person is asked anew
		_, _ = p.g.approvals.Await(ctx, q.ID, 0)
		q, fresh, err = ask()
	}
	if err == nil && fresh {
		event := p.journal.record()
		event.EventType, event.HITLDecision, event.ApprovalID, event.Detail = action.EventQuestion, pending, q.ID, "question "+q.ID
		event.Action, event.Rule, event.Risk = q.Verb, q.Rule, q.Risk.String()
		p.g.audit.Record(event)
	}
	return q, fresh, err
}

// checkHelp refuses to hand a session back, by the answer to a question, if the session is
// not paused for help any more.
func (p *invocation) checkHelp(ctx context.Context, q action.Question) error {
	if q.Rule != ruleHelp || p.lookAtNow(ctx, action.VerbSessionShow.Name, &action.None{}).Session.Held == action.HelpWanted {
		return nil
	}
	return fault.New(fault.NotActive, "it does not wait for a person's help now").
		Hinted("see why with session.show; session.resume or session.hand_back end a pause")
}

// handsBack returns the note with which an answer hands a session back.
func handsBack(q action.Question) *action.HandBack {
	if q.Rule != ruleHelp {
		return resumeArgs()
	}
	note := "a person has done it"
	if q.State == approval.Denied {
		note = "a person said that nobody does it"
	}
	if q.Reason != "" {
		note += ": " + q.Reason
	}
	return &action.HandBack{Note: untrusted.Shorten(note, maxNote)}
}

const maxNote = 500 // action.HandBack.Note

// endHelp answers the open question for a person of a session that a person handed back in
// another way.
func (p *invocation) endHelp(ctx context.Context) {
	resumes := p.call.Verb == action.VerbSessionResume.Name || p.call.Verb == action.VerbSessionHandBack.Name
	if !resumes || p.journal.approval != "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hostRequestLimit)
	defer cancel()
	asked, err := p.g.approvals.ListByVerb(ctx, p.facts.Session.ID, action.VerbSessionResume.Name)
	for _, q := range asked {
		if err != nil || q.State != approval.Pending {
			continue
		}
		q, err = p.g.approvals.Answer(ctx, p.call.Caller, action.Answer{ID: q.ID, Approve: true, Reason: "the session was handed back"})
		if err == nil {
			p.recordAnswer(q, "")
			_, err = p.g.approvals.Await(ctx, q.ID, 0) // it is used
		}
	}
	if err != nil {
		p.g.log.Warn("a question for a person stays open", "session", p.facts.Session.ID, "error", err)
	}
}
