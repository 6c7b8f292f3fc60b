package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	healthEvery = 30 * time.Second
	healthLimit = 10 * time.Second // wall time of a health report; a busy box takes its time
	maxMissed   = 3                // reports in a row that did not come
)

// monitorHealth asks a session's box for its health until the session ends. It ends
// the session where the box does not answer, or where Chromium's own sandbox does
// not confine a renderer twice in a row: one that is just starting may show it once.
func (l *lifecycle) monitorHealth(sess *openSession, box sandbox.Box) {
	ctx, cancel := context.WithCancel(context.Background()) // of the session's life, which no call owns
	l.work.Go(func() {
		<-sess.closing
		cancel()
	})
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	missed, weak := 0, map[int]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if sess.now().Frozen {
			continue // nothing runs in it; the bridge notices when its guest is lost
		}
		health, err := askHealth(ctx, box)
		if err != nil {
			if missed++; missed >= maxMissed {
				sess.end(ending{state: failed, reason: fmt.Sprintf("its box does not say how it is, %d times in a row%s", missed, causeText(err))})
			}
			continue
		}
		missed = 0
		again := false
		if weak, again = weakRenderers(weak, health); again && !l.config.AllowWeak {
			sess.end(ending{state: failed, reason: "Chromium's own sandbox does not hold any more: " + weakness(health)})
		}
	}
}

// askHealth asks a box for its health.
func askHealth(ctx context.Context, box sandbox.Box) (sandbox.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	return box.Health(ctx)
}

// weakRenderers returns the renderers that Chromium's own sandbox does not confine,
// and whether one of them was among those before.
func weakRenderers(before map[int]bool, health sandbox.Health) (now map[int]bool, again bool) {
	now = map[int]bool{}
	for _, p := range health.Renderers {
		if !p.Sandboxed() {
			now[p.PID] = true
			again = again || before[p.PID]
		}
	}
	return now, again
}
