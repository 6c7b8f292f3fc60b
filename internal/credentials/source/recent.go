package source

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

const (
	freshness = 3 * time.Second // for which an answer is used again: a page with ten frames asks ten times at once
	mostKept  = 1000            // answers; a page may name any number of hosts
)

// recent keeps the last answers of a source for a moment, that there is none
// included, and lets those who ask for the same at once wait for one answer. A
// failure is told to those who waited for it and then forgotten.
type recent struct {
	mu      sync.Mutex
	answers map[string]*answer
}

type answer struct {
	done chan struct{} // closed when the rest is set
	set  *credentials.Set
	err  error
	at   time.Time
}

// stale reports whether an answer is too old to be used. One that is under way
// is not.
func (a *answer) stale() bool { return !a.at.IsZero() && time.Since(a.at) >= freshness }

// get returns the answer at a path, by ask where none is fresh.
func (r *recent) get(ctx context.Context, path string, ask func(context.Context) (*credentials.Set, error)) (*credentials.Set, error) {
	for {
		a, mine := r.claim(path)
		if mine {
			a.set, a.err = ask(ctx)
			r.settle(path, a)
			return a.set, a.err
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if errors.Is(a.err, context.Canceled) && ctx.Err() == nil { // who asked went away: this one asks now
			continue
		}
		return a.set, a.err
	}
}

// claim returns the answer at a path: one that is fresh or under way, or a new
// one that the caller must settle.
func (r *recent) claim(path string) (a *answer, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.answers, func(_ string, a *answer) bool { return a.stale() }) // no secret stays for longer than it is of use
	if a := r.answers[path]; a != nil {
		return a, false
	}
	if r.answers == nil || len(r.answers) >= mostKept {
		r.answers = map[string]*answer{} // who waits has the answer itself
	}
	a = &answer{done: make(chan struct{})}
	r.answers[path] = a
	return a, true
}

func (r *recent) settle(path string, a *answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.at = time.Now()
	if a.err != nil && r.answers[path] == a {
		delete(r.answers, path)
	}
	close(a.done)
}

// forget lets go of what is kept of a path: another was stored there.
func (r *recent) forget(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.answers, path)
}
