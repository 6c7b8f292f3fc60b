// Package gate is what every call of every surface goes through: it authorises the
// call, looks at the page, decides, records the intent, asks a person, does the
// call, records the outcome, and answers.
package gate

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/tasks"
)

// Sessions does the calls that the gate lets through. Look returns the facts of the
// live page and a pin. Do does the same call to the element that the pin names, or
// refuses with page_changed. TargetScreenshot keeps a screenshot of that element for
// operators.
type Sessions interface {
	Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error)
	Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error)
	Attach(ctx context.Context, call action.Call, pin action.Pin, onMessage func(action.Message)) (action.Attachment, error)
	TargetScreenshot(ctx context.Context, call action.Call, pin action.Pin) (artifact string, err error)
	// Pause pauses a session, by its id, and alerts people. Its agents are told code
	// and why. A session that is paused or taken over already stays as it is, and
	// the alert is recorded. Faults: session_not_found,
	// not_active.
	Pause(ctx context.Context, session, code, why string) error
	// QueueNotice adds words to a session's next answer to an agent, once. A session
	// that has ended answers nobody.
	QueueNotice(session, words string)
	// RequestableHost returns the host that a person could add to a session, so that
	// it may open an address; empty where no host would help.
	RequestableHost(session, address string) string
}

// Timeouts bound the time of a call to Sessions. Waiting for a person does not count.
type Timeouts struct {
	Action time.Duration // of a verb that gives none itself; browser.timeout_seconds
	Start  time.Duration // of starting, closing or archiving a session
}

// Options are what a gate is made of. Sessions must be given, and either Requests
// or Policy, Approvals, Audit and Log.
type Options struct {
	Sessions Sessions
	Requests *Requests // judges the requests of browsers; nil: the gate makes one of the fields up to Secrets

	Policy      *policy.Policy
	Approvals   *approval.Queue
	Audit       *audit.Log
	Log         *slog.Logger
	Credentials Credentials
	Secrets     *redact.SecretStore // the secrets of sessions: no answer and no record repeats them

	Tokens       Tokens   // of the verbs about them; those are refused when nil
	HostRequests bool     // people can be asked for hosts that a session may not reach; security.hitl.enabled
	Timeouts     Timeouts // 30 s and 90 s where zero

	// Notifies reports whether people are told of questions by another way than the
	// gateway's own, such as a webhook. nil: they are not.
	Notifies func() bool
}

// Gate lets calls through, or not. It is safe for concurrent use.
type Gate struct {
	*Requests
	sessions      Sessions
	tokens        Tokens
	timeouts      Timeouts
	subscribers   subscriberLimit
	hostRequests  bool
	hostRequestMu sync.Mutex // one host is asked about at a time, so that their number holds

	typed     scan.TypedTexts // into which elements, by agents
	attention attention       // whether people follow questions
	guesses   guesses         // at secrets, by agents

	refusals refusalCounter
	work     tasks.Group // calls to Sessions, also those that nobody waits for any more
}

// New makes a gate. Fault: internal when a part is missing.
func New(o Options) (*Gate, error) {
	if o.Requests == nil {
		var err error
		o.Requests, err = NewRequests(RequestsOptions{
			Policy: o.Policy, Approvals: o.Approvals, Audit: o.Audit, Log: o.Log, Credentials: o.Credentials, Secrets: o.Secrets,
		})
		if err != nil {
			return nil, err
		}
	}
	if o.Sessions == nil {
		return nil, fault.New(fault.Internal, "the gate lacks one of its parts")
	}
	g := &Gate{Requests: o.Requests, sessions: o.Sessions, tokens: o.Tokens, hostRequests: o.HostRequests, timeouts: o.Timeouts}
	g.refusals.record = g.recordRefusals
	g.attention.notifies = o.Notifies
	if g.timeouts.Action <= 0 {
		g.timeouts.Action = 30 * time.Second // as browser.timeout_seconds
	}
	if g.timeouts.Start <= 0 {
		g.timeouts.Start = 90 * time.Second // for the container, its readiness, and a first page
	}
	return g, nil
}

// Call lets one call through, or refuses it. Every call leaves one intent and one
// outcome in the audit trail. Where a question still waits after call.Wait, the
// result is Pending and nothing was done. The error is a *fault.Fault: besides
// those of Sessions, unknown_action, unauthenticated, invalid_request,
// missing_url, missing_selector, denied_by_policy, blocked_domain,
// credential_detected, approval_denied, approval_timeout, limit_reached, audit_unavailable,
// browser_action_timeout, redaction_failed, internal.
func (g *Gate) Call(ctx context.Context, call action.Call) (action.Result, error) {
	if !isID(call.ID) {
		call.ID = newID()
	}
	p := g.newInvocation(call)
	p.redactProgress()
	result, err := p.run(ctx)
	result, err = p.afterCall(ctx, result, err)
	return p.finish(result, p.resolveCancellation(ctx, result, err))
}

// Close waits until every call has ended, or until ctx ends. The surfaces must be
// closed before it.
func (g *Gate) Close(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends when the last call does, whose waits are bounded
		defer close(done)
		g.work.Wait()
	}()
	g.refusals.stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("calls are still in progress: %w", context.Cause(ctx))
	}
}

// isID reports whether a surface's correlation id may stand in records.
func isID(id string) bool {
	for _, r := range id {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

func newID() string { return randid.New("c", 8) }
