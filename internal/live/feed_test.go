package live_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/live"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// camera makes videos whose frames the test sends.
type camera struct {
	t      testing.TB
	mu     sync.Mutex
	opened chan *video
	refuse error
}

type video struct {
	spec   sandbox.VideoSpec
	frames chan sandbox.VideoFrame
	ended  chan struct{}
	once   sync.Once
	mu     sync.Mutex
	tuned  []sandbox.VideoTuning
	told   chan struct{}
}

func newCamera(t testing.TB) *camera { return &camera{t: t, opened: make(chan *video, 100)} }

func (c *camera) open(_ context.Context, spec sandbox.VideoSpec) (sandbox.Video, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuse != nil {
		return nil, c.refuse
	}
	v := &video{spec: spec, frames: make(chan sandbox.VideoFrame), ended: make(chan struct{}), told: make(chan struct{}, 100)}
	c.opened <- v
	return v, nil
}

func (c *camera) running() *video {
	c.t.Helper()
	return testwait.Receive(c.t, c.opened, "the start of a video")
}

func (v *video) Next() (sandbox.VideoFrame, error) {
	select {
	case f := <-v.frames:
		return f, nil
	case <-v.ended:
		return sandbox.VideoFrame{}, errors.New("the video ended")
	}
}

func (v *video) Tune(t sandbox.VideoTuning) error {
	v.mu.Lock()
	v.tuned = append(v.tuned, t)
	v.mu.Unlock()
	v.told <- struct{}{}
	return nil
}

func (v *video) Close() error {
	v.once.Do(func() { close(v.ended) })
	return nil
}

// send sends a frame of a size.
func (v *video) send(t testing.TB, key bool, name byte, size int) {
	t.Helper()
	data := make([]byte, size)
	data[0] = name
	select {
	case v.frames <- sandbox.VideoFrame{Data: data, Key: key, Width: 4, Height: 2}:
	case <-testwait.Context(t).Done():
		t.Fatal("nobody reads the video")
	}
}

// waitTold waits until the encoder was told something that fits.
func (v *video) waitTold(t testing.TB, fits func(sandbox.VideoTuning) bool) {
	t.Helper()
	for {
		v.mu.Lock()
		for _, tuning := range v.tuned {
			if fits(tuning) {
				v.mu.Unlock()
				return
			}
		}
		v.mu.Unlock()
		testwait.Receive(t, v.told, "what the encoder is told")
	}
}

func start(t testing.TB) (*camera, *live.Feed) {
	c := newCamera(t)
	f := live.New(c.open, sandbox.VideoSpec{Codec: action.CodecVP8, FPS: 30, Bits: 4_000_000}, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { f.Close(errors.New("the test is over")) })
	return c, f
}

func read(t testing.TB, f *live.Feed) action.Video {
	t.Helper()
	v, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v
}

// want reads the next frame, which must have a name.
func want(t testing.TB, v action.Video, name byte) action.Frame {
	t.Helper()
	frame, err := v.Next(testwait.Context(t))
	if err != nil || frame.Data[0] != name {
		t.Fatalf("got frame %q, %v, want %q", frame.Data[:min(1, len(frame.Data))], err, name)
	}
	return frame
}

func TestOneVideoServesAllReaders(t *testing.T) {
	c, f := start(t)
	a := read(t, f)
	v := c.running()
	if v.spec.Bits != 4_000_000 || v.spec.FPS != 30 {
		t.Errorf("started as %+v", v.spec)
	}
	v.send(t, true, 'a', 10)
	v.send(t, false, 'b', 10)
	if frame := want(t, a, 'a'); !frame.Key || frame.Width != 4 || frame.Height != 2 {
		t.Errorf("the first frame is %+v", frame)
	}
	want(t, a, 'b')
	b := read(t, f)
	v.send(t, false, 'c', 10) // b has no key frame yet
	v.waitTold(t, func(u sandbox.VideoTuning) bool { return u.Key })
	v.send(t, true, 'd', 10)
	v.send(t, false, 'e', 10)
	want(t, b, 'd')
	want(t, b, 'e')
	if n := len(c.opened); n != 0 {
		t.Errorf("%d more videos were started", n)
	}
}

func TestTheVideoEndsAfterItsLastReader(t *testing.T) {
	c, f := start(t)
	a, b := read(t, f), read(t, f)
	v := c.running()
	a.Close()
	v.send(t, true, 'a', 10)
	want(t, b, 'a')
	b.Close()
	b.Close()
	testwait.Receive(t, v.ended, "the end of the video")
	if _, err := a.Next(t.Context()); err == nil {
		t.Error("a closed reader reads")
	}
	again := read(t, f)
	c.running().send(t, true, 'b', 10)
	want(t, again, 'b')
}

func TestAReaderThatComesBackFindsTheVideoRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := start(t)
		a := read(t, f)
		v := c.running()
		a.Close()
		b := read(t, f)
		v.send(t, true, 'a', 10)
		want(t, b, 'a')
		time.Sleep(2500 * time.Millisecond) // longer than a video goes on without readers
		v.send(t, false, 'b', 10)
		want(t, b, 'b')
	})
}

func TestASlowReaderLosesFramesAndHarmsNobody(t *testing.T) {
	c, f := start(t)
	slow, quick := read(t, f), read(t, f)
	v := c.running()
	v.send(t, true, 'k', 10)
	want(t, quick, 'k')
	for range 10 {
		v.send(t, false, 'x', 1<<20)
		want(t, quick, 'x')
	}
	v.waitTold(t, func(u sandbox.VideoTuning) bool { return u.Key })
	v.send(t, true, 'l', 10)
	v.send(t, false, 'm', 10)
	want(t, slow, 'l')
	want(t, slow, 'm')
	want(t, quick, 'l')
}

func TestTheEncoderFollowsTheSlowestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, f := start(t)
		a, b := read(t, f), read(t, f)
		v := c.running()
		v.send(t, true, 'a', 10)
		a.Limit(1_500_000)
		b.Limit(50) // too slow to be followed
		v.waitTold(t, func(u sandbox.VideoTuning) bool { return u.Bits == 1_500_000 || u.Bits == 200_000 })
		time.Sleep(1100 * time.Millisecond) // between two changes
		b.Limit(50)
		v.waitTold(t, func(u sandbox.VideoTuning) bool { return u.Bits == 200_000 })
	})
}

func TestAVideoThatEndsIsStartedAgain(t *testing.T) {
	c, f := start(t)
	a := read(t, f)
	v := c.running()
	v.send(t, true, 'a', 10)
	first := want(t, a, 'a')
	_ = v.Close()
	v = c.running()
	v.send(t, true, 'b', 10)
	if second := want(t, a, 'b'); second.At <= first.At {
		t.Errorf("the time went from %s to %s", first.At, second.At)
	}
}

func TestAFeedThatCannotBeEndsForAllReaders(t *testing.T) {
	c, f := start(t)
	c.refuse = fault.New(fault.ProviderNotSupported, "no display").Hinted("start another session")
	a := read(t, f)
	if _, err := a.Next(t.Context()); fault.CodeOf(err) != fault.ProviderNotSupported {
		t.Errorf("the reader got %v", err)
	}
	if _, err := f.Read(); fault.CodeOf(err) != fault.ProviderNotSupported {
		t.Errorf("a new reader got %v", err)
	}
}

func TestReadersAreLimited(t *testing.T) {
	_, f := start(t)
	for range 64 {
		read(t, f)
	}
	if _, err := f.Read(); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("one more got %v", err)
	}
}

func TestClosedFeedTellsWhy(t *testing.T) {
	c, f := start(t)
	a := read(t, f)
	c.running().send(t, true, 'a', 10)
	want(t, a, 'a')
	f.Close(fault.New(fault.NotActive, "the session was closed").Hinted("start one"))
	if _, err := a.Next(t.Context()); fault.CodeOf(err) != fault.NotActive {
		t.Errorf("the reader got %v", err)
	}
	if f.Readers() != 1 {
		t.Errorf("%d readers", f.Readers())
	}
}
