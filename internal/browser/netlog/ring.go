package netlog

// ringSize is how many console messages and how many requests a log keeps.
const ringSize = 1000

// ring keeps the newest ringSize values that were put into it.
type ring[T any] struct {
	kept []T
	next int // index of the oldest, once it is full
}

// put adds v. When the ring is full it returns the value that v replaced.
func (r *ring[T]) put(v T) (replaced T, full bool) {
	if len(r.kept) < ringSize {
		r.kept = append(r.kept, v)
		return replaced, false
	}
	replaced = r.kept[r.next]
	r.kept[r.next] = v
	r.next = (r.next + 1) % ringSize
	return replaced, true
}

// all returns a copy, oldest first.
func (r *ring[T]) all() []T {
	out := make([]T, 0, len(r.kept))
	return append(append(out, r.kept[r.next:]...), r.kept[:r.next]...)
}

func (r *ring[T]) clear() { r.kept, r.next = nil, 0 }
