package engine

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	dragLimit = 2 * time.Second        // for the browser to report a drag that the page has begun
	dragRest  = 350 * time.Millisecond // of the pointer after the press, for pages that take only a press that is held for a drag: they wait for up to 300
)

// dragEvents report the drags that Input.setInterceptDrags intercepts. Without
// that, the browser would run them in the desktop.
var dragEvents = map[string]eventHandler{
	"Input.dragIntercepted": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p struct {
		Data json.RawMessage `json:"data"`
	}) {
		t.dragged = p.Data
	}),
}

// lookAtDrop adds the target of a drop to the facts and the pin.
func (es *elements) lookAtDrop(ctx context.Context, t *tab, a *action.Drag, facts action.Facts, pin action.Pin) (action.Facts, action.Pin, error) {
	other, drop, err := es.lookAt(ctx, t, action.VerbPageDrag.Name, a.To, a.Timing, nil, facts)
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

// goesSomewhere reports whether a drag within one element ends at another point
// than it begins, as a line on a canvas does.
func goesSomewhere(a *action.Drag) bool {
	toX, toY, to := a.To.Point()
	fromX, fromY, from := a.From.Point()
	return to && (!from || fromX != toX || fromY != toY)
}

// drag presses the button on one element and releases it on another. Both are the
// elements that were judged, and receive the pointer at their points.
func (in *actor) drag(ctx context.Context, t *tab, a *action.Drag, pin action.Pin) (any, error) {
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
	to, err := in.readyToDrop(ctx, t, onto, a) // it may have been scrolled into view, or have moved
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
	if err == nil && !acted.NewPage {
		c.noteNoDrag(ctx, to)
	}
	return unlessRefused(acted, came, err)
}

// expected returns what the frame of the target is to confirm: also the press, if
// the element is in the same frame.
func (c *dragging) expected(to actionTarget) *delivery {
	came := &delivery{since: c.since, dragged: true}
	if to.place.document == c.from.place.document {
		came.presses = 1
	}
	return came
}

// strayed asks the other frames, that of the element included, whether they refused
// input. Fault: page_changed.
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
func (in *actor) readyToDrop(ctx context.Context, t *tab, pin action.Pin, a *action.Drag) (actionTarget, error) {
	x, y, given := a.Offset()
	if !given {
		return in.ready(ctx, t, pin, a.To, injected.ForDrop, a.Timing)
	}
	return in.readyFor(ctx, t, pin, injected.Pinned{Kind: injected.ForDrop, Offset: &injected.Point{X: x, Y: y}}, a.Timing)
}

// dragging is a drag that is under way. The button is down until it ends.
type dragging struct {
	input.Drag
	in    *actor
	t     *tab
	from  actionTarget
	since time.Time // when the button was pressed
}

// lift presses the button on the element and then moves a little, so that a drag begins.
func (c *dragging) lift(ctx context.Context) error {
	c.in.state.Do(func(*state) { c.t.dragged = nil })
	if err := c.t.main.session.Call(ctx, "Input.setInterceptDrags", map[string]bool{"enabled": true}, nil); err != nil {
		return err
	}
	if err := c.press(ctx); err != nil {
		return err
	}
	if err := c.in.send(ctx, c.t, c.Lift()); err != nil {
		return err
	}
	signs, err := c.from.place.world.DragBegan(ctx, false)
	if err != nil || !signs.Began {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, dragLimit)
	defer stop()
	return ended(ctx, c.in.await(bounded, func(*state) bool {
		c.Data = c.t.dragged
		return c.Data != nil || c.t.closed || c.t.dialog != nil
	}))
}

// press presses the button on the element. Where pages listen to presses, the pointer
// rests then.
func (c *dragging) press(ctx context.Context) error {
	rests, err := c.from.place.world.WatchDrag(ctx, injected.DragWatch{Node: c.from.node, Unknown: !knowsListeners(c.from.place)})
	if err != nil {
		return err
	}
	c.since = time.Now()
	if err := c.in.send(ctx, c.t, c.Press(c.from.x, c.from.y)); err != nil || !rests {
		return err
	}
	return sleep(ctx, dragRest)
}

// noteNoDrag says so if the page showed nothing of the drag. What other frames show is
// not known.
func (c *dragging) noteNoDrag(ctx context.Context, to actionTarget) {
	signs, err := c.from.place.world.DragBegan(ctx, true)
	if err == nil && !signs.Began && !signs.Shown && to.place.document == c.from.place.document {
		c.in.notes.add("the drag did not begin: the page showed nothing of it")
	}
}

// moveTo moves to the target. The browser keeps a drag in the process that it enters
// first (Input.dispatchDragEvent). A drag that must end in another process therefore
// moves there at once.
func (c *dragging) moveTo(ctx context.Context, to actionTarget) error {
	for _, strokes := range c.Path(to.x, to.y, c.Data != nil && c.in.geometry.inOtherProcess(c.t, to.place)) {
		if err := c.in.send(ctx, c.t, strokes); err != nil {
			return err
		}
	}
	return nil
}

// drop ends the drag at the target.
func (c *dragging) drop(ctx context.Context, to actionTarget) error {
	return c.in.send(ctx, c.t, []input.Event{c.Drop(to.x, to.y)})
}

// end leaves no button pressed and no drag intercepted, whatever happened.
func (c *dragging) end() {
	for _, s := range c.Cancel() {
		c.t.main.session.Send(s.Method, s.Params)
	}
	c.t.main.session.Send("Input.setInterceptDrags", map[string]bool{"enabled": false})
}
