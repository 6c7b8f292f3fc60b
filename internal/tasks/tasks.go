// Package tasks counts background tasks, so that their owner can wait until all
// have ended.
package tasks

import "sync"

// Group counts running tasks. Unlike with a sync.WaitGroup, tasks may be added
// during Wait: they are refused then. The zero Group is ready.
type Group struct {
	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
}

// Go runs a task. It reports whether it does; after Wait was called it does not.
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

// Begin counts a task that the caller runs until End. It returns false after Wait
// was called.
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

// Wait refuses further tasks, and returns when all have ended.
func (g *Group) Wait() {
	g.mu.Lock()
	g.over = true
	g.mu.Unlock()
	g.running.Wait()
}
