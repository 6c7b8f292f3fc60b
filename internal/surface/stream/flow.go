package stream

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxLate   = time.Second            // that a picture may be late because the line is slow
	drift     = 100 * time.Microsecond // a frame, by which clocks may differ
	reportGap = time.Second            // between two reports of a line whose viewer sends none
)

// flow leaves pictures out when they come late, because the line carries less than
// the encoder makes, and tells the encoder. The zero value is not ready: it needs a
// line and a video.
type flow struct {
	line    *line
	video   action.Video
	reports bool // the viewer reports its losses itself

	began    time.Time
	delay    time.Duration // of the frame that came soonest
	skipping bool          // until a key frame
	late     bool          // since the last report
	reported time.Time
}

// admit reports whether a frame is to be sent.
func (f *flow) admit(frame action.Frame) bool {
	now := time.Now()
	if f.began.IsZero() {
		f.began, f.reported, f.delay = now, now, -frame.At
	}
	delay := now.Sub(f.began) - frame.At
	f.delay = min(f.delay+drift, delay)
	late := delay-f.delay > maxLate
	switch {
	case late && frame.Key: // nothing newer waits
		f.delay, f.late = delay, true
	case late:
		f.late, f.skipping = true, true
		f.video.RequestKey()
	}
	if frame.Key {
		f.skipping = false
	}
	if now.Sub(f.reported) >= reportGap && (f.late || !f.reports) {
		lost := 0.0
		if f.late {
			lost = 1
		}
		if limit, changed := f.line.report(lost, 0); changed {
			f.video.Limit(limit)
		}
		f.late, f.reported = false, now
	}
	return !f.skipping
}
