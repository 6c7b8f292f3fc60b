package sandboxtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Video starts a video of a display that never changes: a key frame comes at first and
// for each Tune that asks for one (sandbox.Screen).
func (b *box) Video(_ context.Context, spec sandbox.VideoSpec) (sandbox.Video, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.state.err != nil {
		return nil, b.state.err
	}
	if b.state.spec.Headless {
		return nil, fault.New(fault.ProviderNotSupported, "the box has no display").Hinted("start one that is not headless")
	}
	b.state.thaw()
	v := &fakeVideo{box: b, keys: make(chan struct{}, 1), closed: make(chan struct{}), started: time.Now()}
	v.keys <- struct{}{}
	return v, nil
}

type fakeVideo struct {
	box     *box
	keys    chan struct{}
	closed  chan struct{}
	once    sync.Once
	started time.Time
}

func (v *fakeVideo) Next() (sandbox.VideoFrame, error) {
	select {
	case <-v.closed:
	case <-v.box.state.done:
	case <-v.keys:
		spec := v.box.state.spec
		return sandbox.VideoFrame{Data: []byte{0}, Key: true, Width: spec.Width, Height: spec.Height, At: time.Since(v.started)}, nil
	}
	return sandbox.VideoFrame{}, errors.New("the video ended")
}

func (v *fakeVideo) Tune(t sandbox.VideoTuning) error {
	if t.Key {
		select {
		case v.keys <- struct{}{}:
		default:
		}
	}
	return nil
}

func (v *fakeVideo) Close() error {
	v.once.Do(func() { close(v.closed) })
	return nil
}

// checkVideo encodes displays.
func checkVideo(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	spec.Headless = false
	box := start(t, driver, spec)
	for _, bad := range []sandbox.VideoSpec{{}, {Codec: "vp9", FPS: 30, Bits: 4_000_000}, {Codec: sandbox.VP8, FPS: 61, Bits: 4_000_000}, {Codec: sandbox.VP8, FPS: 30}} {
		if _, err := box.Video(testContext(t), bad); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, codec := range []string{sandbox.VP8, sandbox.H264} {
		video, err := box.Video(testContext(t), sandbox.VideoSpec{Codec: codec, FPS: 30, Bits: 4_000_000})
		if err != nil {
			t.Fatal(err)
		}
		wantKeyFrame(t, video, spec, "first")
		if err := video.Tune(sandbox.VideoTuning{Key: true, FPS: 10, Bits: 1_000_000}); err != nil {
			t.Fatal(err)
		}
		wantKeyFrame(t, video, spec, "asked for")
		_ = video.Close()
		if _, err := video.Next(); err == nil {
			t.Error("a closed video goes on")
		}
	}
	video, err := box.Video(testContext(t), sandbox.VideoSpec{Codec: sandbox.VP8, FPS: 30, Bits: 4_000_000})
	if err != nil {
		t.Fatal(err)
	}
	stop(t, driver, spec.ID)
	for err == nil {
		_, err = video.Next()
	}
	if _, err := box.Video(testContext(t), sandbox.VideoSpec{Codec: sandbox.VP8, FPS: 30, Bits: 4_000_000}); err == nil {
		t.Error("a stopped box has a display")
	}
}

func wantKeyFrame(t *testing.T, video sandbox.Video, spec sandbox.Spec, which string) {
	t.Helper()
	timer := time.AfterFunc(waitLimit, func() { _ = video.Close() })
	defer timer.Stop()
	for {
		f, err := video.Next()
		if err != nil {
			t.Fatalf("no %s key frame: %v", which, err)
		}
		if which == "first" && !f.Key {
			t.Fatal("the first frame is no key frame")
		}
		if !f.Key {
			continue
		}
		if f.Width != spec.Width || f.Height != spec.Height || len(f.Data) == 0 {
			t.Errorf("the %s key frame has %dx%d and %d bytes", which, f.Width, f.Height, len(f.Data))
		}
		return
	}
}
