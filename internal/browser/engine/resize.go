package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// resize gives all tabs another viewport, those to come too, and waits until
// the active one has it.
func (ts *targets) resize(ctx context.Context, t *tab, a *action.Resize, _ action.Pin) (any, error) {
	ts.mu.Lock()
	ts.options.Width, ts.options.Height = a.Width, a.Height
	size := ts.options.metrics()
	var others []*cdp.Session
	for _, other := range ts.tabs {
		if other != t {
			others = append(others, other.main.session)
		}
	}
	ts.mu.Unlock()
	for _, s := range others {
		s.Send("Emulation.setDeviceMetricsOverride", size)
	}
	if err := t.main.session.Call(ctx, "Emulation.setDeviceMetricsOverride", size, nil); err != nil {
		return nil, err
	}
	return &action.Resized{OK: true, Width: a.Width, Height: a.Height}, nil
}
