package sandboxtest

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"strconv"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const fakeWindow = 7 // id of the only window of a fake display

// SettleInput does nothing: a fake has read its input (sandbox.Screen).
func (b *box) SettleInput(context.Context) error { return b.withDisplay(func() {}) }

// Clipboard returns what SetClipboard stored (sandbox.Screen).
func (b *box) Clipboard(_ context.Context, selection string) (text string, err error) {
	if selection != action.SelectionClipboard && selection != action.SelectionPrimary {
		return "", fault.New(fault.InvalidRequest, "there is no selection %q", selection)
	}
	err = b.withDisplay(func() { text = b.state.clipboard[selection] })
	return text, err
}

// SetClipboard stores a text (sandbox.Screen).
func (b *box) SetClipboard(_ context.Context, selection, text string) error {
	return b.withDisplay(func() {
		if b.state.clipboard == nil {
			b.state.clipboard = map[string]string{}
		}
		for _, one := range []string{action.SelectionClipboard, action.SelectionPrimary} {
			if selection == one || selection == action.SelectionBoth {
				b.state.clipboard[one] = text
			}
		}
	})
}

// Copy copies a text as a program of a box would, and returns what was there before.
func (e *Engine) Copy(id, selection, text string) (before string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.boxes[id]
	if b.clipboard == nil {
		b.clipboard = map[string]string{}
	}
	before, b.clipboard[selection] = b.clipboard[selection], text
	return before
}

// Screenshot returns a picture of one colour, in the size that is asked for
// (sandbox.Screen).
func (b *box) Screenshot(_ context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error) {
	picture := action.Screenshot{Format: shot.Format}
	if picture.Format == "" {
		picture.Format = "png"
	}
	var screen image.Rectangle
	if err := b.withDisplay(func() { screen = image.Rect(0, 0, b.state.spec.Width, b.state.spec.Height) }); err != nil {
		return action.Screenshot{}, err
	}
	if region.Empty() {
		region = screen
	}
	if !region.In(screen) {
		return action.Screenshot{}, fault.New(fault.InvalidRequest, "the region is not on the screen").Hinted("give one that is")
	}
	scale := shot.Scale
	if scale == 0 {
		scale = 1
	}
	picture.Width, picture.Height = int(float64(region.Dx())*scale), int(float64(region.Dy())*scale)
	shown := image.NewRGBA(image.Rect(0, 0, picture.Width, picture.Height))
	for i := range shown.Pix {
		shown.Pix[i] = 0xff
	}
	var encoded bytes.Buffer
	var err error
	if picture.Format == "jpeg" {
		err = jpeg.Encode(&encoded, shown, nil)
	} else {
		err = png.Encode(&encoded, shown)
	}
	picture.Bytes = encoded.Bytes()
	return picture, err
}

// Pointer returns where the last input was (sandbox.Screen).
func (b *box) Pointer(context.Context) (at action.DesktopPointer, err error) {
	err = b.withDisplay(func() {
		at = action.DesktopPointer{Window: strconv.Itoa(fakeWindow)}
		if n := len(b.state.input); n > 0 {
			at.X, at.Y = b.state.input[n-1].X, b.state.input[n-1].Y
		}
	})
	return at, err
}

// Screen describes the display (sandbox.Screen).
func (b *box) Screen(context.Context) (d action.DesktopDisplay, err error) {
	err = b.withDisplay(func() {
		d = action.DesktopDisplay{Display: ":99", Resolution: action.Resolution{Width: b.state.spec.Width, Height: b.state.spec.Height}}
	})
	return d, err
}

// Windows lists the only window (sandbox.Screen).
func (b *box) Windows(context.Context) (all []action.DesktopWindow, err error) {
	err = b.withDisplay(func() {
		r := b.place()
		all = []action.DesktopWindow{{
			ID: strconv.Itoa(fakeWindow), Title: "Chromium", X: r.Min.X, Y: r.Min.Y, Width: r.Dx(), Height: r.Dy(), IsActive: true,
		}}
	})
	return all, err
}

// place returns where the window is: on all of the display at first.
func (b *box) place() image.Rectangle {
	if b.state.window.Empty() {
		return image.Rect(0, 0, b.state.spec.Width, b.state.spec.Height)
	}
	return b.state.window
}

// ChangeWindow moves or resizes the only window (sandbox.Screen).
func (b *box) ChangeWindow(_ context.Context, change action.WindowChange) error {
	if change.ID != fakeWindow {
		return fault.New(fault.NotFound, "there is no window %d", change.ID).Hinted("list the windows again")
	}
	return b.withDisplay(func() {
		r := b.place()
		switch change.What {
		case action.WindowMove:
			r = r.Add(image.Pt(change.X, change.Y).Sub(r.Min))
		case action.WindowResize:
			r.Max = r.Min.Add(image.Pt(change.Width, change.Height))
		}
		b.state.window = r
	})
}

// checkScreen takes pictures of a display and uses its windows.
func checkScreen(t *testing.T, box sandbox.Box, spec sandbox.Spec) {
	t.Helper()
	ctx := testwait.Context(t)
	screen, err := box.Screen(ctx)
	if err != nil || screen.Resolution.Width != spec.Width || screen.Resolution.Height != spec.Height || screen.Display == "" {
		t.Errorf("the display is %+v, %v", screen, err)
	}
	for _, c := range []struct {
		region        image.Rectangle
		shot          action.DesktopShot
		width, height int
	}{
		{image.Rectangle{}, action.DesktopShot{}, spec.Width, spec.Height},
		{image.Rectangle{}, action.DesktopShot{Format: "jpeg", Quality: 50, Scale: 0.5, ShowCursor: true}, spec.Width / 2, spec.Height / 2},
		{image.Rect(10, 20, 110, 70), action.DesktopShot{}, 100, 50},
	} {
		picture, err := box.Screenshot(ctx, c.region, c.shot)
		if err != nil || picture.Width != c.width || picture.Height != c.height || c.shot.Format != "" && picture.Format != c.shot.Format {
			t.Errorf("%+v: a picture of %d × %d, %v", c, picture.Width, picture.Height, err)
		}
		if shown, _, err := image.DecodeConfig(bytes.NewReader(picture.Bytes)); err != nil || shown.Width != c.width || shown.Height != c.height {
			t.Errorf("%+v: %d × %d are shown, %v", c, shown.Width, shown.Height, err)
		}
	}
	if _, err := box.Screenshot(ctx, image.Rect(0, 0, 1, 16000), action.DesktopShot{}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("a picture of what is beside the display: %v", err)
	}
	windows := openWindow(t, box)
	if err := box.Input(ctx, []action.PersonInput{{Kind: action.InputMove, X: 30, Y: 40}}); err != nil {
		t.Fatal(err)
	}
	if err := box.SettleInput(ctx); err != nil {
		t.Error(err)
	}
	at, err := box.Pointer(ctx)
	if want := (action.DesktopPointer{X: 30, Y: 40, Window: windows[len(windows)-1].ID}); err != nil || at != want {
		t.Errorf("the pointer is at %+v, %v; want %+v", at, err, want)
	}
	checkWindows(t, box, windows[len(windows)-1])
}

// openWindow has the browser open a window, and returns the windows of the display.
func openWindow(t *testing.T, box sandbox.Box) []action.DesktopWindow {
	t.Helper()
	ctx := testwait.Context(t)
	stream, err := box.CDP(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	openTab(t, stream, "about:blank")
	var windows []action.DesktopWindow
	testwait.For(t, "a window", func() bool {
		if windows, err = box.Windows(ctx); err != nil {
			t.Fatal(err)
		}
		return len(windows) > 0
	})
	return windows
}

// checkWindows focuses, moves and resizes a window.
func checkWindows(t *testing.T, box sandbox.Box, w action.DesktopWindow) {
	t.Helper()
	ctx := testwait.Context(t)
	n, err := strconv.ParseUint(w.ID, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	id := uint32(n)
	for _, change := range []action.WindowChange{
		{What: action.WindowFocus, ID: id}, {What: action.WindowMove, ID: id, X: 20, Y: 10}, {What: action.WindowResize, ID: id, Width: 700, Height: 500},
	} {
		if err := box.ChangeWindow(ctx, change); err != nil {
			t.Errorf("%+v: %v", change, err)
		}
	}
	windows, err := box.Windows(ctx)
	if err != nil || len(windows) == 0 {
		t.Fatal(err)
	}
	if got := windows[len(windows)-1]; got.X != 20 || got.Y != 10 || got.Width != 700 || got.Height != 500 || !got.IsActive {
		t.Errorf("the window is %+v", got)
	}
	if err := box.ChangeWindow(ctx, action.WindowChange{What: action.WindowFocus, ID: 1}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a window that is none: %v", err)
	}
}
