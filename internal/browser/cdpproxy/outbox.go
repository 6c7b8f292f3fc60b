package cdpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	pieceSize    = 64 << 10               // bytes of a pooled buffer; the connection's pieces are no longer
	maxBehind    = 1 << 20                // queued bytes above which the browser must wait
	maxQueued    = 80 << 20               // queued bytes above which the client is ended; more than the longest message (64 MiB)
	maxHold      = 100 * time.Millisecond // longest wait of the browser for one client, per second
	writeTimeout = 30 * time.Second       // for a client to receive a piece
	lastWrite    = time.Second            // for a client to receive the last piece
)

// errSlow ends a client that does not read its messages.
var errSlow = errors.New("the client does not read its messages")

// outbox is the queue of messages that a client has not read yet. If a client is
// slow, the browser first waits for a moment, so that large messages pass in
// pieces. Then messages are queued. A client that is too far behind is ended.
// Messages are not interleaved: one that is put while another is open follows it.
type outbox struct {
	mu     sync.Mutex
	queue  []piece
	after  []piece // complete messages that wait for the end of the open one
	open   bool    // a message is incomplete
	bytes  int
	failed bool                    // nothing is accepted any more
	cancel context.CancelCauseFunc // ends run
	wake   chan struct{}           // signals put
	taken  chan struct{}           // signals take

	left time.Duration // of maxHold; used by the goroutine that puts
	last time.Time
}

type piece struct {
	data []byte
	last bool
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), taken: make(chan struct{}, 1), left: maxHold, last: time.Now()}
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, pieceSize+pieceSize/4); return &b }}

// join copies parts into one buffer.
func join(parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	var data []byte
	if size > pieceSize/4 && size <= pieceSize+pieceSize/4 {
		data = (*buffers.Get().(*[]byte))[:0] //nolint:errcheck // the pool contains only these
	} else {
		data = make([]byte, 0, size)
	}
	for _, p := range parts {
		data = append(data, p...)
	}
	return data
}

func release(data []byte) {
	if cap(data) == pieceSize+pieceSize/4 {
		buffers.Put(&data)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put queues a complete message, from any goroutine.
func (o *outbox) put(parts ...[]byte) {
	p := piece{join(parts...), true}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case !o.admit(p):
	case o.open:
		o.after = append(o.after, p)
	default:
		o.queue = append(o.queue, p)
		signal(o.wake)
	}
}

// admit counts a piece, unless the client has ended. mu must be held.
func (o *outbox) admit(p piece) bool {
	if o.bytes += len(p.data); o.bytes > maxQueued && !o.failed {
		o.fail()
		if o.cancel != nil {
			o.cancel(errSlow)
		}
	}
	return !o.failed
}

// fail drops the queue. mu must be held.
func (o *outbox) fail() { o.failed, o.queue, o.after = true, nil, nil }

// begin queues a piece of a message, which is open until last. Only the goroutine
// that reads from the browser calls it, and waits here for a while.
func (o *outbox) begin(last bool, parts ...[]byte) {
	p := piece{join(parts...), last}
	o.mu.Lock()
	if o.admit(p) {
		o.queue = append(o.queue, p)
	}
	o.open = !last
	if last {
		o.queue = append(o.queue, o.after...)
		o.after = nil
	}
	behind := o.bytes > maxBehind && !o.failed
	o.mu.Unlock()
	signal(o.wake)
	if behind {
		o.wait()
	}
}

// wait waits until the client has caught up, at most for the time left.
func (o *outbox) wait() {
	now := time.Now()
	o.left = min(maxHold, o.left+now.Sub(o.last)/10)
	o.last = now
	timer := time.NewTimer(o.left)
	defer timer.Stop()
	for {
		select {
		case <-o.taken:
		case <-timer.C:
			o.left, o.last = 0, time.Now()
			return
		}
		o.mu.Lock()
		behind := o.bytes > maxBehind && !o.failed
		o.mu.Unlock()
		if !behind {
			o.left, o.last = max(0, o.left-time.Since(now)), time.Now()
			return
		}
	}
}

// take returns the queued pieces.
func (o *outbox) take() []piece {
	o.mu.Lock()
	defer o.mu.Unlock()
	queued := o.queue
	o.queue = nil
	return queued
}

func (o *outbox) took(n int) {
	o.mu.Lock()
	o.bytes -= n
	o.mu.Unlock()
	signal(o.taken)
}

// run writes queued pieces until ctx ends, the client fails, or it is too far
// behind, even during a slow write.
func (o *outbox) run(ctx context.Context, to action.Wire) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer o.stop()
	if !o.start(cancel) {
		return errSlow
	}
	for {
		queued := o.take()
		for _, p := range queued {
			if err := write(ctx, to, p); err != nil {
				return cmp.Or(context.Cause(ctx), err) // the cause of an interrupted write
			}
			o.took(len(p.data))
			release(p.data)
		}
		if len(queued) > 0 && ctx.Err() == nil {
			continue
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (o *outbox) start(cancel context.CancelCauseFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cancel = cancel
	return !o.failed
}

func (o *outbox) stop() {
	o.mu.Lock()
	o.fail()
	o.mu.Unlock()
	signal(o.taken)
}

// write writes a piece. If ctx ends during the write, the write gets a little
// more time, because a connection with an interrupted write cannot send a close
// reason.
func write(ctx context.Context, to action.Wire, p piece) error {
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWrite, cancel) })()
	err := to.Write(whole, p.data, p.last)
	switch {
	case err == nil:
		return nil
	case whole.Err() != nil:
		return errSlow
	}
	return fmt.Errorf("%w: %w", errGone, err)
}
