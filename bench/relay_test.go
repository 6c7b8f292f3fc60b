package bench

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Attach gives a client its place at the one browser.
func (s single) Attach(ctx context.Context, _ action.Call, _ action.Pin, heed func(action.Message)) (action.Attachment, error) {
	return s.browser.Attach(ctx, heed)
}
