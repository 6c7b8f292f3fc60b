package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const downloadTokens = 6000 // of the text of a download, where the call does not say

// readDownload reads the text of a finished download, which is kept as an
// artifact by that. Faults: those of getDownload; not_actionable where it has no
// text.
func (b *Browser) readDownload(ctx context.Context, a *action.DownloadRead) (any, error) {
	got, err := b.getDownload(ctx, &a.ByID)
	if err != nil {
		return nil, err
	}
	file, ok := got.(*action.File)
	if !ok {
		return nil, noSuchDownload()
	}
	text, pages, cut, err := extract.Document(ctx, file.Bytes, textLimit)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, extract.ErrNoText):
		return nil, fault.New(fault.NotActionable, "the file is %s, which holds no text to be read", file.MediaType).
			Hinted("it is kept as artifact %s; fetch it with download.get", file.ID).With("reason", "no text").With("artifact", file.ID)
	case err != nil:
		return nil, fault.New(fault.NotActionable, "the document cannot be read: it is damaged, encrypted or too large").
			Hinted("it is kept as artifact %s; fetch it with download.get", file.ID).With("reason", "no text").With("artifact", file.ID).Because(err)
	}
	if cut {
		b.notes.add("the text was cut at 1 MiB: the file has more")
	}
	part := snapshot.Prose(text, file.Name, "", snapshot.Options{MaxTokens: cmp.Or(a.MaxTokens, downloadTokens), Offset: a.Offset})
	return &action.DownloadText{
		Name: file.Name, MediaType: file.MediaType, Artifact: file.ID, Pages: pages,
		Text: part.Text, Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More,
	}, nil
}
