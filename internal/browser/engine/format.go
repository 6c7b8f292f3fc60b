package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// hasFormat are the types of input whose value is given as a whole: keys go to
// parts of it, in an order that depends on the language of the browser.
var hasFormat = map[string]bool{
	"date": true, "time": true, "month": true, "week": true, "datetime-local": true, "range": true, "color": true,
}

// assign gives such a field its value, and returns what is left to type: nothing. Faults:
// invalid_request when the field does not take it, page_changed.
func (in *input) assign(ctx context.Context, at aim, value string) (rest string, err error) {
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
