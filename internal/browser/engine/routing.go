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
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Input goes where the browser sends it: to what lies under the pointer or has
// the focus when it arrives, in any frame. Each frame therefore refuses what
// was not announced to it, and the frame of the pinned element what is for
// another one (inpage, 89_expected.js). Readiness announces, the round trip that
// ends an act asks what came.

// delivery is the input of an act, and what became of it.
type delivery struct {
	injected.Delivery
	presses, keys, typed int // that were sent
	since                time.Time
	told                 bool // the frame has said what came
	dragged, hovered     bool
}

// end is the round trip that asks, runs a function with node if nothing was
// refused, and returns the title.
func (d *delivery) end(after string, node int) closing {
	const function = `async n => {
	const came = __glovebox.run('ended', 'null');
	if (!JSON.parse(came).refused) await (%s)(n);
	return came + '\n' + (%s)();
}`
	return closing{function: fmt.Sprintf(function, after, title), node: node, came: d}
}

// quickly is end with nothing to run.
func (d *delivery) quickly() closing {
	return closing{function: "() => __glovebox.run('ended', 'null') + '\\n' + (" + title + ")()", came: d}
}

// errRefused ends an act whose input was refused: fault says how far it got.
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

// short reports whether the frame says that less came than was sent.
func (d *delivery) short() bool {
	return d.told && (d.Presses < d.presses || d.Keys < d.keys || d.Typed < d.typed)
}

// lost reports whether the frame says that no press came.
func (d *delivery) lost() bool { return d.told && d.presses > 0 && d.Presses == 0 }

// waitForInput is settleBy for an act with input. Fault: page_changed where not all
// of it was for what was judged.
func (in *input) waitForInput(ctx context.Context, t *tab, at actionTarget, before mark, d *delivery, by closing) (bool, error) {
	news, err := in.effects.waitForNavigationBy(ctx, t, &at.place, before, by)
	if err != nil {
		if d.Refused != "" {
			return false, d.fault()
		}
		return news, err
	}
	if d.short() && in.wentAstray(ctx, t, at.place, d.since) {
		return false, d.fault()
	}
	if d.lost() && !news {
		in.notes.add("the browser gave the press to nothing on the page: where nothing changed, make the call again")
	}
	if d.Withheld {
		in.notes.add("the page put something else in the element's place, or moved the focus, while it was pressed: what has its place now got nothing of that")
	}
	return news, nil
}

// unlessRefused is the data of an act, and none where nothing of it was done.
func unlessRefused(acted *action.Acted, d *delivery, err error) (any, error) {
	if err != nil && fault.CodeOf(err) == fault.PageChanged && d.told {
		return nil, err
	}
	return acted, err
}

// wentAstray reports whether a frame refused input since a time: what was sent
// there was for another one.
func (in *input) wentAstray(ctx context.Context, t *tab, from place, since time.Time) bool {
	within := int(time.Since(since)/time.Millisecond) + 1
	var any atomic.Bool
	var asking sync.WaitGroup
	for _, p := range in.places(t) {
		if p.document == from.document {
			continue
		}
		asking.Go(func() {
			if strayed, err := p.world.Strayed(ctx, within); err == nil && strayed {
				any.Store(true)
			}
		})
	}
	asking.Wait()
	return any.Load()
}

// fault says how far the input got.
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

// judgedIn is what keys are to be expected for in a frame: the element of a pin,
// where it is in it.
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

// routingLimit is how long a move is repeated until a frame receives it: many
// times what a busy machine takes to draw a frame. A page can hide moves from
// us, and is then acted on as if one had come.
const routingLimit = 3 * time.Second

// confirmRouting makes sure that input at a point gets to a frame of another process.
// The browser routes it there by what it has drawn, of which the process itself
// knows nothing: the pointer is moved there, which a person would do too, until
// the frame has received it.
func (in *input) confirmRouting(ctx context.Context, t *tab, p place, kind injected.Kind, move mouse) error {
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
		if err := in.send(ctx, t, []stroke{{"Input.dispatchMouseEvent", move}}); err != nil {
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
