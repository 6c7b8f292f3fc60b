package bridge

import (
	"strings"
	"testing"

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
	if err := link.SetClipboard(t.Context(), strings.Repeat("x", 1<<20)); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("the guest's limit became %v", err)
	}
	if text, err := link.Clipboard(t.Context()); err != nil || len(text) != 1<<20 {
		t.Errorf("the largest clipboard has %d bytes, %v", len(text), err)
	}
	if err := link.SetClipboard(t.Context(), strings.Repeat("x", 10<<20)); err == nil {
		t.Error("10 MiB were copied")
	}
	if _, err := link.Video(t.Context(), sandbox.VideoSpec{Codec: action.CodecVP8, FPS: 30, Bits: 1_000_000}); fault.CodeOf(err) != fault.ProviderNotSupported {
		t.Errorf("a guest without a display: %v", err)
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
