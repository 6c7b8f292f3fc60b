package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// causingFamilies are the families of verbs whose calls may cause requests.
var causingFamilies = map[string]bool{"page": true, "tab": true, "session": true, "browser": true}

// beginAct has the requests that the call may cause belong to it.
func (p *invocation) beginAct() {
	if p.verb.Class == action.Read || !causingFamilies[familyOf(p.call.Verb)] || p.verb.Inner {
		return
	}
	p.act = p.g.acts.begin(p)
	act := &action.Act{ID: p.act.id, Long: requestWindow}
	if p.verdict.Risk >= action.High {
		act.Long, act.All = highRequestWindow, p.verdict.Deferred
	}
	if p.call.Caller.Role == action.Agent && waitingVerbs[p.call.Verb] {
		act.Wait = p.call.Wait
		if act.Wait <= 0 {
			act.Wait = p.g.longestQuestion()
		}
		p.humanWait = act.Wait
	}
	p.call.Act = act
}

// waitingVerbs are the verbs that wait for what they caused.
var waitingVerbs = map[string]bool{
	"page.click": true, "page.press": true, "page.type": true, "page.select": true, "page.drag": true, "page.dialog": true, "page.upload": true,
}

// longestQuestion is how long a question may wait, with room for what is done
// about its answer.
func (g *Gate) longestQuestion() time.Duration {
	t := g.approvals.Timeouts()
	return max(t.Medium, t.High, t.Critical) + 5*time.Second
}

func familyOf(verb string) string {
	family, _, _ := strings.Cut(verb, ".")
	return family
}

// finishAct has an answer say what waits for a person, and ends the act.
func (p *invocation) finishAct(result action.Result, err error) (action.Result, error) {
	if p.act == nil {
		return result, err
	}
	p.act.end()
	for _, e := range result.Effects {
		p.act.noteEffect(e)
	}
	result.Effects = slices.DeleteFunc(result.Effects, func(e action.Effect) bool { return e.State == action.EffectHeld && err != nil })
	if q, waits := p.act.heldQuestion(result.Effects); waits && err == nil {
		result.Pending = pendingOf(q)
		result.Pending.Done = true
		result.Notes = append(result.Notes, p.g.unattendedNotes(p.call, q)...)
		p.approval = q.ID
		return result, nil
	}
	p.act.clearQuestion()
	if refused := p.act.refusalFault(); refused != nil && err == nil {
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

// clearQuestion notes that the agent knows what became of the question.
func (b *causingAct) clearQuestion() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.question = action.Question{}
}

// resumeAct answers a call that was made before: its act is not done again. It
// waits for the person who is asked about what the act would send.
func (p *invocation) resumeAct(ctx context.Context, b *causingAct) (action.Result, error) {
	p.facts.Session, p.pin = b.facts.Session, b.pin
	b.mu.Lock()
	waiting, q := b.decision, b.question
	b.mu.Unlock()
	result := action.Result{Session: b.facts.Session.ID}
	if waiting != nil {
		p.approval = q.ID
		wait := p.call.Wait
		if wait <= 0 {
			wait = p.g.longestQuestion()
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
	b.awaitAnswers(ctx)
	b.clearQuestion()
	if refused := b.refusalFault(); refused != nil {
		return result, refused
	}
	b.mu.Lock()
	result.Effects = slices.Clone(b.effects)
	b.mu.Unlock()
	result.Notes = append(result.Notes, "this was done when you called it before; it was not done again. Take a snapshot to see the page as it is now")
	return result, nil
}

// effectsText are the effects of an answer, for its record.
func effectsText(effects []action.Effect) string {
	words := ""
	for _, e := range effects {
		e.URL = maskURL(e.URL)
		words = join(words, e.String())
	}
	return untrusted.Record(words, maxRecordedURL)
}
