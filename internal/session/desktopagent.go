package session

import (
	"context"
	"image"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Input of agents goes to pages alone, by the protocol, and never to the display: they
// have no way to the browser's own interface, whatever of it is shown or has the focus.

// interfaceRule is the rule by which input to the browser's own interface is refused.
const interfaceRule = "desktop.interface"

// forPagesOnly reports whether input of a caller goes to pages alone.
func forPagesOnly(caller action.Caller) bool { return caller.Role != action.Operator }

// beside is the fault of an agent's input at a point that is not on the page.
func beside() error {
	return fault.New(fault.DeniedByPolicy, "the point is not on the page, and agents do not use the browser's own interface").
		Hinted("page.goto opens an address, tab.open, tab.activate and tab.close are for tabs, page.back, page.forward and page.reload go through the history, page.dialog answers dialogs").
		With("rule", interfaceRule)
}

// judgeInterface refuses an agent's input that would be for the browser's own interface.
// page is the call of a page verb that it equals; nil for none. Faults:
// denied_by_policy, invalid_request.
func (o *openSession) judgeInterface(call action.Call, page any) error {
	if !forPagesOnly(call.Caller) {
		return nil
	}
	switch a := call.Args.(type) {
	case *action.KeyPress:
		return judgeKey(a.Combination())
	case *action.KeyHold:
		if call.Verb == action.VerbKeyDown.Name {
			return judgeKey(o.agentHeld.combination(a.Key))
		}
	case *action.MouseMove, *action.MouseClick, *action.MouseScroll, *action.MouseDrag:
		if page == nil {
			return beside()
		}
	}
	return nil
}

// agentHeld is what an agent holds down.
type agentHeld struct {
	mu      sync.Mutex
	keys    []string
	buttons []string
	at      *image.Point // of the display, where the last button was pressed or released; nil before
}

// combination names a key with the modifiers that are held.
func (h *agentHeld) combination(key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, name := range h.keys {
		if _, isModifier := heldBits[name]; isModifier && name != action.KeyName(key) {
			names = append(names, name)
		}
	}
	return strings.Join(append(names, key), "+")
}

// point returns where the last button was pressed or released.
func (h *agentHeld) point() (p image.Point, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.at == nil {
		return image.Point{}, false
	}
	return *h.at, true
}

// note notes that a key or button is pressed or released, and returns the keys that
// are held beside it.
func (h *agentHeld) note(s engine.Stroke, at *image.Point) (beside []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list, name := &h.keys, action.KeyName(s.Key)
	if s.Key == "" {
		list, name, h.at = &h.buttons, s.Button, at
	}
	*list = slices.DeleteFunc(*list, func(one string) bool { return one == name })
	beside = slices.Clone(h.keys)
	if s.Down {
		*list = append(*list, name)
	}
	return beside
}

// take returns the releases of all that is held, which counts as released then.
func (h *agentHeld) take() (releases []engine.Stroke) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, button := range h.buttons {
		releases = append(releases, engine.Stroke{Button: button}.Outside())
	}
	for i, key := range slices.Backward(h.keys) {
		releases = append(releases, engine.Stroke{Key: key, Held: slices.Clone(h.keys[:i])})
	}
	h.keys, h.buttons, h.at = nil, nil, nil
	return releases
}

// hold presses or releases a key or a button for an agent, in the page.
func (d *desktopInput) hold(ctx context.Context, sess *openSession, call action.Call, pin action.Pin) (any, error) {
	on := sess.stage()
	stroke, at := engine.Stroke{Down: call.Verb == action.VerbMouseDown.Name || call.Verb == action.VerbKeyDown.Name}, image.Point{}
	switch a := call.Args.(type) {
	case *action.KeyHold:
		stroke.Key = a.Key
	case *action.MouseButton:
		var err error
		if at, err = sess.agentPoint(ctx, on.box, a); err != nil {
			return nil, err
		}
		stroke.Button = buttonName(a.Button)
		if stroke.X, stroke.Y, _, err = on.browser.PagePoint(ctx, at); err != nil {
			return nil, err
		}
	}
	leave, err := on.browser.AdmitInput(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	stroke.Held = sess.agentHeld.note(stroke, &at)
	if err := firstOf(on.browser.SendStroke(ctx, pin.Tab, stroke), on.browser.Painted(ctx)); err != nil {
		return nil, err
	}
	if stroke.Key != "" {
		return &action.Acted{OK: true}, nil
	}
	return &action.DesktopPointer{X: at.X, Y: at.Y}, nil
}

// releaseAgent releases in the page what an agent holds.
func (o *openSession) releaseAgent(ctx context.Context, browser Browser) {
	releases := o.agentHeld.take()
	if len(releases) == 0 {
		return
	}
	leave, err := browser.AdmitInput(ctx)
	if err != nil {
		return // the browser is gone
	}
	defer leave()
	for _, s := range releases {
		_ = browser.SendStroke(ctx, "", s) // a page that shows a dialog, or is gone, gets nothing
	}
}
