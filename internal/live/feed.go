// Package live shares the encoded picture of a session among its viewers: one
// capture and one encoder for each codec, however many watch.
package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	maxReaders   = 64                     // of one feed
	maxWaiting   = 4 << 20                // bytes of frames that wait for a reader; it gets a key frame instead of more
	keyInterval  = 300 * time.Millisecond // between two requests for a key frame
	retryAfter   = 500 * time.Millisecond // until a video that ended is started again
	maxAttempts  = 60                     // without a frame in between: a box takes that long to restart its browser
	openLimit    = 15 * time.Second       // for a video to start
	leastBits    = 200_000                // a second; a slower reader loses frames instead of slowing down the others
	linger       = 2 * time.Second        // after the last reader left: one that reloads its page finds it running
	tuneInterval = time.Second            // between two changes of the bits
)

// Open starts the video of a session.
type Open func(ctx context.Context, spec sandbox.VideoSpec) (sandbox.Video, error)

// Feed is one video and its readers. The video runs while there are readers. It is
// safe for concurrent use.
type Feed struct {
	open Open
	spec sandbox.VideoSpec
	log  *slog.Logger
	work sync.WaitGroup // the goroutine that reads the video

	mu      sync.Mutex
	readers map[*reader]struct{}
	stop    context.CancelFunc // of the running video; nil while none runs
	video   sandbox.Video      // nil while it starts
	end     error              // why the feed ended
	began   time.Time          // when the video began
	asked   time.Time          // when a key frame was last asked for
	later   *time.Timer        // asks for a key frame; nil while none has to wait
	tuned   time.Time          // when the bits were last changed
	bits    int                // that the encoder was told
	idle    *time.Timer        // stops the video that nobody reads
}

// New returns a feed without a running video. spec.Bits is what a video gets whose
// viewers' lines carry it.
func New(open Open, spec sandbox.VideoSpec, log *slog.Logger) *Feed {
	return &Feed{open: open, spec: spec, log: log, readers: map[*reader]struct{}{}}
}

// Read adds a reader. The first one starts the video. Faults: limit_reached, and
// the reason why the feed ended.
func (f *Feed) Read() (action.Video, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end != nil {
		return nil, f.end
	}
	if len(f.readers) >= maxReaders {
		return nil, fault.New(fault.LimitReached, "%d people watch this session, which is all it may have", maxReaders).
			Hinted("close a window that shows it").With("limit", "viewers").With("max", maxReaders)
	}
	r := &reader{feed: f, ready: make(chan struct{}, 1)}
	f.readers[r] = struct{}{}
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
	if f.stop == nil {
		var ctx context.Context
		ctx, f.stop = context.WithCancel(context.Background())
		f.began = time.Now()
		f.work.Go(func() { f.run(ctx) })
	}
	f.askForKey()
	return r, nil
}

// Close ends the feed for a reason, and waits until the video has ended.
func (f *Feed) Close(reason error) {
	f.mu.Lock()
	f.finish(reason)
	f.mu.Unlock()
	f.work.Wait()
}

// Readers returns how many readers there are.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.readers)
}

// finish ends the feed. The caller must hold mu.
func (f *Feed) finish(reason error) {
	if f.end == nil {
		f.end = reason
	}
	for r := range f.readers {
		r.signal()
	}
	f.halt()
}

// halt stops the video. The caller must hold mu.
func (f *Feed) halt() {
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
	if f.video != nil {
		_ = f.video.Close()
		f.video = nil
	}
}

// remove removes a reader. The video of the last one goes on for a moment.
func (f *Feed) remove(r *reader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.readers, r)
	if len(f.readers) > 0 || f.stop == nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(linger, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.idle == timer && len(f.readers) == 0 {
			f.halt()
		}
	})
	f.idle = timer
}

// run reads the video until ctx ends. A video that ends is started again: the box
// may have restarted its browser and display.
func (f *Feed) run(ctx context.Context) {
	for attempt := 0; ; attempt++ {
		frames, err := f.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if frames > 0 {
			attempt = 0
		}
		code := fault.CodeOf(err)
		if attempt >= maxAttempts || code == fault.ProviderNotSupported || code == fault.NotActive {
			f.log.Warn("the picture of a session ended", "error", err)
			f.mu.Lock()
			f.finish(endFault(err))
			f.mu.Unlock()
			return
		}
		timer := time.NewTimer(retryAfter)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func endFault(err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.CDPError, "the display of the session can no longer be captured").
		Hinted("look at the session's health; close it and start another").Because(err)
}

// once runs a video until it ends. It returns how many frames it had.
func (f *Feed) once(ctx context.Context) (frames int, err error) {
	opening, cancel := context.WithTimeout(ctx, openLimit)
	f.mu.Lock()
	spec := f.spec
	spec.Bits = f.wantedBits()
	f.mu.Unlock()
	video, err := f.open(opening, spec)
	cancel()
	if err != nil {
		return 0, err
	}
	defer func() { _ = video.Close() }()
	f.mu.Lock()
	if ctx.Err() != nil {
		f.mu.Unlock()
		return 0, ctx.Err()
	}
	f.video, f.bits, f.asked = video, spec.Bits, time.Now()
	offset := time.Since(f.began)
	f.mu.Unlock()
	for {
		frame, err := video.Next()
		if err != nil {
			f.mu.Lock()
			if f.video == video {
				f.video = nil
			}
			f.mu.Unlock()
			return frames, err
		}
		frames++
		f.pass(action.Frame{Data: frame.Data, Key: frame.Key, Width: frame.Width, Height: frame.Height, At: offset + frame.At})
	}
}

// pass passes a frame to every reader.
func (f *Feed) pass(frame action.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	late := false
	for r := range f.readers {
		late = !r.add(frame) || late
	}
	if late {
		f.askForKey()
	}
	f.tune()
}

// askForKey asks the encoder for a key frame, not too often. The caller must hold mu.
func (f *Feed) askForKey() {
	if f.video == nil || f.later != nil {
		return // a video begins with one
	}
	if early := keyInterval - time.Since(f.asked); early > 0 {
		f.later = time.AfterFunc(early, f.askLater)
		return
	}
	f.asked = time.Now()
	go tell(f.video, sandbox.VideoTuning{Key: true})
}

// askLater asks for a key frame if a reader still has none.
func (f *Feed) askLater() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.later = nil
	for r := range f.readers {
		if !r.synced {
			f.askForKey()
			return
		}
	}
}

// tune tells the encoder what the slowest line carries. The caller must hold mu.
func (f *Feed) tune() {
	want := f.wantedBits()
	if f.video == nil || want == f.bits || time.Since(f.tuned) < tuneInterval {
		return
	}
	f.tuned, f.bits = time.Now(), want
	go tell(f.video, sandbox.VideoTuning{Bits: want})
}

// tell may block while the box does not read.
func tell(video sandbox.Video, t sandbox.VideoTuning) { _ = video.Tune(t) } // a video that ended is noticed by its reader

func (f *Feed) wantedBits() int {
	bits := f.spec.Bits
	for r := range f.readers {
		if r.limit > 0 {
			bits = min(bits, max(r.limit, leastBits))
		}
	}
	return bits
}

// reader is one viewer's sequence of frames. Its fields but feed and ready are
// guarded by the feed's mu.
type reader struct {
	feed    *Feed
	ready   chan struct{} // holds a value when there may be something new
	frames  []action.Frame
	waiting int  // bytes of frames
	synced  bool // it has had a key frame since it lost frames
	limit   int  // bits a second that its line carries; 0: unknown
	closed  bool
}

// add adds a frame for the reader. It reports false if the reader needs a key frame.
// The caller must hold the feed's mu.
func (r *reader) add(frame action.Frame) bool {
	if !frame.Key && !r.synced {
		return false
	}
	if r.waiting+len(frame.Data) > maxWaiting || frame.Key {
		r.frames, r.waiting = nil, 0
		r.synced = frame.Key
		if !frame.Key {
			return false
		}
	}
	r.frames, r.waiting = append(r.frames, frame), r.waiting+len(frame.Data)
	r.signal()
	return true
}

func (r *reader) signal() {
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

var errClosed = errors.New("the viewer has closed its picture")

// Next returns the next frame (action.Video).
func (r *reader) Next(ctx context.Context) (action.Frame, error) {
	for {
		frame, found, err := r.take()
		if found || err != nil {
			return frame, err
		}
		select {
		case <-r.ready:
		case <-ctx.Done():
			return action.Frame{}, context.Cause(ctx)
		}
	}
}

// take removes the first frame that waits. It asks for a key frame if the reader
// still has none.
func (r *reader) take() (frame action.Frame, found bool, err error) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	switch {
	case r.closed:
		return action.Frame{}, false, errClosed
	case len(r.frames) > 0:
		frame = r.frames[0]
		r.frames, r.waiting = r.frames[1:], r.waiting-len(frame.Data)
		return frame, true, nil
	case r.feed.end != nil:
		return action.Frame{}, false, r.feed.end
	case !r.synced:
		r.feed.askForKey()
	}
	return action.Frame{}, false, nil
}

// RequestKey asks for a key frame (action.Video).
func (r *reader) RequestKey() {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.synced = false // frames before it are of no use
	r.feed.askForKey()
}

// Limit sets what the reader's line carries (action.Video).
func (r *reader) Limit(bits int) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.limit = bits
	r.feed.tune()
}

// Close removes the reader (action.Video).
func (r *reader) Close() {
	r.feed.mu.Lock()
	r.closed, r.frames = true, nil
	r.signal()
	r.feed.mu.Unlock()
	r.feed.remove(r)
}
