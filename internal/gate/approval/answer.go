package approval

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const maxReason = 1000 // characters; action.Answer.Reason

// Answer stores a person's answer to a question of their scope. Faults: denied_by_policy
// for anyone but an operator, not_found, not_active when it was answered before,
// approval_timeout when it has expired, invalid_request when a CRITICAL call is approved
// without a reason, or a grant is given for a call that no grant can cover.
func (d *Queue) Answer(ctx context.Context, by action.Caller, a action.Answer) (action.Question, error) {
	if by.Role != action.Operator {
		return action.Question{}, fault.New(fault.DeniedByPolicy, "only an operator answers questions").
			Hinted("use an operator's token")
	}
	tx, err := d.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return action.Question{}, storeFault(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	q, err := d.storeAnswer(ctx, tx, by, a)
	if err != nil {
		return action.Question{}, storeFault(err)
	}
	if err := tx.Commit(); err != nil {
		return action.Question{}, storeFault(err)
	}
	d.wake(q.ID)
	return q, nil
}

// storeAnswer checks and stores an answer.
func (d *Queue) storeAnswer(ctx context.Context, tx *sql.Tx, by action.Caller, a action.Answer) (action.Question, error) {
	now := d.now().UTC().Truncate(time.Millisecond)
	if err := expire(ctx, tx, now); err != nil {
		return action.Question{}, err
	}
	var host string
	q, err := scan(tx.QueryRowContext(ctx, `SELECT state, question FROM questions WHERE id = ? AND scope = ?`, a.ID, by.Scope))
	if errors.Is(err, sql.ErrNoRows) {
		return q, notFound()
	}
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT host FROM questions WHERE id = ?`, a.ID).Scan(&host)
	}
	if err != nil {
		return q, err
	}
	if err := checkAnswer(q, host, a); err != nil {
		return q, err
	}
	err = d.writeAnswer(ctx, tx, &q, host, by, a, now)
	return q, err
}

// writeAnswer stores an answer that was checked.
func (d *Queue) writeAnswer(ctx context.Context, tx *sql.Tx, q *action.Question, host string, by action.Caller, a action.Answer, now time.Time) error {
	q.State = Denied
	if a.Approve {
		q.State = Approved
	}
	q.Answered, q.AnsweredBy, q.Reason, q.Only = &now, by.Actor, untrusted.Record(strings.TrimSpace(a.Reason), maxReason), a.Only
	text, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("cannot encode a question: %w", err)
	}
	claimable := now.Add(q.Expires.Sub(q.Asked))
	_, err = tx.ExecContext(ctx, `UPDATE questions SET state = ?, question = ?, claimable = ?, noted = 1 WHERE id = ?`,
		q.State, string(text), claimable.UnixMilli(), q.ID)
	if err != nil || !a.Approve || !a.ForSession {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO grants (session, verb, host, question) VALUES (?, ?, ?, ?)`,
		q.Session, q.Verb, host, q.ID)
	return err
}

// checkAnswer says what is wrong with an answer.
func checkAnswer(q action.Question, host string, a action.Answer) error {
	switch q.State {
	case Pending:
	case Expired:
		return fault.New(fault.ApprovalTimeout, "the question expired at %s; silence denied it", q.Expires.Format(time.TimeOnly)).
			Hinted("nothing is left to answer: the agent asks anew when it tries again")
	default:
		return fault.New(fault.NotActive, "the question was already answered: %s", q.State).
			Hinted("an answer counts once and cannot be changed").With("state", q.State)
	}
	if !a.Approve {
		return nil
	}
	for _, n := range a.Only {
		if n < 1 || n > len(q.Requests) {
			return fault.New(fault.InvalidRequest, "the question is about %d requests, and has none with number %d", max(len(q.Requests), 1), n).
				Hinted("leave only out to approve all").With("field", "only")
		}
	}
	if q.Risk >= action.Critical && strings.TrimSpace(a.Reason) == "" {
		return fault.New(fault.InvalidRequest, "a CRITICAL call is approved with a reason").
			Hinted("say why, for the record").With("field", "reason")
	}
	if a.ForSession && (!Grantable(q.Verb, q.Risk) || q.Session == "" || host == "") {
		return fault.New(fault.InvalidRequest, "only a MEDIUM call on a page, or the typing of a site's secrets, can be allowed for the session").
			Hinted("approve this one call").With("field", "forSession")
	}
	return nil
}

// WithdrawAll ends the open questions of a session, as if their time were over.
func (d *Queue) WithdrawAll(ctx context.Context, session string) error {
	return d.withdraw(ctx, `session = ?`, session)
}

// Withdraw ends a question whose answer nobody needs any more, as if its time were over.
func (d *Queue) Withdraw(ctx context.Context, id string) error {
	return d.withdraw(ctx, `id = ?`, id)
}

// withdraw ends the open questions for which a condition holds.
func (d *Queue) withdraw(ctx context.Context, condition, value string) error {
	_, err := d.exec(ctx, `UPDATE questions SET expires = ? WHERE state = 'pending' AND `+condition, d.now().UnixMilli(), value)
	d.wakeReporter()
	return err
}
