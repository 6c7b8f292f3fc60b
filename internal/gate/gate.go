// Package gate handles every call of every surface: it authorises the call, looks
// at the page, decides, records the intent, asks a person, does the call, records
// the outcome, and answers.
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

// Sessions does the calls that the gate allows. Look returns the facts of the
// live page and a pin. Do does the same call to the pinned element, or refuses
// with page_changed. TargetScreenshot stores a screenshot of that element for
// operators.
type Sessions interface {
	Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error)
	Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error)
	// PageAct returns the call of a page verb that a call of mouse or keyboard
	// equals, and false for other calls.
	PageAct(ctx context.Context, call action.Call) (page action.Call, equals bool, err error)
	Attach(ctx context.Context, call action.Call, pin action.Pin, onMessage func(action.Message)) (action.Attachment, error)
	// Picture connects a viewer to the live picture of a session.
	Picture(ctx context.Context, call action.Call, pin action.Pin) (action.Picture, error)
	TargetScreenshot(ctx context.Context, call action.Call, pin action.Pin) (artifact string, err error)
	// Pause pauses a session, by its id, and alerts people. Its agents get code
	// and why. If the session is already paused or taken over, only the alert is
	// recorded. Faults: session_not_found, not_active.
	Pause(ctx context.Context, session, code, why string) error
	// QueueNotice adds words to a session's next answer to an agent, once. It
	// does nothing if the session has ended.
	QueueNotice(session, words string)
	// RequestableHost returns the host that a person could add to a session so
	// that it may open an address; empty if no host would help.
	RequestableHost(session, address string) string
}

// Timeouts are the time limits of calls to Sessions. Waiting for a person does
// not count.
type Timeouts struct {
	Action time.Duration // of a verb without its own limit; browser.timeout_seconds
	Start  time.Duration // of starting, closing or archiving a session
}

// Options configure a gate. Sessions must be given, and either Requests or
// Policy, Approvals, Audit and Log.
type Options struct {
	Sessions Sessions
	Requests *Requests // judges the requests of browsers; nil: the gate makes one from the fields up to Secrets

	Policy      *policy.Policy
	Approvals   *approval.Queue
	Audit       *audit.Log
	Log         *slog.Logger
	Credentials Credentials
	Secrets     *redact.SecretStore // the secrets of sessions, which are redacted in answers and records

	Sights       Sights   // keeps what agents saw, for replays; if nil, nothing is kept
	Tokens       Tokens   // manages tokens; if nil, the verbs about tokens are refused
	HostRequests bool     // people can be asked for hosts that a session may not reach; security.hitl.enabled
	Timeouts     Timeouts // 30 s and 90 s where zero

	// Notifies reports whether people are notified of questions in another way,
	// such as a webhook. nil: they are not.
	Notifies func() bool
}

// Gate checks and carries out calls. It is safe for concurrent use.
type Gate struct {
	*Requests
	sessions      Sessions
	tokens        Tokens
	sights        Sights
	timeouts      Timeouts
	subscribers   subscriberLimit
	hostRequests  bool
	hostRequestMu sync.Mutex // held while a host question is made, so that their limit is exact

	typed     scan.TypedTexts // the texts that agents typed, by element
	attention attention       // whether people follow questions
	guesses   guesses         // what agents sent, to detect guesses at secrets

	refusals refusalCounter
	work     tasks.Group // calls to Sessions, including cancelled ones that still run
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
	g := &Gate{Requests: o.Requests, sessions: o.Sessions, tokens: o.Tokens, sights: o.Sights, hostRequests: o.HostRequests, timeouts: o.Timeouts}
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

// Call checks a call and carries it out. Every call has one intent and one
// outcome in the audit trail. If a question still waits after call.Wait, the
// result is Pending and nothing was done. The error is a *fault.Fault: besides
// those of Sessions, unknown_action, unauthenticated, invalid_request,
// missing_url, missing_selector, denied_by_policy, blocked_domain,
// credential_detected, approval_denied, approval_timeout, limit_reached,
// audit_unavailable, browser_action_timeout, redaction_failed, internal.
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
	go func() { // ends with the last call, whose waits are bounded
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

// isID reports whether a surface's correlation id is valid in records.
func isID(id string) bool {
	for _, r := range id {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

func newID() string { return randid.New("c", 8) }
