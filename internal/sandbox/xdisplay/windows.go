package xdisplay

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxWindows   = 256              // of a list
	maxTree      = 4096             // children of a window that are looked at
	maxDepth     = 32               // windows in windows that are followed
	maxTitle     = 300              // characters
	maxTitleRead = 4096             // bytes
	maxPosition  = 16384            // pixels from the corner of the screen, and size of a window
	focusLimit   = 2 * time.Second  // for a window manager to focus a window
	windowsLimit = 10 * time.Second // for one list

	revertToRoot   = 1      // focus when the window is closed: PointerRoot
	sourcePager    = 2      // of _NET_ACTIVE_WINDOW: a person asks for it
	mapViewable    = 2      // state of a window that is shown
	configurePlace = 1 | 2  // x, y
	configureSize  = 4 | 8  // width, height
	configureStack = 1 << 6 // order
	stackAbove     = 0      // on top
)

// Window is a window of a program.
type Window struct {
	ID            uint32
	Title         string // made harmless by untrusted.Title; at most 300 characters
	X, Y          int    // of its inner corner on the screen, in pixels
	Width, Height int
	Active        bool // it has the focus
}

// Windows returns the windows of programs, at most 256, bottom first: those that the
// window manager lists, or, without one, those on the screen that ask for one.
func (d *Display) Windows(ctx context.Context) ([]Window, error) {
	ctx, cancel := context.WithTimeout(ctx, windowsLimit)
	defer cancel()
	ids, err := d.clientWindows(ctx)
	if err != nil {
		return nil, d.toFault(err)
	}
	active, err := d.activeWindow(ctx, ids)
	if err != nil {
		return nil, d.toFault(err)
	}
	var windows []Window
	for _, id := range ids {
		w, err := d.describe(ctx, id)
		if isGone(err) {
			continue
		}
		if err != nil {
			return nil, d.toFault(err)
		}
		w.Active = id == active
		windows = append(windows, w)
	}
	return windows, nil
}

// Focus raises a window and gives it the focus. Faults: not_found, not_actionable
// when the window cannot have the focus.
func (d *Display) Focus(ctx context.Context, id uint32) error {
	return d.change(ctx, id, func(ctx context.Context, managed bool) error {
		if !managed {
			_ = d.conn.Send(x11.NewRequest(opConfigureWindow, 0).U32(id).U16(configureStack, 0).U32(stackAbove))
			return d.conn.Do(ctx, x11.NewRequest(opSetInputFocus, revertToRoot).U32(id, currentTime))
		}
		message := x11.NewRequest(opSendEvent, 0).U32(d.setup.Root, maskSubstructure|maskRedirect).
			U8(eventClientMessage, clientData, 0, 0).U32(id, d.atoms.activeWindow, sourcePager, currentTime, 0, 0, 0)
		if err := d.conn.Do(ctx, message); err != nil {
			return err
		}
		return d.awaitFocus(ctx, id)
	})
}

// awaitFocus waits until the window manager has focused a window.
func (s *server) awaitFocus(ctx context.Context, id uint32) error {
	ctx, cancel := context.WithTimeout(ctx, focusLimit)
	defer cancel()
	for {
		active, err := s.activeWindow(ctx, []uint32{id})
		if err != nil || active == id {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.New(fault.NotActionable, "the window manager did not focus the window")
		case <-time.After(afterPing):
		}
	}
}

// Move moves a window. Faults: not_found, invalid_request.
func (d *Display) Move(ctx context.Context, id uint32, x, y int) error {
	if max(x, y) > maxPosition || min(x, y) < -maxPosition {
		return fault.New(fault.InvalidRequest, "x and y must be between -%d and %d", maxPosition, maxPosition)
	}
	return d.change(ctx, id, func(ctx context.Context, _ bool) error {
		return d.conn.Do(ctx, x11.NewRequest(opConfigureWindow, 0).U32(id).U16(configurePlace, 0).U32(uint32(int32(x)), uint32(int32(y))))
	})
}

// Resize sets the size of a window. Faults: not_found, invalid_request.
func (d *Display) Resize(ctx context.Context, id uint32, width, height int) error {
	if min(width, height) < 1 || max(width, height) > maxPosition {
		return fault.New(fault.InvalidRequest, "width and height must be between 1 and %d", maxPosition)
	}
	return d.change(ctx, id, func(ctx context.Context, _ bool) error {
		return d.conn.Do(ctx, x11.NewRequest(opConfigureWindow, 0).U32(id).U16(configureSize, 0).U32(uint32(width), uint32(height)))
	})
}

// change does something with a window of the list.
func (d *Display) change(ctx context.Context, id uint32, do func(ctx context.Context, managed bool) error) error {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	ids, err := d.clientWindows(ctx)
	if err != nil {
		return d.toFault(err)
	}
	if !slices.Contains(ids, id) {
		return fault.New(fault.NotFound, "there is no window %d", id).Hinted("list the windows again")
	}
	managed, err := d.isManaged(ctx)
	if err != nil {
		return d.toFault(err)
	}
	if err = do(ctx, managed); isGone(err) {
		return fault.New(fault.NotActionable, "the window refuses that, or was closed").Because(err)
	}
	return d.toFault(err)
}

// Managed reports whether a window manager runs.
func (d *Display) Managed(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	managed, err := d.isManaged(ctx)
	return managed && err == nil
}

// isManaged reports whether a window manager runs (EWMH, _NET_SUPPORTING_WM_CHECK).
func (s *server) isManaged(ctx context.Context) (bool, error) {
	check, err := s.property(ctx, s.setup.Root, s.atoms.supporting, 4)
	if err != nil || len(check.Words()) != 1 {
		return false, err
	}
	window := check.Words()[0]
	confirm, err := s.property(ctx, window, s.atoms.supporting, 4) // it is left behind when the manager ends
	return err == nil && slices.Equal(confirm.Words(), []uint32{window}), err
}

// clientWindows returns the windows of programs, bottom first.
func (s *server) clientWindows(ctx context.Context) ([]uint32, error) {
	managed, err := s.isManaged(ctx)
	if err != nil {
		return nil, err
	}
	if managed {
		list, err := s.property(ctx, s.setup.Root, s.atoms.clientList, maxWindows*4)
		return list.Words(), err
	}
	children, err := s.children(ctx, s.setup.Root)
	if err != nil {
		return nil, err
	}
	var windows []uint32
	for _, window := range children {
		shown, err := s.isProgramWindow(ctx, window)
		if err != nil {
			return nil, err
		}
		if shown && len(windows) < maxWindows {
			windows = append(windows, window)
		}
	}
	return windows, nil
}

// isProgramWindow reports whether a window is shown and is not a menu or the like,
// which no window manager would handle.
func (s *server) isProgramWindow(ctx context.Context, window uint32) (bool, error) {
	reply, err := s.conn.Call(ctx, x11.NewRequest(opGetWindowAttributes, 0).U32(window))
	if isGone(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r := x11.NewReader(reply, 12)
	class := r.U16()
	r.Skip(12)
	state, overrides := r.U8(), r.U8()
	// Fields: class 12, gravities 14, planes 16, pixel 20, save-under 24, map
	// installed 25, map state 26, override-redirect 27.
	return !r.Bad() && class != classInputOnly && state == mapViewable && overrides == 0, nil
}

func (s *server) children(ctx context.Context, window uint32) ([]uint32, error) {
	reply, err := s.conn.Call(ctx, x11.NewRequest(opQueryTree, 0).U32(window))
	if err != nil {
		return nil, err
	}
	r := x11.NewReader(reply, 16)
	count := int(r.U16())
	r.Skip(14)
	var children []uint32
	for range min(count, maxTree) {
		children = append(children, r.U32())
	}
	if r.Bad() {
		return nil, x11.ErrReply
	}
	return children, nil
}

// activeWindow returns the one of the windows that has the focus, or holds the window
// that has it; 0 if none does.
func (s *server) activeWindow(ctx context.Context, windows []uint32) (uint32, error) {
	managed, err := s.isManaged(ctx)
	if err != nil {
		return 0, err
	}
	if managed {
		active, err := s.property(ctx, s.setup.Root, s.atoms.activeWindow, 4)
		if words := active.Words(); len(words) == 1 && slices.Contains(windows, words[0]) {
			return words[0], err
		}
		return 0, err
	}
	reply, err := s.conn.Call(ctx, x11.NewRequest(opGetInputFocus, 0))
	if err != nil {
		return 0, err
	}
	window := x11.NewReader(reply, 8).U32()
	for range maxDepth {
		if window <= focusRoot || slices.Contains(windows, window) {
			break
		}
		if window, err = s.parent(ctx, window); err != nil {
			return 0, err
		}
	}
	if !slices.Contains(windows, window) {
		return 0, nil
	}
	return window, nil
}

// describe reads the geometry and the title of a window.
func (s *server) describe(ctx context.Context, id uint32) (Window, error) {
	w := Window{ID: id}
	geometry, err := s.conn.Call(ctx, x11.NewRequest(opGetGeometry, 0).U32(id))
	if err != nil {
		return w, err
	}
	r := x11.NewReader(geometry, 16)
	w.Width, w.Height = int(r.U16()), int(r.U16())
	place, err := s.conn.Call(ctx, x11.NewRequest(opTranslateCoordinates, 0).U32(id, s.setup.Root).I16(0, 0))
	if err != nil {
		return w, err
	}
	r = x11.NewReader(place, 12)
	w.X, w.Y = r.I16(), r.I16()
	title, err := s.property(ctx, id, s.atoms.windowName, maxTitleRead)
	if err == nil && title.Type == 0 {
		title, err = s.property(ctx, id, predefinedWMName, maxTitleRead)
	}
	w.Title = titleOf(title, s.atoms.utf8)
	return w, err
}

// titleOf returns the text of a title's property: UTF-8, or Latin-1 of old programs.
func titleOf(p x11.Property, utf8String uint32) string {
	if p.Format != 8 {
		return ""
	}
	text := string(p.Value)
	if p.Type != utf8String && !utf8.ValidString(text) {
		text = latin1(p.Value)
	}
	return untrusted.Shorten(untrusted.Title(strings.ToValidUTF8(text, "")), maxTitle)
}

func latin1(bytes []byte) string {
	runes := make([]rune, len(bytes))
	for i, b := range bytes {
		runes[i] = rune(b)
	}
	return string(runes)
}

// parent returns a window's parent, 0 if the window is gone.
func (s *server) parent(ctx context.Context, window uint32) (uint32, error) {
	reply, err := s.conn.Call(ctx, x11.NewRequest(opQueryTree, 0).U32(window))
	if isGone(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return x11.NewReader(reply, 12).U32(), nil
}

// property reads a property, which is empty if the window is gone.
func (s *server) property(ctx context.Context, window, name uint32, most int) (x11.Property, error) {
	p, err := s.conn.Property(ctx, window, name, most, false)
	if isGone(err) {
		return x11.Property{}, nil
	}
	return p, err
}

// isGone reports whether the server refused a request. For requests about windows of
// other programs, that is because the window no longer exists.
func isGone(err error) bool {
	var refused *x11.ServerError
	return errors.As(err, &refused)
}
