package download

import (
	"cmp"
	"context"
	"errors"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	defaultTokens = 6000    // of the text of a download, where the call does not say
	mostText      = 1 << 20 // bytes of it
)

// Read returns the text of a finished download, which is then stored as an
// artifact. Faults: those of Get; not_actionable if it has no text.
func (l *List) Read(ctx context.Context, a *action.DownloadRead) (*action.DownloadText, error) {
	file, err := l.Get(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	text, pages, cut, err := extract.Document(ctx, file.Bytes, mostText)
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
		l.host.Note("the text was cut at 1 MiB: the file has more")
	}
	part := snapshot.Prose(text, file.Name, "", snapshot.Options{MaxTokens: cmp.Or(a.MaxTokens, defaultTokens), Offset: a.Offset})
	return &action.DownloadText{
		Name: file.Name, MediaType: file.MediaType, Artifact: file.ID, Pages: pages,
		Text: part.Text, Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More,
	}, nil
}
