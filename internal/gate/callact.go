package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// callAct is the act of one call, and the requests that it causes.
type callAct struct {
	c       *callInfo
	journal *journal

	causing *causingAct // nil where the call cannot cause requests
}

// causingFamilies are the families of verbs whose calls may cause requests.
var causingFamilies = map[string]bool{"page": true, "tab": true, "session": true, "browser": true}

// beginAct starts the act of the call. Requests that it may cause belong to the
// act.
func (a *callAct) beginAct() {
	if a.c.verb.Class == action.Read || !causingFamilies[familyOf(a.c.call.Verb)] || a.c.verb.Inner {
		return
	}
	a.causing = a.c.g.acts.begin(a.c, a.journal.hitl == approved)
	act := &action.Act{ID: a.causing.id, Long: a.causing.window}
	if a.c.call.Caller.Role == action.Agent && waitsForRequests(a.c.verb) {
		act.Wait = a.c.call.Wait
		if act.Wait <= 0 {
			act.Wait = a.c.g.longestQuestion()
		}
		act.Short, act.Attended = unattendedWait, func() bool { return a.c.g.attention.isAttended(a.c.call.Caller.Scope) }
		a.c.humanWait = act.Wait
	}
	a.c.call.Act = act
}

// waitsForRequests reports whether a call of the verb waits for the requests that
// it causes.
func waitsForRequests(v *action.Verb) bool { return v.Input || v.Name == action.VerbPageUpload.Name }

// longestQuestion is the longest time that a question may wait, plus some seconds
// for handling its answer.
func (g *Requests) longestQuestion() time.Duration {
	t := g.approvals.Timeouts()
	return max(t.Medium, t.High, t.Critical) + 5*time.Second
}

func familyOf(verb string) string {
	family, _, _ := strings.Cut(verb, ".")
	return family
}

// finishAct ends the act, and adds to the answer which question waits for a person.
func (a *callAct) finishAct(result action.Result, err error) (action.Result, error) {
	if a.causing == nil {
		return result, err
	}
	a.causing.end(result.Data)
	for _, e := range result.Effects {
		a.causing.noteEffect(e)
	}
	result.Effects = slices.DeleteFunc(result.Effects, func(e action.Effect) bool { return e.State == action.EffectHeld && err != nil })
	if q, waits := a.causing.heldQuestion(result.Effects); waits && err == nil {
		result.Pending = pendingOf(q)
		result.Pending.Done = true
		result.Notes = append(result.Notes, a.c.g.unattendedNotes(a.c.call, q)...)
		a.journal.approval = q.ID
		return result, nil
	}
	a.causing.clearQuestion()
	if refused := a.causing.refusalFault(); refused != nil && err == nil {
		return result, refused
	}
	return result, err
}

// heldQuestion returns the question about a request that waits for a person.
func (b *causingAct) heldQuestion(effects []action.Effect) (action.Question, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := slices.ContainsFunc(effects, func(e action.Effect) bool { return e.State == action.EffectHeld })
	return b.question, held && b.question.ID != "" && b.decision != nil
}

func (b *causingAct) isGivenUp() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.givenUp
}

// clearQuestion notes that the agent knows what became of the question.
func (b *causingAct) clearQuestion() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.question = action.Question{}
}

// earlier returns the act of an earlier, equal call in the same session that has a question
// whose answer the caller does not know yet; nil if there is none.
func (a *callAct) earlier(ctx context.Context) *causingAct {
	found := a.c.g.acts.untold(a.c.call)
	if len(found) == 0 {
		return nil
	}
	session := a.c.lookAtNow(ctx, action.VerbSessionShow.Name, &action.None{}).Session.ID
	at := slices.IndexFunc(found, func(b *causingAct) bool { return b.facts.Session.ID == session })
	if at < 0 {
		return nil
	}
	return found[at]
}

// resumeAct answers a call that was made before, without doing its act again. It
// waits for the answer to the question about the requests of the act. It returns
// errGivenUp if the page gave them up: then the call is made anew.
func (a *callAct) resumeAct(ctx context.Context, b *causingAct) (action.Result, error) {
	a.c.facts.Session, a.c.pin = b.facts.Session, b.pin
	b.mu.Lock()
	waiting, q := b.decision, b.question
	result := action.Result{Session: b.facts.Session.ID, Data: b.data}
	b.mu.Unlock()
	a.journal.approval = q.ID
	if waiting != nil {
		wait := a.c.call.Wait
		if wait <= 0 {
			wait = a.c.g.longestQuestion()
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-waiting.done:
		case <-timer.C:
			result.Pending = pendingOf(q)
			result.Pending.Done = true
			return result, nil
		case <-ctx.Done():
			return result, fault.New(fault.ApprovalTimeout, "the caller went away before a person answered").
				Hinted("make the same call again: the question still waits until it expires").Because(context.Cause(ctx))
		}
	}
	if b.isGivenUp() {
		a.journal.approval = ""
		return action.Result{}, errGivenUp
	}
	b.awaitAnswers(ctx)
	a.recordAnswer(ctx, q.ID)
	b.clearQuestion()
	if refused := b.refusalFault(); refused != nil {
		return result, refused
	}
	b.mu.Lock()
	result.Effects = slices.Clone(b.effects)
	b.mu.Unlock()
	result.Page = pageOf(a.c.lookAtNow(ctx, action.VerbPageSnapshot.Name, &action.TakeSnapshot{}))
	result.Notes = append(result.Notes, "this was done when you called it before; it was not done again. Take a snapshot to see the page as it is now")
	return result, nil
}

// recordAnswer adds to the record of the call what a person answered.
func (a *callAct) recordAnswer(ctx context.Context, id string) {
	q, err := a.c.g.approvals.Show(ctx, a.c.call.Caller.Scope, id)
	if err != nil {
		return // the answer itself is in the trail
	}
	a.journal.answeredBy = q.AnsweredBy
	if hitl, known := map[string]string{approval.Approved: approved, approval.Used: approved, approval.Denied: denied, approval.Expired: expired}[q.State]; known {
		a.journal.hitl = hitl
	}
}

// lookAtNow returns the facts for another verb in the session of the call; none where they
// cannot be known.
func (c *callInfo) lookAtNow(ctx context.Context, verb string, args any) action.Facts {
	call := action.Call{ID: c.call.ID, Session: c.call.Session, Connection: c.call.Connection, Caller: c.call.Caller, Verb: verb, Args: args, Peek: true}
	facts, err := withDeadline(ctx, c, func(ctx context.Context) (action.Facts, error) {
		facts, _, err := c.g.sessions.Look(ctx, call)
		return facts, err
	})
	if err != nil {
		return action.Facts{}
	}
	return facts
}

// effectsText describes the effects of an answer for its record.
func effectsText(effects []action.Effect) string {
	words := ""
	for _, e := range effects {
		e.URL = maskURL(e.URL)
		words = join(words, e.String())
	}
	return untrusted.Record(words, maxRecordedURL)
}
