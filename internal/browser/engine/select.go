package engine

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// choose selects options by value or label: all that are asked for, or none.
func (in *input) choose(ctx context.Context, t *tab, a *action.Select, pin action.Pin) (any, error) {
	if len(a.Values) == 0 {
		return nil, fault.New(fault.InvalidRequest, "no values were given").
			Hinted("give the values or labels of the options to select")
	}
	before := in.effects.mark(t)
	at, err := in.takeChoosing(ctx, t, pin, a)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	chosen, err := at.choseOr(func() (injected.Chosen, error) {
		return at.place.world.Choose(ctx, injected.Choice{Node: at.node, Values: a.Values})
	})
	if err != nil {
		return acted, err
	}
	if err := unchosen(chosen); err != nil {
		return nil, err
	}
	acted.Selected, acted.Labels = chosen.Selected, chosen.Labels
	acted.NewPage, err = in.effects.settle(ctx, t, &at.place, before)
	return acted, err
}

// takeChoosing is take for a choice: in the tab's own document the options are
// chosen in the same round trip. In frames their place is to be checked first.
func (in *input) takeChoosing(ctx context.Context, t *tab, pin action.Pin, a *action.Select) (aim, error) {
	q := injected.Pinned{Kind: injected.ForSelect}
	if err := in.elements.pinnedPoint(ctx, t, pin, a.Locator, &q); err != nil {
		return aim{}, err
	}
	if root, ok := in.rootPlace(t); ok && root.document == pin.Document {
		q.Choose = &injected.Choice{Values: a.Values}
	}
	return in.takeFor(ctx, t, pin, q, a.Timing)
}

// choseOr is what became of the choice, or what choose says of it.
func (a aim) choseOr(choose func() (injected.Chosen, error)) (injected.Chosen, error) {
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
