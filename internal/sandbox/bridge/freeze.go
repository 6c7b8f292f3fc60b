package bridge

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const thawTimeout = 5 * time.Second // for a guest to have its box go on; 2 ms on an idle machine

// freezer is what a link knows of its box standing still.
type freezer struct {
	changing sync.Mutex // one change at a time

	mu     sync.Mutex
	thawed chan struct{} // closed when the box goes on; nil while it runs
}

func (f *freezer) now() chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.thawed
}

func (f *freezer) set(thawed chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.thawed = thawed
}

// Freeze has the guest stop all that runs in its box. Whatever is sent to the
// browser from then on thaws it first; thawed is closed when it has been. A box
// that is frozen already stays so. Faults: cdp_error, after which it runs.
func (l *Link) Freeze(ctx context.Context) (thawed <-chan struct{}, err error) {
	l.freezer.changing.Lock()
	defer l.freezer.changing.Unlock()
	if c := l.freezer.now(); c != nil {
		return c, nil
	}
	c := make(chan struct{})
	l.freezer.set(c) // before it is asked for: what is sent meanwhile waits for us, and thaws
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.call(ctx, http.MethodPost, "/freeze", nil, nil); err != nil {
		if answered(err) {
			l.freezer.set(nil) // it refused, or is of a version that cannot
		} else {
			_ = l.thaw(context.WithoutCancel(ctx)) // it may have been done; where this fails too, what is sent next tries again
		}
		return nil, err
	}
	return c, nil
}

// answered reports whether a call failed because the guest said so.
func answered(err error) bool {
	f := fault.From(err)
	return f != nil && f.Details["status"] != nil
}

// Thaw has a frozen box go on; one that runs is no error. Faults: cdp_error.
func (l *Link) Thaw(ctx context.Context) error {
	if l.freezer.now() == nil {
		return nil
	}
	l.freezer.changing.Lock()
	defer l.freezer.changing.Unlock()
	if l.freezer.now() == nil {
		return nil
	}
	return l.thaw(ctx)
}

// thaw must be called with changing held, for a box that may be frozen.
func (l *Link) thaw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, thawTimeout)
	defer cancel()
	if err := l.call(ctx, http.MethodPost, "/thaw", nil, nil); err != nil {
		return err
	}
	c := l.freezer.now()
	l.freezer.set(nil)
	close(c)
	return nil
}
