package page

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// markdownPart is the page as page.markdown gives it, as a snapshot.
func (b *Browser) markdownPart(ctx context.Context, t *tab, _ *action.TakeSnapshot) (any, error) {
	got, _, err := b.marked(ctx, t, &action.Markdown{})
	if err != nil {
		return nil, err
	}
	return &action.Snapshot{Text: got.Markdown, URL: got.URL, Title: got.Title, Hidden: got.Hidden}, nil
}
