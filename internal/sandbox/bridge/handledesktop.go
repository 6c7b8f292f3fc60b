package bridge

import (
	"context"
	"image"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// SettleInput waits until input was read (sandbox.Screen).
func (h *BoxHandle) SettleInput(ctx context.Context) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.SettleInput(ctx)
}

// Clipboard returns the text of a selection (sandbox.Screen).
func (h *BoxHandle) Clipboard(ctx context.Context, selection string) (string, error) {
	if err := h.Err(); err != nil {
		return "", err
	}
	return h.link.Clipboard(ctx, selection)
}

// SetClipboard replaces the text of a selection (sandbox.Screen).
func (h *BoxHandle) SetClipboard(ctx context.Context, selection, text string) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.SetClipboard(ctx, selection, text)
}

// Screenshot takes a picture of the display (sandbox.Screen).
func (h *BoxHandle) Screenshot(ctx context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error) {
	if err := h.Err(); err != nil {
		return action.Screenshot{}, err
	}
	return h.link.Screenshot(ctx, region, shot)
}

// Pointer returns where the pointer is (sandbox.Screen).
func (h *BoxHandle) Pointer(ctx context.Context) (action.DesktopPointer, error) {
	if err := h.Err(); err != nil {
		return action.DesktopPointer{}, err
	}
	return h.link.Pointer(ctx)
}

// Screen describes the display (sandbox.Screen).
func (h *BoxHandle) Screen(ctx context.Context) (action.DesktopDisplay, error) {
	if err := h.Err(); err != nil {
		return action.DesktopDisplay{}, err
	}
	return h.link.Screen(ctx)
}

// Windows lists the windows of programs (sandbox.Screen).
func (h *BoxHandle) Windows(ctx context.Context) ([]action.DesktopWindow, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return h.link.Windows(ctx)
}

// ChangeWindow focuses, moves or resizes a window (sandbox.Screen).
func (h *BoxHandle) ChangeWindow(ctx context.Context, change action.WindowChange) error {
	if err := h.Err(); err != nil {
		return err
	}
	return h.link.ChangeWindow(ctx, change)
}
