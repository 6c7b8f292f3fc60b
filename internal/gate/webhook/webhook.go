// Package webhook sends questions and alerts to one address, signed as Standard Webhooks
// (https://www.standardwebhooks.com) are. It follows the audit trail and stores messages
// until they are delivered, so that a restart loses none: a message is delivered at least
// once, and the messages of one question in order.
package webhook

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
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
	attemptTimeout = 10 * time.Second // from dialling to the status
	dialTimeout    = 5 * time.Second
	maxHeader      = 16 << 10    // bytes of a response's header; its body is not read
	maxParallel    = 8           // attempts at a time
	retryDelay     = time.Second // after the store or the trail failed
	minKey         = 24          // bytes; the shortest that Standard Webhooks allows
)

// backoff is the wait after each failure of a message: five within ten minutes, the first
// ones short, while a question still waits.
var backoff = []time.Duration{5 * time.Second, 25 * time.Second, 90 * time.Second, 180 * time.Second, 300 * time.Second}

// Options are for Open. All but the last two are required.
type Options struct {
	URL       string
	Secret    string // "whsec_" and base64 of 24 bytes at least
	DB        *store.DB
	Trail     *audit.Log
	Approvals *approval.Queue
	Log       *slog.Logger

	Backoff        []time.Duration // after each failure; five times within ten minutes when nil
	AttemptTimeout time.Duration   // longest time of one attempt; 10 s when 0
}

// Sender delivers messages to the address. Close it.
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

// Open starts to deliver, from where the last sender over this store stopped; without one,
// from now on. Fault: invalid_request for an invalid secret.
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
		o.AttemptTimeout = attemptTimeout
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

// Close stops within the timeout of one attempt. The next sender delivers the messages that
// are left.
func (s *Sender) Close() {
	s.stop()
	s.work.Wait()
	s.client.CloseIdleConnections()
}

// clientOf makes a client that follows no redirects and uses no proxy.
func clientOf(attempt time.Duration) *http.Client {
	return &http.Client{
		Timeout: attempt,
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
			TLSHandshakeTimeout:    dialTimeout,
			MaxResponseHeaderBytes: maxHeader,
			MaxConnsPerHost:        maxParallel,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// begin stores the newest record as the position in the trail, if none is stored.
func (s *Sender) begin(ctx context.Context) error {
	newest, err := s.trail.Query(ctx, action.AuditQuery{}, "") // of no scope: only the newest number
	if err == nil {
		_, err = s.db.Writer.ExecContext(ctx, `INSERT OR IGNORE INTO webhook (one, seq) VALUES (1, ?)`, newest.Last)
	}
	if err != nil {
		return fmt.Errorf("cannot begin the webhook: %w", err)
	}
	return nil
}

// Forget removes the position of a webhook that is not configured any more. A webhook
// that is configured later gets no messages of the time in between.
func Forget(ctx context.Context, db *store.DB) error {
	for _, statement := range []string{`DELETE FROM webhook_messages`, `DELETE FROM webhook`} {
		if _, err := db.Writer.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("cannot forget the webhook: %w", err)
		}
	}
	return nil
}

// keyOf reads a secret. No error contains any of it.
func keyOf(secret string) (*standardwebhooks.Webhook, error) {
	wrong := fault.New(fault.InvalidRequest, "the webhook's secret is none").
		Hinted("put whsec_ and base64 of at least %d random bytes into the variable that security.hitl.webhook.secret_env names: echo whsec_$(openssl rand -base64 32)", minKey)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < minKey {
		return nil, wrong
	}
	w, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, wrong
	}
	return w, nil
}

// CheckSecret checks whether a secret can sign. Fault: invalid_request.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}

// Status is the number of deliveries, and the last problem.
type Status struct {
	Delivered int64
	GivenUp   int64
	Waiting   int64
	Problem   string    // of the last attempt; empty when it succeeded, or there was none
	Tried     time.Time // the time of the last attempt; zero when there was none
}

// Read returns the status of the deliveries; the zero Status where no webhook was ever
// configured.
func Read(ctx context.Context, db *store.DB) (Status, error) {
	var s Status
	var tried int64
	err := db.Reader.QueryRowContext(ctx, `SELECT delivered, given_up, problem, tried, (SELECT count(*) FROM webhook_messages) FROM webhook`).
		Scan(&s.Delivered, &s.GivenUp, &s.Problem, &tried, &s.Waiting)
	if errors.Is(err, sql.ErrNoRows) {
		return Status{}, nil
	}
	if tried > 0 {
		s.Tried = time.UnixMilli(tried)
	}
	return s, err
}
