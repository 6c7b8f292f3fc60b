package netlog

import (
	"testing"
	"time"
)

// TestTheMeterCountsASecondOfWriting counts what two targets wrote, one a
// little earlier than the other, however late the messages arrive.
func TestTheMeterCountsASecondOfWriting(t *testing.T) {
	start := time.Date(2026, 11, 22, 8, 0, 30, 0, time.UTC)
	var m meter
	for _, step := range []struct {
		after time.Duration
		want  int
	}{
		{0, 10},
		{900 * time.Millisecond, 20},
		{-5 * time.Second, 30}, // of one that is behind
		{time.Second, 10},
		{500 * time.Millisecond, 20},
		{-time.Hour, 10}, // the clock was set back
		{-time.Hour, 20},
	} {
		if got := m.add(start.Add(step.after), 10); got != step.want {
			t.Errorf("at %v it has %d, want %d", step.after, got, step.want)
		}
	}
}
