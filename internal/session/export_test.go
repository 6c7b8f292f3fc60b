package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// BecomeCredentialed does what putting credentials into a session's browser
// begins with.
func (r *Registry) BecomeCredentialed(ctx context.Context, id string) error {
	r.mu.Lock()
	l := r.live[id]
	r.mu.Unlock()
	return l.becomeCredentialed(ctx)
}

// Questions are those of one session with credentials.
type Questions struct{ l *live }

// NewQuestions are those of a session that has asked none.
func NewQuestions() Questions { return Questions{&live{credentialed: true}} }

// Miss asks one that is answered with no.
func (q Questions) Miss() error {
	call := action.Call{Verb: "page.wait_for", Args: &action.WaitFor{}}
	if err := q.l.mayAsk(call); err != nil {
		return err
	}
	q.l.heard(call, action.Result{Data: &action.Waited{}}, nil)
	return nil
}

// Cost is what an answer costs an agent.
func Cost(verb string, args, data any, err error) int {
	l := &live{credentialed: true}
	l.heard(action.Call{Verb: verb, Args: args}, action.Result{Data: data}, err)
	return l.questions.spent
}
