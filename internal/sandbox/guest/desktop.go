package guest

import (
	"context"
	"image"
	"strconv"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
)

// desktop is the guest's own connection to the display, made when it is first
// needed.
type desktop struct {
	mu      sync.Mutex
	display *xdisplay.Display // nil while there is none
	name    string            // of its display
}

// connect returns a connection to the current display. Faults:
// provider_not_supported, start_failed.
func (g *guest) connect(ctx context.Context) (*xdisplay.Display, error) {
	if g.config.Headless {
		return nil, fault.New(fault.ProviderNotSupported, "a headless session has no display").
			Hinted("use the page verbs, or start a session that is not headless")
	}
	g.Thaw()
	if err := g.Display(ctx); err != nil {
		return nil, fault.New(fault.StartFailed, "there is no display").Hinted("try again").Because(err)
	}
	name := g.state.read().screen
	d := &g.desktop
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.display != nil {
		select {
		case <-d.display.Done():
		default:
			if d.name == name {
				return d.display, nil
			}
		}
		d.display.Close()
		d.display = nil
	}
	opened, err := xdisplay.Open(ctx, name, g.config.displaySocketPrefix()+strings.TrimPrefix(name, ":"), g.config.cookieFile())
	if err != nil {
		return nil, err
	}
	d.display, d.name = opened, name
	return opened, nil
}

// closeDesktop disconnects from the display, which is about to end.
func (g *guest) closeDesktop() {
	g.desktop.mu.Lock()
	defer g.desktop.mu.Unlock()
	if g.desktop.display != nil {
		g.desktop.display.Close()
		g.desktop.display = nil
	}
}

// Input sends a person's input to the display (bridge.Desktop).
func (g *guest) Input(ctx context.Context, events []action.PersonInput) error {
	display, err := g.connect(ctx)
	if err != nil {
		return err
	}
	return display.Input(ctx, events)
}

// SettleInput waits until the program with the focus has read all input
// (bridge.Desktop).
func (g *guest) SettleInput(ctx context.Context) error {
	display, err := g.connect(ctx)
	if err != nil {
		return err
	}
	return display.Settle(ctx)
}

// ReleaseInput releases what is held (bridge.Desktop).
func (g *guest) ReleaseInput(ctx context.Context) error {
	g.desktop.mu.Lock()
	display := g.desktop.display
	g.desktop.mu.Unlock()
	if display == nil {
		return nil // nothing was ever pressed
	}
	g.Thaw()
	return display.ReleaseAll(ctx)
}

// Clipboard returns the text of a selection (bridge.Desktop).
func (g *guest) Clipboard(ctx context.Context, selection string) (string, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return "", err
	}
	return display.ReadClipboard(ctx, xdisplay.Selection(selection))
}

// SetClipboard replaces the text of a selection, or of both (bridge.Desktop).
func (g *guest) SetClipboard(ctx context.Context, selection, text string) error {
	display, err := g.connect(ctx)
	if err != nil {
		return err
	}
	if selection != action.SelectionBoth {
		return display.WriteClipboard(ctx, xdisplay.Selection(selection), text)
	}
	if err := display.WriteClipboard(ctx, xdisplay.Clipboard, text); err != nil {
		return err
	}
	return display.WriteClipboard(ctx, xdisplay.Primary, text)
}

// maxPicture is the size of an encoded picture that the gateway accepts. In base64 it
// is a third larger.
const maxPicture = 24 << 20

// Screenshot takes a picture of the display (bridge.Desktop).
func (g *guest) Screenshot(ctx context.Context, region image.Rectangle, shot action.DesktopShot) (action.Screenshot, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return action.Screenshot{}, err
	}
	picture, err := display.Screenshot(ctx, xdisplay.Screenshot{
		Region: region, Format: shot.Format, Quality: shot.Quality, Scale: shot.Scale, Cursor: shot.ShowCursor,
	})
	if err != nil {
		return action.Screenshot{}, err
	}
	if len(picture.Data) > maxPicture {
		return action.Screenshot{}, fault.New(fault.LimitReached, "the picture has %d bytes", len(picture.Data)).
			Hinted("take it as jpeg, smaller by scale, or of a region")
	}
	return action.Screenshot{Format: picture.Format, Width: picture.Width, Height: picture.Height, Bytes: picture.Data}, nil
}

// Pointer returns where the pointer is (bridge.Desktop).
func (g *guest) Pointer(ctx context.Context) (action.DesktopPointer, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return action.DesktopPointer{}, err
	}
	p, err := display.Pointer(ctx)
	at := action.DesktopPointer{X: p.X, Y: p.Y}
	if p.Window != 0 {
		at.Window = windowName(p.Window)
	}
	return at, err
}

// Screen describes the display (bridge.Desktop).
func (g *guest) Screen(ctx context.Context) (action.DesktopDisplay, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return action.DesktopDisplay{}, err
	}
	info := display.Info()
	return action.DesktopDisplay{Display: info.Name, Resolution: action.Resolution{Width: info.Width, Height: info.Height}}, nil
}

// Windows lists the windows of programs (bridge.Desktop).
func (g *guest) Windows(ctx context.Context) ([]action.DesktopWindow, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return nil, err
	}
	windows, err := display.Windows(ctx)
	all := make([]action.DesktopWindow, len(windows))
	for i, w := range windows {
		all[i] = action.DesktopWindow{ID: windowName(w.ID), Title: w.Title, X: w.X, Y: w.Y, Width: w.Width, Height: w.Height, IsActive: w.Active}
	}
	return all, err
}

func windowName(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// ChangeWindow focuses, moves or resizes a window (bridge.Desktop).
func (g *guest) ChangeWindow(ctx context.Context, change action.WindowChange) error {
	display, err := g.connect(ctx)
	if err != nil {
		return err
	}
	switch change.What {
	case action.WindowFocus:
		return display.Focus(ctx, change.ID)
	case action.WindowMove:
		return display.Move(ctx, change.ID, change.X, change.Y)
	case action.WindowResize:
		return display.Resize(ctx, change.ID, change.Width, change.Height)
	}
	return fault.New(fault.InvalidRequest, "there is no such change of a window").Hinted("focus, move or resize it")
}
