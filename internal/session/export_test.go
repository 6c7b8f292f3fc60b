package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// BecomeCredentialed does what putting credentials into a session's browser
// begins with.
func (r *Registry) BecomeCredentialed(ctx context.Context, id string) error {
	r.mu.Lock()
	sess := r.live[id]
	r.mu.Unlock()
	return sess.markCredentialed(ctx)
}

// Questions are those of one session with credentials.
type Questions struct{ l *openSession }

// NewQuestions are those of a session that has asked none.
func NewQuestions() Questions { return Questions{&openSession{credentialed: true}} }

// Miss asks one that is answered with no.
func (q Questions) Miss() error {
	call := action.Call{Verb: "page.wait_for", Args: &action.WaitFor{}}
	if err := q.l.checkLookup(call); err != nil {
		return err
	}
	q.l.countMisses(call, action.Result{Data: &action.Waited{}}, nil)
	return nil
}

// Cost is what an answer costs an agent.
func Cost(verb string, args, data any, err error) int {
	sess := &openSession{credentialed: true}
	sess.countMisses(action.Call{Verb: verb, Args: args}, action.Result{Data: data}, err)
	return sess.lookups.spent
}
