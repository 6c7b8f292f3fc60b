package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const (
	stopLimit = time.Second          // for every program of a box to stand still
	stopLook  = 2 * time.Millisecond // between two looks whether they do
)

// Freeze stops every program of the box but the guest itself, which goes on to
// answer the gateway and to hold the lease. Where one cannot be stopped all go
// on. It may be called again.
func (g *guest) Freeze(ctx context.Context) error {
	g.freezing.Lock()
	defer g.freezing.Unlock()
	if s := g.state.read(); s.browser == nil || s.ending {
		return bridge.ErrNoBrowser
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	g.state.update(func(s *snapshot) { s.frozen = true })
	stopped, err := stopBelow(ctx, os.Getpid())
	g.stopped = append(g.stopped, stopped...)
	if err != nil {
		g.thaw()
	}
	return err
}

// Thaw has the programs of a frozen box go on.
func (g *guest) Thaw() {
	g.freezing.Lock()
	defer g.freezing.Unlock()
	g.thaw()
}

// thaw must be called with freezing held.
func (g *guest) thaw() {
	if !g.state.read().frozen {
		return
	}
	for _, pid := range g.stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT) // one that has ended needs nothing
	}
	g.stopped = nil
	g.state.update(func(s *snapshot) { s.frozen = false })
}

// stopBelow stops every process below root. One that was started meanwhile is
// found by the next look; none is left to start another when a look finds none
// that runs. It returns those that it stopped, also with an error.
func stopBelow(ctx context.Context, root int) (stopped []int, err error) {
	ticker := time.NewTicker(stopLook)
	defer ticker.Stop()
	for {
		running, err := below(root, func(p process) bool { return !p.stopped })
		if err != nil {
			return stopped, err
		}
		if len(running) == 0 {
			return stopped, nil
		}
		for _, pid := range running {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
				return stopped, fmt.Errorf("cannot stop process %d: %w", pid, err)
			}
			stopped = append(stopped, pid)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return stopped, fmt.Errorf("processes %v do not stop: %w", running, ctx.Err())
		}
	}
}

// below lists the processes below root that live and that which picks.
func below(root int, which func(process) bool) (pids []int, err error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	for pid, p := range all {
		if !p.zombie && which(p) && descends(all, pid, root) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
