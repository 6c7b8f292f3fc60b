package engine

import (
	"context"
	"time"
)

const frameLimit = time.Second // for a frame that changes its process to come to us

// complete waits for frames that are on their way to us: the browser tells of
// one that gets a process of its own later than of its parent. Each is waited
// for once; what does not come is read without it.
func (b *base) complete(ctx context.Context, t *tab) error {
	bounded, stop := context.WithTimeout(ctx, frameLimit)
	defer stop()
	err := b.await(bounded, func() bool { return t.closed || t.crashed || t.dialog != nil || len(t.coming()) == 0 })
	if err != nil {
		b.mu.Lock()
		for _, f := range t.coming() {
			f.awaited = true
		}
		b.mu.Unlock()
	}
	return ended(ctx, err)
}

// coming returns the frames that have no world yet. b.mu is held.
func (t *tab) coming() []*frame {
	var all []*frame
	for _, f := range t.frames {
		if _, here := f.world(); !here && !f.awaited {
			all = append(all, f)
		}
	}
	return all
}
