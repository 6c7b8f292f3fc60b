package auth

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Source says where a token comes from.
type Source string

const (
	FromFile   Source = "file"    // created at the first start, in the state folder
	FromConfig Source = "config"  // auth.tokens
	Created    Source = "created" // token.create
	FromIssuer Source = "issuer"  // signed by the issuer of auth.jwt
)

// Identity is an authenticated caller. The zero Identity is nobody.
type Identity struct {
	Caller  action.Caller
	Source  Source
	Expires time.Time // zero: never
	Session string    // if not empty, the token opens the DevTools protocol of this session and nothing else

	life  context.Context //nolint:containedctx // ends when the token is revoked; nil means never
	limit *rate.Limiter   // of its requests; nil means no limit
}

// Bind returns a context for what is done in the name of i. It carries i. It ends
// when the token expires or is revoked, with a fault unauthenticated as its
// cause. The caller must call release.
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

// Take counts one request against the token's rate. If there were too many, it
// does not count the request and returns how long to wait.
func (i Identity) Take() (wait time.Duration, ok bool) { return take(i.limit) }

// Rate is how many requests the token may make; nil for any number.
func (i Identity) Rate() *action.Rate {
	if i.limit == nil {
		return nil
	}
	return &action.Rate{PerSecond: float64(i.limit.Limit()), Burst: i.limit.Burst()}
}

// over is the cause with which contexts of Bind end.
func over(why string) *fault.Fault {
	return fault.New(fault.Unauthenticated, "%s", why).Hinted("call again with a valid token")
}

type identityKey struct{}

// With returns a context that carries an authenticated caller.
func With(ctx context.Context, caller action.Caller) context.Context {
	return context.WithValue(ctx, identityKey{}, Identity{Caller: caller})
}

// From returns the caller that With or Bind stored; false if there is none.
func From(ctx context.Context) (action.Caller, bool) {
	i, found := ctx.Value(identityKey{}).(Identity)
	return i.Caller, found
}

// Lasting returns the Bind of the identity in ctx, for things that outlive the
// request. See Bind.
func Lasting(ctx context.Context) func(context.Context) (context.Context, func()) {
	return whole(ctx).Bind
}

// Take counts one request more against the rate of the token in ctx, for
// connections that carry many. See Identity.Take.
func Take(ctx context.Context) (wait time.Duration, ok bool) { return whole(ctx).Take() }

// whole returns the identity that Bind stored.
func whole(ctx context.Context) Identity {
	i, _ := ctx.Value(identityKey{}).(Identity)
	return i
}
