package guest

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Display returns when there is a display, or none is wanted.
func (g *guest) Display(ctx context.Context) error {
	if g.c.Headless {
		return nil
	}
	_, err := g.state.wait(ctx, func(s snapshot) bool { return s.displayUp })
	return err
}

// Version returns what the running browser said of itself.
func (g *guest) Version(ctx context.Context) (bridge.Version, error) {
	s, err := g.state.wait(ctx, func(s snapshot) bool { return s.browser != nil })
	if err != nil {
		return bridge.Version{}, err
	}
	return s.browser.version, nil
}

// Health says how the box is.
func (g *guest) Health() sandbox.Health {
	s := g.state.read()
	return sandbox.Health{
		Phase:     s.phase,
		Browser:   s.process,
		Display:   g.c.seen(s.display, s.screen),
		Screen:    s.screen,
		Restarts:  s.restarts,
		OOMKills:  oomKills("/sys/fs/cgroup"),
		Renderers: proofs(s.process.PID),
		Log:       g.log.all(),
		Since:     s.since,
		Frozen:    s.frozen,
	}
}
