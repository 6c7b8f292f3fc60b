package session

import (
	"context"
	"image"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// desktopInput carries out the verbs of mouse and keyboard. Who has taken the session
// over uses the display as in the live view. Input of others is a verb of the page
// where it equals one (PageAct). What equals none goes to the page alone for agents. For
// operators it goes to the display: pages refuse it, except what was judged by the
// element that gets it.
type desktopInput struct {
	sessions *directory
	pages    *pages
}

// inputVerbs are the verbs of mouse and keyboard.
var inputVerbs = map[string]bool{
	action.VerbMouseMove.Name: true, action.VerbMouseClick.Name: true, action.VerbMouseDown.Name: true, action.VerbMouseUp.Name: true,
	action.VerbMouseDrag.Name: true, action.VerbMouseScroll.Name: true, action.VerbKeyType.Name: true, action.VerbKeyPress.Name: true,
	action.VerbKeyDown.Name: true, action.VerbKeyUp.Name: true,
}

// isHolder reports whether a caller has taken the session over.
func (o *openSession) isHolder(caller action.Caller) bool {
	at := o.snapshot()
	return at.pause.Hold != nil && at.pause.Taken && at.pause.Hold.By == caller.Actor && caller.Role == action.Operator
}

// pageAct returns the call of a page verb that a call of mouse or keyboard equals.
// equals is false for input that equals none. Faults: those of session.show,
// session_paused, provider_not_supported, not_actionable, denied_by_policy for input of
// agents to the browser's own interface, and those of the page engine.
func (d *desktopInput) pageAct(ctx context.Context, call action.Call) (page action.Call, equals bool, err error) {
	sess, err := d.sessions.admit(ctx, call)
	if err != nil {
		return call, false, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return call, false, err
	}
	defer leave()
	call.Session = sess.id
	if err := noDisplay(sess.now()); err != nil || sess.isHolder(call.Caller) {
		return call, false, err
	}
	browser, err := sess.waitBrowser(ctx)
	if err != nil {
		return call, false, err
	}
	name, args, err := d.equal(ctx, browser, call.Args)
	if err == nil {
		err = sess.judgeInterface(call, args)
	}
	if err == nil && args != nil {
		call.Verb, call.Args = name, args
	}
	return call, err == nil && args != nil, ifCrashed(browser, err)
}

// equal returns the verb of the page, and its arguments, that input equals; nil if
// there is none.
func (d *desktopInput) equal(ctx context.Context, browser Browser, input any) (verb string, args any, err error) {
	var at action.Locator
	inside := false
	switch a := input.(type) {
	case *action.MouseMove:
		if at, inside, err = locate(ctx, browser, a.X, a.Y); inside {
			return action.VerbPageHover.Name, &action.Hover{Locator: at}, nil
		}
	case *action.MouseClick:
		if at, inside, err = locate(ctx, browser, a.X, a.Y); inside {
			return action.VerbPageClick.Name, &action.Click{Locator: at, Button: a.Button, ClickCount: a.ClickCount}, nil
		}
	case *action.MouseScroll:
		if at, inside, err = locate(ctx, browser, a.X, a.Y); inside {
			by := &action.Scroll{X: float64(a.DeltaX) * action.WheelClick, Y: float64(a.DeltaY) * action.WheelClick, AtX: at.X, AtY: at.Y}
			return action.VerbPageScroll.Name, by, nil
		}
	case *action.MouseDrag:
		if at, inside, err = locate(ctx, browser, a.StartX, a.StartY); inside {
			to, ends, err := locate(ctx, browser, a.EndX, a.EndY)
			if ends {
				return action.VerbPageDrag.Name, &action.Drag{From: at, To: to}, nil
			}
			return "", nil, err
		}
	case *action.KeyPress:
		return action.VerbPagePress.Name, &action.Press{Key: a.Combination()}, nil
	case *action.KeyType:
		return typing(ctx, browser, a)
	}
	return "", nil, err
}

// locate names the point of the page at a point of the display.
func locate(ctx context.Context, browser Browser, x, y int) (at action.Locator, inside bool, err error) {
	px, py, inside, err := browser.PagePoint(ctx, image.Pt(x, y))
	return action.Locator{X: &px, Y: &py}, inside && err == nil, err
}

// typing returns the verb that types into the field with the focus. Without one, a
// single character is a key.
func typing(ctx context.Context, browser Browser, a *action.KeyType) (verb string, args any, err error) {
	ref, err := browser.FocusedField(ctx)
	switch {
	case err != nil:
		return "", nil, err
	case ref != "":
		return action.VerbPageType.Name, &action.Type{Locator: action.Locator{Ref: ref}, Input: a.Text, Delay: a.DelayMs}, nil
	case utf8.RuneCountInString(a.Text) == 1:
		return action.VerbPagePress.Name, &action.Press{Key: a.Text}, nil
	}
	return "", nil, fault.New(fault.NotActionable, "no field has the focus").
		Hinted("click a field first, or press keys one at a time with desktop.key_press")
}

// lookAt returns the facts by which input to the display is judged: the element that
// gets it, where that is one of a page.
func (d *desktopInput) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := d.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	defer leave()
	facts := action.Facts{Session: sess.facts(), Page: pageOf(sess.now())}
	if err := noDisplay(sess.now()); err != nil {
		return facts, action.Pin{}, err
	}
	if !call.Peek {
		if err := d.pages.control.exhausted(ctx, sess, call); err != nil {
			return facts, action.Pin{}, err
		}
	}
	if sess.isHolder(call.Caller) || sess.checkBegin(call) != nil { // the latter is refused by the facts
		return facts, action.Pin{Session: sess.id}, nil
	}
	found, pin, err := d.getter(withRights(ctx, call), sess, call)
	if pin.Node != "" {
		found.Session = facts.Session
		facts = found
	}
	if to := facts.Destination; to != nil && to.URL != "" {
		judged := d.pages.networks.egress.Judge(facts.Session.Box, to.URL)
		facts.Destination = &judged
	}
	pin.Session = sess.id
	return facts, pin, err
}

// getter looks at the element that gets input: below the pointer for a button, with
// the focus for a key. The pin names no element for input beside the page.
func (d *desktopInput) getter(ctx context.Context, sess *openSession, call action.Call) (action.Facts, action.Pin, error) {
	on := sess.stage()
	switch a := call.Args.(type) {
	case *action.MouseButton:
		return d.below(ctx, sess, call, a)
	case *action.KeyHold:
		if err := sess.judgeInterface(call, nil); err != nil {
			return action.Facts{}, action.Pin{}, err
		}
		return on.browser.Look(ctx, action.VerbPagePress.Name, &action.Press{Key: a.Key})
	case *action.KeyType, *action.KeyPress:
		return action.Facts{}, action.Pin{}, changedMeanwhile()
	}
	_, args, err := d.equal(ctx, on.browser, call.Args)
	switch {
	case err != nil:
	case args != nil:
		err = changedMeanwhile()
	default:
		err = sess.judgeInterface(call, nil)
	}
	return action.Facts{}, action.Pin{}, err
}

// below looks at the element that gets a button.
func (d *desktopInput) below(ctx context.Context, sess *openSession, call action.Call, a *action.MouseButton) (action.Facts, action.Pin, error) {
	on := sess.stage()
	find := pointOf
	if forPagesOnly(call.Caller) {
		find = sess.agentPoint
	}
	p, err := find(ctx, on.box, a)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	at, inside, err := locate(ctx, on.browser, p.X, p.Y)
	if err == nil && !inside && forPagesOnly(call.Caller) {
		err = beside()
	}
	if !inside || err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	return on.browser.Look(ctx, action.VerbPageClick.Name, &action.Click{Locator: at, Button: a.Button})
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// changedMeanwhile is the fault of input that would reach something else than what
// was judged.
func changedMeanwhile() error {
	return fault.New(fault.PageChanged, "what would get the input has changed").Hinted("look again, then repeat the call")
}

// pointOf returns the point of a button: that of the call, or where the pointer is.
func pointOf(ctx context.Context, box sandbox.Box, a *action.MouseButton) (image.Point, error) {
	if a.X != nil && a.Y != nil {
		return image.Pt(*a.X, *a.Y), nil
	}
	at, err := box.Pointer(ctx)
	return image.Pt(at.X, at.Y), err
}

// agentPoint returns the point of an agent's button: that of the call, or else of its last
// button, or where the pointer is.
func (o *openSession) agentPoint(ctx context.Context, box sandbox.Box, a *action.MouseButton) (image.Point, error) {
	if p, known := o.agentHeld.point(); known && (a.X == nil || a.Y == nil) {
		return p, nil
	}
	return pointOf(ctx, box, a)
}

// do sends input to the page for agents, and to the display for others. pin is what lookAt returned for it. Faults: as
// lookAt, and page_changed, limit_reached, invalid_request.
func (d *desktopInput) do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	sess, err := d.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	result := action.Result{Session: sess.id}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return result, err
	}
	defer leave()
	defer d.pages.saver.ask()
	release, err := sess.takeTurn(ctx, call)
	if err != nil {
		return result, err
	}
	defer release()
	if err := sess.checkBegin(call); err != nil {
		return result, err
	}
	verb, _ := action.Lookup(call.Verb)
	if err := firstOf(noDisplay(sess.now()), d.pages.count(ctx, sess, verb, call)); err != nil {
		return result, err
	}
	holder := sess.isHolder(call.Caller)
	if !holder {
		_, now, err := d.getter(withRights(ctx, call), sess, call)
		if now.Session = pin.Session; err == nil && now != pin {
			err = changedMeanwhile()
		}
		if err != nil {
			return result, err
		}
	}
	if forPagesOnly(call.Caller) {
		if pin.Node == "" {
			return result, changedMeanwhile() // no element was judged
		}
		result.Data, err = d.hold(ctx, sess, call, pin)
		return result, err
	}
	result.Data, err = d.send(ctx, sess, call, holder || pin.Node != "")
	return result, err
}

// send sends input to the display. Pages refuse it unless they are told to admit it.
func (d *desktopInput) send(ctx context.Context, sess *openSession, call action.Call, admit bool) (any, error) {
	on := sess.stage()
	batches, pause, err := eventsOf(ctx, on.box, call.Verb, call.Args)
	if err != nil {
		return nil, err
	}
	if admit {
		leave, err := on.browser.AdmitInput(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
	} else {
		defer on.browser.RefuseInput(ctx)()
	}
	sess.inputHeld.Store(true)
	for i, events := range batches {
		if i > 0 {
			wait(ctx, nil, time.After(pause))
		}
		if err := on.box.Input(ctx, events); err != nil {
			return nil, err
		}
	}
	if err := firstOf(on.box.SettleInput(ctx), on.browser.Painted(ctx)); err != nil {
		return nil, err
	}
	if !sess.isHolder(call.Caller) {
		on.browser.ShowActive(ctx)
	}
	switch call.Args.(type) {
	case *action.KeyType, *action.KeyPress, *action.KeyHold:
		return &action.Acted{OK: true}, nil
	}
	at, err := on.box.Pointer(ctx)
	return &at, err
}

// releaseInput releases what input may have left pressed. It is called when somebody
// else gets control of the session.
func (o *openSession) releaseInput(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	if browser := o.stage().browser; browser != nil {
		o.releaseAgent(ctx, browser)
	}
	if !o.inputHeld.Swap(false) {
		return
	}
	if box := o.stage().box; box != nil {
		_ = box.ReleaseInput(ctx) // without the box nothing is held
	}
	if browser := o.stage().browser; browser != nil {
		browser.ShowActive(ctx)
	}
}
