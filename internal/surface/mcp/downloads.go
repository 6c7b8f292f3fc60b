package mcp

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const downloadWait = 5000 // milliseconds that a list waits for running downloads

func downloads(ctx context.Context, t *turn, in *downloadsIn) error {
	if in.Action == "" || in.Action == "list" {
		return t.listDownloads(ctx)
	}
	if in.ID == "" {
		return fault.New(fault.InvalidRequest, "id is missing").Hinted("call browser_downloads with action list").With("field", "id")
	}
	if in.Action == "get" {
		return t.keepDownload(ctx, in.ID)
	}
	result, err := t.call(ctx, action.VerbDownloadRead.Name, &action.DownloadRead{ByID: action.ByID{ID: in.ID}, MaxTokens: in.MaxTokens, Offset: in.Offset})
	if err != nil {
		return err
	}
	if got, ok := result.Data.(*action.DownloadText); ok {
		t.reply.did = append(t.reply.did, fmt.Sprintf("Text of %s, %s, artifact %s.", untrusted.ToolQuoted(got.Name), untrusted.ToolLine(got.MediaType, 100), untrusted.ToolLine(got.Artifact, 64)))
		t.reply.heading, t.reply.text = "Download", marked(got.Text, "", fullSnapshot)
	}
	return nil
}

func (t *turn) listDownloads(ctx context.Context) error {
	result, err := t.call(ctx, action.VerbDownloadList.Name, &action.DownloadList{Wait: downloadWait})
	if err != nil {
		return err
	}
	listing, ok := result.Data.(*action.DownloadListing)
	if !ok {
		return nil
	}
	t.reply.data = listing
	if len(listing.Downloads) == 0 {
		t.reply.did = append(t.reply.did, "There are no downloads.")
	}
	for _, d := range listing.Downloads {
		text := fmt.Sprintf("- %s %s, %d bytes, id %s", untrusted.ToolQuoted(d.Name), untrusted.ToolLine(d.State, 20), max(d.Size, d.Received), untrusted.ToolLine(d.ID, 64))
		if d.Error != "" {
			text += ": " + untrusted.ToolLine(d.Error, 200)
		}
		t.reply.did = append(t.reply.did, text)
	}
	return nil
}

func (t *turn) keepDownload(ctx context.Context, id string) error {
	result, err := t.call(ctx, action.VerbDownloadGet.Name, &action.ByID{ID: id})
	if err != nil {
		return err
	}
	if file, ok := result.Data.(*action.File); ok {
		t.reply.data = file.Artifact
		t.reply.did = append(t.reply.did, fmt.Sprintf("%s, %s, %d bytes, is artifact %s.", untrusted.ToolQuoted(file.Name), untrusted.ToolLine(file.MediaType, 100), file.Size, untrusted.ToolLine(file.ID, 64)))
	}
	return nil
}
