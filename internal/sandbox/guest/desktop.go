package guest

import (
	"context"
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
		return nil, fault.New(fault.ProviderNotSupported, "a headless session has no keyboard and pointer of its own").
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

// Clipboard returns the text of the clipboard (bridge.Desktop).
func (g *guest) Clipboard(ctx context.Context) (string, error) {
	display, err := g.connect(ctx)
	if err != nil {
		return "", err
	}
	return display.ReadClipboard(ctx, xdisplay.Clipboard)
}

// SetClipboard replaces the text of the clipboard (bridge.Desktop).
func (g *guest) SetClipboard(ctx context.Context, text string) error {
	display, err := g.connect(ctx)
	if err != nil {
		return err
	}
	return display.WriteClipboard(ctx, xdisplay.Clipboard, text)
}
