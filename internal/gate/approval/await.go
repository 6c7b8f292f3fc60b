package approval

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Await waits for the answer to a question that Ask returned, until it
// expires, and no longer than wait where that is positive. A question in state
// used was approved, and its one use is the caller's; one in state pending
// still waits. Faults: approval_denied, approval_timeout, not_active when the
// approval's one use went to another call, not_found.
func (d *Queue) Await(ctx context.Context, id string, wait time.Duration) (action.Question, error) {
	answered, leave := d.subscribe(id) // before loading, so that an answer in between is not missed
	defer leave()
	q, err := d.load(ctx, id)
	if err != nil {
		return q, err
	}
	if q.State == Pending {
		if over := d.waitAnswer(ctx, answered, q.Expires, wait); over != nil {
			return q, over
		}
		if q, err = d.load(context.WithoutCancel(ctx), id); err != nil {
			return q, err
		}
	}
	return d.takeAnswer(context.WithoutCancel(ctx), q)
}

// waitAnswer waits for the answer, until the question expires, until the caller's own time
// is over, or until ctx ends; only the last is an error.
func (d *Queue) waitAnswer(ctx context.Context, answered <-chan struct{}, expires time.Time, wait time.Duration) error {
	left := expires.Sub(d.now())
	if wait > 0 {
		left = min(left, wait)
	}
	timer := time.NewTimer(max(left, 0))
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	case <-ctx.Done():
		return callerGone(context.Cause(ctx))
	}
	return nil
}

// callerGone is the fault for a caller that did not wait.
func callerGone(err error) *fault.Fault {
	return fault.New(fault.ApprovalTimeout, "the caller went away before a person answered").
		Hinted("make the same call again: the question still waits until it expires").Because(err)
}

// takeAnswer returns an answer to the call that it is for, once.
func (d *Queue) takeAnswer(ctx context.Context, q action.Question) (action.Question, error) {
	now := d.now().UnixMilli()
	switch q.State {
	case Pending:
		return q, nil
	case Approved:
		taken, err := d.exec(ctx, `UPDATE questions SET state = 'used', told = 1 WHERE id = ? AND state = 'approved' AND claimable >= ?`, q.ID, now)
		if err != nil {
			return q, err
		}
		if !taken {
			return q, fault.New(fault.NotActive, "approval %s was already used, or its time is over", q.ID).
				Hinted("make the call again to ask anew").With("approval", q.ID)
		}
		q.State = Used
		return q, nil
	case Denied:
		return q, d.markTold(ctx, q, deniedFault(q))
	case Expired:
		return q, d.markTold(ctx, q, expiredFault(q))
	}
	return q, fault.New(fault.NotActive, "approval %s was already used", q.ID).
		Hinted("make the call again to ask anew").With("approval", q.ID)
}

// markTold stores that the caller got a refusal: the next identical call asks anew.
func (d *Queue) markTold(ctx context.Context, q action.Question, refusal *fault.Fault) error {
	if _, err := d.exec(ctx, `UPDATE questions SET told = 1 WHERE id = ?`, q.ID); err != nil {
		return err
	}
	return refusal
}

func (d *Queue) exec(ctx context.Context, statement string, args ...any) (changed bool, err error) {
	done, err := d.db.Writer.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, storeFault(err)
	}
	n, err := done.RowsAffected()
	if err != nil {
		return false, storeFault(err)
	}
	return n > 0, nil
}

// load reads a question, and marks it as expired when it is.
func (d *Queue) load(ctx context.Context, id string) (action.Question, error) {
	if err := expire(ctx, d.db.Writer, d.now()); err != nil {
		return action.Question{}, storeFault(err)
	}
	q, err := scan(d.db.Reader.QueryRowContext(ctx, `SELECT state, question FROM questions WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return q, notFound()
	}
	if err != nil {
		return q, storeFault(err)
	}
	return q, nil
}

func notFound() error {
	return fault.New(fault.NotFound, "no such question").Hinted("list the questions that wait: glovebox approvals list")
}

func deniedFault(q action.Question) *fault.Fault {
	if q.AnsweredBy == "" { // denied at a restart, see Open
		return fault.New(fault.ApprovalDenied, "%s before a person answered", restarted).
			Hinted("make the call again to ask anew").With("approval", q.ID).With("rule", q.Rule)
	}
	f := fault.New(fault.ApprovalDenied, "a person said no").
		Hinted("do not try this again; find another way, or tell the user").With("approval", q.ID).With("rule", q.Rule)
	if q.Reason != "" {
		f = f.With("reason", q.Reason)
		f.Message = "a person said no: " + q.Reason
	}
	return f
}

func expiredFault(q action.Question) *fault.Fault {
	return fault.New(fault.ApprovalTimeout, "nobody answered within %s; silence denies", q.Expires.Sub(q.Asked)).
		Hinted("ask the user to watch for questions (glovebox approvals watch), then make the call again").
		With("approval", q.ID).With("rule", q.Rule)
}
