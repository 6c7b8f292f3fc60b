package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// callInfo is the information about one call: the caller, the verb and its
// arguments, the facts of the page, and the verdict.
type callInfo struct {
	g       *Gate
	policy  *policy.Policy // the policy in force when the call started
	call    action.Call
	verb    *action.Verb // nil until it was looked up
	facts   action.Facts
	pin     action.Pin
	verdict policy.Verdict
	judged  bool // verdict is set

	humanWait time.Duration // for people, in addition to the time of the act
	sensitive bool          // a text of the call contains a credential, so records repeat none
	picture   string        // a screenshot of the element before the act; empty if none was taken
	given     *action.Call  // the call of mouse or keyboard that this one is made in place of; nil: it is none
}

// invocation is one call that the gate handles. Its scan results, its records and
// its act have their own types.
type invocation struct {
	callInfo
	inspection inspection
	journal    journal
	act        callAct

	strippedControls int  // control characters that were removed from typed text
	maybeDone        bool // it was passed to Sessions, and did not only wait for its turn
}

// newInvocation starts a call under the policy in force.
func (g *Gate) newInvocation(call action.Call) *invocation {
	return g.invocationOf(callInfo{g: g, policy: g.policy.Load(), call: call})
}

// invocationOf starts a call with known information.
func (g *Gate) invocationOf(c callInfo) *invocation {
	p := &invocation{callInfo: c}
	p.inspection.c, p.inspection.journal = &p.callInfo, &p.journal
	p.journal.c, p.journal.started = &p.callInfo, time.Now()
	p.act.c, p.act.journal = &p.callInfo, &p.journal
	return p
}

// What people did about a call: the record's hitl_decision (docs/audit.md).
const (
	autoApproved = "auto_approved"
	byOperator   = "operator"
	approved     = "approved"
	denied       = "denied"
	expired      = "expired"
	pending      = "pending"
)

// run takes the call along its path (docs/architecture.md, "The path of one call"). A
// panic becomes a fault, so that the call still leaves its outcome.
func (p *invocation) run(ctx context.Context) (result action.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = action.Result{}, p.g.panicked(p.call, r)
		}
	}()
	if err := p.authorise(ctx); err != nil {
		return action.Result{}, err
	}
	if err := p.becomePageAct(ctx); err != nil {
		return action.Result{}, err
	}
	if b := p.act.earlier(ctx); b != nil {
		if result, err := p.act.resumeAct(ctx, b); !errors.Is(err, errGivenUp) {
			return result, err
		}
	}
	own := ownVerbs[p.call.Verb]
	if err := p.examine(ctx, own == nil || sessionVerbs[p.call.Verb]); err != nil {
		return action.Result{}, err
	}
	if err := p.decide(ctx); err != nil {
		return action.Result{}, err
	}
	if p.verb.Class != action.Read {
		if err := p.journal.recordIntent(); err != nil {
			return action.Result{}, err
		}
	}
	if p.verdict.Decision == policy.Ask {
		if result, waits, err := p.ask(ctx); err != nil || waits {
			return result, err
		}
	}
	if own != nil {
		return own(ctx, p)
	}
	notes, err := p.askForPerson(ctx)
	if err != nil {
		return action.Result{}, err
	}
	result, err = p.do(ctx)
	result.Notes = append(result.Notes, notes...)
	return p.asGiven(result), err
}

// authorise checks the caller and the arguments before any look at a page.
func (p *invocation) authorise(ctx context.Context) error {
	verb, found := action.Lookup(p.call.Verb)
	if !found {
		return fault.New(fault.UnknownAction, "there is no such verb").
			Hinted("see the table of verbs: /openapi.json, or the tools of the MCP server")
	}
	p.verb = verb
	c := p.call.Caller
	if c.Scope == "" || c.Actor == "" || c.Role == "" {
		return fault.New(fault.Unauthenticated, "the caller is not known").Hinted("send a valid token")
	}
	if err := p.inspection.heldFault(); err != nil {
		return err
	}
	if err := p.checkArguments(); err != nil {
		p.inspection.inspect() // refused calls are recorded too
		return p.inspection.guessFaultOr(ctx, err)
	}
	p.verb = verb.As(p.call.Args)
	p.dropUnavailableReport()
	if v, refused := p.policy.Admit(c, p.verb); refused {
		p.verdict, p.judged = v, true
		p.inspection.inspect()
		return p.inspection.guessFaultOr(ctx, p.refusal())
	}
	return nil
}

// examine looks at the page, unless the gate does the verb itself, and refuses calls
// with texts that must not reach it.
func (p *invocation) examine(ctx context.Context, onPage bool) error {
	var unseen error
	if onPage {
		unseen = p.look(ctx)
	}
	p.inspection.inspect() // after the look, which has the labels of fields
	if f := p.inspection.guessFault(ctx); f != nil {
		return f
	}
	if fault.CodeOf(unseen) == fault.SessionPaused {
		return unseen
	}
	if err := p.inspection.credentialFault(ctx); err != nil {
		return err
	}
	return unseen
}

// look gets the facts for the verdict.
func (p *invocation) look(ctx context.Context) error {
	type seen struct {
		facts action.Facts
		pin   action.Pin
	}
	s, err := withDeadline(ctx, &p.callInfo, func(ctx context.Context) (seen, error) {
		facts, pin, err := p.g.sessions.Look(ctx, p.call)
		return seen{facts, pin}, err
	})
	p.facts, p.pin = s.facts, s.pin
	p.nameSecret()
	return err
}

// nameSecret sets the found secret in the call, so that the same secret is
// judged, asked about and typed, even if others are stored meanwhile.
func (p *invocation) nameSecret() {
	if a, fills := p.call.Args.(*action.FillSecret); fills && p.facts.Secret != nil {
		named := *a
		named.Domain = p.facts.Secret.Domain
		p.call.Args = &named
	}
}

// decide asks the policy. If the verdict is ask, it first searches for a grant.
func (p *invocation) decide(ctx context.Context) error {
	p.verdict, p.judged = p.policy.Decide(p.call, p.verb, p.facts), true
	p.askAboutCredentials()
	p.allowConfirmation()
	p.deferOpenChannel()
	if p.verdict.Decision == policy.Ask && approval.Grantable(p.call.Verb, p.verdict.Risk) {
		granted, err := p.g.approvals.Granted(ctx, p.facts.Session.ID, p.call.Verb, p.verdict.Host)
		if err != nil {
			return err
		}
		if granted {
			p.verdict.Decision, p.verdict.Rule = policy.Allow, "grant"
			p.journal.hitl = approved
		}
	}
	p.g.log.Info("judged", "id", p.call.ID, "verb", p.call.Verb, "actor", p.call.Caller.Actor, "session", p.facts.Session.ID,
		"decision", p.verdict.Decision.String(), "risk", p.verdict.Risk.String(), "rule", p.verdict.Rule)
	switch {
	case p.verdict.Decision == policy.Ask:
		p.journal.hitl = pending
	case p.verdict.Decision != policy.Allow:
		p.inspection.forgetRefused()
		return p.refusal()
	case p.call.Caller.Role == action.Operator:
		p.journal.hitl = byOperator
	case p.journal.hitl == "":
		p.journal.hitl = autoApproved
	}
	return nil
}

// refusal is the fault of a denied call.
func (p *invocation) refusal() error {
	code := p.verdict.Code
	if code == "" {
		code = fault.DeniedByPolicy
	}
	f := fault.New(code, "%s", sanitizedFault(p.verdict.Why)).Hinted("%s", p.verdict.Hint).
		With("rule", p.verdict.Rule).With("risk", p.verdict.Risk.String())
	if d := p.facts.Destination; code == fault.BlockedDomain && d != nil && p.call.OfRun {
		f = f.With("url", p.recordedURL(d.URL))
	}
	return f
}

// do passes the call to Sessions.
func (p *invocation) do(ctx context.Context) (action.Result, error) {
	p.maybeDone = ctx.Err() == nil
	p.pictureBefore(ctx)
	p.act.beginAct()
	result, err := withDeadline(ctx, &p.callInfo, func(ctx context.Context) (action.Result, error) {
		return p.g.sessions.Do(ctx, p.call, p.pin)
	})
	p.maybeDone = p.maybeDone && !errors.Is(err, action.ErrNoTurn)
	if err == nil {
		p.inspection.rememberTyped()
		p.inspection.releaseHolds()
	}
	result, err = p.act.finishAct(result, err)
	if p.strippedControls > 0 && err == nil {
		result.Notes = append(result.Notes, fmt.Sprintf("%d control characters or codes of a terminal were left out of the text: no keyboard writes them", p.strippedControls))
	}
	return maskCookies(p.call.Caller.Role, p.filterChanges(result)), err
}

// panicked logs a panic and returns a fault for the caller.
func (g *Gate) panicked(call action.Call, reason any) error {
	g.log.Error("a call panicked", "id", call.ID, "verb", call.Verb, "reason", reason, "stack", string(debug.Stack()))
	return fault.New(fault.Internal, "something went wrong inside glovebox").
		Hinted("look for the correlation id in the gateway's log").With("correlationId", call.ID)
}

// verbLabel is the name of a verb in the message of a time-out.
func verbLabel(verb string) string { return strings.TrimPrefix(verb, "page.") }

// finish stores the outcome, together with the intent if that was not stored
// before, and returns the answer.
func (p *invocation) finish(result action.Result, err error) (action.Result, error) {
	var f *fault.Fault
	if err != nil {
		result, f = action.Result{}, fault.From(err)
		if f.Code == fault.Internal {
			p.g.log.Error("a call failed inside", "id", p.call.ID, "verb", sanitizedFault(p.call.Verb), "error", err)
		}
	}
	result, f = p.sealReplay(p.redactAnswer(result, f))
	lost := p.journal.recordOutcome(p.journal.outcome(result, f))
	switch {
	case lost != nil && f == nil && !p.journal.begun:
		return action.Result{}, lost // a read that could not be recorded is not answered
	case lost != nil:
		p.g.log.Error("the outcome of a call was not recorded", "id", p.call.ID, "verb", sanitizedFault(p.call.Verb), "error", lost)
		if f == nil {
			result.Notes = append(result.Notes, "this was done, but the audit trail could not store the outcome; nothing further will run until it can")
		}
	}
	if f != nil {
		return result, f
	}
	p.keepSight(result)
	return result, nil
}
