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
// once, which the browser does in a fraction of the time. Line breaks and tabs of the
// text are text: only Submit presses Enter.
func (in *actor) typeText(ctx context.Context, t *tab, a *action.Type, pin action.Pin) (any, error) {
	text, err := typeable(a.Input)
	if err != nil {
		return nil, err
	}
	before := in.effects.mark(t)
	focus := injected.Focus{All: a.Clear}
	at, err := in.readyFocused(ctx, t, pin, injected.ForType, focus, a.Timing)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	if err := in.focus(ctx, t, at, focus); err != nil {
		return acted, err
	}
	came := delivery{since: time.Now()}
	if err := in.enterText(ctx, t, at, a, pin, text, &came); err != nil {
		return acted, err
	}
	if a.Submit {
		if err := in.pressNamed(ctx, t, "Enter", &came); err != nil {
			return acted, err
		}
	}
	acted.NewPage, err = in.waitForInput(ctx, t, at, before, &came, committed(at, a.Submit, &came))
	acted.Value = came.Value
	return unlessRefused(acted, &came, err)
}

// enterText enters the text into the element that has the focus, in place of what is
// selected there. It notes in came what it sent.
func (in *actor) enterText(ctx context.Context, t *tab, at actionTarget, a *action.Type, pin action.Pin, text string, came *delivery) (err error) {
	kind, tag, editor := "", "", false
	if at.facts != nil {
		kind, tag, editor = at.facts.Type, at.facts.Tag, at.facts.Editor
	}
	delay := time.Duration(a.Delay) * time.Millisecond
	if tag == "input" {
		text = oneLine(text)
	}
	whole := false // the text is inserted in one step
	switch {
	case hasFormat[kind]:
		_, err := in.assign(ctx, at, text)
		return err
	case editor:
		if err := in.selectInEditor(ctx, t, text, a.Clear); err != nil {
			return err
		}
		whole = text != ""
	case text == "" && a.Clear:
		if tag == "input" || tag == "textarea" {
			return in.send(ctx, t, input.Insert("")) // it removes what is selected
		}
		return in.pressNamed(ctx, t, "Backspace", came) // an editor that a page makes may not notice an empty text
	default:
		whole = delay == 0 && tag != "input" && strings.ContainsAny(text, "\n\t")
	}
	if whole {
		if text, err = in.insert(ctx, at, pin, text, input.Keyed(text, at.keyed)); err != nil {
			return err
		}
	}
	came.typed = utf8.RuneCountInString(text)
	if at.boxed && came.typed > 1 {
		return in.typeIntoBoxes(ctx, t, at, text, delay, came)
	}
	came.keys, err = in.typeKeys(ctx, t, text, at.keyed, delay)
	return err
}

// pressNamed presses a key, and notes in came that it was sent.
func (in *actor) pressNamed(ctx context.Context, t *tab, name string, came *delivery) error {
	key, _ := input.Named(name)
	strokes := key.Events(nil)
	came.keys, came.typed = came.keys+input.Keys(strokes), came.typed+1
	return in.send(ctx, t, strokes)
}

// oneLine is a text as an input takes it when it is pasted: without line breaks at the
// end, and with spaces in place of the others.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " ")
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

// announce dispatches a change event if the value was changed, as leaving the field
// would: the next act may leave the focus where it is. It answers what the field holds
// after one task, in which a form that is submitted on change begins its navigation.
const announce = `async n => {
	const of = JSON.stringify({node: n});
	__glovebox.run('commit', of);
	await (` + oneTask + `)();
	return JSON.parse(__glovebox.run('held', of));
}`

// holds answers what the field holds.
const holds = `n => JSON.parse(__glovebox.run('held', JSON.stringify({node: n})))`

// committed returns the function to run after typing. Enter has made the browser
// dispatch the change event already.
func committed(at actionTarget, submitted bool, came *delivery) closing {
	if submitted {
		return came.end(holds, at.node)
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

// typeIntoBoxes types a text into boxes of one character, of which the first has the
// focus. The page passes the focus on after each character, or takes the whole text as a
// paste. If it does neither, the first box gets all of the text.
func (in *actor) typeIntoBoxes(ctx context.Context, t *tab, at actionTarget, text string, delay time.Duration, came *delivery) error {
	sent, rest := 0, injected.Insertion{Node: at.node, Text: text, Boxes: true}
	for _, r := range text {
		if sent > 0 && rest.Boxes {
			gone, err := at.place.world.Insert(ctx, rest)
			if err != nil {
				return err
			}
			if gone.OK {
				came.typed = sent
				return nil
			}
			rest.Text, rest.Boxes = "", gone.Passed
		}
		keys, err := in.typeKeys(ctx, t, string(r), true, delay)
		came.keys += keys
		if err != nil {
			return err
		}
		sent++
	}
	return nil
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
