package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// becomeCredentialed narrows what agents may do in the session, for its life.
// Whoever puts credentials into its browser calls it right before, each time.
// From its return on nothing that is withheld from agents begins or goes on:
// calls in flight are cancelled, and agents' clients of the browser's protocol
// are put out.
func (l *live) becomeCredentialed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.credentialed = true
	for _, going := range []map[*context.CancelCauseFunc]action.Call{l.calls, l.wires} {
		for stop, call := range going {
			if err := l.withholds(call); err != nil {
				(*stop)(err)
			}
		}
	}
}

// isCredentialed reports whether credentials were put into the session, in this
// process or one before. mu must be held.
func (l *live) isCredentialed() bool { return l.credentialed || len(l.record.Credentialed) > 0 }

// withholds refuses what agents do not have in a session with credentials,
// whatever was decided of the call before it had them. mu must be held. Faults:
// denied_by_policy.
func (l *live) withholds(call action.Call) error {
	verb, known := action.Lookup(call.Verb)
	if !known || call.Caller.Role == action.Operator || !l.isCredentialed() {
		return nil
	}
	if verb = verb.As(call.Args); !verb.Withheld() {
		return nil
	}
	return fault.New(fault.DeniedByPolicy, "%s", action.WithheldWhy).Hinted("%s", verb.Instead()).With("rule", action.WithheldRule)
}

// begins is withholds for a call that is about to be done. Faults:
// denied_by_policy.
func (l *live) begins(call action.Call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.withholds(call)
}

// lookAtProfiles says of a call about saved user data whether the session that
// its caller uses holds credentials.
func (r *Registry) lookAtProfiles(call action.Call) action.Facts {
	l := r.find(call)
	return action.Facts{Session: action.SessionFacts{Credentialed: l != nil && l.facts().Credentialed}}
}
