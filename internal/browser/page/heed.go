package page

import (
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
)

// ears are what is known of the listeners of a frame's document.
type ears struct {
	mu       sync.Mutex
	document string // whose they are
	inpage.Ears
}

// heed has a frame's world know what scripts listen on. That it cannot be had
// makes a snapshot poorer, not wrong.
func (b *Browser) heed(ctx context.Context, p place) error {
	e := &p.frame.ears
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.document != p.document {
		e.document, e.Ears = p.document, inpage.Ears{}
	}
	if err := p.world.Heed(ctx, &e.Ears); err != nil {
		if ctx.Err() != nil {
			return err
		}
		b.log().Debug("cannot read the listeners of a frame", "error", err)
	}
	return nil
}
