package tasks_test

import (
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/tasks"
)

// TestNoTaskRunsAfterWait adds tasks while Wait runs: each is refused or waited
// for.
func TestNoTaskRunsAfterWait(t *testing.T) {
	for range 200 {
		var g tasks.Group
		var running atomic.Int64
		adding := make(chan struct{})
		go func() {
			defer close(adding)
			for g.Go(func() { running.Add(1); defer running.Add(-1) }) {
			}
		}()
		g.Wait()
		if n := running.Load(); n != 0 {
			t.Fatalf("%d run after the wait", n)
		}
		<-adding
		if g.Begin() || g.Go(func() {}) {
			t.Fatal("a task is accepted after Wait")
		}
	}
}
