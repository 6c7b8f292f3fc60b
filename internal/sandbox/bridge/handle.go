package bridge

import (
	"context"
	"io"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// BoxHandle implements most of sandbox.Box over a link. When the box has ended, its
// methods return the reason. Drivers embed it in their boxes. It is safe for
// concurrent use.
type BoxHandle struct {
	link *Link
	done chan struct{} // closed by Finish

	mu  sync.Mutex
	err error
}

// NewBoxHandle returns the handle of a running box.
func NewBoxHandle(link *Link) *BoxHandle { return &BoxHandle{link: link, done: make(chan struct{})} }

// Link returns the link, which the driver closes.
func (h *BoxHandle) Link() *Link { return h.link }

// Finish records why the box ended and closes Done. Only the first call has an
// effect, and reports true.
func (h *BoxHandle) Finish(why error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return false
	}
	h.err = why
	close(h.done)
	return true
}

// Done is closed when the box has ended (sandbox.Box).
func (h *BoxHandle) Done() <-chan struct{} { return h.done }

// Err returns why the box ended, nil while it runs (sandbox.Box).
func (h *BoxHandle) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// WaitReady calls Link.WaitReady, and stops waiting when the box ends.
func (h *BoxHandle) WaitReady(ctx context.Context, progress func(string)) error {
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

// CDP opens a connection to the browser (sandbox.Box).
func (h *BoxHandle) CDP(ctx context.Context) (sandbox.Stream, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.CDP(ctx)
}

// Video starts to capture and encode the display (sandbox.Screen).
func (h *BoxHandle) Video(ctx context.Context, spec sandbox.VideoSpec) (sandbox.Video, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Video(ctx, spec)
}

// Input sends a person's input to the display (sandbox.Screen).
func (h *BoxHandle) Input(ctx context.Context, events []action.PersonInput) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.Input(ctx, events)
}

// ReleaseInput releases what is held (sandbox.Screen).
func (h *BoxHandle) ReleaseInput(ctx context.Context) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.ReleaseInput(ctx)
}

// Health returns the report of the guest (sandbox.Box).
func (h *BoxHandle) Health(ctx context.Context) (sandbox.Health, error) {
	if err := h.Err(); err != nil {
		return sandbox.Health{}, err
	}
	return h.link.Health(ctx)
}

// Freeze stops the processes of the box (sandbox.Box).
func (h *BoxHandle) Freeze(ctx context.Context) (thawed <-chan struct{}, err error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Freeze(ctx)
}

// Thaw resumes a frozen box (sandbox.Box).
func (h *BoxHandle) Thaw(ctx context.Context) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.Thaw(ctx)
}

// Profile shuts the browser down and returns its profile (sandbox.Box).
func (h *BoxHandle) Profile(ctx context.Context) (io.ReadCloser, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Profile(ctx)
}

// Put writes a file to upload (sandbox.Box).
func (h *BoxHandle) Put(ctx context.Context, name string, content []byte) (string, error) {
	if err := h.Err(); err != nil {
		return "", err
	}
	return h.link.Put(ctx, name, content)
}

// Fetch reads a downloaded file (sandbox.Box).
func (h *BoxHandle) Fetch(ctx context.Context, id string, most int64) ([]byte, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Fetch(ctx, id, most)
}

// Remove removes a file (sandbox.Box).
func (h *BoxHandle) Remove(ctx context.Context, file string) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.Remove(ctx, file)
}
