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

// state is the state of the box. Each update wakes those who wait for one.
type state struct {
	mu      sync.Mutex
	changed chan struct{}
	current snapshot
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

	frozen bool // the box's processes are stopped

	profileRequested bool // LoadProfile was called
	profileLoaded    bool // the profile is unpacked
	closing          bool // EndBrowser was called; the browser is not restarted
	closed           bool // the browser has exited after that
}

func newState() *state {
	return &state{
		changed: make(chan struct{}),
		current: snapshot{phase: bridge.PhaseStarting, since: time.Now()},
	}
}

// update changes the state and wakes those who wait.
func (s *state) update(change func(*snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.current.phase
	change(&s.current)
	if s.current.phase != before {
		s.current.since = time.Now()
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *state) read() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

var errFailed = errors.New("the guest has failed")

// wait waits until reached returns true, or returns why it never will.
func (s *state) wait(ctx context.Context, reached func(snapshot) bool) (snapshot, error) {
	for {
		s.mu.Lock()
		now, changed := s.current, s.changed
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
