package gate

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

const (
	allowVerb  = "session.allow"
	mostWishes = 5               // questions for new hosts that a session has open: an agent must not drown the others
	wishLimit  = 5 * time.Second // to put one, which no answer waits for
)

// wish has people asked whether a host may be added to the session, where an
// agent's call was refused for want of it. The refusal stands; it says that
// they were asked. Nothing else becomes of a wish that cannot be put.
func (p *passage) wish(ctx context.Context, err error) error {
	f := fault.From(err)
	if f == nil || f.Code != fault.BlockedDomain || !p.g.wishes || p.verb == nil || p.verb.Inner ||
		p.call.Caller.Role != action.Agent || p.facts.Session.ID == "" {
		return err
	}
	host := p.g.sessions.Wanted(p.facts.Session.ID, p.unreached(f))
	if host == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wishLimit)
	defer cancel()
	q, said, failed := p.g.wishFor(ctx, p, host)
	if failed != nil {
		p.g.log.Warn("a wish for a host could not be put to people", "id", p.call.ID, "host", host, "error", failed)
		return err
	}
	if q.ID != "" {
		f = f.With("approval", q.ID)
	}
	return f.Hinted("%s", said)
}

// unreached is the address that a call was refused: where it would have gone,
// or where the page then led.
func (p *passage) unreached(f *fault.Fault) string {
	if d := p.facts.Destination; d != nil && !d.Allowed {
		return d.URL
	}
	address, _ := f.Details["url"].(string)
	return address
}

// wishFor puts the question, unless it was put before, or too many wait. said
// is what the agent is told.
func (g *Gate) wishFor(ctx context.Context, p *passage, host string) (q action.Question, said string, err error) {
	g.wishing.Lock()
	defer g.wishing.Unlock()
	before, err := g.desk.About(ctx, p.facts.Session.ID, allowVerb)
	if err != nil {
		return q, "", err
	}
	old, open := recall(before, host)
	switch {
	case old.State == approval.Pending:
		return old, asked(host), nil
	case old.State == approval.Denied:
		return old, "a person said no to " + host + " for this session: go elsewhere, and do not ask again", nil
	case open >= mostWishes:
		return q, "go elsewhere: people are already asked about other hosts of this session, and are asked about no more until those are answered", nil
	case old.State == approval.Expired:
		_, _ = g.desk.Await(ctx, old.ID, 0) // heard: what nobody answered may be asked again
	}
	q, err = g.askFor(ctx, p, host)
	return q, asked(host), err
}

// recall finds what became of the wish for a host, the newest first and a no
// before all, and how many wishes wait.
func recall(before []action.Question, host string) (old action.Question, open int) {
	for _, q := range before {
		if q.State == approval.Pending {
			open++
		}
		if q.Input == host && (old.ID == "" || q.State == approval.Denied) {
			old = q
		}
	}
	return old, open
}

// askFor puts a wish to people and records that.
func (g *Gate) askFor(ctx context.Context, p *passage, host string) (action.Question, error) {
	actor := p.call.Caller.Actor
	q, fresh, err := g.desk.Ask(ctx, approval.Request{
		Subject: approval.Subject{Scope: p.call.Caller.Scope, Session: p.facts.Session.ID, Verb: allowVerb, Args: wished(host)},
		Actor:   actor, Risk: action.Medium, Rule: "navigation.blocked",
		Why:  actor + " wants to open a page of " + host + ", which this session may not: approving adds the host to the session",
		Page: action.Page{URL: maskURL(p.facts.Page.URL), Title: p.facts.Page.Title}, Input: host,
	})
	if err != nil || !fresh {
		return q, err
	}
	event := p.record()
	event.EventType, event.Action, event.HITLDecision, event.Detail = audit.Question, allowVerb, pending, "question "+q.ID+": add host "+host
	g.audit.Record(event)
	return q, nil
}

func asked(host string) string {
	return "a person was asked whether to add " + host + " to this session: go on with something else, and try it again when an answer's events say it was allowed"
}

func wished(host string) *action.AllowHost { return &action.AllowHost{Host: host, For: "page"} }

// followed is what follows from a call's own answer: a wish from a refusal, a
// new host from a yes to one.
func (p *passage) followed(ctx context.Context, result action.Result, err error) (action.Result, error) {
	if err != nil {
		return result, p.wish(ctx, err)
	}
	q, answered := result.Data.(*action.Question)
	if p.call.Verb != "approval.answer" || !answered || q.Verb != allowVerb || q.State != approval.Approved {
		return result, nil
	}
	if err := p.g.grant(ctx, p.call, *q); err != nil {
		f := fault.From(err)
		result.Notes = append(result.Notes, "the answer was kept, but the host was not added: "+f.Message+"; "+f.Hint)
	}
	return result, nil
}

// grant adds the host of a wish to its session, as a call of the person who
// approved it: it takes the same path and leaves the same records.
func (g *Gate) grant(ctx context.Context, by action.Call, q action.Question) error {
	used, err := g.desk.Await(ctx, q.ID, 0) // one answer, one use
	if err != nil {
		return err
	}
	call := action.Call{ID: newID(), Verb: allowVerb, Caller: by.Caller, Session: q.Session, Args: wished(used.Input), Surface: by.Surface}
	p := &passage{g: g, call: call, approval: q.ID, started: time.Now()}
	_, err = p.leave(p.guarded(ctx))
	return err
}
