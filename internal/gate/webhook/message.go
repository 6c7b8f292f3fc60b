package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxText    = 400 // characters of one text of a message
	maxAddress = 600 // characters of an address
)

// Message is the body of a webhook.
type Message struct {
	Type      string    `json:"type"` // question.asked, question.answered, question.expired or alert
	Timestamp time.Time `json:"timestamp"`
	Data      Data      `json:"data"`
}

// Data describes what happened, without what was typed. Its texts are sanitized.
type Data struct {
	Event      int64      `json:"event"` // number of the record in the audit trail
	Scope      string     `json:"scope"`
	Session    string     `json:"session,omitempty"`
	Live       string     `json:"live,omitempty"`     // path of the session's live page on the gateway
	Question   string     `json:"question,omitempty"` // id
	State      string     `json:"state,omitempty"`    // pending, approved, denied or expired
	Verb       string     `json:"verb,omitempty"`
	Risk       string     `json:"risk,omitempty"`
	Why        string     `json:"why,omitempty"`
	Element    string     `json:"element,omitempty"`
	Within     string     `json:"within,omitempty"`
	Page       string     `json:"page,omitempty"`    // its address
	Request    string     `json:"request,omitempty"` // method and address of the request that would leave the browser
	Cause      string     `json:"cause,omitempty"`   // what caused it
	Actor      string     `json:"actor,omitempty"`
	Expires    *time.Time `json:"expires,omitempty"`
	AnsweredBy string     `json:"answeredBy,omitempty"`
	Detail     string     `json:"detail,omitempty"`
}

// collect turns records into messages, until ctx ends.
func (s *Sender) collect(ctx context.Context) {
	for ctx.Err() == nil {
		var after int64
		err := s.db.Reader.QueryRowContext(ctx, `SELECT seq FROM webhook`).Scan(&after)
		if err == nil {
			err = s.trail.Follow(ctx, "", after, func(r action.Record) error { return s.storeMessage(ctx, r) })
		}
		if ctx.Err() == nil {
			s.log.Error("the webhook cannot read what happened", "error", err)
			sleep(ctx, retryDelay)
		}
	}
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// storeMessage stores the message of a record and the position in the trail, in one
// transaction.
func (s *Sender) storeMessage(ctx context.Context, r action.Record) error {
	name := messageType(r)
	if name == "" {
		return nil
	}
	body, err := json.Marshal(s.message(ctx, name, r))
	if err != nil {
		return fmt.Errorf("cannot write a message: %w", err)
	}
	tx, err := s.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot store a message: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO webhook_messages (seq, key, name, body, due) VALUES (?, ?, ?, ?, ?)`,
		r.Seq, cmp.Or(r.ApprovalID, fmt.Sprint("alert ", r.Seq)), messageID(r), string(body), time.Now().UnixMilli())
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE webhook SET seq = ?`, r.Seq)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return fmt.Errorf("cannot store a message: %w", err)
	}
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up waits already
	}
	return nil
}

// messageType is the type of the message of a record; empty for records without one.
func messageType(r action.Record) string {
	switch r.EventType {
	case action.EventAlert:
		return "alert"
	case action.EventQuestion:
		return "question.asked"
	case action.EventAnswer:
		if r.HITLDecision == approval.Expired {
			return "question.expired"
		}
		return "question.answered"
	}
	return ""
}

// messageID is the id of a message, the same for each attempt.
func messageID(r action.Record) string {
	return fmt.Sprintf("evt_%d_%s", r.Seq, r.Hash[:min(len(r.Hash), 16)])
}

func (s *Sender) message(ctx context.Context, name string, r action.Record) Message {
	text := func(t string) string { return untrusted.Record(t, maxText) }
	d := Data{
		Event: r.Seq, Scope: text(r.Scope), Session: text(r.SessionID), Question: text(r.ApprovalID), State: text(r.HITLDecision),
		Verb: text(r.Action), Risk: r.Risk, Element: text(r.TargetElement), Page: untrusted.Record(r.URL, maxAddress),
		Actor: text(r.Actor), AnsweredBy: text(r.AnsweredBy), Detail: text(r.Detail),
	}
	if r.SessionID != "" {
		d.Live = "/live/" + d.Session
	}
	if q, err := s.approvals.Show(ctx, r.Scope, r.ApprovalID); err == nil && r.ApprovalID != "" {
		d.Why, d.Within, d.Actor, d.Expires = text(q.Why), text(q.Within), text(q.Actor), &q.Expires
		if q.Request != nil {
			d.Request, d.Cause = untrusted.Record(q.Request.Method+" "+q.Request.URL, maxAddress), text(q.Request.Cause)
		}
		if d.Element == "" && q.Element != nil {
			d.Element = text(fmt.Sprintf("%s %q", cmp.Or(q.Element.Role, q.Element.Tag), cmp.Or(q.Element.Name, q.Element.Label)))
		}
	}
	return Message{Type: name, Timestamp: r.Timestamp, Data: d}
}
