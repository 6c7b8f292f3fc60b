package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// MarkCredentialed does what putting credentials into a session's browser
// begins with.
func (r *Registry) MarkCredentialed(ctx context.Context, id string) error {
	return r.sessions.withID(id).markCredentialed(ctx)
}

// Lookups are those of one session with credentials.
type Lookups struct{ session *openSession }

// NewLookups are those of a session that has made none.
func NewLookups() Lookups { return Lookups{credentialedSession()} }

func credentialedSession() *openSession {
	return &openSession{state: sessionState{credentialed: true}}
}

// Miss makes one that finds nothing.
func (l Lookups) Miss() error {
	call := action.Call{Verb: "page.wait_for", Args: &action.WaitFor{}}
	if err := l.session.checkLookup(call); err != nil {
		return err
	}
	l.session.countMisses(call, action.Result{Data: &action.Waited{}}, nil)
	return nil
}

// Cost is what an answer costs an agent.
func Cost(verb string, args, data any, err error) int {
	sess := credentialedSession()
	sess.countMisses(action.Call{Verb: verb, Args: args}, action.Result{Data: data}, err)
	return sess.state.lookups.spent
}
