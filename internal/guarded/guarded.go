// Package guarded keeps a value behind a lock: only a function that runs while the
// lock is held gets the value.
package guarded

import "sync"

// Value is a value behind a lock. The zero Value holds the zero value of T.
type Value[T any] struct {
	mu    sync.Mutex
	value T
}

// New returns a Value that holds v.
func New[T any](v T) *Value[T] { return &Value[T]{value: v} }

// Do calls f with the value while the lock is held. f must not keep the pointer, and
// must not call Do or Get of the same Value.
func (g *Value[T]) Do(f func(v *T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(&g.value)
}

// Get is Do for a function with a result.
func Get[T, R any](g *Value[T], f func(v *T) R) R {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f(&g.value)
}
