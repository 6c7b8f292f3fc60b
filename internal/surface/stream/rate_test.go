package stream

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
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

// asked records what is asked of an encoder.
type asked struct {
	action.Video
	keys, limit int
}

func (a *asked) RequestKey()    { a.keys++ }
func (a *asked) Limit(bits int) { a.limit = bits }

func TestLatePicturesAreLeftOutUntilAKeyFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var encoder asked
		f := flow{line: newLine(), video: &encoder}
		at := time.Duration(0)
		frame := func(key bool, takes time.Duration) bool {
			sent := f.admit(action.Frame{At: at, Key: key})
			f.line.add(10_000)
			at += 33 * time.Millisecond
			time.Sleep(takes)
			return sent
		}
		for n := range 60 {
			if !frame(n == 0, 33*time.Millisecond) {
				t.Fatalf("frame %d was left out of a fast line", n)
			}
		}
		if encoder.keys != 0 || encoder.limit != 0 {
			t.Fatalf("a fast line: %d key frames, limit %d", encoder.keys, encoder.limit)
		}
		n := 0
		for ; frame(false, 100*time.Millisecond); n++ {
			if n > 60 {
				t.Fatal("no frame was left out of a slow line")
			}
		}
		if encoder.keys == 0 {
			t.Error("no key frame was asked for")
		}
		if frame(false, 100*time.Millisecond) {
			t.Error("a frame was sent that needs those that were left out")
		}
		if !frame(true, 33*time.Millisecond) || !frame(false, 33*time.Millisecond) {
			t.Error("the key frame, or the one after it, was left out")
		}
		for range 40 {
			frame(false, 33*time.Millisecond)
		}
		if encoder.limit < minRate || encoder.limit > 2_500_000 {
			t.Errorf("the limit is %d", encoder.limit)
		}
	})
}
