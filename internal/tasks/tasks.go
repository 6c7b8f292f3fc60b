// Package tasks keeps count of what runs in the background, so that who owns it
// can wait for its end.
package tasks

import "sync"

// Group are tasks that run. Unlike a sync.WaitGroup it may be added to while it
// is waited for: then it takes nothing more. The zero Group is ready.
type Group struct {
	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
}

// Go runs a task, and reports whether it does: not after Wait was called.
func (g *Group) Go(task func()) bool {
	if !g.Begin() {
		return false
	}
	go func() {
		defer g.End()
		task()
	}()
	return true
}

// Begin counts a task that the caller runs, until End; false after Wait was
// called.
func (g *Group) Begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		g.running.Add(1)
	}
	return !g.over
}

// End ends a task that Begin counted.
func (g *Group) End() { g.running.Done() }

// Wait takes no more tasks, and returns when every one has ended.
func (g *Group) Wait() {
	g.mu.Lock()
	g.over = true
	g.mu.Unlock()
	g.running.Wait()
}
