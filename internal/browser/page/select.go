package page

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/inpage"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// choose selects options by value or label: all that are asked for, or none.
func (b *Browser) choose(ctx context.Context, t *tab, a *action.Select, pin action.Pin) (any, error) {
	if len(a.Values) == 0 {
		return nil, fault.New(fault.InvalidRequest, "no values were given").
			Hinted("give the values or labels of the options to select")
	}
	at, err := b.take(ctx, t, pin, a.Locator, inpage.ForSelect, a.Timing)
	if err != nil {
		return nil, err
	}
	before := b.mark(t)
	acted := b.acted(at, pin)
	chosen, err := at.place.world.Choose(ctx, inpage.Choice{Node: at.node, Values: a.Values})
	if err != nil {
		return acted, err
	}
	if err := unchosen(chosen); err != nil {
		return nil, err
	}
	acted.Selected = chosen.Selected
	acted.NewPage, err = b.settle(ctx, t, &at.place, before)
	return acted, err
}

func unchosen(c inpage.Chosen) error {
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
