package engine

import (
	"fmt"
	"slices"
	"sync"
)

const mostNotes = 20 // kept between two results

// notes are sentences for the caller that the next result carries: what happened
// beside what the call asked for. Each sentence is kept once.
type notes struct {
	mu   sync.Mutex
	kept []string
}

func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.kept) < mostNotes && !slices.Contains(n.kept, text) {
		n.kept = append(n.kept, text)
	}
}

// take returns the notes and forgets them.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	kept := n.kept
	n.kept = nil
	return kept
}
