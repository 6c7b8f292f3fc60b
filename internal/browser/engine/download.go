package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

const downloadLimit = 2 * time.Second // for the browser to report a download that it said began

var downloadEvents = map[string]eventHandler{
	"Browser.downloadWillBegin": on(func(b *Browser, s *state, _ string, e download.Event) { b.downloadBegan(s, e) }),
	"Browser.downloadProgress": on(func(b *Browser, s *state, _ string, e download.Event) {
		b.downloads.Progress(e)
		s.change()
	}),
}

// downloadBegan notes which tab a download is of.
func (b *base) downloadBegan(s *state, e download.Event) {
	if !b.downloads.Begin(e, s.isOfCrawl(e.Frame)) {
		return
	}
	if t := s.tabWithFrame(e.Frame); t != nil {
		t.moves.downloads++
		t.downloaded = e.ID
	}
	s.change()
}

// The verbs of package download.

func listDownloads(b *Browser, ctx context.Context, a *action.DownloadList) (any, error) {
	return b.downloads.List(ctx, a)
}

func getDownload(b *Browser, ctx context.Context, a *action.ByID) (any, error) {
	return b.downloads.Get(ctx, a.ID)
}

func readDownload(b *Browser, ctx context.Context, a *action.DownloadRead) (any, error) {
	return b.downloads.Read(ctx, a)
}

func cancelDownload(b *Browser, ctx context.Context, a *action.ByID) (any, error) {
	if err := b.downloads.Cancel(ctx, a.ID); err != nil {
		return nil, err
	}
	return &action.Closed{OK: true}, nil
}
