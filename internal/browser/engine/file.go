package engine

import (
	"context"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

const fileLimit = 20 * time.Second // for a file that a navigation brought to arrive, and again to be read

// fileOf is the file that a tab's last navigation brought instead of a page, nil
// where it shows a page.
func (b *base) fileOf(t *tab) *document {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t.file
}

// dropFile has a tab show its page again, and reports whether a file was shown.
func (b *base) dropFile(t *tab) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := t.file != nil
	t.file = nil
	return was
}

// readFile has a tab show the file that a navigation brought instead of a page:
// PDF documents and text, which the browser itself does not draw. It is what the
// server sent for that navigation; nothing is requested for it again. A file that
// cannot be read is a download as any other.
func (nv *navigator) readFile(ctx context.Context, t *tab, n *action.Navigated) {
	nv.mu.Lock()
	readable := nv.options.Files != nil && (kindOf(t.mediaType) != "" || t.mediaType == pdfType)
	nv.mu.Unlock()
	if !readable {
		return
	}
	ctx, stop := context.WithTimeout(ctx, fileLimit)
	defer stop()
	d, ok := nv.downloads.Ended(ctx, n.Download)
	if !ok {
		return
	}
	file, err := nv.downloads.Get(ctx, n.Download)
	if err != nil {
		return
	}
	text, pages, cut, err := extract.Document(ctx, file.Bytes, textLimit)
	if err != nil {
		nv.notes.add("the file %q has no text that can be read: %s", pagetext.Shorten(file.Name, mostQuote), file.MediaType)
		return
	}
	if cut {
		nv.notes.add("the text was cut at 1 MiB: the file has more")
	}
	nv.mu.Lock()
	defer nv.mu.Unlock()
	t.file = &document{text: text, url: d.URL, title: d.Name, Document: action.Document{Kind: action.KindText, Pages: pages, Name: d.Name, Artifact: file.ID}}
	if pages > 0 {
		t.file.Kind = action.KindPDF
	}
	n.Document = t.file.shows()
}

const pdfType = "application/pdf"

// documentShown is what a tab shows that is no page of HTML; nil for a page.
func (rd *reader) documentShown(ctx context.Context, t *tab) *action.Document {
	rd.mu.Lock()
	mediaType := t.mediaType
	rd.mu.Unlock()
	d, err := rd.documentOf(ctx, t, mediaType)
	if err != nil {
		return nil
	}
	return d.shows()
}

// find looks for words in the document.
func (d *document) find(ctx context.Context, q snapshot.Query) *action.Matches {
	page := &snapshot.Page{URL: d.url, Title: d.title}
	for line := range strings.Lines(d.text) {
		page.Nodes = append(page.Nodes, &action.Node{Role: "text", Name: strings.TrimRight(line, "\n")})
	}
	out := &action.Matches{URL: d.url, Title: d.title}
	out.Matches, out.Total = page.Find(ctx, q)
	return out
}
