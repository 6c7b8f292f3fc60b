package engine

import (
	"context"
	"time"
)

const (
	answerLimit = 500 * time.Millisecond // for a renderer to show that it lives
	closeLimit  = 2 * time.Second        // for a tab to go away
)

// revive gives a navigation a tab whose renderer answers: after a time-out the
// old one may spin for ever, and then its target is closed and a new one
// opened (SPEC section 4, the ladder of recovery).
func (b *Browser) revive(ctx context.Context, t *tab) (*tab, error) {
	b.mu.Lock()
	floods := t.main.console.Muted() && !t.crashed
	doubtful, asking := (t.suspect || floods) && !t.crashed, t.dialog != nil && t.dialogs >= maxDialogs
	b.mu.Unlock()
	if asking {
		return b.replace(ctx, t, "the page asked without end: its tab was closed and a new one opened")
	}
	if floods && !t.main.console.StopScripts(ctx) {
		return b.replace(ctx, t, "the page wrote to its console without end: its tab was closed and a new one opened")
	}
	if !doubtful {
		return t, nil
	}
	probe, stop := context.WithTimeout(ctx, answerLimit)
	defer stop()
	err := t.main.session.Call(probe, "Runtime.evaluate", map[string]any{"expression": "1", "returnByValue": true}, nil)
	if err == nil {
		b.mu.Lock()
		t.suspect = false
		b.mu.Unlock()
		return t, nil
	}
	return b.replace(ctx, t, "the page did not answer any more: its tab was closed and a new one opened")
}

// replace opens a new tab and closes the old one.
func (b *Browser) replace(ctx context.Context, t *tab, why string) (*tab, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	next, err := b.newTab(ctx)
	if err != nil {
		return nil, err
	}
	b.root.Send("Target.closeTarget", map[string]string{"targetId": t.id})
	bounded, end := context.WithTimeout(ctx, closeLimit)
	defer end()
	if err := ended(ctx, b.await(bounded, func() bool { return t.closed })); err != nil {
		return nil, err
	}
	b.notes.add("%s", why)
	return next, nil
}
