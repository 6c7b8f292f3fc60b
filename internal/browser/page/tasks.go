package page

import "sync"

// tasks are the goroutines that a browser started.
type tasks struct {
	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
}

// Go runs a task, none after Wait was called: the connection is gone by then.
func (t *tasks) Go(task func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.running.Go(task)
	}
}

// Wait returns when every task has ended.
func (t *tasks) Wait() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.running.Wait()
}
