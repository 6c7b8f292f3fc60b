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

// document is what a tab shows that is no page of HTML.
type document struct {
	action.Document
	text       string
	url, title string
}

// kindOf is the kind of a document of a media type; "" for pages, and for what the
// browser draws as one.
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

// documentOf reads what a tab shows of a media type; nil for a page of HTML.
func (rd *reader) documentOf(ctx context.Context, t *tab, mediaType string) (*document, error) {
	kind := kindOf(mediaType)
	if kind == "" {
		return nil, nil
	}
	p, err := rd.main(ctx, t)
	if err != nil {
		return nil, err
	}
	drawn, err := p.world.Drawn(ctx)
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

// source is the text of a tab's document as the server sent it, which the browser
// keeps; "" where it does not.
func (rd *reader) source(ctx context.Context, t *tab) string {
	rd.mu.Lock()
	address, _, _ := strings.Cut(t.root.url, "#")
	params := map[string]string{"frameId": t.root.id, "url": address}
	rd.mu.Unlock()
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

// about is the line that says what the document is.
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

// shows is the document as results have it, each its own; nil for a page of HTML.
func (d *document) shows() *action.Document {
	if d == nil {
		return nil
	}
	shown := d.Document
	return &shown
}

// part is as much of the document as there is room for.
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

// markdown is the document's text, as code where it is some.
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

// marked is the document as markdown.
func (d *document) marked() *action.Marked {
	return &action.Marked{Markdown: d.markdown(), URL: d.url, Title: d.title, Document: d.shows()}
}

// paged is as much of a text as a call asked for.
func paged(text, title, url string, p action.Paging) (string, action.Paged) {
	if p.MaxTokens == 0 && p.Offset == 0 {
		return text, action.Paged{}
	}
	part := snapshot.Prose(text, title, url, snapshot.Options{MaxTokens: p.MaxTokens, Offset: p.Offset})
	return part.Text, action.Paged{Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More}
}
