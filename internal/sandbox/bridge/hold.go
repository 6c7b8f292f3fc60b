package bridge

import (
	"context"
	"io"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Hold is a link to a box that a driver looks after: what is asked of the box
// fails once it is over, with why. Drivers embed it in their boxes. It is safe
// for concurrent use.
type Hold struct {
	link *Link
	done chan struct{} // closed by Finish

	mu  sync.Mutex
	err error
}

// NewHold returns the hold of a box that is not over.
func NewHold(link *Link) *Hold { return &Hold{link: link, done: make(chan struct{})} }

// Link returns the link itself, which the driver closes.
func (h *Hold) Link() *Link { return h.link }

// Finish says why the box is over. The first one counts; it reports true.
func (h *Hold) Finish(why error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return false
	}
	h.err = why
	close(h.done)
	return true
}

// Done is closed when the box is over (sandbox.Box).
func (h *Hold) Done() <-chan struct{} { return h.done }

// Err says why the box is over, nil while it is not (sandbox.Box).
func (h *Hold) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// WaitReady is Link.WaitReady, no longer than until the box is over.
func (h *Hold) WaitReady(ctx context.Context, progress func(string)) error {
	waiting, cancel := context.WithCancel(ctx)
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		select {
		case <-h.done:
			cancel()
		case <-waiting.Done():
		}
	}()
	err := h.link.WaitReady(waiting, progress)
	cancel()
	<-joined
	return err
}

// CDP opens the connection to the browser (sandbox.Box).
func (h *Hold) CDP(ctx context.Context) (sandbox.Stream, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.CDP(ctx)
}

// Health asks the guest (sandbox.Box).
func (h *Hold) Health(ctx context.Context) (sandbox.Health, error) {
	if err := h.Err(); err != nil {
		return sandbox.Health{}, err
	}
	return h.link.Health(ctx)
}

// Freeze stops what runs in the box (sandbox.Box).
func (h *Hold) Freeze(ctx context.Context) (thawed <-chan struct{}, err error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Freeze(ctx)
}

// Thaw has a frozen box go on (sandbox.Box).
func (h *Hold) Thaw(ctx context.Context) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.Thaw(ctx)
}

// Profile ends the browser and returns what it kept (sandbox.Box).
func (h *Hold) Profile(ctx context.Context) (io.ReadCloser, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Profile(ctx)
}

// Put writes a file to upload (sandbox.Box).
func (h *Hold) Put(ctx context.Context, name string, content []byte) (string, error) {
	if err := h.Err(); err != nil {
		return "", err
	}
	return h.link.Put(ctx, name, content)
}

// Fetch reads what was downloaded (sandbox.Box).
func (h *Hold) Fetch(ctx context.Context, id string, most int64) ([]byte, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Fetch(ctx, id, most)
}

// Remove removes a file (sandbox.Box).
func (h *Hold) Remove(ctx context.Context, file string) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.Remove(ctx, file)
}
