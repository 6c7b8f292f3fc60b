package sandboxtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
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
	for _, bad := range []sandbox.VideoSpec{{}, {Codec: "vp9", FPS: 30, Bits: 4_000_000}, {Codec: action.CodecVP8, FPS: 61, Bits: 4_000_000}, {Codec: action.CodecVP8, FPS: 30}} {
		if _, err := box.Video(testwait.Context(t), bad); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, codec := range []string{action.CodecVP8, action.CodecH264} {
		video, err := box.Video(testwait.Context(t), sandbox.VideoSpec{Codec: codec, FPS: 30, Bits: 4_000_000})
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
	video, err := box.Video(testwait.Context(t), sandbox.VideoSpec{Codec: action.CodecVP8, FPS: 30, Bits: 4_000_000})
	if err != nil {
		t.Fatal(err)
	}
	stop(t, driver, spec.ID)
	for err == nil {
		_, err = video.Next()
	}
	if _, err := box.Video(testwait.Context(t), sandbox.VideoSpec{Codec: action.CodecVP8, FPS: 30, Bits: 4_000_000}); err == nil {
		t.Error("a stopped box has a display")
	}
}

func wantKeyFrame(t *testing.T, video sandbox.Video, spec sandbox.Spec, which string) {
	t.Helper()
	unblock := context.AfterFunc(testwait.Context(t), func() { _ = video.Close() })
	defer unblock()
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

// Input remembers the input (sandbox.Screen).
func (b *box) Input(_ context.Context, events []action.PersonInput) error {
	return b.withDisplay(func() { b.state.input = append(b.state.input, events...) })
}

// ReleaseInput counts the call (sandbox.Screen).
func (b *box) ReleaseInput(context.Context) error {
	return b.withDisplay(func() { b.state.releases++ })
}

// withDisplay calls use while the engine's lock is held, for a box with a display.
func (b *box) withDisplay(use func()) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	switch {
	case b.state.err != nil:
		return b.state.err
	case b.state.spec.Headless:
		return fault.New(fault.ProviderNotSupported, "the box has no display").Hinted("start one that is not headless")
	}
	b.state.thaw()
	use()
	return nil
}

// Input returns the input that a box has got, and how often it was released.
func (e *Engine) Input(id string) (events []action.PersonInput, releases int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.boxes[id].input, e.boxes[id].releases
}

// checkInput sends input to a display and uses its clipboard.
func checkInput(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	box := start(t, driver, spec)
	ctx := testwait.Context(t)
	if err := box.ReleaseInput(ctx); err != nil {
		t.Errorf("cannot release what was never pressed: %v", err)
	}
	const text = "Grüße, 漢字 🎉"
	if err := box.SetClipboard(ctx, action.SelectionBoth, text); err != nil {
		t.Fatal(err)
	}
	if err := box.SetClipboard(ctx, action.SelectionPrimary, "marked"); err != nil {
		t.Fatal(err)
	}
	for selection, want := range map[string]string{action.SelectionClipboard: text, action.SelectionPrimary: "marked"} {
		if got, err := box.Clipboard(ctx, selection); err != nil || got != want {
			t.Errorf("the %s has %q, %v", selection, got, err)
		}
	}
	if _, err := box.Clipboard(ctx, action.SelectionBoth); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("both selections are read: %v", err)
	}
	checkScreen(t, box, spec)
	events := []action.PersonInput{{Kind: action.InputMove, X: 10, Y: 10}, {Kind: action.InputButtonDown, X: 10, Y: 10, Button: 1}, {Kind: action.InputText, Text: "x"}}
	if err := box.Input(ctx, events); err != nil {
		t.Fatal(err)
	}
	if err := box.ReleaseInput(ctx); err != nil {
		t.Error(err)
	}
	stop(t, driver, spec.ID)
	if err := box.Input(ctx, events); err == nil {
		t.Error("a stopped box takes input")
	}
}
