package bridge

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const thawTimeout = 5 * time.Second // for a guest to resume its box; 2 ms on an idle machine

// freezer is the frozen state of a link's box.
type freezer struct {
	changing sync.Mutex // serialises Freeze and Thaw

	mu     sync.Mutex
	thawed chan struct{} // closed when the box resumes; nil while it runs
}

func (f *freezer) current() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.thawed
}

func (f *freezer) set(thawed chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thawed = thawed
}

// Freeze makes the guest stop all other processes of its box. The next message to
// the browser thaws the box first; thawed is closed then. A frozen box stays
// frozen. Faults: cdp_error, and the box keeps running.
func (l *Link) Freeze(ctx context.Context) (thawed <-chan struct{}, err error) {
	l.freezer.changing.Lock()
	defer l.freezer.changing.Unlock()
	if c := l.freezer.current(); c != nil {
		return c, nil
	}
	c := make(chan struct{})
	l.freezer.set(c) // before the request: a message sent meanwhile waits for changing, and then thaws the box
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.call(ctx, http.MethodPost, "/freeze", nil, nil); err != nil {
		if guestRefused(err) {
			l.freezer.set(nil) // the guest refused, or is too old to know the request
		} else {
			_ = l.thaw(context.WithoutCancel(ctx)) // the box may be frozen; if this fails, the next message tries again
		}
		return nil, err
	}
	return c, nil
}

// guestRefused reports whether a call failed because the guest answered with an error.
func guestRefused(err error) bool {
	f := fault.From(err)
	return f != nil && f.Details["status"] != nil
}

// Thaw resumes a frozen box. It does nothing for one that runs. Faults: cdp_error.
func (l *Link) Thaw(ctx context.Context) error {
	if l.freezer.current() == nil {
		return nil
	}
	l.freezer.changing.Lock()
	defer l.freezer.changing.Unlock()
	if l.freezer.current() == nil {
		return nil
	}
	return l.thaw(ctx)
}

// thaw resumes a box that may be frozen. The caller must hold changing.
func (l *Link) thaw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, thawTimeout)
	defer cancel()
	if err := l.call(ctx, http.MethodPost, "/thaw", nil, nil); err != nil {
		return err
	}
	c := l.freezer.current()
	l.freezer.set(nil)
	close(c)
	return nil
}
