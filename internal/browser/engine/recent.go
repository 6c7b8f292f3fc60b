package engine

import "sync"

// recent keeps values by key. When it has most of them it begins anew.
type recent[V any] struct {
	most int

	mu   sync.Mutex
	kept map[string]V
}

func newRecent[V any](most int) *recent[V] { return &recent[V]{most: most} }

func (r *recent[V]) put(key string, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil || len(r.kept) >= r.most {
		r.kept = make(map[string]V)
	}
	r.kept[key] = v
}

// of returns what was put last, the zero value where nothing was.
func (r *recent[V]) of(key string) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept[key]
}
