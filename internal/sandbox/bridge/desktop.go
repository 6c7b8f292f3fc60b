package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // formats of screenshots
	_ "image/png"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxDesktopBody = 8 << 20  // bytes of a request or answer; a clipboard of 1 MiB has at most 6 MiB in JSON
	maxShotBody    = 40 << 20 // bytes of an answer with a picture, in base64
	maxWindows     = 256      // of a list
	maxTitle       = 300      // characters
	maxSide        = 16384    // pixels of a display or window
	maxName        = 64       // characters of the display's name
	maxInputEvents = 2000     // of one request
	maxFaultText   = 300      // characters
)

// Desktop is the part of the guest process that people use with keyboard, pointer
// and clipboard. Its methods return faults.
type Desktop interface {
	Input(ctx context.Context, events []action.PersonInput) error
	SettleInput(ctx context.Context) error
	ReleaseInput(ctx context.Context) error
	Clipboard(ctx context.Context, selection string) (string, error)
	SetClipboard(ctx context.Context, selection, text string) error
	Screenshot(ctx context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error)
	Pointer(ctx context.Context) (action.DesktopPointer, error)
	Screen(ctx context.Context) (action.DesktopDisplay, error)
	Windows(ctx context.Context) ([]action.DesktopWindow, error)
	ChangeWindow(ctx context.Context, change action.WindowChange) error
}

// desktopRequest is the body of a request to the desktop, and desktopAnswer that of
// the answer.
type (
	desktopRequest struct {
		Events    []action.PersonInput `json:"events,omitempty"`
		Text      string               `json:"text,omitempty"`
		Selection string               `json:"selection,omitempty"`
		Region    image.Rectangle      `json:"region,omitzero"`
		Shot      action.DesktopShot   `json:"shot,omitzero"`
		Window    action.WindowChange  `json:"window,omitzero"`
	}
	desktopAnswer struct {
		Text    string                 `json:"text,omitempty"`
		Picture action.Screenshot      `json:"picture,omitzero"`
		Pointer action.DesktopPointer  `json:"pointer,omitzero"`
		Screen  action.DesktopDisplay  `json:"screen,omitzero"`
		Windows []action.DesktopWindow `json:"windows,omitempty"`
		Fault   *desktopFault          `json:"fault,omitempty"`
	}
	desktopFault struct {
		Code    fault.Code `json:"code"`
		Message string     `json:"message"`
		Hint    string     `json:"hint"`
	}
)

// Input sends a person's input to the display (sandbox.Screen).
func (l *Link) Input(ctx context.Context, events []action.PersonInput) error {
	for len(events) > maxInputEvents {
		if _, err := l.desktop(ctx, "input", desktopRequest{Events: events[:maxInputEvents]}); err != nil {
			return err
		}
		events = events[maxInputEvents:]
	}
	_, err := l.desktop(ctx, "input", desktopRequest{Events: events})
	return err
}

// SettleInput waits until the program with the focus has read all input
// (sandbox.Screen).
func (l *Link) SettleInput(ctx context.Context) error {
	_, err := l.desktop(ctx, "settle", desktopRequest{})
	return err
}

// ReleaseInput releases the keys and buttons that are held (sandbox.Screen).
func (l *Link) ReleaseInput(ctx context.Context) error {
	_, err := l.desktop(ctx, "release", desktopRequest{})
	return err
}

// Clipboard returns the text of a selection (sandbox.Screen).
func (l *Link) Clipboard(ctx context.Context, selection string) (string, error) {
	answer, err := l.desktop(ctx, "paste", desktopRequest{Selection: selection})
	return answer.Text, err
}

// SetClipboard replaces the text of a selection (sandbox.Screen).
func (l *Link) SetClipboard(ctx context.Context, selection, text string) error {
	_, err := l.desktop(ctx, "copy", desktopRequest{Selection: selection, Text: text})
	return err
}

// Screenshot takes a picture of the display (sandbox.Screen).
func (l *Link) Screenshot(ctx context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error) {
	answer, err := l.desktop(ctx, "screenshot", desktopRequest{Region: region, Shot: shot})
	if err != nil {
		return action.Screenshot{}, err
	}
	return l.checkedPicture(answer.Picture, cmp.Or(shot.Format, "png"))
}

// Pointer returns where the pointer is (sandbox.Screen).
func (l *Link) Pointer(ctx context.Context) (action.DesktopPointer, error) {
	answer, err := l.desktop(ctx, "pointer", desktopRequest{})
	p := answer.Pointer
	return action.DesktopPointer{X: onScreen(p.X), Y: onScreen(p.Y), Window: windowID(p.Window)}, err
}

// Screen describes the display (sandbox.Screen).
func (l *Link) Screen(ctx context.Context) (action.DesktopDisplay, error) {
	answer, err := l.desktop(ctx, "screen", desktopRequest{})
	at := answer.Screen.Resolution
	return action.DesktopDisplay{
		Display:    untrusted.LogLine(answer.Screen.Display, maxName),
		Resolution: action.Resolution{Width: max(onScreen(at.Width), 0), Height: max(onScreen(at.Height), 0)},
	}, err
}

// Windows lists the windows of programs (sandbox.Screen).
func (l *Link) Windows(ctx context.Context) ([]action.DesktopWindow, error) {
	answer, err := l.desktop(ctx, "windows", desktopRequest{})
	all := answer.Windows[:min(len(answer.Windows), maxWindows)]
	for i, w := range all {
		all[i] = action.DesktopWindow{
			ID: windowID(w.ID), Title: untrusted.Shorten(untrusted.Title(strings.ToValidUTF8(w.Title, "")), maxTitle),
			X: onScreen(w.X), Y: onScreen(w.Y), Width: max(onScreen(w.Width), 0), Height: max(onScreen(w.Height), 0), IsActive: w.IsActive,
		}
	}
	return all, err
}

// ChangeWindow focuses, moves or resizes a window (sandbox.Screen).
func (l *Link) ChangeWindow(ctx context.Context, change action.WindowChange) error {
	_, err := l.desktop(ctx, "window", desktopRequest{Window: change})
	return err
}

// onScreen limits a number of pixels that the box reports.
func onScreen(n int) int { return min(max(n, -maxSide), maxSide) }

// windowID returns the id of a window that the box reports, empty if it is none.
func windowID(id string) string {
	n, err := strconv.ParseUint(id, 10, 32)
	if err != nil || n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// checkedPicture returns a picture of the box if it is one of that format.
func (l *Link) checkedPicture(picture action.Screenshot, format string) (action.Screenshot, error) {
	header, found, err := image.DecodeConfig(bytes.NewReader(picture.Bytes))
	if err != nil || found != format || header.Width > maxSide || header.Height > maxSide {
		return action.Screenshot{}, noAnswer(l.options.Box).Because(fmt.Errorf("a picture of %q, %d × %d: %w", found, header.Width, header.Height, err))
	}
	return action.Screenshot{Format: format, Width: header.Width, Height: header.Height, Bytes: picture.Bytes}, nil
}

// desktop makes a request to the desktop, within ctx and 10 seconds.
func (l *Link) desktop(ctx context.Context, what string, request desktopRequest) (desktopAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.Thaw(ctx); err != nil {
		return desktopAnswer{}, err
	}
	most := int64(maxDesktopBody)
	if what == "screenshot" {
		most = maxShotBody
	}
	var answer desktopAnswer
	if err := l.callUpTo(ctx, most, http.MethodPost, "/desktop/"+what, request, &answer); err != nil {
		return desktopAnswer{}, err
	}
	if answer.Fault != nil {
		return desktopAnswer{}, answer.Fault.read()
	}
	return answer, nil
}

// desktopFaults are the codes that a guest's desktop may answer with.
var desktopFaults = map[fault.Code]bool{
	fault.InvalidRequest: true, fault.LimitReached: true, fault.ProviderNotSupported: true, fault.ActionTimeout: true,
	fault.NotFound: true, fault.NotActionable: true,
}

// read returns the fault. It comes from the box, so it is untrusted.
func (f *desktopFault) read() error {
	code := fault.CDPError
	if desktopFaults[f.Code] {
		code = f.Code
	}
	return fault.New(code, "the display: %s", untrusted.LogLine(f.Message, maxFaultText)).
		Hinted("%s", untrusted.LogLine(f.Hint, maxFaultText))
}

// desktop serves the gateway's requests to the desktop.
func (e *endpoint) desktop(w http.ResponseWriter, r *http.Request) {
	var request desktopRequest
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDesktopBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil || decoder.Decode(&struct{}{}) != io.EOF || len(request.Events) > maxInputEvents {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	defer cancel()
	answer, known, err := e.useDesktop(ctx, r.PathValue("what"), request)
	if !known {
		writeError(w, http.StatusNotFound, "unknown")
		return
	}
	if err != nil {
		f := fault.From(err)
		answer = desktopAnswer{Fault: &desktopFault{f.Code, f.Message, f.Hint}}
	}
	writeJSON(w, answer)
}

// useDesktop carries out a request to the desktop.
func (e *endpoint) useDesktop(ctx context.Context, what string, request desktopRequest) (answer desktopAnswer, known bool, err error) {
	switch what {
	case "input":
		err = e.guest.Input(ctx, request.Events)
	case "settle":
		err = e.guest.SettleInput(ctx)
	case "release":
		err = e.guest.ReleaseInput(ctx)
	case "paste":
		answer.Text, err = e.guest.Clipboard(ctx, request.Selection)
	case "copy":
		err = e.guest.SetClipboard(ctx, request.Selection, request.Text)
	case "screenshot":
		answer.Picture, err = e.guest.Screenshot(ctx, request.Region, request.Shot)
	case "pointer":
		answer.Pointer, err = e.guest.Pointer(ctx)
	case "screen":
		answer.Screen, err = e.guest.Screen(ctx)
	case "windows":
		answer.Windows, err = e.guest.Windows(ctx)
	case "window":
		err = e.guest.ChangeWindow(ctx, request.Window)
	default:
		return answer, false, nil
	}
	return answer, true, err
}
