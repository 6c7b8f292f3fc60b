package gate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	recordInterval    = time.Second // between two records of the same method
	maxMethods        = 64          // counted apart in that time; the rest together
	maxListedRefusals = 20          // recorded singly in that time; the rest are counted
	otherMethods      = "other methods"
	otherRefusals     = "more calls"
	maxRefusalText    = 200 // characters
)

// Attach connects a client of the DevTools protocol, or refuses it, on the same
// path as Call, with an intent and an outcome. The client's calls are recorded
// every second, by method. If these records cannot be stored, the client is
// disconnected. The faults are those of Call.
func (g *Gate) Attach(ctx context.Context, call action.Call) (action.Attachment, error) {
	call.Verb, call.Args = action.VerbCDPAttach.Name, &action.None{}
	if !isID(call.ID) {
		call.ID = newID()
	}
	p := g.newInvocation(call)
	a := &cdpClient{g: g, started: p.journal.started, counts: map[string]int{}}
	err := p.admitConnection(ctx, func() (err error) {
		a.inner, err = connect(ctx, p, func(ctx context.Context, call action.Call, pin action.Pin) (action.Attachment, error) {
			return g.sessions.Attach(ctx, call, pin, a.onMessage)
		})
		return err
	})
	if _, err := p.finish(action.Result{Session: p.facts.Session.ID}, err); err != nil {
		if a.inner != nil {
			a.inner.Close()
		}
		return nil, err
	}
	a.base = p.journal.record()
	a.base.EventType = action.EventProtocol
	return a, nil
}

// admitConnection takes a client or a viewer through the steps of a call and connects
// it at the end. A panic becomes a fault.
func (p *invocation) admitConnection(ctx context.Context, connect func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = p.g.panicked(p.call, r)
		}
	}()
	if err := p.authorise(ctx); err != nil {
		return err
	}
	if err := p.examine(ctx, true); err != nil {
		return err
	}
	if err := p.decide(ctx); err != nil {
		return err
	}
	if err := p.journal.recordIntent(); err != nil {
		return err
	}
	if p.verdict.Decision != policy.Allow {
		if err := p.askClient(ctx); err != nil {
			return err
		}
	}
	return connect()
}

// connect makes a connection to a session by the deadline of the call. One that is
// made too late is closed.
func connect[T interface{ Close() }](ctx context.Context, p *invocation, open func(context.Context, action.Call, action.Pin) (T, error)) (T, error) {
	return withDeadline(ctx, &p.callInfo, func(ctx context.Context) (T, error) {
		made, err := open(ctx, p.call, p.pin)
		if err == nil && ctx.Err() != nil { // the client is gone
			made.Close()
			return *new(T), ctx.Err()
		}
		return made, err
	})
}

// clientWait is how long a client's connection waits for a person's answer. Known
// clients time out after 30 s.
const clientWait = 20 * time.Second

// askClient asks a person about a client. If the answer takes longer than
// clientWait, the client must connect again. Faults: approval_timeout, which
// names the question, and those of an answer.
func (p *invocation) askClient(ctx context.Context) error {
	if p.call.Wait <= 0 || p.call.Wait > clientWait {
		p.call.Wait = clientWait
	}
	_, waits, err := p.ask(ctx)
	if err == nil && waits {
		return fault.New(fault.ApprovalTimeout, "a person has not answered yet").
			Hinted("connect again when question %s is answered", p.journal.approval).With("approvalId", p.journal.approval)
	}
	return err
}

// cdpClient is a client whose calls are recorded.
type cdpClient struct {
	g       *Gate
	inner   action.Attachment
	base    action.Record
	started time.Time

	mu       sync.Mutex
	counts   map[string]int // since the last record, by method
	refused  []action.Message
	unlisted int // refusals since then beyond maxListedRefusals
	calls    int // in all
	refusals int // in all
}

// onMessage counts a call of the client.
func (a *cdpClient) onMessage(m action.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
	if m.Refused == "" {
		if _, known := a.counts[m.Method]; !known && len(a.counts) >= maxMethods {
			m.Method = otherMethods
		}
		a.counts[m.Method]++
		return
	}
	a.refusals++
	if len(a.refused) < maxListedRefusals {
		a.refused = append(a.refused, m)
	} else {
		a.unlisted++
	}
}

// Close ends a client that never connected.
func (a *cdpClient) Close() {
	a.inner.Close()
	a.g.audit.Record(a.event("never connected", "ok"))
}

// Serve serves the client and records its calls. If they cannot be stored it
// ends. Faults: as action.Attachment, and audit_unavailable.
func (a *cdpClient) Serve(ctx context.Context, wire action.Wire) error {
	if !a.g.work.Begin() {
		return errStopping
	}
	defer a.g.work.End()
	ctx, cancel := context.WithCancelCause(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { a.recordLoop(ctx, cancel) })
	err := a.inner.Serve(ctx, a.g.redactingWire(wire, a.base.SessionID))
	cancel(nil)
	telling.Wait()
	last := a.takeRecords()
	a.mu.Lock()
	left := a.event(fmt.Sprintf("left after %d calls, of which %d were refused or changed", a.calls, a.refusals), "ok")
	a.mu.Unlock()
	left.DurationMS = time.Since(a.started).Milliseconds()
	if f := fault.From(err); f != nil {
		left.Result, left.Error = "fault", untrusted.Record(fmt.Sprintf("%s: %s", f.Code, f.Message), maxErrorText)
	}
	if lost := a.g.audit.Append(append(last, left)...); lost != nil {
		a.g.log.Error("what a client did last was not recorded", "id", a.base.CorrelationID, "error", lost)
	}
	return err
}

// recordLoop stores records each second until ctx ends. It disconnects a client whose
// records cannot be stored.
func (a *cdpClient) recordLoop(ctx context.Context, putOut context.CancelCauseFunc) {
	ticker := time.NewTicker(recordInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := a.g.audit.Append(a.takeRecords()...); err != nil {
				putOut(err)
				return
			}
		}
	}
}

// takeRecords returns the records of the calls since its last call.
func (a *cdpClient) takeRecords() []action.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	var records []action.Record
	for _, method := range slices.Sorted(maps.Keys(a.counts)) {
		records = append(records, a.event(fmt.Sprintf("%s: %d", method, a.counts[method]), "ok"))
	}
	for _, m := range a.refused {
		r := a.event(m.Method, "refused")
		r.Error = untrusted.Record(m.Refused, maxRefusalText)
		records = append(records, r)
	}
	if a.unlisted > 0 {
		records = append(records, a.event(fmt.Sprintf("%s: %d", otherRefusals, a.unlisted), "refused"))
	}
	clear(a.counts)
	a.refused, a.unlisted = nil, 0
	return records
}

func (a *cdpClient) event(what, result string) action.Record {
	r := a.base
	r.Timestamp, r.Detail, r.Result = time.Now(), untrusted.Record(what, maxText), result
	return r
}

// maxRedactedMessage limits a message to a client of the protocol in a session
// with credentials, because secrets are searched in the complete message.
const maxRedactedMessage = 64 << 20 // bytes; the largest answers are screenshots and page sources

// redactingWire redacts the secrets of a session on a client's wire. While the
// session has no secrets, each piece of a message is passed on at once.
func (g *Gate) redactingWire(wire action.Wire, session string) action.Wire {
	return &redactingWriter{Wire: wire, known: func() *redact.Matcher { return g.secrets.Of(session) }}
}

// redactingWriter redacts messages. Only one goroutine may use it.
type redactingWriter struct {
	action.Wire
	known        func() *redact.Matcher
	held         bytes.Buffer // the incomplete message
	partlyPassed bool         // part of the message was sent before there were secrets
}

// Write accepts a piece of a message. Fault: redaction_failed for a message that
// is too long.
func (s *redactingWriter) Write(ctx context.Context, piece []byte, last bool) error {
	known := s.known()
	if known == nil && s.held.Len() == 0 {
		s.partlyPassed = !last
		return s.Wire.Write(ctx, piece, last)
	}
	if s.held.Len()+len(piece) > maxRedactedMessage {
		return redactionFault("a message of more than 64 MiB cannot be looked through for secrets")
	}
	s.held.Write(piece)
	if !last {
		return nil
	}
	clean := known.JSON
	if s.partlyPassed { // the rest of a message is not valid JSON
		clean = known.Bytes
	}
	err := s.Wire.Write(ctx, clean(s.held.Bytes()), true)
	s.partlyPassed = false
	s.held.Reset()
	return err
}
