package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

const downloadLimit = 2 * time.Second // for the browser to report a download that it said began

// downloadBehaviour are the parameters of Browser.setDownloadBehavior: each
// download gets a name of its own in the folder, or none is made. base.mu is held.
func (b *base) downloadBehaviour() map[string]any {
	params := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if b.options.Downloads != "" {
		params["behavior"], params["downloadPath"] = "allowAndName", b.options.Downloads
	}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	return params
}

// downloadSettings are those of the present options. base.mu is held.
func (b *base) downloadSettings() download.Settings {
	return download.Settings{
		Enabled: b.options.Downloads != "", Context: b.context, Most: b.options.MostDownload, Store: b.options.Files, Log: b.options.Log,
	}
}

var downloadEvents = map[string]eventHandler{
	"Browser.downloadWillBegin": on(func(b *Browser, _ string, e download.Event) { b.downloadBegan(e) }),
	"Browser.downloadProgress": on(func(b *Browser, _ string, e download.Event) {
		b.downloads.Progress(e)
		b.change()
	}),
}

// downloadBegan notes which tab a download is of. base.mu is held.
func (b *base) downloadBegan(e download.Event) {
	if !b.downloads.Begin(e, b.isOfCrawl(e.Frame)) {
		return
	}
	for _, t := range b.tabs {
		if t.frames[e.Frame] != nil {
			t.moves.downloads++
			t.downloaded = e.ID
		}
	}
	b.change()
}

// isOfCrawl reports whether a frame is of a tab of a crawl.
func (b *base) isOfCrawl(frame string) bool {
	for _, t := range b.tabs {
		if t.hidden && t.frames[frame] != nil {
			return true
		}
	}
	return false
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
