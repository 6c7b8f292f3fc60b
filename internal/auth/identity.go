package auth

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Source is where a token is from.
type Source string

// The sources of tokens.
const (
	FromFile   Source = "file"    // made at the first start, in the state folder
	FromConfig Source = "config"  // auth.tokens
	Created    Source = "created" // token.create
	FromIssuer Source = "issuer"  // signed by the issuer of auth.jwt
)

// Identity is who calls, as a token says, and for how long. The zero Identity
// is nobody.
type Identity struct {
	Caller  action.Caller
	Source  Source
	Expires time.Time // zero: never
	Session string    // the one session whose browser's protocol it opens, and nothing else; empty: no such bound

	life  context.Context //nolint:containedctx // ends when the token is revoked; nil: never
	limit *rate.Limiter   // of its requests; nil: none
}

// Bind returns a context for what is done in the name of i: it carries i, and
// ends, with a fault unauthenticated as its cause, when the token expires or
// is revoked. release lets go of it; it must be called.
func (i Identity) Bind(ctx context.Context) (bound context.Context, release func()) {
	bound, cancel := context.WithCancelCause(context.WithValue(ctx, identityKey{}, i))
	var stops []func() bool
	if i.life != nil {
		stops = append(stops, context.AfterFunc(i.life, func() { cancel(context.Cause(i.life)) }))
	}
	if !i.Expires.IsZero() {
		timer := time.AfterFunc(time.Until(i.Expires), func() { cancel(over("the token has expired")) })
		stops = append(stops, timer.Stop)
	}
	return bound, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// Take counts one request against the token's rate. Where there have been too
// many it counts none, and says how long to wait.
func (i Identity) Take() (wait time.Duration, ok bool) { return take(i.limit) }

// Rate is how many requests the token may make; nil for any number.
func (i Identity) Rate() *action.Rate {
	if i.limit == nil {
		return nil
	}
	return &action.Rate{PerSecond: float64(i.limit.Limit()), Burst: i.limit.Burst()}
}

// over is why what was bound to a token ends.
func over(why string) *fault.Fault {
	return fault.New(fault.Unauthenticated, "%s", why).Hinted("call again with a valid token")
}

type identityKey struct{}

// With returns a context that carries the caller a surface has authenticated.
func With(ctx context.Context, caller action.Caller) context.Context {
	return context.WithValue(ctx, identityKey{}, Identity{Caller: caller})
}

// From returns the caller that With or Bind put there; false when nobody did.
func From(ctx context.Context) (action.Caller, bool) {
	i, found := ctx.Value(identityKey{}).(Identity)
	return i.Caller, found
}

// Lasting returns what binds the things that outlive a request to the token
// that came with it, see Bind.
func Lasting(ctx context.Context) func(context.Context) (context.Context, func()) {
	return whole(ctx).Bind
}

// whole returns all that Bind put there.
func whole(ctx context.Context) Identity {
	i, _ := ctx.Value(identityKey{}).(Identity)
	return i
}
