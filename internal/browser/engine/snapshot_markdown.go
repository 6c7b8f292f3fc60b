package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// markdownPart is as much of the page as page.markdown gives it as there is
// room for.
func (ob *observer) markdownPart(ctx context.Context, t *tab, a *action.TakeSnapshot) (any, error) {
	if a.Ref != "" || a.Depth > 0 || a.Interactive || a.Viewport || a.URLs {
		return nil, fault.New(fault.InvalidRequest, "markdown is of the whole page").
			Hinted("give format markdown with max_tokens and offset alone, or leave the format out").With("field", "format")
	}
	got, _, err := ob.reader.marked(ctx, t, &action.Markdown{}, true)
	if err != nil {
		return nil, err
	}
	part := snapshot.Prose(got.Markdown, got.Title, got.URL, ob.reader.room(a))
	return &action.Snapshot{
		Text: part.Text, URL: got.URL, Title: got.Title, Hidden: got.Hidden,
		Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More, Document: got.Document,
	}, nil
}
