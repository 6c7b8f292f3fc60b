package session

import (
	"strconv"
	"testing"
)

// Connections come and go: what is remembered of them is bounded.
func TestTheOldestHeirsAreForgotten(t *testing.T) {
	l := lives{of: map[heir]int{}}
	for i := range mostHeirs + 5 {
		l.put(heir{connection: strconv.Itoa(i)}, 1)
	}
	l.put(heir{connection: "5"}, 2)
	if len(l.of) != mostHeirs || len(l.order) != mostHeirs || l.of[heir{connection: "4"}] != 0 || l.of[heir{connection: "5"}] != 2 {
		t.Errorf("%d heirs in %d places", len(l.of), len(l.order))
	}
}
