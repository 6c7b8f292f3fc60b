package session

import (
	"context"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// lastMoment is how long before its end a one-time code is not typed any more:
// the form has to be sent yet.
const minCodeLife = 3 * time.Second

// usedCodes are the one-time codes that were typed: none is typed twice, for a
// site takes it once (RFC 6238, 5.2). The zero oneTimes is ready.
type usedCodes struct {
	mu   sync.Mutex
	used map[string]time.Time // by what it is of: the end of the last period whose code was typed
}

// next returns a code that nobody was given and that lives a while, and waits
// for it until ctx ends.
func (o *usedCodes) next(ctx context.Context, of string, seed credentials.OneTime) (credentials.Secret, error) {
	for {
		now := time.Now()
		code, ends := seed.Code(now)
		if left := ends.Sub(now); left > minCodeLife && o.claim(of, ends) {
			return code, nil
		}
		timer := time.NewTimer(time.Until(ends))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return credentials.Secret{}, context.Cause(ctx)
		}
	}
}

// claim takes the code of the period that ends then, once.
func (o *usedCodes) claim(of string, ends time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.used[of].Before(ends) {
		return false
	}
	if o.used == nil {
		o.used = map[string]time.Time{}
	}
	o.used[of] = ends
	return true
}
