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

// Ask puts a question to people, or returns the one that was already asked about the same
// call and still waits, or was answered and not yet used. fresh says that it is new. Call
// Await next. Faults: limit_reached when too many questions wait.
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
	d.wakeReporter()
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

// questionOf is the question of a request, as it is shown to people.
func questionOf(r Request, now time.Time, wait time.Duration) action.Question {
	now = now.UTC().Truncate(time.Millisecond)
	why := untrusted.Record(r.Why, 2*maxShown)
	if r.Risk == action.Critical {
		why += "; this operation is irreversible"
	}
	var together []action.Held
	for _, h := range r.Together {
		together = append(together, *sanitizeRequest(&h))
	}
	return action.Question{
		ID: newID(), State: Pending, Session: r.Subject.Session, Scope: r.Subject.Scope, Actor: r.Actor,
		Verb: r.Subject.Verb, Risk: r.Risk, Rule: r.Rule, Why: why,
		Element: sanitizeElement(r.Element),
		Page:    action.Page{URL: untrusted.Record(r.Page.URL, 2*maxShown), Title: untrusted.Record(r.Page.Title, maxShown)},
		Request: sanitizeRequest(r.Held), Requests: together,
		Input: untrusted.Record(r.Input, 2*maxShown), Within: untrusted.Record(r.Within, 2*maxShown), Asked: now, Expires: now.Add(wait),
	}
}

// execer is what *sql.DB and *sql.Tx have in common.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// expire marks the questions that have expired.
func expire(ctx context.Context, in execer, now time.Time) error {
	_, err := in.ExecContext(ctx, `UPDATE questions SET state = 'expired' WHERE state = 'pending' AND expires <= ?`, now.UnixMilli())
	return err
}

// scan reads a question from a row. The state is taken from its column, as the JSON of
// the row keeps the state at the time of asking.
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

// storeFault is the fault for an error of the store. A fault is returned as it is.
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

const maxShown = 200 // characters of a text of the page that people are shown

// sanitizeElement is a copy of e that is safe to show.
func sanitizeElement(e *action.Element) *action.Element {
	if e == nil {
		return nil
	}
	c := *e
	for _, text := range []*string{
		&c.Role, &c.Name, &c.Tag, &c.Type, &c.Autocomplete, &c.Ref, &c.Label, &c.FieldName, &c.Placeholder,
		&c.FrameURL, &c.LinkURL, &c.FormAction, &c.FormMethod, &c.SubmitName,
	} {
		*text = untrusted.Record(*text, maxShown)
	}
	return &c
}

// sanitizeRequest is a copy of h that is safe to show.
func sanitizeRequest(h *action.Held) *action.Held {
	if h == nil {
		return nil
	}
	out := *h
	out.Method, out.URL, out.Host = untrusted.Record(h.Method, maxShown), untrusted.Record(h.URL, 2*maxShown), untrusted.Record(h.Host, maxShown)
	out.From, out.Cause = untrusted.Record(h.From, 2*maxShown), untrusted.Record(h.Cause, 2*maxShown)
	out.Fields = make([]action.BodyField, 0, len(h.Fields))
	for _, f := range h.Fields {
		out.Fields = append(out.Fields, action.BodyField{Name: untrusted.Record(f.Name, maxShown), Value: untrusted.Record(f.Value, maxShown)})
	}
	return &out
}
