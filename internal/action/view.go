package action

import (
	"context"
	"net/http"
	"time"
)

// VerbDesktopWatch shows the live picture of a session over a WebSocket.
var VerbDesktopWatch = Define[None, StreamEndpoint](Verb{
	Name: "desktop.watch", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/stream/signaling",
	Summary: "Watch the session live: the signaling of WebRTC over a WebSocket, or the pictures themselves",
})

// StreamEndpoint is the address at which viewers connect.
type StreamEndpoint struct {
	URL string `json:"url" doc:"Where viewers connect with a WebSocket; they send a token with it"`
}

// Codecs of a session's picture.
const (
	CodecVP8  = "vp8"
	CodecH264 = "h264" // constrained baseline; each frame is an access unit in Annex B form
	CodecJPEG = "jpeg" // every frame is a whole picture
)

// Frame is one encoded picture of a session.
type Frame struct {
	Data   []byte
	Key    bool          // it needs no earlier frame
	Width  int           // of the picture, in pixels
	Height int           // of the picture, in pixels
	At     time.Duration // when it was captured, since the capture began
}

// Video is the sequence of pictures that one viewer gets. It is used by one
// goroutine, except RequestKey and Close, which any may call.
type Video interface {
	// Next returns the next frame, the first of which is a key frame. If the viewer
	// reads too slowly, frames are left out, and the next one is a key frame. Nothing
	// comes while the picture does not change. Faults: not_active when the session or
	// its browser ended, cdp_error.
	Next(ctx context.Context) (Frame, error)
	// RequestKey asks for a key frame soon.
	RequestKey()
	// Limit tells what the viewer's line carries, in bits per second. The encoder
	// follows the slowest viewer. 0: no limit is known.
	Limit(bits int)
	Close()
}

// Kinds of a person's input.
const (
	InputMove       = "move"       // X, Y
	InputButtonDown = "buttonDown" // X, Y, Button
	InputButtonUp   = "buttonUp"   // X, Y, Button
	InputScroll     = "scroll"     // X, Y, DX, DY
	InputKeyDown    = "keyDown"    // Keysym
	InputKeyUp      = "keyUp"      // Keysym
	InputText       = "text"       // Text
	InputTouchDown  = "touchDown"  // X, Y, Touch
	InputTouchMove  = "touchMove"  // X, Y, Touch
	InputTouchUp    = "touchUp"    // X, Y, Touch
)

// PersonInput is one event of a person's keyboard, pointer or touch screen.
type PersonInput struct {
	Kind   string `json:"kind"`
	X      int    `json:"x,omitempty"` // in pixels of the picture
	Y      int    `json:"y,omitempty"`
	Button int    `json:"button,omitempty"` // 1 left, 2 middle, 3 right, 8 back, 9 forward
	DX     int    `json:"dx,omitempty"`     // wheel clicks; right is positive
	DY     int    `json:"dy,omitempty"`     // wheel clicks; down is positive
	Keysym uint32 `json:"keysym,omitempty"` // of X11: keysymdef.h
	Text   string `json:"text,omitempty"`   // of an input method, or without keys of its own
	Touch  int    `json:"touch,omitempty"`  // which finger
}

// ViewState is what all viewers of a session see beside the picture.
type ViewState struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	Width   int    `json:"width"`  // of the picture, in pixels
	Height  int    `json:"height"` // of the picture, in pixels
	State   string `json:"state"`  // of the session: open, paused, taken_over
	By      string `json:"by"`     // who paused the session or took it over; empty: it is open
	Why     string `json:"why"`    // the reason that they gave
	Holder  string `json:"holder"` // who took the session over; empty: nobody
	Mine    bool   `json:"mine"`   // this viewer's caller is the holder
	Role    string `json:"role"`   // of this viewer: operator, viewer
}

// View is a viewer's connection to a session whose control can be taken. It is safe
// for concurrent use, and must be closed.
type View interface {
	Picture
	// Take takes the session over, HandBack gives it back to the agent, with a note
	// for it or without. Faults: those of session.take and session.hand_back.
	Take(ctx context.Context) error
	HandBack(ctx context.Context, note string) error
}

// Picture is what a viewer sees of a session, and the input of the viewer who
// controls it.
type Picture interface {
	// State returns the current state, and a channel that is closed when it has
	// changed. Faults: not_active when the session ended.
	State() (ViewState, <-chan struct{}, error)
	// Video starts a sequence of pictures in a codec. Faults: provider_not_supported
	// for a codec that the session's box cannot make, not_active.
	Video(ctx context.Context, codec string) (Video, error)
	// Codecs returns the codecs that Video takes, best first.
	Codecs() []string
	// Input sends a person's input, in order. Faults: session_paused for a caller who
	// has not taken the session over, invalid_request, not_active, cdp_error.
	Input(ctx context.Context, events []PersonInput) error
	// Clipboard returns the text of the session's clipboard, SetClipboard replaces
	// it. Faults: as for Input, and limit_reached for more than 1 MiB.
	Clipboard(ctx context.Context) (string, error)
	SetClipboard(ctx context.Context, text string) error
	Close()
}
