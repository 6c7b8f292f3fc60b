package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Filling are the arguments with which Do takes page.fill_secret: those of the
// caller, and what only the gateway knows. Look takes the caller's arguments.
type Filling struct {
	action.FillSecret
	Value  credentials.Secret
	Origin string // scheme://host[:port] that may get the secret
}

// fillSecret sets the value of a protected field to a secret. It does so in one
// step, and only if document, element and origin are those that were judged.
// Faults: page_changed, not_actionable, denied_by_policy.
func (in *actor) fillSecret(ctx context.Context, t *tab, a *Filling, pin action.Pin) (any, error) {
	before := in.effects.mark(t)
	at, err := in.readyFocused(ctx, t, pin, injected.ForType, injected.Focus{}, a.Timing)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	if err := in.focus(ctx, t, at, injected.Focus{}); err != nil {
		return nil, err
	}
	q := injected.FillQuery{Node: at.node, Print: pin.Print, Origin: a.Origin, Value: a.Value.Reveal()}
	filled, err := at.place.world.Fill(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := unfilled(filled); err != nil {
		return nil, err
	}
	out := &action.Filled{OK: true, Secret: a.Secret, Domain: a.Domain, Element: acted.Element, Matches: acted.Matches}
	_, err = in.effects.waitForNavigationBy(ctx, t, &at.place, before, readTitle)
	return out, err
}

// unfilled returns the fault of a field that did not get its secret.
func unfilled(f injected.Filled) error {
	switch {
	case f.OK:
		return nil
	case f.Error == "origin":
		return fault.New(fault.DeniedByPolicy, "the page, or one it is in, is not of the origin that the secret is for").
			Hinted("go to the site's own login page").With("rule", "secret.origin")
	case f.Error == "form":
		return fault.New(fault.DeniedByPolicy, "the form may be sent to another origin than the one that the secret is for").
			Hinted("leave this to a person, who is asked for with session.request_human").With("rule", "secret.form")
	case f.Error == "shown":
		return fault.New(fault.NotActionable, "the page showed what the field holds, so it was emptied again").
			Hinted("leave this to a person, who is asked for with session.request_human").With("reason", "shown")
	}
	return errChanged
}

// selectOptions selects options by value or label: all of the given ones, or none.
func (in *actor) selectOptions(ctx context.Context, t *tab, a *action.Select, pin action.Pin) (any, error) {
	before := in.effects.mark(t)
	at, err := in.readyToSelect(ctx, t, pin, a)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	chosen, err := at.choseOr(func() (injected.Chosen, error) {
		return at.place.world.Choose(ctx, injected.Choice{Node: at.node, Values: a.Values, Print: pin.Print})
	})
	if err != nil {
		return acted, err
	}
	if err := unchosen(chosen); err != nil {
		return nil, err
	}
	acted.Selected, acted.Labels = chosen.Selected, chosen.Labels
	acted.NewPage, err = in.effects.waitForNavigation(ctx, t, &at.place, before)
	return acted, err
}

// readyToSelect is ready for a choice. In the tab's own document the options are
// selected in the same round trip; in a frame, its position must be verified first.
func (in *actor) readyToSelect(ctx context.Context, t *tab, pin action.Pin, a *action.Select) (actionTarget, error) {
	q := injected.Pinned{Kind: injected.ForSelect}
	if err := in.elements.pinnedPoint(ctx, t, pin, a.Locator, &q); err != nil {
		return actionTarget{}, err
	}
	if root, ok := in.rootPlace(t); ok && root.document == pin.Document {
		q.Choose = &injected.Choice{Values: a.Values}
	}
	return in.readyFor(ctx, t, pin, q, a.Timing)
}

// choseOr returns the result of the choice. If it was not tried, it calls choose.
func (a actionTarget) choseOr(choose func() (injected.Chosen, error)) (injected.Chosen, error) {
	if a.chose != nil {
		return *a.chose, nil
	}
	return choose()
}

func unchosen(c injected.Chosen) error {
	switch {
	case c.Gone:
		return errChanged
	case c.Error == "missing":
		return fault.New(fault.InvalidRequest, "no option matches %q; there are: %s", c.Missing, strings.Join(c.Options, ", ")).
			Hinted("give the value or label of one of the options").
			With("missing", c.Missing).With("options", c.Options)
	case c.Error == "ambiguous":
		return ambiguousChoice(c)
	case c.Error == "late":
		return fault.New(fault.PageChanged, "the list got its options only now, and nothing was chosen").
			Hinted("make the call again: the options are judged as they are now")
	case c.Error == "single":
		return fault.New(fault.InvalidRequest, "the element takes one option only").
			Hinted("give one value")
	case c.Error == "disabled":
		return fault.New(fault.NotActionable, "the option or the whole choice is disabled").
			With("reason", "disabled").Hinted("fill in what the page asks for first")
	case !c.OK:
		return fault.New(fault.NotActionable, "the element is %s", c.Error).
			With("reason", c.Error).Hinted("click it and then the option, if it is a list of the page's own making")
	}
	return nil
}

// ambiguousChoice names the options of several groups that a text means.
func ambiguousChoice(c injected.Chosen) error {
	meant := make([]string, len(c.Options))
	for i, option := range c.Options {
		meant[i] = fmt.Sprintf("%q (value %q)", option, c.Selected[i])
	}
	return fault.New(fault.InvalidRequest, "%q is an option of several groups: %s", c.Missing, strings.Join(meant, ", ")).
		Hinted("name the group too, as in %q, or give the option's value", c.Options[0]).
		With("missing", c.Missing).With("options", c.Options)
}

// hasFormat are the types of input whose value is set as a whole. Keys would edit
// parts of it, in an order that depends on the browser's language.
var hasFormat = map[string]bool{
	"date": true, "time": true, "month": true, "week": true, "datetime-local": true, "range": true, "color": true,
}

// assign sets the value of such a field. It returns the text that is left to type,
// which is empty. Faults: invalid_request for a value that the field does not take,
// page_changed.
func (in *actor) assign(ctx context.Context, at actionTarget, value string) (rest string, err error) {
	got, err := at.place.world.Assign(ctx, injected.Assignment{Node: at.node, Value: value})
	switch {
	case err != nil:
		return "", err
	case got.Gone:
		return "", errChanged
	case got.OK:
		return "", nil
	case got.Error == "format":
		return "", fault.New(fault.InvalidRequest, "the field does not take this text").
			Hinted("give %s", got.Takes).With("field", "text").With("takes", got.Takes)
	}
	return "", notReady(got.Error, "", 0)
}

// selectInEditor moves the caret of a code editor that has the focus to the end of its
// text, or selects all of it. Only keys do that.
func (in *actor) selectInEditor(ctx context.Context, t *tab, text string, whole bool) error {
	keys := []string{"Control+End"}
	switch {
	case whole && text == "":
		keys = []string{"Control+a", "Delete"}
	case whole:
		keys = []string{"Control+a"}
	}
	for _, name := range keys {
		held, k, err := input.Chord(name)
		if err != nil {
			return err
		}
		if err := in.send(ctx, t, k.Events(held)); err != nil {
			return err
		}
	}
	return nil
}

// insert inserts the text into the element that has the focus, in one step. It returns
// the text that is left to type. Fault: page_changed.
func (in *actor) insert(ctx context.Context, at actionTarget, pin action.Pin, text string, keyed bool) (string, error) {
	inserted, err := at.place.world.Insert(ctx, injected.Insertion{Node: at.node, Print: pin.Print, Text: text, Keyed: keyed})
	switch {
	case err != nil:
		return text, err
	case inserted.Gone || inserted.Error != "":
		return text, errChanged
	case inserted.OK:
		return "", nil
	}
	return text, nil
}
