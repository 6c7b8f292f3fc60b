package gate

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const (
	maxHostRequests     = 5               // questions for new hosts that a session has open: an agent must not drown the others
	maxWaitingQuestions = 10              // questions of the scope, of any kind, from which on no host is asked about: acts go first
	hostRequestLimit    = 5 * time.Second // to put one, which no answer waits for
)

// requestHost asks people whether a host may be added to the session, if an
// agent's call was refused because the session lacks it. The call stays refused.
// If the question could be made, the hint of the fault says that people were
// asked.
func (p *invocation) requestHost(ctx context.Context, err error) error {
	f := fault.From(err)
	if f == nil || f.Code != fault.BlockedDomain || !p.g.hostRequests || p.verb == nil || p.verb.Inner || p.call.OfRun || // a run asks itself
		p.call.Caller.Role != action.Agent || p.facts.Session.ID == "" {
		return err
	}
	host := p.g.sessions.RequestableHost(p.facts.Session.ID, p.blockedAddress(f))
	if host == "" {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hostRequestLimit)
	defer cancel()
	actor := p.call.Caller.Actor
	q, said, failed := p.g.requestHost(ctx, hostRequest{
		host: host, why: actor + " wants to open a page of " + host, session: p.facts.Session.ID,
		caller: p.call.Caller, page: p.facts.Page, event: p.journal.record(),
	})
	if failed != nil {
		p.g.log.Warn("people could not be asked about a host", "id", p.call.ID, "host", host, "error", failed)
		return err
	}
	if q.ID != "" {
		f = f.With("approval", q.ID)
	}
	return f.Hinted("%s", said)
}

// blockedAddress returns the address that the call may not open: its own, or the
// one that the page redirected to.
func (c *callInfo) blockedAddress(f *fault.Fault) string {
	if d := c.facts.Destination; d != nil && !d.Allowed {
		return d.URL
	}
	address, _ := f.Details["url"].(string)
	return address
}

// hostRequest is a question whether a host may be added to a session.
type hostRequest struct {
	host, why string
	session   string
	caller    action.Caller // on whose behalf; for a page's request, who started the session
	page      action.Page
	event     action.Record // the known fields of its record
	total     int           // limit of such questions of the session, open or not; 0 means none
}

// RequestHost asks people whether a host may be added to a session, because one
// of its pages was about to open it. At most five such hosts of a session are
// asked about. It may wait for the database.
func (g *Gate) RequestHost(session action.Session, host string) {
	if !g.hostRequests {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostRequestLimit) // belongs to no call
	defer cancel()
	w := hostRequest{
		host: host, why: "a page in a session of " + session.Actor + " was to open " + host, session: session.ID,
		caller: action.Caller{Actor: session.Actor, Scope: session.Scope},
		event:  action.Record{Actor: session.Actor, Scope: session.Scope, SessionID: session.ID, ContainerID: session.Box, Domain: host},
		total:  maxHostRequests,
	}
	if session.Page != nil {
		w.page = *session.Page
	}
	if _, _, err := g.requestHost(ctx, w); err != nil {
		g.log.Warn("people could not be asked about a host of a page", "session", session.ID, "host", host, "error", err)
	}
}

// requestHost makes the question, unless it was made before or too many wait.
// said is the hint for the agent.
func (g *Gate) requestHost(ctx context.Context, w hostRequest) (q action.Question, said string, err error) {
	g.hostRequestMu.Lock()
	defer g.hostRequestMu.Unlock()
	before, err := g.approvals.ListByVerb(ctx, w.session, action.VerbSessionAllow.Name)
	if err != nil {
		return q, "", err
	}
	old, open := earlierRequest(before, w.host)
	waiting, err := g.approvals.List(ctx, w.caller.Scope, approval.Pending)
	if err != nil {
		return q, "", err
	}
	switch {
	case old.State == approval.Pending:
		return old, askedHint(w.host), nil
	case old.State == approval.Denied:
		return old, "a person said no to " + w.host + " for this session: go elsewhere, and do not ask again", nil
	case open >= maxHostRequests, len(waiting.Questions) >= maxWaitingQuestions, w.total > 0 && len(before) >= w.total:
		return q, "go elsewhere: people are already asked about other hosts of this session, and are asked about no more until those are answered", nil
	case old.State == approval.Expired:
		_, _ = g.approvals.Await(ctx, old.ID, 0) // mark as read: an unanswered question may be asked again
	}
	q, err = g.askForHost(ctx, w)
	return q, askedHint(w.host), err
}

// earlierRequest returns an earlier question about a host: a denied one if there
// is one, otherwise the newest. open is how many such questions wait.
func earlierRequest(before []action.Question, host string) (old action.Question, open int) {
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

// askForHost asks people about a host, and records that.
func (g *Gate) askForHost(ctx context.Context, w hostRequest) (action.Question, error) {
	q, fresh, err := g.askQuestion(ctx, approval.Request{
		Subject: approval.Subject{Scope: w.caller.Scope, Session: w.session, Verb: action.VerbSessionAllow.Name, Args: allowHostArgs(w.host)},
		Actor:   w.caller.Actor, Risk: action.Medium, Rule: "navigation.blocked",
		Why:  w.why + ", which this session may not: approving adds the host to the session",
		Page: action.Page{URL: maskURL(w.page.URL), Title: w.page.Title}, Input: w.host,
	})
	if err != nil || !fresh {
		return q, err
	}
	event := w.event
	event.EventType, event.Action, event.Rule = action.EventQuestion, action.VerbSessionAllow.Name, q.Rule
	event.Risk, event.HITLDecision, event.Detail = q.Risk.String(), pending, "question "+q.ID+": add host "+w.host
	g.audit.Record(event)
	return q, nil
}

func askedHint(host string) string {
	return "a person was asked whether to add " + host + " to this session: go on with something else, and try it again when an answer's events say it was allowed"
}

func allowHostArgs(host string) *action.AllowHost { return &action.AllowHost{Host: host, For: "page"} }

// afterCall handles the consequences of a call's answer. After a refused host it
// asks people about the host. After a person's answer to such a question it adds the
// host or resumes the session.
func (p *invocation) afterCall(ctx context.Context, result action.Result, err error) (action.Result, error) {
	if err != nil {
		return result, p.requestHost(ctx, err)
	}
	p.endHelp(ctx)
	q, answered := result.Data.(*action.Question)
	if p.call.Verb != action.VerbApprovalAnswer.Name || !answered || q.State != approval.Approved && q.Rule != ruleHelp {
		return result, nil
	}
	failed := map[string]string{action.VerbSessionAllow.Name: "the host was not added", action.VerbSessionResume.Name: "the session does not go on by it"}[q.Verb]
	if failed == "" {
		return result, nil
	}
	if err := p.g.applyAnswer(ctx, p.call, *q); err != nil {
		f := fault.From(err)
		result.Notes = append(result.Notes, "the answer was kept, but "+failed+": "+f.Message+"; "+f.Hint)
	}
	return result, nil
}

// applyAnswer does what the gateway itself asked about: it adds a host to a
// session or resumes it, as a call of the person who approved. This call has the
// usual path and records.
func (g *Gate) applyAnswer(ctx context.Context, by action.Call, q action.Question) error {
	used, err := g.approvals.Await(ctx, q.ID, 0) // one answer, one use
	if err != nil && q.State == approval.Approved {
		return err
	}
	call := action.Call{ID: newID(), Verb: q.Verb, Caller: by.Caller, Session: q.Session, Args: allowHostArgs(used.Input), Surface: by.Surface}
	if q.Verb == action.VerbSessionResume.Name {
		call.Args = handsBack(q)
	}
	p := g.newInvocation(call)
	if err := p.checkHelp(ctx, q); err != nil {
		return err
	}
	p.journal.approval = q.ID
	_, err = p.finish(p.run(ctx))
	return err
}

// AskToResume asks people whether a session that is paused at a limit may go on. why
// says which limit. It may wait for the store.
func (g *Gate) AskToResume(session action.Session, why string) {
	if !g.hostRequests {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hostRequestLimit) // belongs to no call
	defer cancel()
	var page action.Page
	if session.Page != nil {
		page = action.Page{URL: maskURL(session.Page.URL), Title: session.Page.Title}
	}
	q, fresh, err := g.askQuestion(ctx, approval.Request{
		Subject: approval.Subject{Scope: session.Scope, Session: session.ID, Verb: action.VerbSessionResume.Name, Args: resumeArgs()},
		Actor:   session.Actor, Risk: action.Medium, Rule: "session.limit", Page: page,
		Why: "the session of " + session.Actor + " is paused at a limit (" + why + "): approving lets it go on for as much again",
	})
	if err != nil {
		g.log.Warn("people could not be asked whether a session may go on", "session", session.ID, "error", err)
		return
	}
	if fresh {
		g.audit.Record(action.Record{
			EventType: action.EventQuestion, Actor: session.Actor, Scope: session.Scope, SessionID: session.ID, ContainerID: session.Box,
			Action: action.VerbSessionResume.Name, Rule: q.Rule, Risk: q.Risk.String(), HITLDecision: pending, Detail: "question " + q.ID + ": " + why,
		})
	}
}

func resumeArgs() *action.HandBack { return &action.HandBack{Note: "it may go on"} }
