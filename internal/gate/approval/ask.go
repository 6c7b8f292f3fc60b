package approval

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Ask puts a question to people, or finds the one that was already asked about
// the same call: still waiting, or answered and not yet picked up. fresh says
// that it is new. Await it next. Faults: limit_reached when too many wait.
func (d *Queue) Ask(ctx context.Context, r Request) (q action.Question, fresh bool, err error) {
	binding, err := r.Subject.binding()
	if err != nil {
		return q, false, err
	}
	tx, err := d.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return q, false, storeFault(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	now := d.now()
	if err := expire(ctx, tx, now); err != nil {
		return q, false, storeFault(err)
	}
	q, err = scan(tx.QueryRowContext(ctx, `SELECT state, question FROM questions
		WHERE binding = ? AND (state = 'pending' OR told = 0 AND claimable >= ? AND state IN ('approved', 'denied', 'expired'))
		ORDER BY asked DESC LIMIT 1`, binding, now.UnixMilli()))
	if errors.Is(err, sql.ErrNoRows) {
		fresh = true
		q, err = d.insert(ctx, tx, r, binding, now)
	}
	if err != nil {
		return q, false, storeFault(err)
	}
	if err := tx.Commit(); err != nil {
		return q, false, storeFault(err)
	}
	select {
	case d.newQuestion <- struct{}{}:
	default: // a wake-up waits already
	}
	return q, fresh, nil
}

// insert stores a new question.
func (d *Queue) insert(ctx context.Context, tx *sql.Tx, r Request, binding string, now time.Time) (action.Question, error) {
	var pending int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM questions WHERE scope = ? AND state = 'pending'`, r.Subject.Scope).Scan(&pending)
	if err != nil {
		return action.Question{}, err
	}
	if pending >= maxPending {
		return action.Question{}, fault.New(fault.LimitReached, "%d questions of this scope already wait for a person", pending).
			Hinted("wait until some are answered or expire").With("limit", "questions").With("max", maxPending)
	}
	q := questionOf(r, now, d.Timeouts().of(r.Risk))
	q.Input = untrusted.Record(r.Input, maxShownInput)
	text, err := json.Marshal(q)
	if err != nil {
		return q, fmt.Errorf("cannot encode a question: %w", err)
	}
	wait := q.Expires.Sub(q.Asked)
	_, err = tx.ExecContext(ctx, `INSERT INTO questions (id, scope, session, verb, host, risk, binding, state, asked, expires, claimable, question)
		VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
		q.ID, q.Scope, q.Session, q.Verb, r.Host, q.Risk.String(), binding,
		now.UnixMilli(), q.Expires.UnixMilli(), q.Expires.Add(wait).UnixMilli(), string(text))
	return q, err
}

// questionOf is a request as people are shown it.
func questionOf(r Request, now time.Time, wait time.Duration) action.Question {
	now = now.UTC().Truncate(time.Millisecond)
	why := untrusted.Record(r.Why, 2*maxShown)
	if r.Risk == action.Critical {
		why += "; this operation is irreversible"
	}
	return action.Question{
		ID: newID(), State: Pending, Session: r.Subject.Session, Scope: r.Subject.Scope, Actor: r.Actor,
		Verb: r.Subject.Verb, Risk: r.Risk, Rule: r.Rule, Why: why,
		Element: sanitizeElement(r.Element),
		Page:    action.Page{URL: untrusted.Record(r.Page.URL, 2*maxShown), Title: untrusted.Record(r.Page.Title, maxShown)},
		Request: sanitizeRequest(r.Held),
		Input:   untrusted.Record(r.Input, 2*maxShown), Within: untrusted.Record(r.Within, 2*maxShown), Asked: now, Expires: now.Add(wait),
	}
}

// execer is what *sql.DB and *sql.Tx have in common.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// expire marks the questions whose time is over.
func expire(ctx context.Context, in execer, now time.Time) error {
	_, err := in.ExecContext(ctx, `UPDATE questions SET state = 'expired' WHERE state = 'pending' AND expires <= ?`, now.UnixMilli())
	return err
}

// scan reads a question. The state of its row counts, not that of its text.
func scan(from interface{ Scan(...any) error }) (action.Question, error) {
	var q action.Question
	var state, text string
	if err := from.Scan(&state, &text); err != nil {
		return q, err
	}
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return q, fmt.Errorf("cannot read a question: %w", err)
	}
	q.State = state
	return q, nil
}

// storeFault is the fault of a store that fails; faults pass.
func storeFault(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return callerGone(err)
	}
	return fault.New(fault.Internal, "the approval queue cannot use its store").
		Hinted("make room on the gateway's disk and check that its state folder can be written").Because(err)
}
