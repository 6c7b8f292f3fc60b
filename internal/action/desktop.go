package action

import "net/http"

// The verbs of this file that read the display, and those that change windows and
// the clipboard. Input is in desktopinput.go, the live view in view.go.
var (
	VerbDesktopScreenshot = Define[DesktopShot, Screenshot](Verb{Name: "desktop.screenshot", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/screenshot", Command: "desktop screenshot", Summary: "Take a screenshot of the whole display"})
	VerbDesktopRegion     = Define[DesktopRegion, Screenshot](Verb{Name: "desktop.screenshot_region", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/screenshot/region", Command: "desktop screenshot --region", Summary: "Take a screenshot of a part of the display"})
	VerbDesktopPointer    = Define[None, DesktopPointer](Verb{Name: "desktop.pointer", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/mouse/position", Command: "desktop mouse position", Summary: "Show where the pointer is"})
	VerbDesktopDisplay    = Define[None, DesktopDisplay](Verb{Name: "desktop.display", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/display/info", Command: "desktop display", Summary: "Show the name and the size of the display"})
	VerbDesktopWindows    = Define[None, DesktopWindows](Verb{Name: "desktop.windows", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/windows", Command: "desktop windows list", Summary: "List the windows of the display"})
	VerbDesktopFocused    = Define[None, DesktopWindow](Verb{Name: "desktop.window_focused", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/windows/focused", Command: "desktop windows focused", Summary: "Show the window that has the focus"})
	VerbDesktopFocus      = Define[ByID, Acted](Verb{Name: "desktop.window_focus", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/desktop/windows/{id}/focus", Command: "desktop windows focus", Summary: "Raise a window and give it the focus"})
	VerbDesktopMove       = Define[MoveWindow, Acted](Verb{Name: "desktop.window_move", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/desktop/windows/{id}/move", Command: "desktop windows move", Summary: "Move a window"})
	VerbDesktopResize     = Define[ResizeWindow, Acted](Verb{Name: "desktop.window_resize", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/desktop/windows/{id}/resize", Command: "desktop windows resize", Summary: "Change the size of a window"})
	VerbDesktopClipboard  = Define[ReadClipboard, ClipboardText](Verb{Name: "desktop.clipboard", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/desktop/clipboard", Command: "desktop clipboard get", Summary: "Read the text of the clipboard"})
	VerbDesktopCopy       = Define[WriteClipboard, Acted](Verb{Name: "desktop.clipboard_set", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/desktop/clipboard", Command: "desktop clipboard set", Summary: "Replace the text of the clipboard"})
)

// DesktopShot asks for a picture of the display.
type DesktopShot struct {
	Format     string  `json:"format,omitempty" query:"format" enum:"png,jpeg" default:"png" doc:"png when empty"`
	Quality    int     `json:"quality,omitempty" query:"quality" minimum:"0" maximum:"100" default:"85" doc:"Of jpeg; 85 when 0"`
	Scale      float64 `json:"scale,omitempty" query:"scale" minimum:"0" maximum:"1" default:"1" doc:"0.1 to 1: of the size; 1 when 0"`
	ShowCursor bool    `json:"showCursor,omitempty" query:"showCursor" doc:"Draw the pointer too"`
}

// Sound refuses a quality of a format that has none, and a scale that is too small.
func (a *DesktopShot) Sound() error {
	switch {
	case a.Quality != 0 && a.Format != "jpeg":
		return invalid("quality", "is of jpeg: a png has none").Hinted("give format jpeg, or leave quality out")
	case a.Scale != 0 && a.Scale < leastScale:
		return invalid("scale", "is less than 0.1").Hinted("give 0.1 to 1")
	}
	return nil
}

const leastScale = 0.1

// DesktopRegion asks for a picture of a part of the display.
type DesktopRegion struct {
	X      int `json:"x" query:"x" minimum:"0" maximum:"16384" doc:"Left edge, in pixels of the display" example:"0"`
	Y      int `json:"y" query:"y" minimum:"0" maximum:"16384" doc:"Top edge" example:"0"`
	Width  int `json:"width" query:"width" minimum:"1" maximum:"16384" doc:"Pixels" example:"400"`
	Height int `json:"height" query:"height" minimum:"1" maximum:"16384" doc:"Pixels" example:"300"`
	DesktopShot
}

// DesktopPointer is where the pointer is.
type DesktopPointer struct {
	X      int    `json:"x"` // pixels of the display
	Y      int    `json:"y"`
	Screen int    `json:"screen"`           // number of the screen; there is one, 0
	Window string `json:"window,omitempty"` // id of the window below the pointer
}

// DesktopDisplay describes the display.
type DesktopDisplay struct {
	Display    string     `json:"display"` // name, as in DISPLAY
	Resolution Resolution `json:"resolution"`
}

// DesktopWindow is a window of a program on the display.
type DesktopWindow struct {
	ID       string `json:"id"` // decimal number
	Title    string `json:"title"`
	X        int    `json:"x"` // of its inner corner, in pixels of the display
	Y        int    `json:"y"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	IsActive bool   `json:"isActive"` // it has the focus
}

// DesktopWindows lists windows, bottom first.
type DesktopWindows struct {
	Windows []DesktopWindow `json:"windows"`
}

// MoveWindow moves a window.
type MoveWindow struct {
	ByID
	X int `json:"x" minimum:"-16384" maximum:"16384" doc:"Its left edge, in pixels of the display" example:"0"`
	Y int `json:"y" minimum:"-16384" maximum:"16384" doc:"Its top edge" example:"0"`
}

// ResizeWindow changes the size of a window.
type ResizeWindow struct {
	ByID
	Width  int `json:"width" minimum:"1" maximum:"16384" doc:"Pixels" example:"1024"`
	Height int `json:"height" minimum:"1" maximum:"16384" doc:"Pixels" example:"700"`
}

// The selections of a display. Both is for writing alone.
const (
	SelectionClipboard = "clipboard" // what is copied and pasted
	SelectionPrimary   = "primary"   // what is marked, and pasted with the middle button
	SelectionBoth      = "both"
)

// ReadClipboard asks for the text of a selection.
type ReadClipboard struct {
	Selection string `json:"selection,omitempty" query:"selection" enum:"clipboard,primary" default:"clipboard" doc:"clipboard when empty"`
}

// ClipboardText is the text of a selection.
type ClipboardText struct {
	Text      string `json:"text"`
	Selection string `json:"selection"`
}

// WriteClipboard replaces the text of a selection, or of both.
type WriteClipboard struct {
	Text      string `json:"text" maxLength:"100000" controls:"any" doc:"What to copy; empty clears it" example:"Ada Lovelace"`
	Selection string `json:"selection,omitempty" enum:"clipboard,primary,both" default:"clipboard" doc:"clipboard when empty"`
}

// TypedText is the text that is copied.
func (a *WriteClipboard) TypedText() string { return a.Text }

// Subject is the window.
func (a *MoveWindow) Subject() string { return "window " + a.ID }

// Subject is the window.
func (a *ResizeWindow) Subject() string { return "window " + a.ID }

// WindowChange is one change of a window of a display.
type WindowChange struct {
	What   string `json:"what"` // WindowFocus, WindowMove or WindowResize
	ID     uint32 `json:"id"`
	X      int    `json:"x,omitempty"` // of a move
	Y      int    `json:"y,omitempty"`
	Width  int    `json:"width,omitempty"` // of a resize
	Height int    `json:"height,omitempty"`
}

// Changes of a window.
const (
	WindowFocus  = "focus"
	WindowMove   = "move"
	WindowResize = "resize"
)
