package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// delivery is a message that was not delivered yet.
type delivery struct {
	seq      int64
	name     string
	body     string
	attempts int
}

// deliver sends the messages that are due, until ctx ends.
func (s *Sender) deliver(ctx context.Context) {
	for ctx.Err() == nil {
		due, next, err := s.due(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.log.Error("the webhook cannot read its messages", "error", err)
			}
			sleep(ctx, retryDelay)
			continue
		}
		var on sync.WaitGroup
		for _, p := range due {
			on.Go(func() { s.attempt(ctx, p) })
		}
		on.Wait() // bounded: each attempt has a timeout
		if len(due) == 0 {
			s.waitForWork(ctx, next)
		}
	}
}

// waitForWork waits for a message to become due, or to be stored.
func (s *Sender) waitForWork(ctx context.Context, next time.Duration) {
	timer := time.NewTimer(next)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.wake:
	case <-ctx.Done():
	}
}

// oldest selects the messages that are the first of their question.
const oldest = `FROM webhook_messages m WHERE NOT EXISTS (SELECT 1 FROM webhook_messages e WHERE e.key = m.key AND e.seq < m.seq)`

// due reads the messages to send now or, where there are none, the time until the next.
func (s *Sender) due(ctx context.Context) (all []delivery, next time.Duration, err error) {
	now := time.Now().UnixMilli()
	rows, err := s.db.Reader.QueryContext(ctx, `SELECT seq, name, body, attempts `+oldest+` AND due <= ? ORDER BY seq LIMIT ?`, now, maxParallel)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p delivery
		if err := rows.Scan(&p.seq, &p.name, &p.body, &p.attempts); err != nil {
			return nil, 0, err
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil || len(all) > 0 {
		return all, 0, err
	}
	var at sql.NullInt64
	err = s.db.Reader.QueryRowContext(ctx, `SELECT min(due) `+oldest).Scan(&at)
	if !at.Valid {
		return nil, time.Hour, err // a new message wakes the sender before
	}
	return nil, max(0, time.UnixMilli(at.Int64).Sub(time.UnixMilli(now))), err
}

// attempt sends one message and stores the result.
func (s *Sender) attempt(ctx context.Context, p delivery) {
	failure := s.post(ctx, p)
	if ctx.Err() != nil {
		return // it is not known whether it was delivered: the next sender tries again
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	defer cancel()
	if err := s.recordResult(ctx, p, failure); err != nil {
		s.log.Error("the webhook cannot store what became of a message", "message", p.name, "error", err)
		sleep(ctx, retryDelay)
	}
}

func (s *Sender) recordResult(ctx context.Context, p delivery, failure error) error {
	now := time.Now()
	if failure == nil {
		return s.finish(ctx, p, `UPDATE webhook SET delivered = delivered + 1, problem = '', tried = ?`, now.UnixMilli())
	}
	why := failure.Error()
	if p.attempts >= len(s.backoff) {
		s.log.Error("the webhook gave a message up", "message", p.name, "attempts", p.attempts+1, "error", why)
		return s.finish(ctx, p, `UPDATE webhook SET given_up = given_up + 1, problem = ?, tried = ?`, why, now.UnixMilli())
	}
	wait := s.backoff[p.attempts]
	s.log.Warn("a webhook failed", "message", p.name, "attempt", p.attempts+1, "again", wait, "error", why)
	_, err := s.db.Writer.ExecContext(ctx, `UPDATE webhook_messages SET attempts = attempts + 1, due = ? WHERE seq = ?`, now.Add(wait).UnixMilli(), p.seq)
	if err == nil {
		_, err = s.db.Writer.ExecContext(ctx, `UPDATE webhook SET problem = ?, tried = ?`, why, now.UnixMilli())
	}
	return err
}

// finish removes a message and counts its result.
func (s *Sender) finish(ctx context.Context, p delivery, note string, args ...any) error {
	_, err := s.db.Writer.ExecContext(ctx, `DELETE FROM webhook_messages WHERE seq = ?`, p.seq)
	if err == nil {
		_, err = s.db.Writer.ExecContext(ctx, note, args...)
	}
	return err
}

// post makes one attempt. A status from 200 to 299 means that the message was delivered.
// The body of the response is not read. No error has the address, which may contain a
// secret.
func (s *Sender) post(ctx context.Context, p delivery) error {
	now := time.Now()
	signature, err := s.key.Sign(p.name, now, []byte(p.body))
	if err != nil {
		return fmt.Errorf("cannot sign: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(p.body))
	if err != nil {
		return errors.New("the address is none")
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "glovebox-webhook",
		"webhook-id": p.name, "webhook-timestamp": strconv.FormatInt(now.Unix(), 10), "webhook-signature": signature,
	} {
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the answer was %d", response.StatusCode)
	}
	return nil
}
