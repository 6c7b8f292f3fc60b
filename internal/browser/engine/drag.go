package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	dragSteps = 6               // moves on the way: what listens wants to see the pointer pass
	nudge     = 8.0             // CSS pixels: beyond what the browser and libraries take for a shaky hand
	dragLimit = 2 * time.Second // for the browser to hand a drag over that the page has begun
)

// dragEvents hand us the drags that we have asked for, Input.setInterceptDrags:
// the browser's own would run in the desktop.
var dragEvents = map[string]taker{
	"Input.dragIntercepted": inTab(func(_ *Browser, t *tab, _ *target, p struct {
		Data json.RawMessage `json:"data"`
	}) {
		t.dragged = p.Data
	}),
}

// lookAtDrop adds what something would be dropped on to the facts and the pin.
func (es *elements) lookAtDrop(ctx context.Context, t *tab, a *action.Drag, facts action.Facts, pin action.Pin) (action.Facts, action.Pin, error) {
	other, drop, err := es.lookAt(ctx, t, "page.drag", a.To, a.Timing, facts)
	if err != nil {
		return facts, pin, err
	}
	pin.Drop = action.Spot{Document: drop.Document, Node: drop.Node, Print: drop.Print}
	facts.Onto, facts.Destination = other.Element, nil
	if pin.Drop.Document == pin.Document && pin.Drop.Node == pin.Node && !goesSomewhere(a) {
		return facts, pin, fault.New(fault.InvalidRequest, "an element cannot be dropped on itself").
			Hinted("name another element in to, or two points of it").With("field", "to")
	}
	es.last.set(action.Pin{}, injected.Rect{}, 0) // each of the two is measured when its turn comes
	return facts, pin, nil
}

// goesSomewhere reports whether a drag within one element goes somewhere: to a point of
// it, other than where it begins, as what is drawn on a canvas does.
func goesSomewhere(a *action.Drag) bool {
	toX, toY, to := a.To.Point()
	fromX, fromY, from := a.From.Point()
	return to && (!from || fromX != toX || fromY != toY)
}

// drag presses on one element and lets go on another. Both are what was looked
// at, and receive the pointer where it is.
func (in *input) drag(ctx context.Context, t *tab, a *action.Drag, pin action.Pin) (any, error) {
	onto := pin
	onto.Document, onto.Node, onto.Print, onto.Drop = pin.Drop.Document, pin.Drop.Node, pin.Drop.Print, action.Spot{}
	if _, err := in.readyToDrop(ctx, t, onto, a); err != nil { // before anything is pressed
		return nil, err
	}
	from, err := in.ready(ctx, t, pin, a.From, injected.ForDrag, a.Timing)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	acted := in.acted(from, pin)
	c := &dragging{in: in, t: t, from: from}
	defer c.end()
	if err := c.lift(ctx); err != nil {
		return nil, err
	}
	to, err := in.readyToDrop(ctx, t, onto, a) // it may have been scrolled to, or have made room
	if err != nil {
		return nil, err
	}
	if err := c.moveTo(ctx, to); err != nil {
		return nil, err
	}
	if err := c.drop(ctx, to); err != nil {
		return acted, err
	}
	came := c.expected(to)
	acted.NewPage, err = in.waitForInput(ctx, t, to, before, came, came.quickly())
	if err == nil {
		err = c.strayed(ctx, to, came)
	}
	return unlessRefused(acted, came, err)
}

// expected is what the frame of the target is asked about: the press too, where it
// is that of the element.
func (c *dragging) expected(to actionTarget) *delivery {
	came := &delivery{since: c.since, dragged: true}
	if to.place.document == c.from.place.document {
		came.presses = 1
	}
	return came
}

// strayed asks the frame of the element, where it is another one, and those that
// the pointer should not have acted in. Fault: page_changed.
func (c *dragging) strayed(ctx context.Context, to actionTarget, came *delivery) error {
	refused := c.in.wentAstray(ctx, c.t, to.place, c.since)
	if to.place.document != c.from.place.document {
		lifted := delivery{dragged: true}
		err := c.in.effects.finishRoundTrip(ctx, c.t, c.from.place, lifted.quickly(), startRoundTrip(c.from.place, lifted.quickly()))
		refused = refused || errors.Is(err, errRefused)
	}
	if refused {
		return came.fault()
	}
	return nil
}

// readyToDrop finds the point of the target to drop on.
func (in *input) readyToDrop(ctx context.Context, t *tab, pin action.Pin, a *action.Drag) (actionTarget, error) {
	x, y, given := a.Offset()
	if !given {
		return in.ready(ctx, t, pin, a.To, injected.ForDrop, a.Timing)
	}
	return in.readyFor(ctx, t, pin, injected.Pinned{Kind: injected.ForDrop, Offset: &injected.Point{X: x, Y: y}}, a.Timing)
}

// dragging is a drag on its way. Until it has ended the button is down.
type dragging struct {
	in      *input
	t       *tab
	from    actionTarget
	x, y    float64         // where the pointer is
	down    bool            // the button is
	data    json.RawMessage // what the page gave to a drag and drop; nil when the mouse alone drags
	entered bool
	since   time.Time // when the button was pressed
}

// lift presses on the element and moves a little: a drag begins.
func (c *dragging) lift(ctx context.Context) error {
	c.in.mu.Lock()
	c.t.dragged = nil
	c.in.mu.Unlock()
	if err := c.t.main.session.Call(ctx, "Input.setInterceptDrags", map[string]bool{"enabled": true}, nil); err != nil {
		return err
	}
	if err := c.from.place.world.WatchDrag(ctx); err != nil {
		return err
	}
	c.x, c.y, c.down, c.since = c.from.x, c.from.y, true, time.Now()
	press := c.button("mousePressed", 1)
	if err := c.in.send(ctx, c.t, []stroke{c.move(c.x, c.y, 0), press, c.move(c.x+nudge/2, c.y, 1), c.move(c.x+nudge, c.y+nudge, 1)}); err != nil {
		return err
	}
	began, err := c.from.place.world.DragBegan(ctx)
	if err != nil || !began {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, dragLimit)
	defer stop()
	return ended(ctx, c.in.await(bounded, func() bool {
		c.data = c.t.dragged
		return c.data != nil || c.t.closed || c.t.dialog != nil
	}))
}

// moveTo moves to the target, so that what it passes sees it, and stays there
// for a frame. The browser keeps a drag in the process that it first enters
// (Input.dispatchDragEvent): one that has to end elsewhere enters there.
func (c *dragging) moveTo(ctx context.Context, to actionTarget) error {
	startX, startY, steps := c.x, c.y, dragSteps
	if c.data != nil && to.place.frame.target != c.t.main {
		steps = 0
	}
	for step := 1; step <= steps; step++ {
		part := float64(step) / float64(steps)
		if err := c.over(ctx, startX+(to.x-startX)*part, startY+(to.y-startY)*part); err != nil {
			return err
		}
	}
	if steps == 0 {
		if err := c.over(ctx, to.x, to.y); err != nil {
			return err
		}
	}
	return c.over(ctx, to.x, to.y)
}

// over moves the pointer, or what is dragged.
func (c *dragging) over(ctx context.Context, x, y float64) error {
	c.x, c.y = x, y
	if c.data == nil {
		return c.in.send(ctx, c.t, []stroke{c.move(x, y, 1)})
	}
	strokes := []stroke{c.event("dragOver")}
	if !c.entered {
		strokes = append([]stroke{c.event("dragEnter")}, strokes...)
		c.entered = true
	}
	return c.in.send(ctx, c.t, strokes)
}

// drop lets go. Where the browser carries data, letting go is the drop: no
// button is released then, as pages hear of none.
func (c *dragging) drop(ctx context.Context, to actionTarget) error {
	c.x, c.y, c.down = to.x, to.y, false
	last := c.button("mouseReleased", 0)
	if c.data != nil {
		last = c.event("drop")
	}
	return c.in.send(ctx, c.t, []stroke{last})
}

// end leaves no button pressed and no drag intercepted, whatever happened. The
// button is let go outside of everything: a click on the element is not what
// was judged.
func (c *dragging) end() {
	var strokes []stroke
	if c.down {
		if c.data != nil {
			strokes = append(strokes, c.event("dragCancel"))
		}
		c.x, c.y = -1, -1
		strokes = append(strokes, c.move(-1, -1, 1), c.button("mouseReleased", 0))
	}
	for _, s := range strokes {
		c.t.main.session.Send(s.method, s.params)
	}
	c.t.main.session.Send("Input.setInterceptDrags", map[string]bool{"enabled": false})
}

func (c *dragging) move(x, y float64, held int) stroke {
	button := "none"
	if held != 0 {
		button = "left"
	}
	return stroke{"Input.dispatchMouseEvent", mouse{Type: "mouseMoved", X: x, Y: y, Button: button, Buttons: held}}
}

func (c *dragging) button(kind string, held int) stroke {
	return stroke{"Input.dispatchMouseEvent", mouse{Type: kind, X: c.x, Y: c.y, Button: "left", Buttons: held, Clicks: 1}}
}

func (c *dragging) event(kind string) stroke {
	return stroke{"Input.dispatchDragEvent", map[string]any{"type": kind, "x": c.x, "y": c.y, "data": c.data, "modifiers": 0}}
}
