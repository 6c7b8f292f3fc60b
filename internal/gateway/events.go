package gateway

import (
	"context"
	"fmt"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxWaitingRefusals = 256 // more are dropped, because a page may request a forbidden host forever
	maxWaitingPrompts  = 16  // of host requests and of limits; further reports block
)

// events passes values upwards: from the proxy to the sessions, and from the
// sessions to the gate. The lower package puts a value on a queue, and deliver,
// which knows both, passes it on.
type events struct {
	refusals chan boxRefusal
	channels chan channelRequest
	prompts  chan prompt

	done chan struct{} // closed when delivery has stopped
	work sync.WaitGroup
}

// boxRefusal is a request of a box that the proxy refused.
type boxRefusal struct {
	box     string
	refusal action.Refusal
}

// channelRequest is a WebSocket that a box wants to open. The answer nil allows
// it.
type channelRequest struct {
	ctx     context.Context //nolint:containedctx // of the connection that waits for the answer
	box     string
	channel action.Channel
	answer  chan error // buffered, for one answer
}

// prompt is a question to people about a session.
type prompt struct {
	session action.Session
	host    string // the host to add; empty if the question is whether to continue
	limit   string // the limit that paused the session
}

func newEvents() *events {
	return &events{
		refusals: make(chan boxRefusal, maxWaitingRefusals), channels: make(chan channelRequest), prompts: make(chan prompt, maxWaitingPrompts),
		done: make(chan struct{}),
	}
}

// refused reports a refusal of the proxy. It does not wait.
func (e *events) refused(box string, r action.Refusal) {
	select {
	case e.refusals <- boxRefusal{box, r}:
	default:
	}
}

// allowChannel waits for the answer to whether a box may open a WebSocket.
func (e *events) allowChannel(ctx context.Context, box string, channel action.Channel) error {
	r := channelRequest{ctx: ctx, box: box, channel: channel, answer: make(chan error, 1)}
	select {
	case e.channels <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.done:
		return fault.New(fault.NotActive, "the gateway is stopping").Hinted("try again when it runs")
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hostRequested reports that a page of a session requested a host that people
// could add.
func (e *events) hostRequested(s action.Session, host string) { e.put(prompt{session: s, host: host}) }

// limited reports that a session is paused at a limit.
func (e *events) limited(s action.Session, why string) { e.put(prompt{session: s, limit: why}) }

func (e *events) put(p prompt) {
	select {
	case e.prompts <- p:
	case <-e.done:
	}
}

// sessionEvents receives the proxy's reports.
type sessionEvents interface {
	Refused(box string, r action.Refusal)
	Opens(ctx context.Context, box string, channel action.Channel) error
}

// prompter receives the sessions' reports.
type prompter interface {
	RequestHost(s action.Session, host string)
	AskToResume(s action.Session, why string)
}

// deliver passes reports on until close.
func (e *events) deliver(sessions sessionEvents, gate prompter) {
	e.work.Go(func() {
		for {
			select {
			case r := <-e.refusals:
				sessions.Refused(r.box, r.refusal)
			case r := <-e.channels:
				e.work.Go(func() { r.answer <- sessions.Opens(r.ctx, r.box, r.channel) }) // may wait for a person
			case <-e.done:
				return
			}
		}
	})
	e.work.Go(func() {
		for {
			select {
			case p := <-e.prompts:
				if p.host != "" {
					gate.RequestHost(p.session, p.host)
				} else {
					gate.AskToResume(p.session, p.limit)
				}
			case <-e.done:
				return
			}
		}
	})
}

// close stops the delivery, and waits for running ones until ctx ends.
func (e *events) close(ctx context.Context) error {
	close(e.done)
	ended := make(chan struct{})
	go func() { // ends with the last delivery, whose waits are bounded
		defer close(ended)
		e.work.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("events are still being delivered: %w", context.Cause(ctx))
	}
}
