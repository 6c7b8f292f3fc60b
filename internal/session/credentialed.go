package session

import (
	"context"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cancelLimit is how long cancelled calls of agents have to end.
const cancelLimit = 5 * time.Second

// markCredentialed restricts what agents may do in the session from now on. It is
// called before each injection of credentials; if it fails, none are injected.
// Calls that are withheld from agents cannot start any more, running ones are
// cancelled, and agents' DevTools clients are disconnected. It returns when they
// have ended. Faults: credentials_unavailable if they do not end.
func (o *openSession) markCredentialed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cancelLimit)
	defer cancel()
	for _, left := range o.cancelWithheld() {
		select {
		case <-left:
		case <-ctx.Done():
			return fault.New(fault.CredentialsUnavailable, "what an agent does in the session did not end, so it gets no credentials").
				Hinted("try again, or start a new session").Because(context.Cause(ctx))
		}
	}
	return nil
}

// cancelWithheld marks the session and cancels the calls that are withheld from
// agents. The channels are closed when the calls have ended.
func (o *openSession) cancelWithheld() (left []<-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.credentialed = true
	for _, all := range []map[*context.CancelCauseFunc]activity{o.state.calls, o.state.clientCalls} {
		for stop, g := range all {
			if err := o.state.checkWithheld(g.call); err != nil {
				(*stop)(err)
				left = append(left, g.done)
			}
		}
	}
	for stop, g := range o.state.viewers {
		if err := o.state.checkWithheld(g.call); err != nil {
			(*stop)(err) // it gets no picture from here on, whenever it leaves
		}
	}
	o.state.signalChange()
	return left
}

// isCredentialed reports whether credentials were put into the session, in this
// process or one before.
func (s *sessionState) isCredentialed() bool { return s.credentialed || len(s.record.Credentialed) > 0 }

// checkWithheld refuses the calls that agents may not make in a session with
// credentials, even if the call was allowed before. Faults: denied_by_policy.
func (s *sessionState) checkWithheld(call action.Call) error {
	verb, known := action.Lookup(call.Verb)
	if !known || !s.isCredentialed() {
		return nil
	}
	if verb = verb.As(call.Args); !verb.WithheldFrom(call.Caller.Role) {
		return nil
	}
	return fault.New(fault.DeniedByPolicy, "%s", action.WithheldWhy).Hinted("%s", verb.Instead()).With("rule", action.WithheldRule)
}

// withRights adds the caller's rights to ctx, for the page engine.
func withRights(ctx context.Context, call action.Call) context.Context {
	ctx = observe.Viewing(ctx, observe.Viewer{Actor: call.Caller.Actor, Surface: call.Surface}, call.Changes)
	if call.Caller.Role == action.Operator {
		return engine.Trusted(ctx)
	}
	return ctx
}

// secretsOfBox returns two functions for the page engine of a box: whether its
// session has credentials, and where its known secrets are in a text.
func (ca *credentialAccess) secretsOfBox(box string) (credentialed func() bool, secrets func(string) [][2]int) {
	credentialed = func() bool {
		sess := ca.sessions.byBox(box)
		return sess != nil && sess.facts().Credentialed
	}
	secrets = func(text string) (all [][2]int) {
		sess := ca.sessions.byBox(box)
		if sess == nil {
			return nil
		}
		for _, s := range ca.known.Of(sess.id).Find([]byte(text)) {
			all = append(all, [2]int{s.Start, s.End})
		}
		return all
	}
	return credentialed, secrets
}

// checkBegin is checkWithheld just before a call is done. Faults:
// denied_by_policy.
func (o *openSession) checkBegin(call action.Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.checkWithheld(call)
}

// lookAt returns, for a call about profiles, whether a session that its caller may
// use has credentials.
func (v *profileVerbs) lookAt(call action.Call) action.Facts {
	holds := func(sess *openSession) bool {
		return sess.scope == call.Caller.Scope && isOpen(sess.now().State) && sess.facts().Credentialed
	}
	return action.Facts{Session: action.SessionFacts{Credentialed: slices.ContainsFunc(v.sessions.all(), holds)}}
}
