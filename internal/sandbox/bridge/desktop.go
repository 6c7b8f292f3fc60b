package bridge

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxDesktopBody = 8 << 20 // bytes of a request or answer; a clipboard of 1 MiB has at most 6 MiB in JSON
	maxInputEvents = 2000    // of one request
	maxFaultText   = 300     // characters
)

// Desktop is the part of the guest process that people use with keyboard, pointer
// and clipboard. Its methods return faults.
type Desktop interface {
	Input(ctx context.Context, events []action.PersonInput) error
	ReleaseInput(ctx context.Context) error
	Clipboard(ctx context.Context) (string, error)
	SetClipboard(ctx context.Context, text string) error
}

// desktopRequest is the body of a request to the desktop, and desktopAnswer that of
// the answer.
type (
	desktopRequest struct {
		Events []action.PersonInput `json:"events,omitempty"`
		Text   string               `json:"text,omitempty"`
	}
	desktopAnswer struct {
		Text  string        `json:"text,omitempty"`
		Fault *desktopFault `json:"fault,omitempty"`
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

// ReleaseInput releases the keys and buttons that are held (sandbox.Screen).
func (l *Link) ReleaseInput(ctx context.Context) error {
	_, err := l.desktop(ctx, "release", desktopRequest{})
	return err
}

// Clipboard returns the text of the clipboard (sandbox.Screen).
func (l *Link) Clipboard(ctx context.Context) (string, error) {
	return l.desktop(ctx, "paste", desktopRequest{})
}

// SetClipboard replaces the text of the clipboard (sandbox.Screen).
func (l *Link) SetClipboard(ctx context.Context, text string) error {
	_, err := l.desktop(ctx, "copy", desktopRequest{Text: text})
	return err
}

// desktop makes a request to the desktop, within ctx and 10 seconds.
func (l *Link) desktop(ctx context.Context, what string, request desktopRequest) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.Thaw(ctx); err != nil {
		return "", err
	}
	var answer desktopAnswer
	if err := l.callUpTo(ctx, maxDesktopBody, http.MethodPost, "/desktop/"+what, request, &answer); err != nil {
		return "", err
	}
	if answer.Fault != nil {
		return "", answer.Fault.read()
	}
	return answer.Text, nil
}

// desktopFaults are the codes that a guest's desktop may answer with.
var desktopFaults = map[fault.Code]bool{
	fault.InvalidRequest: true, fault.LimitReached: true, fault.ProviderNotSupported: true, fault.ActionTimeout: true,
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
	var answer desktopAnswer
	var err error
	switch r.PathValue("what") {
	case "input":
		err = e.guest.Input(ctx, request.Events)
	case "release":
		err = e.guest.ReleaseInput(ctx)
	case "paste":
		answer.Text, err = e.guest.Clipboard(ctx)
	case "copy":
		err = e.guest.SetClipboard(ctx, request.Text)
	default:
		writeError(w, http.StatusNotFound, "unknown")
		return
	}
	if err != nil {
		f := fault.From(err)
		answer = desktopAnswer{Fault: &desktopFault{f.Code, f.Message, f.Hint}}
	}
	writeJSON(w, answer)
}
