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
	stopTimeout      = time.Second          // for all programs of a box to stop
	stopPollInterval = 2 * time.Millisecond // between two checks
)

// Freeze stops every process of the box except the guest, which still answers the
// gateway and renews the lease. When one cannot be stopped, Freeze resumes all.
// Freezing a frozen box is allowed.
func (g *guest) Freeze(ctx context.Context) error {
	g.freezing.Lock()
	defer g.freezing.Unlock()
	if s := g.state.read(); s.browser == nil || s.closing {
		return bridge.ErrNoBrowser
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	g.state.update(func(s *snapshot) { s.frozen = true })
	stopped, err := stopDescendants(ctx, os.Getpid())
	g.stopped = append(g.stopped, stopped...)
	if err != nil {
		g.thaw()
	}
	return err
}

// Thaw resumes the processes of a frozen box.
func (g *guest) Thaw() {
	g.freezing.Lock()
	defer g.freezing.Unlock()
	g.thaw()
}

// thaw resumes the processes. The caller must hold freezing.
func (g *guest) thaw() {
	if !g.state.read().frozen {
		return
	}
	for _, pid := range g.stopped {
		_ = syscall.Kill(pid, syscall.SIGCONT) // fails only when it has ended
	}
	g.stopped = nil
	g.state.update(func(s *snapshot) { s.frozen = false })
}

// stopDescendants stops every process below root. It repeats until a check finds none
// that runs, so it also finds those started meanwhile. It returns the processes
// that it stopped, also with an error.
func stopDescendants(ctx context.Context, root int) (stopped []int, err error) {
	ticker := time.NewTicker(stopPollInterval)
	defer ticker.Stop()
	for {
		running, err := descendants(root, func(p process) bool { return !p.stopped })
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

// descendants lists the living processes below root that selects accepts.
func descendants(root int, selects func(process) bool) (pids []int, err error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	for pid, p := range all {
		if !p.zombie && selects(p) && isDescendant(all, pid, root) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
