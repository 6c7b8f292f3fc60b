package engine

// ringSize is how many console messages and how many requests a browser
// remembers; SPEC section 6.1.
const ringSize = 1000

// ring keeps the newest ringSize of what was put into it.
type ring[T any] struct {
	kept []T
	next int // place of the oldest, once it is full
}

// put adds v, and returns what had to go for it.
func (r *ring[T]) put(v T) (gone T, full bool) {
	if len(r.kept) < ringSize {
		r.kept = append(r.kept, v)
		return gone, false
	}
	gone = r.kept[r.next]
	r.kept[r.next] = v
	r.next = (r.next + 1) % ringSize
	return gone, true
}

// all returns a copy, oldest first.
func (r *ring[T]) all() []T {
	out := make([]T, 0, len(r.kept))
	return append(append(out, r.kept[r.next:]...), r.kept[:r.next]...)
}

func (r *ring[T]) clear() { r.kept, r.next = nil, 0 }
