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
	answerAge  = 3 * time.Second // for which an answer is used again: a page with ten frames asks ten times at once
	maxAnswers = 1000            // a page may name any number of hosts
)

// answerCache keeps the answers of a source for answerAge, also that there are no
// credentials. Callers that ask for the same path at once wait for one request. They
// all get its error, which is not kept.
type answerCache struct {
	mu      sync.Mutex
	answers map[string]*answer
}

type answer struct {
	done chan struct{} // closed when the rest is set
	set  *credentials.Set
	err  error
	at   time.Time
}

// stale reports whether an answer is too old to be used. An answer that is not there
// yet is not stale.
func (a *answer) stale() bool { return !a.at.IsZero() && time.Since(a.at) >= answerAge }

// get returns the answer for a path. It calls ask where there is none.
func (r *answerCache) get(ctx context.Context, path string, ask func(context.Context) (*credentials.Set, error)) (*credentials.Set, error) {
	for {
		a, mine := r.claim(path)
		if mine {
			a.set, a.err = ask(ctx)
			r.finish(path, a)
			return a.set, a.err
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if errors.Is(a.err, context.Canceled) && ctx.Err() == nil { // the caller that asked went away: this one asks now
			continue
		}
		return a.set, a.err
	}
}

// claim returns the answer for a path: one that is there or under way, or a new one,
// for which the caller must call finish.
func (r *answerCache) claim(path string) (a *answer, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.answers, func(_ string, a *answer) bool { return a.stale() }) // no secret stays longer than it is used
	if a := r.answers[path]; a != nil {
		return a, false
	}
	if r.answers == nil || len(r.answers) >= maxAnswers {
		r.answers = map[string]*answer{} // callers that wait have a pointer to their answer
	}
	a = &answer{done: make(chan struct{})}
	r.answers[path] = a
	return a, true
}

// finish stores an answer, and wakes the callers that wait for it.
func (r *answerCache) finish(path string, a *answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.at = time.Now()
	if a.err != nil && r.answers[path] == a {
		delete(r.answers, path)
	}
	close(a.done)
}

// forget removes the answer for a path, whose document was replaced.
func (r *answerCache) forget(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.answers, path)
}
