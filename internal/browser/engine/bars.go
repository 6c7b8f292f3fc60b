package engine

import "context"

// hideBars takes the scroll bars away until what it returns is called. A
// picture beyond the viewport has none, and then what is centred or wraps is
// elsewhere: so it is measured as it will be drawn. Chromium lays out anew only
// for another size.
func (b *Browser) hideBars(ctx context.Context, t *tab) (show func(), err error) {
	l, err := b.geometry.layout(ctx, t)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	size := b.options.metrics()
	b.mu.Unlock()
	if l.Laid.Width >= float64(size.Width) && l.Laid.Height >= float64(size.Height) {
		return func() {}, nil // there are none
	}
	set := func(hidden bool) {
		b.mu.Lock()
		size := b.options.metrics()
		b.mu.Unlock()
		other := size
		other.Width++
		t.main.session.Send("Emulation.setScrollbarsHidden", map[string]bool{"hidden": hidden})
		t.main.session.Send("Emulation.setDeviceMetricsOverride", other)
		t.main.session.Send("Emulation.setDeviceMetricsOverride", size)
	}
	set(true)
	return func() { set(false) }, nil
}
