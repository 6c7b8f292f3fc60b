package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// MarkCredentialed does the first step of an injection.
func (r *Registry) MarkCredentialed(ctx context.Context, id string) error {
	return r.sessions.withID(id).markCredentialed(ctx)
}

// Lookups are the look-ups of one session with credentials.
type Lookups struct{ session *openSession }

// NewLookups returns the look-ups of a new session.
func NewLookups() Lookups { return Lookups{credentialedSession()} }

func credentialedSession() *openSession {
	return &openSession{state: sessionState{credentialed: true}}
}

// Miss makes a look-up that finds nothing.
func (l Lookups) Miss() error {
	call := action.Call{Verb: "page.wait_for", Args: &action.WaitFor{}}
	if err := l.session.checkLookup(call); err != nil {
		return err
	}
	l.session.countMisses(call, action.Result{Data: &action.Waited{}}, nil)
	return nil
}

// Cost returns how many look-ups an answer costs an agent.
func Cost(verb string, args, data any, err error) int {
	sess := credentialedSession()
	sess.countMisses(action.Call{Verb: verb, Args: args}, action.Result{Data: data}, err)
	return sess.state.lookups.spent
}
