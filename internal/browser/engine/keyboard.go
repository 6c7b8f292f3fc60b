package engine

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// typeText types into an element. With a delay, or if the page listens to keys, every
// character is a key; otherwise no page can tell keys from a text that is inserted at
// once, which the browser does in a fraction of the time.
func (in *actor) typeText(ctx context.Context, t *tab, a *action.Type, pin action.Pin) (any, error) {
	text, err := typeable(a.Input)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	focus := injected.Focus{Clear: a.Clear}
	at, err := in.readyFocused(ctx, t, pin, injected.ForType, focus, a.Timing)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	if err := in.focus(ctx, t, at, focus); err != nil {
		return acted, err
	}
	if hasFormat[acted.Element.Type] {
		if text, err = in.assign(ctx, at, text); err != nil {
			return nil, err
		}
	}
	if acted.Element != nil && at.facts != nil && at.facts.Editor {
		if text, err = in.paste(ctx, t, at, pin, text, a.Clear); err != nil {
			return acted, err
		}
	}
	if a.Submit {
		text += "\n"
	}
	came := delivery{typed: utf8.RuneCountInString(text), since: time.Now()}
	came.keys, err = in.typeKeys(ctx, t, text, at.keyed, time.Duration(a.Delay)*time.Millisecond)
	if err != nil {
		return acted, err
	}
	acted.NewPage, err = in.waitForInput(ctx, t, at, before, &came, committed(at, text, &came))
	return unlessRefused(acted, &came, err)
}

// typeable refuses control characters other than line feed and tab.
func typeable(s string) (string, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		return "", fault.New(fault.InvalidRequest, "the text holds a control character at byte %d", i).
			Hinted("leave control characters out; only line feeds and tabs can be typed")
	}
	return s, nil
}

// focus gives an element the focus, by script, or by a click if that has no effect.
func (in *actor) focus(ctx context.Context, t *tab, at actionTarget, q injected.Focus) error {
	q.Node = at.node
	f, err := at.tookOr(func() (injected.Focused, error) { return at.place.world.Focus(ctx, q) })
	if err != nil {
		return err
	}
	if f.Gone {
		return errChanged
	}
	if !f.OK && at.there {
		if err := in.send(ctx, t, input.Click(at.x, at.y, "left", 1, 0)); err != nil {
			return err
		}
		if f, err = at.place.world.Focus(ctx, q); err != nil {
			return err
		}
	}
	if !f.OK {
		return fault.New(fault.NotActionable, "the element does not take the focus").
			Hinted("click it first, or type into another element").With("reason", "no focus")
	}
	if f.Secret && (at.facts == nil || !at.facts.Protected) {
		return errChanged // it became a password field when it got the focus
	}
	return nil
}

// tookOr returns how the element took the focus. If that was not tried, it calls
// give.
func (a actionTarget) tookOr(give func() (injected.Focused, error)) (injected.Focused, error) {
	if a.took != nil {
		return *a.took, nil
	}
	return give()
}

// announce dispatches a change event, as leaving the field would: the next act may
// leave the focus where it is. It answers after one task, in which a form that is
// submitted on change begins its navigation.
const announce = `async n => {
	const e = __glovebox.element(n);
	if (e instanceof HTMLInputElement || e instanceof HTMLTextAreaElement)
		EventTarget.prototype.dispatchEvent.call(e, new Event('change', {bubbles: true}));
	await (` + oneTask + `)();
}`

// committed returns the function to run after typing. Enter and Tab at the end have
// made the browser dispatch the change event already.
func committed(at actionTarget, text string, came *delivery) closing {
	if text == "" || strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\t") {
		return came.quickly()
	}
	return came.end(announce, at.node)
}

// typeKeys types text into the element with the focus; not keyed inserts it. It
// returns how many keys it pressed.
func (in *actor) typeKeys(ctx context.Context, t *tab, text string, keyed bool, delay time.Duration) (keys int, err error) {
	turns := input.TypingPlan(text, keyed)
	if delay > 0 {
		turns = nil
		for _, r := range text {
			turns = append(turns, input.Typing(r))
		}
	}
	for _, strokes := range turns {
		if err := in.send(ctx, t, strokes); err != nil {
			return keys, err
		}
		keys += input.Keys(strokes)
		if err := sleep(ctx, delay); err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// press presses a key, on an element or on the one with the focus.
func (in *actor) press(ctx context.Context, t *tab, a *action.Press, pin action.Pin) (any, error) {
	held, k, err := input.Chord(a.Key)
	if err != nil {
		return nil, err
	}
	at, err := in.pressAt(ctx, t, a, pin)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	acted := in.acted(at, pin)
	came := delivery{keys: len(held) + 1, since: time.Now()}
	if err := in.send(ctx, t, k.Events(held)); err != nil {
		return acted, err
	}
	acted.NewPage, err = in.waitForInput(ctx, t, at, before, &came, came.quickly())
	return unlessRefused(acted, &came, err)
}

func (in *actor) pressAt(ctx context.Context, t *tab, a *action.Press, pin action.Pin) (actionTarget, error) {
	if !a.Zero() {
		at, err := in.readyFocused(ctx, t, pin, injected.ForFocus, injected.Focus{}, a.Timing)
		if err != nil || at.found {
			return at, err
		}
		return at, in.focus(ctx, t, at, injected.Focus{})
	}
	h, err := in.elements.focused(ctx, t, pin)
	if err != nil {
		return actionTarget{}, err
	}
	if pin.Tab != t.id || h.place.document != pin.Document || strconv.Itoa(h.node) != pin.Node || h.facts.Print != pin.Print {
		return actionTarget{}, errChanged
	}
	if err := in.geometry.waitPainted(ctx, t, h.place); err != nil {
		return actionTarget{}, err
	}
	return actionTarget{place: h.place, node: h.node, facts: &h.facts}, nil
}
