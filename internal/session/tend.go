package session

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	tendEvery  = 30 * time.Second
	tendLimit  = 10 * time.Second // wall time of a health report; a busy box takes its time
	mostMissed = 3                // reports in a row that did not come
)

// tend asks a session's box how it is, until the session ends, and ends one
// whose box is not well: it does not answer, or a renderer shows twice that
// Chromium's own sandbox does not hold it (one that is just being started may
// show it once).
func (r *Registry) tend(l *live, box sandbox.Box) {
	ctx, cancel := context.WithCancel(context.Background()) // of the session's life, which no call owns
	r.work.Go(func() {
		<-l.closing
		cancel()
	})
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	missed, weak := 0, map[int]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if l.now().Frozen {
			continue // nothing runs that could have changed; the bridge tells when its guest is lost
		}
		health, err := ask(ctx, box)
		if err != nil {
			if missed++; missed >= mostMissed {
				l.end(ending{state: failed, reason: fmt.Sprintf("its box does not say how it is, %d times in a row%s", missed, because(err))})
			}
			continue
		}
		missed = 0
		again := false
		if weak, again = weaker(weak, health); again && !r.config.AllowWeak {
			l.end(ending{state: failed, reason: "Chromium's own sandbox does not hold any more: " + weakness(health)})
		}
	}
}

// ask asks a box how it is.
func ask(ctx context.Context, box sandbox.Box) (sandbox.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, tendLimit)
	defer cancel()
	return box.Health(ctx)
}

// weaker returns the renderers that Chromium's own sandbox does not hold, and
// whether one of them was among those before.
func weaker(before map[int]bool, health sandbox.Health) (now map[int]bool, again bool) {
	now = map[int]bool{}
	for _, p := range health.Renderers {
		if !p.Strong() {
			now[p.PID] = true
			again = again || before[p.PID]
		}
	}
	return now, again
}
