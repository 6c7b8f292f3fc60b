// Package webhook tells one address of questions and alerts, signed as Standard
// Webhooks (https://www.standardwebhooks.com) are. It follows the audit trail
// and keeps what is not delivered, so that a restart loses nothing: a message
// comes at least once, and those of one question in order.
package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const (
	attemptLimit = 10 * time.Second // of one attempt, from dialling to the status
	dialLimit    = 5 * time.Second
	mostHeader   = 16 << 10    // bytes of an answer's header; its body is not read
	together     = 8           // messages on their way at a time
	again        = time.Second // after the store or the trail failed
	leastKey     = 24          // bytes; the least that Standard Webhooks allows
)

// backoff is how long after each failure a message is tried again: five times
// within ten minutes, soon while a question waits.
var backoff = []time.Duration{5 * time.Second, 25 * time.Second, 90 * time.Second, 180 * time.Second, 300 * time.Second}

// Options are what a sender is made of. All but the last two are needed.
type Options struct {
	URL       string // where to; Address has found it good
	Secret    string // "whsec_" and base64 of 24 bytes at least
	DB        *store.DB
	Trail     *audit.Log
	Approvals *approval.Queue
	Log       *slog.Logger

	Backoff        []time.Duration // after each failure; five times within ten minutes when nil
	AttemptTimeout time.Duration   // longest time of one attempt; 10 s when 0
}

// Sender tells the address. Close it.
type Sender struct {
	url       string
	key       *standardwebhooks.Webhook
	db        *store.DB
	trail     *audit.Log
	approvals *approval.Queue
	log       *slog.Logger
	client    *http.Client
	backoff   []time.Duration

	wake chan struct{} // gets a value when a message was stored
	stop context.CancelFunc
	work sync.WaitGroup
}

// Open starts telling: from where the last sender over this store stopped, or
// else of what is yet to come. The fault is invalid_request for a secret that is
// none.
func Open(ctx context.Context, o Options) (*Sender, error) {
	if o.DB == nil || o.Trail == nil || o.Approvals == nil || o.Log == nil {
		return nil, fault.New(fault.Internal, "the webhook lacks one of its parts")
	}
	key, err := keyOf(o.Secret)
	if err != nil {
		return nil, err
	}
	s := &Sender{url: o.URL, key: key, db: o.DB, trail: o.Trail, approvals: o.Approvals, log: o.Log, backoff: o.Backoff, wake: make(chan struct{}, 1)}
	if s.backoff == nil {
		s.backoff = backoff
	}
	if o.AttemptTimeout <= 0 {
		o.AttemptTimeout = attemptLimit
	}
	s.client = clientOf(o.AttemptTimeout)
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.work.Go(func() { s.collect(ctx) })
	s.work.Go(func() { s.deliver(ctx) })
	return s, nil
}

// Close stops, within the time of one attempt. What was not delivered waits for
// the next sender.
func (s *Sender) Close() {
	s.stop()
	s.work.Wait()
	s.client.CloseIdleConnections()
}

// clientOf makes a client that follows nobody and uses no proxy.
func clientOf(attempt time.Duration) *http.Client {
	return &http.Client{
		Timeout: attempt,
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: dialLimit}).DialContext,
			TLSHandshakeTimeout:    dialLimit,
			MaxResponseHeaderBytes: mostHeader,
			MaxConnsPerHost:        together,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// begin sees that there is a place in the trail to go on from.
func (s *Sender) begin(ctx context.Context) error {
	newest, err := s.trail.Query(ctx, action.AuditQuery{}, "") // of no scope: the number alone
	if err == nil {
		_, err = s.db.Writer.ExecContext(ctx, `INSERT OR IGNORE INTO webhook (one, seq) VALUES (1, ?)`, newest.Last)
	}
	if err != nil {
		return fmt.Errorf("cannot begin the webhook: %w", err)
	}
	return nil
}

// Forget forgets where a webhook was, when none is configured any more: one
// that is configured later is not told of what happened in between.
func Forget(ctx context.Context, db *store.DB) error {
	for _, statement := range []string{`DELETE FROM webhook_messages`, `DELETE FROM webhook`} {
		if _, err := db.Writer.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("cannot forget the webhook: %w", err)
		}
	}
	return nil
}
