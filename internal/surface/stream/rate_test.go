package stream

import (
	"testing"
	"testing/synctest"
	"time"
)

// second lets a second pass in which so many bytes are sent, and returns the limit
// after a report.
func (l *line) second(bytes int, lost, estimate float64) int {
	l.add(bytes)
	time.Sleep(time.Second)
	limit, _ := l.report(lost, estimate)
	return limit
}

func TestALimitFollowsLossAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		const sent = 500_000 // bytes a second: 4 Mbit/s
		if got := l.second(sent, 0, 0); got != 0 {
			t.Errorf("without loss the limit is %d", got)
		}
		if got := l.second(sent, 0.05, 0); got != 0 {
			t.Errorf("with a little loss the limit is %d", got)
		}
		first := l.second(sent, 0.2, 0)
		if first != 3_200_000 {
			t.Errorf("the limit is %d, want 3200000", first)
		}
		if got := l.second(sent, 0.2, 1_000_000); got != 1_000_000 {
			t.Errorf("with the viewer's estimate the limit is %d, want 1000000", got)
		}
		if got := l.second(1, 0.5, 0); got != minRate {
			t.Errorf("the lowest limit is %d, want %d", got, minRate)
		}
		seconds := 0
		for last := minRate; last != 0; seconds++ {
			next := l.second(1, 0, 0)
			if next != 0 && next <= last {
				t.Fatalf("the limit does not rise: %d after %d", next, last)
			}
			if last = next; seconds > 600 {
				t.Fatalf("the limit is not forgotten: %d", next)
			}
		}
	})
}
