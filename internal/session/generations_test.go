package session

import (
	"strconv"
	"testing"
)

// TestTheNumberOfTrackedConnectionsIsBounded sets more connections than are
// tracked.
func TestTheNumberOfTrackedConnectionsIsBounded(t *testing.T) {
	l := generations{byConnection: map[connection]int{}}
	for i := range maxConnections + 5 {
		l.set(connection{name: strconv.Itoa(i)}, 1)
	}
	l.set(connection{name: "5"}, 2)
	if len(l.byConnection) != maxConnections || len(l.order) != maxConnections || l.byConnection[connection{name: "4"}] != 0 || l.byConnection[connection{name: "5"}] != 2 {
		t.Errorf("%d connections, order has %d", len(l.byConnection), len(l.order))
	}
}
