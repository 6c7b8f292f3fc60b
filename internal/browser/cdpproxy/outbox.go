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
	ahead        = 1 << 20                // bytes a client may be behind before the browser is made to wait
	mostQueued   = 80 << 20               // bytes a client may be behind at all: one longest message (64 MiB), and some
	patience     = 100 * time.Millisecond // the browser waits for one client at most, for each second
	writeTimeout = 30 * time.Second       // for a client to take a piece
	lastWrite    = time.Second            // for it to take the last one
)

// errSlow ends a client that does not read its messages.
var errSlow = errors.New("the client does not take its messages")

// outbox is the queue of messages that a client has not read yet. When a client is
// slow, the browser first waits for a moment, so that large messages pass through in
// pieces; then messages are queued; a client that is too far behind is ended.
// Messages are not mixed: one that is put while another is open follows it.
type outbox struct {
	mu     sync.Mutex
	queue  []piece
	after  []piece // whole messages that wait for the open one to end
	open   bool    // a message has begun and not ended
	bytes  int
	failed bool                    // nothing is taken in any more
	putOut context.CancelCauseFunc // ends run
	wake   chan struct{}           // something was put
	taken  chan struct{}           // something was taken

	left time.Duration // of the patience; the putting goroutine's
	last time.Time
}

type piece struct {
	data []byte
	last bool
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), taken: make(chan struct{}, 1), left: patience, last: time.Now()}
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
		data = (*buffers.Get().(*[]byte))[:0] //nolint:errcheck // nothing else is in the pool
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

// put queues a whole message, from any goroutine.
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

// admit counts a piece, unless the client has ended. mu is held.
func (o *outbox) admit(p piece) bool {
	if o.bytes += len(p.data); o.bytes > mostQueued && !o.failed {
		o.fail()
		if o.putOut != nil {
			o.putOut(errSlow)
		}
	}
	return !o.failed
}

// fail drops what is queued. mu is held.
func (o *outbox) fail() { o.failed, o.queue, o.after = true, nil, nil }

// begin queues a piece of a message that is open until last. One goroutine
// calls it: the one that reads from the browser, which waits here for a while.
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
	behind := o.bytes > ahead && !o.failed
	o.mu.Unlock()
	signal(o.wake)
	if behind {
		o.wait()
	}
}

// wait waits until the client has caught up, as long as patience lasts.
func (o *outbox) wait() {
	now := time.Now()
	o.left = min(patience, o.left+now.Sub(o.last)/10)
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
		behind := o.bytes > ahead && !o.failed
		o.mu.Unlock()
		if !behind {
			o.left, o.last = max(0, o.left-time.Since(now)), time.Now()
			return
		}
	}
}

// take returns what is queued.
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

// run writes what is put until ctx ends, the client fails, or it is too far
// behind, however long it takes for a piece.
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
				return cmp.Or(context.Cause(ctx), err) // its end is why the write was broken off
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

func (o *outbox) start(putOut context.CancelCauseFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.putOut = putOut
	return !o.failed
}

func (o *outbox) stop() {
	o.mu.Lock()
	o.fail()
	o.mu.Unlock()
	signal(o.taken)
}

// write writes a piece. A write that has begun when ctx ends gets a little more time: a
// connection whose write was interrupted cannot send a reason when it closes.
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
