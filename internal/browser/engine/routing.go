package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The browser sends input to the element that is below the pointer or has the
// focus when the input arrives, in any frame. Therefore each frame refuses input
// that was not announced to it, and the frame of the pinned element refuses input
// for other elements (injected, 89_expected.js). The query for readiness announces
// the input; the round trip at the end of an act asks what arrived.

// delivery is the input of an act, and what the frame says of its arrival.
type delivery struct {
	injected.Delivery
	presses, keys, typed int // that were sent
	since                time.Time
	told                 bool // the frame has said what came
	dragged, hovered     bool
}

// end returns a round trip that asks what arrived, and runs a function with the
// element if nothing was refused. What the function returns is a part of the answer.
func (d *delivery) end(after string, node int) closing {
	const function = `async n => {
	const came = JSON.parse(__glovebox.run('ended', 'null'));
	if (!came.refused) Object.assign(came, await (%s)(n));
	return JSON.stringify(came) + '\n' + (%s)();
}`
	return closing{function: fmt.Sprintf(function, after, title), node: node, came: d}
}

// quickly is end without a function.
func (d *delivery) quickly() closing {
	return closing{function: "() => __glovebox.run('ended', 'null') + '\\n' + (" + title + ")()", came: d}
}

// errRefused ends an act whose input was refused. delivery.fault says how much
// arrived.
var errRefused = errors.New("input was refused")

func (d *delivery) take(said string) error {
	if err := json.Unmarshal([]byte(said), &d.Delivery); err != nil {
		return fmt.Errorf("cannot read what became of the input: %w", err)
	}
	d.told = true
	if d.Refused != "" {
		return errRefused
	}
	return nil
}

// short reports whether less arrived than was sent, as the frame says.
func (d *delivery) short() bool {
	return d.told && (d.Presses < d.presses || d.Keys < d.keys || d.Typed < d.typed)
}

// lost reports whether no press or no key arrived, as the frame says.
func (d *delivery) lost() bool {
	return d.told && (d.presses > 0 && d.Presses == 0 || d.keys > 0 && d.Keys == 0)
}

// waitForInput is waitForNavigationBy for an act with input. Fault: page_changed if
// not all of the input was for the element that was judged.
func (in *actor) waitForInput(ctx context.Context, t *tab, at actionTarget, before mark, d *delivery, by closing) (bool, error) {
	news, err := in.effects.waitForNavigationBy(ctx, t, &at.place, before, by)
	if err != nil {
		if d.Refused != "" {
			return false, d.fault()
		}
		return news, err
	}
	// The keys of a text that are missing went to a frame, which may be too new to be asked.
	missing := d.Keys < d.keys && d.Typed < d.typed && !news
	if d.short() && (missing || in.wentAstray(ctx, t, at.place, d.since)) {
		return false, d.fault()
	}
	if d.lost() && !news {
		in.notes.add("the browser gave the input to nothing on the page: where nothing changed, make the call again")
	}
	if d.Withheld {
		in.notes.add("the page put something else in the element's place, or moved the focus, while it was pressed: what has its place now got nothing of that")
	}
	return news, nil
}

// unlessRefused returns the result of an act, nil if nothing of it was done.
func unlessRefused(acted *action.Acted, d *delivery, err error) (any, error) {
	if err != nil && fault.CodeOf(err) == fault.PageChanged && d.told {
		return nil, err
	}
	return acted, err
}

// wentAstray reports whether another frame than from refused input since a time.
func (in *actor) wentAstray(ctx context.Context, t *tab, from place, since time.Time) bool {
	var any atomic.Bool
	var asking sync.WaitGroup
	for _, p := range in.places(t) {
		if p.document == from.document {
			continue
		}
		asking.Go(func() {
			ago, err := p.world.RefusedAgo(ctx)
			// The time is read after the answer, however late that is: a refusal after
			// since is always found.
			if err == nil && ago != nil && *ago <= float64(time.Since(since).Microseconds())/1000 {
				any.Store(true)
			}
		})
	}
	asking.Wait()
	return any.Load()
}

// fault says how much of the input arrived.
func (d *delivery) fault() error {
	said := "the page put something else under the pointer: it was not pressed"
	hint := "take a new snapshot and look again"
	switch {
	case d.dragged:
		said = "the page put something else under the pointer while it dragged: that got nothing of it"
	case d.hovered:
		said = "the page put a frame under the pointer: the element has it no more"
	case d.Refused == "effect":
		said = fmt.Sprintf("%d of %d characters were typed; the key after them would now do something else than was judged, and was not pressed", d.Typed, d.typed)
		hint = "press the key with a call of its own: it is judged by what it does now"
	case d.typed > 0:
		said = fmt.Sprintf("the page moved the focus: %d of %d characters came to the element, and the others to none", d.Typed, d.typed)
		hint = "take a new snapshot, and type what is missing where it belongs"
	case d.keys > 0:
		said = "the page moved the focus: the key came to no element"
	case d.Presses > 0:
		said = fmt.Sprintf("the page put something else under the pointer: the element was pressed %d times of %d, and nothing else was", d.Presses, d.presses)
	}
	return fault.New(fault.PageChanged, "%s", said).Hinted("%s", hint)
}

// judgedIn returns the element for which a frame is to expect keys: that of the
// pin, if the frame has it.
func judgedIn(p place, pin action.Pin) injected.Pinned {
	if pin.Document != p.document || pin.Document == "" {
		return injected.Pinned{}
	}
	node, err := strconv.Atoi(pin.Node)
	if err != nil {
		return injected.Pinned{}
	}
	return injected.Pinned{Node: node, Print: pin.Print}
}

// routingLimit is how long a pointer move is repeated until a frame receives it:
// many times what a busy machine takes to paint. A page can hide moves from our
// script; the act goes on then as if a move had arrived.
const routingLimit = 3 * time.Second

// confirmRouting makes sure that input at a point reaches a frame of another
// process. The browser routes input by what it has painted, which the frame's
// process does not know. Therefore the pointer is moved to the point, as a person
// would do, until the frame has received a move.
func (in *actor) confirmRouting(ctx context.Context, t *tab, p place, kind injected.Kind, move input.Event) error {
	if kind != injected.ForClick && kind != injected.ForHover && kind != injected.ForType && kind != injected.ForDrag || !in.geometry.inOtherProcess(t, p) {
		return nil
	}
	if err := p.world.WatchPointer(ctx); err != nil {
		return err
	}
	root, err := in.main(ctx, t)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(routingLimit); ; {
		if err := in.send(ctx, t, []input.Event{move}); err != nil {
			return err
		}
		if came, err := p.world.PointerCame(ctx); err != nil || came || !time.Now().Before(deadline) {
			return err
		}
		if err := runIn(ctx, root, twoFrames); err != nil {
			return err
		}
	}
}
