package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const reapEvery = time.Minute // for what ended gateways left on the engine, and it does not remove itself

// reaper is a driver whose engine other gateways use too.
type reaper interface {
	Reap(ctx context.Context) (int, error)
}

// reapBoxes begins to remove what ended gateways left on the engine, now and then.
func (h *Gateway) reapBoxes(ctx context.Context, d driver, log *slog.Logger) {
	r, shares := d.(reaper)
	if !shares {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(reapEvery)
		defer tick.Stop()
		for {
			if _, err := r.Reap(ctx); err != nil && ctx.Err() == nil {
				log.Debug("boxes that other gateways left are not removed; it is tried again", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	h.onClose("reaper", func(context.Context) error {
		stop()
		work.Wait()
		return nil
	})
}
