package bridge

import (
	"image"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

func TestTheDesktopOfAHostileGuest(t *testing.T) {
	r := newTestBox(t, longLease)
	link := r.listen(nil)
	r.dial()
	err := link.Input(t.Context(), []action.PersonInput{{Kind: action.InputMove}})
	f := fault.From(err)
	if f == nil || f.Code != fault.CDPError || strings.Contains(f.Message, "\x1b") || !strings.Contains(f.Message, "keyboard") {
		t.Errorf("a fault with a code of its own became %+v", f)
	}
	if err := link.SetClipboard(t.Context(), action.SelectionClipboard, strings.Repeat("x", 1<<20)); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("the guest's limit became %v", err)
	}
	if text, err := link.Clipboard(t.Context(), action.SelectionClipboard); err != nil || len(text) != 1<<20 {
		t.Errorf("the largest clipboard has %d bytes, %v", len(text), err)
	}
	if err := link.SetClipboard(t.Context(), action.SelectionClipboard, strings.Repeat("x", 10<<20)); err == nil {
		t.Error("10 MiB were copied")
	}
	if _, err := link.Video(t.Context(), sandbox.VideoSpec{Codec: action.CodecVP8, FPS: 30, Bits: 1_000_000}); fault.CodeOf(err) != fault.ProviderNotSupported {
		t.Errorf("a guest without a display: %v", err)
	}
}

func TestTheDisplayOfAHostileGuest(t *testing.T) {
	r := newTestBox(t, longLease)
	link := r.listen(nil)
	r.dial()
	ctx := t.Context()
	for name, region := range map[string]image.Rectangle{
		"no picture": image.Rect(1, 0, 5, 5), "another format": image.Rect(2, 0, 9, 9), "too wide": image.Rect(0, 0, maxSide+1, 1),
	} {
		if picture, err := link.Screenshot(ctx, region, action.DesktopShot{}); fault.CodeOf(err) != fault.CDPError || picture.Bytes != nil {
			t.Errorf("%s: %d bytes, %v", name, len(picture.Bytes), err)
		}
	}
	picture, err := link.Screenshot(ctx, image.Rect(0, 0, 30, 20), action.DesktopShot{})
	if err != nil || picture.Format != "png" || picture.Width != 30 || picture.Height != 20 || picture.Cut || len(picture.Bytes) == 0 {
		t.Errorf("the picture is %s, %d × %d, %v", picture.Format, picture.Width, picture.Height, err)
	}
	if at, err := link.Pointer(ctx); err != nil || at != (action.DesktopPointer{X: maxSide, Y: -maxSide}) {
		t.Errorf("the pointer is at %+v, %v", at, err)
	}
	screen, err := link.Screen(ctx)
	if err != nil || screen.Resolution != (action.Resolution{Height: maxSide}) || strings.ContainsAny(screen.Display, "\x1b\n") || len(screen.Display) > 2*maxName {
		t.Errorf("the display is %+v, %v", screen, err)
	}
	windows, err := link.Windows(ctx)
	if err != nil || len(windows) != maxWindows {
		t.Fatalf("%d windows, %v", len(windows), err)
	}
	w := windows[0]
	if utf8.RuneCountInString(w.Title) > maxTitle+1 || strings.ContainsAny(w.Title, "\x1b\u202e\n") {
		t.Errorf("the title is %q", w.Title)
	}
	if w.Title = ""; w != (action.DesktopWindow{X: maxSide, Y: -maxSide, Height: maxSide}) {
		t.Errorf("the window is %+v", w)
	}
	if err := link.ChangeWindow(ctx, action.WindowChange{What: action.WindowFocus, ID: 7}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a window that is gone: %v", err)
	}
}

func FuzzVideoFrame(f *testing.F) {
	f.Add(make([]byte, VideoHeader+1))
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 9, 7})
	f.Fuzz(func(t *testing.T, message []byte) {
		frame, err := parseVideoFrame(message)
		if err == nil && (frame.Width <= 0 || frame.Height <= 0 || frame.Width > maxVideoSide || frame.Height > maxVideoSide || frame.At < 0 || len(frame.Data) == 0) {
			t.Errorf("%x became %+v", message, frame)
		}
	})
}
