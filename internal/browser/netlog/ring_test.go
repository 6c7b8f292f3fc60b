package netlog

import "testing"

func TestRingKeepsTheNewestInOrder(t *testing.T) {
	var r ring[int]
	if got := r.all(); len(got) != 0 {
		t.Errorf("an empty one has %v", got)
	}
	for i := range 2*ringSize + 7 {
		gone, full := r.put(i)
		if full != (i >= ringSize) || full && gone != i-ringSize {
			t.Fatalf("for %d went %d, %t", i, gone, full)
		}
	}
	all := r.all()
	if len(all) != ringSize {
		t.Fatalf("it keeps %d", len(all))
	}
	for i, v := range all {
		if v != ringSize+7+i {
			t.Fatalf("at %d is %d", i, v)
		}
	}
	r.clear()
	r.put(1)
	if got := r.all(); len(got) != 1 || got[0] != 1 {
		t.Errorf("after clearing it has %v", got)
	}
}
