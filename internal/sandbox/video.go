package sandbox

import (
	"context"
	"image"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Limits of a video.
const (
	LeastVideoBits = 50_000      // per second
	MostVideoBits  = 100_000_000 // per second
	MostVideoFPS   = 60
)

// VideoSpec describes a video of a box's display.
type VideoSpec struct {
	Codec string // action.CodecVP8 or action.CodecH264
	FPS   int    // at most so many frames a second, 1 to MostVideoFPS
	Bits  int    // per second
}

// Check returns the first error in s. Faults: invalid_request.
func (s VideoSpec) Check() error {
	refuse := func(what, hint string) error {
		return fault.New(fault.InvalidRequest, "%s", what).Hinted("%s", hint)
	}
	switch {
	case s.Codec != action.CodecVP8 && s.Codec != action.CodecH264:
		return refuse("a display is encoded as vp8 or h264", "name one of them")
	case s.FPS < 1 || s.FPS > MostVideoFPS:
		return refuse("a video has 1 to 60 frames a second", "30 is usual")
	case s.Bits < LeastVideoBits || s.Bits > MostVideoBits:
		return refuse("a video has 50,000 to 100,000,000 bits a second", "4,000,000 is usual")
	}
	return nil
}

// Video is the encoded display of a box. One goroutine reads it; Tune and Close may
// be called by any.
type Video interface {
	// Next waits for the next frame, the first of which is a key frame. No frames
	// come while the display does not change, or while nobody calls Next. It returns
	// an error when the video was closed, or the display or the box ended.
	Next() (VideoFrame, error)
	// Tune changes the encoding of the following frames.
	Tune(VideoTuning) error
	Close() error
}

// VideoTuning is a change of a running video. Zero values change nothing.
type VideoTuning struct {
	Key  bool // the next frame is a key frame
	FPS  int
	Bits int
}

// VideoFrame is one frame of a video. It comes from the box, so its data is
// untrusted.
type VideoFrame struct {
	Data   []byte
	Key    bool
	Width  int // in pixels, at most 8192
	Height int
	At     time.Duration // since the capture began
}

// Screen is the part of a Box that people see and use.
type Screen interface {
	// Video starts to capture and encode the display. It thaws a frozen box. Faults:
	// invalid_request, provider_not_supported for a box without a display, cdp_error.
	Video(ctx context.Context, spec VideoSpec) (Video, error)
	// Input sends a person's input to the display, in order, and returns when the
	// display has it. It thaws a frozen box, as the next methods do. Faults:
	// invalid_request, after which nothing was sent, provider_not_supported,
	// limit_reached, cdp_error.
	Input(ctx context.Context, events []action.PersonInput) error
	// SettleInput waits until the program that has the focus has read all input.
	SettleInput(ctx context.Context) error
	// ReleaseInput releases the keys and buttons that are held.
	ReleaseInput(ctx context.Context) error
	// Clipboard returns the text of a selection, SetClipboard replaces it, or that of
	// both. Faults: limit_reached for more than 1 MiB, provider_not_supported, cdp_error.
	Clipboard(ctx context.Context, selection string) (string, error)
	SetClipboard(ctx context.Context, selection, text string) error
	// Screenshot takes a picture of the display. The zero region is all of it. Faults:
	// invalid_request for a region that is not on it, limit_reached, and as above.
	Screenshot(ctx context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error)
	// Pointer returns where the pointer is.
	Pointer(ctx context.Context) (action.DesktopPointer, error)
	// Screen describes the display.
	Screen(ctx context.Context) (action.DesktopDisplay, error)
	// Windows lists the windows of programs, bottom first.
	Windows(ctx context.Context) ([]action.DesktopWindow, error)
	// ChangeWindow focuses, moves or resizes a window. Faults: not_found,
	// not_actionable, invalid_request, and as above.
	ChangeWindow(ctx context.Context, change action.WindowChange) error
}
