package guest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// state is what the guest knows of its box. Waiters are woken at each change.
type state struct {
	mu      sync.Mutex
	changed chan struct{}
	now     snapshot
}

type snapshot struct {
	phase     string
	display   sandbox.Process
	displayUp bool
	screen    string          // name of the display
	process   sandbox.Process // of the browser
	browser   *browser        // nil while none answers
	restarts  int
	since     time.Time // of the phase

	frozen bool // its programs are stopped

	taking bool // somebody has begun to send a profile
	taken  bool // the profile is there
	ending bool // the browser was asked to end, and is not started again
	ended  bool // it has ended after that
}

func newState() *state {
	return &state{
		changed: make(chan struct{}),
		now:     snapshot{phase: bridge.PhaseStarting, since: time.Now()},
	}
}

// update changes the state and wakes whoever waits.
func (s *state) update(change func(*snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.now.phase
	change(&s.now)
	if s.now.phase != before {
		s.now.since = time.Now()
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *state) read() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

var errFailed = errors.New("the guest has failed")

// wait returns when reached holds, or why it never will.
func (s *state) wait(ctx context.Context, reached func(snapshot) bool) (snapshot, error) {
	for {
		s.mu.Lock()
		now, changed := s.now, s.changed
		s.mu.Unlock()
		if reached(now) {
			return now, nil
		}
		if now.phase == bridge.PhaseFailed {
			return now, fmt.Errorf("%w: %w", bridge.ErrNoBrowser, errFailed)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return now, fmt.Errorf("%w: %w", bridge.ErrNoBrowser, ctx.Err())
		}
	}
}
