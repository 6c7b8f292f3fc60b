package xdisplay

import "sync"

// notice tells any number of readers that something has changed. Its zero value is
// ready.
type notice struct {
	mu      sync.Mutex
	changed chan struct{}
}

// wait returns a channel that is closed at the next change.
func (n *notice) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed == nil {
		n.changed = make(chan struct{})
	}
	return n.changed
}

func (n *notice) announce() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}
