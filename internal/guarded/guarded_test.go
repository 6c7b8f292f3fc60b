package guarded

import (
	"sync"
	"testing"
)

func TestOneFunctionAtATimeGetsTheValue(t *testing.T) {
	const each = 100
	var count Value[int]
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range each {
				count.Do(func(n *int) { *n++ })
			}
		})
	}
	all.Wait()
	if n := Get(&count, func(n *int) int { return *n }); n != 8*each {
		t.Errorf("counted %d, want %d", n, 8*each)
	}
}

func TestAFunctionThatPanicsLeavesTheValueUnlocked(t *testing.T) {
	v := New(1)
	func() {
		defer func() { _ = recover() }()
		v.Do(func(*int) { panic("no") })
	}()
	v.Do(func(n *int) { *n++ })
	if n := Get(v, func(n *int) int { return *n }); n != 2 {
		t.Errorf("the value is %d, want 2", n)
	}
}
