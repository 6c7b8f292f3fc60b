package approval

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const maxListed = 1000 // questions of one listing

// List lists the questions of a scope in one state (pending when empty, every
// one for "all"), oldest first. Of more than 1000 the newest are listed.
func (d *Queue) List(ctx context.Context, scope, state string) (action.QuestionListing, error) {
	out := action.QuestionListing{Questions: []action.Question{}}
	if state == "" {
		state = Pending
	}
	if err := expire(ctx, d.db.Writer, d.now()); err != nil {
		return out, storeFault(err)
	}
	rows, err := d.db.Reader.QueryContext(ctx, `SELECT state, question FROM
		(SELECT state, question, asked, id FROM questions WHERE scope = ? AND (state = ? OR ? = 'all') ORDER BY asked DESC, id DESC LIMIT ?)
		ORDER BY asked, id`, scope, state, state, maxListed)
	if err != nil {
		return out, storeFault(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		q, err := scan(rows)
		if err != nil {
			return out, storeFault(err)
		}
		out.Questions = append(out.Questions, q)
	}
	if err := rows.Err(); err != nil {
		return out, storeFault(err)
	}
	return out, nil
}

// Show returns a question of a scope. Fault: not_found, also for a question of another
// scope.
func (d *Queue) Show(ctx context.Context, scope, id string) (action.Question, error) {
	q, err := d.load(ctx, id)
	if err != nil {
		return action.Question{}, err
	}
	if q.Scope != scope {
		return action.Question{}, notFound()
	}
	return q, nil
}

// Status returns what the agent that asked may know of a question: its state and its times,
// not who answered nor what people are shown. Fault: not_found, also for a question of
// another scope.
func (d *Queue) Status(ctx context.Context, scope, id string) (action.Question, error) {
	q, err := d.Show(ctx, scope, id)
	if err != nil {
		return action.Question{}, err
	}
	return action.Question{
		ID: q.ID, State: q.State, Session: q.Session, Scope: q.Scope, Actor: q.Actor,
		Verb: q.Verb, Risk: q.Risk, Asked: q.Asked, Expires: q.Expires,
	}, nil
}

// ListByVerb lists the questions of a session about one verb, newest first, at most
// 1000.
func (d *Queue) ListByVerb(ctx context.Context, session, verb string) ([]action.Question, error) {
	if err := expire(ctx, d.db.Writer, d.now()); err != nil {
		return nil, storeFault(err)
	}
	rows, err := d.db.Reader.QueryContext(ctx, `SELECT state, question FROM questions WHERE session = ? AND verb = ?
		ORDER BY asked DESC, id DESC LIMIT ?`, session, verb, maxListed)
	if err != nil {
		return nil, storeFault(err)
	}
	defer func() { _ = rows.Close() }()
	var all []action.Question
	for rows.Next() {
		q, err := scan(rows)
		if err != nil {
			return nil, storeFault(err)
		}
		all = append(all, q)
	}
	if err := rows.Err(); err != nil {
		return nil, storeFault(err)
	}
	return all, nil
}
