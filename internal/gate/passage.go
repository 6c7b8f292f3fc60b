package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
)

// passage is one call on its way through the gate.
type passage struct {
	g       *Gate
	policy  *policy.Policy // the whole way: one call is judged by one policy
	call    action.Call
	verb    *action.Verb // nil until it was found in the table
	started time.Time

	facts   action.Facts
	pin     action.Pin
	verdict policy.Verdict
	judged  bool // verdict is set

	credentials []scan.Finding  // in what the call sends
	untyped     int             // control characters and codes that were left out of what is typed
	guessed     []string        // sessions whose secrets it holds part of
	compared    *redact.Matcher // of the session, when it was compared

	begun      bool   // the intent is stored
	acts       bool   // it was let through, and did not only wait for its turn
	became     string // what became of it, where its caller gave it up
	hitl       string // what people had to do with it
	answeredBy string
	approval   string // id of the question

	deed     *deed         // what it may cause; nil where it cannot cause requests
	patience time.Duration // how much longer than an act it may take, for people
}

func (g *Gate) passage(call action.Call) *passage {
	return &passage{g: g, policy: g.policy.Load(), call: call, started: time.Now()}
}

// What people had to do with a call (SPEC section 10, hitl_decision).
const (
	autoApproved = "auto_approved"
	byOperator   = "operator"
	approved     = "approved"
	denied       = "denied"
	expired      = "expired"
	pending      = "pending"
)

// guarded walks the path. A panic becomes a fault, so that the call still
// leaves its outcome.
func (p *passage) guarded(ctx context.Context) (result action.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = action.Result{}, p.g.panicked(p.call, r)
		}
	}()
	return p.walk(ctx)
}

// walk is the path of SPEC section 8.
func (p *passage) walk(ctx context.Context) (action.Result, error) {
	if err := p.identify(ctx); err != nil {
		return action.Result{}, err
	}
	if b := p.g.deeds.waiting(p.call); b != nil {
		return p.resume(ctx, b)
	}
	own := ownVerbs[p.call.Verb]
	if err := p.examine(ctx, own == nil || ofSession[p.call.Verb]); err != nil {
		return action.Result{}, err
	}
	if err := p.decide(ctx); err != nil {
		return action.Result{}, err
	}
	if p.verb.Class != action.Read {
		if err := p.begin(); err != nil {
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
	return p.do(ctx)
}

// identify checks who asks for what, before anything is looked at.
func (p *passage) identify(ctx context.Context) error {
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
	if err := p.heldRefusal(); err != nil {
		return err
	}
	if err := p.checkArguments(); err != nil {
		p.inspect() // what is refused is recorded, too
		return p.orGuess(ctx, err)
	}
	p.verb = verb.As(p.call.Args)
	p.wants()
	if v, refused := p.policy.Admit(c, p.verb); refused {
		p.verdict, p.judged = v, true
		p.inspect()
		return p.orGuess(ctx, p.refusal())
	}
	return nil
}

// examine looks at the page, unless the verb is the gate's own, and refuses what
// must not reach it.
func (p *passage) examine(ctx context.Context, onPage bool) error {
	var unseen error
	if onPage {
		unseen = p.look(ctx)
	}
	p.inspect() // after the look: the page knows what a text is for
	if f := p.guessRefusal(ctx); f != nil {
		return f
	}
	if fault.CodeOf(unseen) == fault.SessionPaused {
		return unseen
	}
	if err := p.credentialRefusal(ctx); err != nil {
		return err
	}
	return unseen
}

// look takes the facts that the call is judged by.
func (p *passage) look(ctx context.Context) error {
	type seen struct {
		facts action.Facts
		pin   action.Pin
	}
	s, err := bounded(ctx, p, func(ctx context.Context) (seen, error) {
		facts, pin, err := p.g.sessions.Look(ctx, p.call)
		return seen{facts, pin}, err
	})
	p.facts, p.pin = s.facts, s.pin
	p.nameSecret()
	return err
}

// nameSecret has the call say whose secret was found: what is judged and asked
// about is what is typed, also where others are stored meanwhile.
func (p *passage) nameSecret() {
	if a, fills := p.call.Args.(*action.FillSecret); fills && p.facts.Secret != nil {
		named := *a
		named.Domain = p.facts.Secret.Domain
		p.call.Args = &named
	}
}

// decide asks the policy, and looks for a grant where it would have a person
// asked.
func (p *passage) decide(ctx context.Context) error {
	p.verdict, p.judged = p.policy.Decide(p.call, p.verb, p.facts), true
	p.askAboutCredentials()
	p.spareRepetition()
	p.spareChannel()
	if p.verdict.Decision == policy.Ask && approval.Grantable(p.call.Verb, p.verdict.Risk) {
		granted, err := p.g.desk.Granted(ctx, p.facts.Session.ID, p.call.Verb, p.verdict.Host)
		if err != nil {
			return err
		}
		if granted {
			p.verdict.Decision, p.verdict.Rule = policy.Allow, "grant"
			p.hitl = approved
		}
	}
	p.g.log.Info("judged", "id", p.call.ID, "verb", p.call.Verb, "actor", p.call.Caller.Actor, "session", p.facts.Session.ID,
		"decision", p.verdict.Decision.String(), "risk", p.verdict.Risk.String(), "rule", p.verdict.Rule)
	switch {
	case p.verdict.Decision == policy.Ask:
		p.hitl = pending
	case p.verdict.Decision != policy.Allow:
		return p.refusal()
	case p.call.Caller.Role == action.Operator:
		p.hitl = byOperator
	case p.hitl == "":
		p.hitl = autoApproved
	}
	return nil
}

// refusal is the fault for a verdict that denies.
func (p *passage) refusal() error {
	code := p.verdict.Code
	if code == "" {
		code = fault.DeniedByPolicy
	}
	f := fault.New(code, "%s", plain(p.verdict.Why)).Hinted("%s", p.verdict.Hint).
		With("rule", p.verdict.Rule).With("risk", p.verdict.Risk.String())
	if d := p.facts.Destination; code == fault.BlockedDomain && d != nil && p.call.OfRun {
		f = f.With("url", p.address(d.URL))
	}
	return f
}

// do lets the call through.
func (p *passage) do(ctx context.Context) (action.Result, error) {
	p.acts = ctx.Err() == nil
	p.follow()
	result, err := bounded(ctx, p, func(ctx context.Context) (action.Result, error) {
		return p.g.sessions.Do(ctx, p.call, p.pin)
	})
	p.acts = p.acts && !errors.Is(err, action.ErrNoTurn)
	if err == nil {
		p.remember()
		p.released()
	}
	result, err = p.effects(result, err)
	if p.untyped > 0 && err == nil {
		result.Notes = append(result.Notes, fmt.Sprintf("%d control characters or codes of a terminal were left out of the text: no keyboard writes them", p.untyped))
	}
	return conceal(p.call.Caller.Role, p.reported(result)), err
}

// panicked logs a panic and returns the fault that is shown for it.
func (g *Gate) panicked(call action.Call, reason any) error {
	g.log.Error("a call panicked", "id", call.ID, "verb", call.Verb, "reason", reason, "stack", string(debug.Stack()))
	return fault.New(fault.Internal, "something went wrong inside glovebox").
		Hinted("look for the correlation id in the gateway's log").With("correlationId", call.ID)
}

// label is how a verb is called in the message of a time-out.
func label(verb string) string { return strings.TrimPrefix(verb, "page.") }
