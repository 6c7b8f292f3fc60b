// Package testwait lets a test wait for an event without a bound of its own, so
// that no result depends on how fast the machine is. A test that waits in vain
// fails shortly before go test ends its binary (-timeout), and can still clean up.
package testwait

import (
	"context"
	"testing"
	"time"
)

const (
	reserve = 30 * time.Second      // at most, for cleaning up before go test ends the binary
	soonest = 2 * time.Millisecond  // between the first two looks at a condition that reports no change
	latest  = 50 * time.Millisecond // between later ones: a look may start a process
)

// Context returns a context that ends shortly before go test ends the binary. It
// is cancelled among the test's cleanup functions, before those registered
// earlier, so cleanup functions may ask for one too.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if end, limited := Deadline(t); limited {
		cancel()
		ctx, cancel = context.WithDeadline(context.Background(), end)
	}
	t.Cleanup(cancel)
	return ctx
}

// Deadline returns the time until which a test may wait, and whether there is
// one: go test -timeout=0, benchmarks and bubbles of testing/synctest have none.
func Deadline(t testing.TB) (end time.Time, limited bool) {
	defer func() {
		if recover() != nil { // testing panics in a bubble, whose clock is not that of the limit
			end, limited = time.Time{}, false
		}
	}()
	of, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return time.Time{}, false
	}
	if end, limited = of.Deadline(); !limited {
		return time.Time{}, false
	}
	return end.Add(-min(reserve, time.Until(end)/10)), true
}

// For waits until a condition holds, which it tries again and again. Use it for
// what reports no change, such as the state of another process. It fails the test
// with what was waited for.
func For(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx := Context(t)
	for pause := soonest; !holds(); pause = min(2*pause, latest) {
		if Latency(ctx, pause); ctx.Err() != nil {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Receive returns the next value of a channel, or the zero value of one that is
// closed. It fails the test with what was waited for.
func Receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-Context(t).Done():
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// Latency makes a server of a test answer late, or until its request ends. It is
// not for tests: none may count on the time having passed.
func Latency(ctx context.Context, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
}
