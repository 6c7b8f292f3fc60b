package engine

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// document is the content of a tab that shows no page of HTML.
type document struct {
	action.Document
	text       string
	url, title string
}

// kindOf returns the kind of a document by its media type; "" for pages, and for
// media types that the browser shows as pages.
func kindOf(mediaType string) string {
	switch {
	case mediaType == "application/json", mediaType == "text/json", strings.HasSuffix(mediaType, "+json"):
		return action.KindJSON
	case mediaType == "image/svg+xml", mediaType == "application/xhtml+xml", mediaType == "text/html":
		return ""
	case strings.HasPrefix(mediaType, "image/"):
		return action.KindImage
	case mediaType == "application/xml", mediaType == "text/xml", strings.HasSuffix(mediaType, "+xml"):
		return action.KindXML
	case strings.HasPrefix(mediaType, "text/"), strings.HasSuffix(mediaType, "javascript"):
		return action.KindText
	}
	return ""
}

// documentOf reads the document of a media type that a tab shows; nil for a page.
func (rd *reader) documentOf(ctx context.Context, t *tab, mediaType string) (*document, error) {
	kind := kindOf(mediaType)
	if kind == "" {
		return nil, nil
	}
	p, err := rd.main(ctx, t)
	if err != nil {
		return nil, err
	}
	drawn, err := p.world.Document(ctx)
	if err != nil || kindOf(drawn.Type) != kind {
		return nil, err
	}
	here := rd.facts(t)
	d := &document{Document: action.Document{Kind: kind}, text: drawn.Text, url: here.URL, title: here.Title}
	switch kind {
	case action.KindImage:
		d.Width, d.Height, d.text = drawn.Width, drawn.Height, ""
		if d.Width == 0 {
			return nil, nil
		}
	case action.KindJSON:
		d.text = extract.JSON(drawn.Text)
	case action.KindXML:
		var plain bool
		if d.text, plain = extract.XML(rd.source(ctx, t)); !plain {
			return nil, nil
		}
	}
	if drawn.Cut || len(d.text) > textLimit {
		d.text = untrusted.CutBytes(d.text, textLimit)
		rd.notes.add("the text was cut at 1 MiB: the document has more")
	}
	return d, nil
}

// source returns the text of a tab's document as the server sent it, "" if the
// browser did not keep it.
func (rd *reader) source(ctx context.Context, t *tab) string {
	if rd.isHeld(t) {
		return ""
	}
	address, _, _ := strings.Cut(rd.facts(t).URL, "#")
	params := map[string]string{"frameId": t.root.id, "url": address}
	var got struct {
		Content string `json:"content"`
		Base64  bool   `json:"base64Encoded"`
	}
	if err := t.main.session.Call(ctx, "Page.getResourceContent", params, &got); err != nil {
		return ""
	}
	if !got.Base64 {
		return got.Content
	}
	content, err := base64.StdEncoding.DecodeString(got.Content)
	if err != nil {
		return ""
	}
	return string(content)
}

// about returns a line that describes the document.
func (d *document) about() string {
	said := d.String()
	if d.Kind == action.KindImage {
		return said + "; a screenshot shows it"
	}
	if d.Name != "" {
		said += "; the file is kept as artifact " + d.Artifact
	}
	return said
}

// shows returns a copy of the document for a result; nil for a page.
func (d *document) shows() *action.Document {
	if d == nil {
		return nil
	}
	shown := d.Document
	return &shown
}

// part returns as much of the document as the options allow.
func (d *document) part(o snapshot.Options, format string) *action.Snapshot {
	out := &action.Snapshot{URL: d.url, Title: d.title, Document: d.shows()}
	var part snapshot.Part
	if format == "markdown" {
		part = snapshot.Prose(d.markdown(), d.title, d.url, o)
	} else {
		part = snapshot.Document(d.about(), d.text, d.title, d.url, o)
	}
	out.Text, out.Tokens, out.NextOffset, out.MoreTokens = part.Text, part.Tokens, part.Next, part.More
	return out
}

// markdown returns the document as markdown, JSON and XML as code.
func (d *document) markdown() string {
	switch d.Kind {
	case action.KindImage:
		return "![" + d.String() + "](" + d.url + ")"
	case action.KindJSON, action.KindXML:
		fence := "```"
		for strings.Contains(d.text, fence) {
			fence += "`"
		}
		return fence + d.Kind + "\n" + d.text + "\n" + fence
	}
	return d.text
}

// marked returns the result of page.markdown for the document.
func (d *document) marked() *action.Marked {
	return &action.Marked{Markdown: d.markdown(), URL: d.url, Title: d.title, Document: d.shows()}
}

// paged returns as much of a text as a call asked for.
func paged(text, title, url string, p action.Paging) (string, action.Paged) {
	if p.MaxTokens == 0 && p.Offset == 0 {
		return text, action.Paged{}
	}
	part := snapshot.Prose(text, title, url, snapshot.Options{MaxTokens: p.MaxTokens, Offset: p.Offset})
	return part.Text, action.Paged{Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More}
}
