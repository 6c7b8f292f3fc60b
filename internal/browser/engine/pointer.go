package engine

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// click presses and releases a button where the element is.
func (in *actor) click(ctx context.Context, t *tab, a *action.Click, pin action.Pin) (any, error) {
	button := cmp.Or(a.Button, "left")
	held, err := input.Modifiers(a.Modifiers)
	if err != nil {
		return nil, err
	}
	at, err := in.readyToClick(ctx, t, pin, a)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	acted := in.acted(at, pin)
	if so, err := alreadyChecked(at, a.Checked); so || err != nil {
		return acted, err
	}
	came := delivery{presses: max(a.ClickCount, 1), since: time.Now()}
	if err := in.send(ctx, t, input.Click(at.x, at.y, button, came.presses, held)); err != nil {
		return acted, err
	}
	acted.NewPage, err = in.waitForInput(ctx, t, at, before, &came, came.quickly())
	return unlessRefused(acted, &came, err)
}

// check clicks the element unless it is checked, or not, as the call wants.
func (in *actor) check(ctx context.Context, t *tab, a *action.SetChecked, pin action.Pin) (any, error) {
	checked := a.Checked == nil || *a.Checked
	return in.click(ctx, t, &action.Click{Locator: a.Locator, Checked: &checked, Timing: a.Timing}, pin)
}

// readyToClick is ready. It also finds out whether the element is checked, if the
// call says how it is to be.
func (in *actor) readyToClick(ctx context.Context, t *tab, pin action.Pin, a *action.Click) (actionTarget, error) {
	q := injected.Pinned{Kind: injected.ForClick, Checked: a.Checked != nil}
	if err := in.elements.pinnedPoint(ctx, t, pin, a.Locator, &q); err != nil {
		return actionTarget{}, err
	}
	return in.readyFor(ctx, t, pin, q, a.Timing)
}

// alreadyChecked reports whether an element is checked, or not, as the call wants.
// Fault: not_actionable for an element that a click does not make so.
func alreadyChecked(at actionTarget, wanted *bool) (bool, error) {
	switch {
	case wanted == nil:
		return false, nil
	case at.check == "":
		return false, fault.New(fault.NotActionable, "the element is none that can be checked").
			Hinted("name a checkbox, radio button or switch, or click without checked")
	case at.check == strconv.FormatBool(*wanted):
		return true, nil
	case !*wanted && at.facts != nil && at.facts.Role == "radio":
		return false, fault.New(fault.NotActionable, "a radio button stays checked until another of its group is").
			Hinted("check another radio button of the group")
	}
	return false, nil
}

// hover moves the pointer over the element.
func (in *actor) hover(ctx context.Context, t *tab, a *action.Hover, pin action.Pin) (any, error) {
	at, err := in.ready(ctx, t, pin, a.Locator, injected.ForHover, a.Timing)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	acted := in.acted(at, pin)
	if err := in.send(ctx, t, input.Hover(at.x, at.y)); err != nil {
		return acted, err
	}
	came := delivery{hovered: true, since: time.Now()}
	acted.NewPage, err = in.waitForInput(ctx, t, at, before, &came, closing{function: isOver, node: at.node, came: &came})
	return unlessRefused(acted, &came, err)
}

// isOver reports a hover that reached a frame in the element's place: the element
// that was judged does not have the pointer then.
const isOver = `n => {
	const e = __glovebox.element(n);
	const framed = e !== null && !e.matches(':hover') && document.querySelector('iframe:hover, frame:hover, object:hover, embed:hover, fencedframe:hover') !== null;
	return JSON.stringify({refused: framed ? 'hover' : ''}) + '\n' + (` + title + `)();
}`

// send dispatches input events together: one after the other, each would wait for
// the next animation frame, 16 ms (measured on Chromium 156). Input goes to the
// tab's own session, which passes it to the process of the frame below the point.
func (in *actor) send(ctx context.Context, t *tab, strokes []input.Event) error {
	defer in.clients.exclusively(ctx, t)()
	sent := make([]*cdp.Pending, len(strokes))
	for i, s := range strokes {
		sent[i] = t.main.session.Send(s.Method, s.Params)
	}
	for _, p := range sent {
		if err := p.Wait(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// scroll scrolls the viewport or an element by a distance, or an element into
// view.
func (in *actor) scroll(ctx context.Context, t *tab, a *action.Scroll, _ action.Pin) (any, error) {
	p, err := in.main(ctx, t)
	if err != nil {
		return nil, err
	}
	q := injected.Scroll{X: a.X, Y: a.Y}
	if what := a.What(); !what.Zero() {
		h, err := in.elements.locate(ctx, t, what, a.Timing)
		if err != nil {
			return nil, err
		}
		p, q.Node = h.place, h.node
	}
	before := in.effects.mark(t)
	at, err := p.world.Scroll(ctx, q)
	if err != nil {
		return nil, err
	}
	if at.Gone {
		return nil, errChanged
	}
	if q.Node != 0 && q.X == 0 && q.Y == 0 {
		// The frames around it are scrolled, too.
		if _, _, _, err := in.geometry.point(ctx, p, 0, 0); err != nil {
			return nil, err
		}
	}
	if at.Wheel {
		in.notes.add("the page took the wheel itself, as maps do: nothing was scrolled")
	}
	out := &action.Scrolled{OK: true, X: at.X, Y: at.Y}
	_, err = in.effects.waitForNavigation(ctx, t, &p, before)
	return out, err
}
