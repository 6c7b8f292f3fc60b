package engine

import (
	"context"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const fileLimit = 20 * time.Second // for the file of a navigation to arrive

// fileOf returns the file that a tab's last navigation returned instead of a page,
// nil if the tab shows a page.
func (b *base) fileOf(t *tab) *document {
	return guarded.Get(b.state, func(*state) *document { return t.file })
}

// dropFile makes a tab show its page again. It reports whether a file was shown.
func (b *base) dropFile(t *tab) bool {
	return guarded.Get(b.state, func(*state) bool {
		was := t.file != nil
		t.file = nil
		return was
	})
}

// readFile makes a tab show the file that a navigation returned instead of a page:
// a PDF document or text that the browser does not show itself. The file is the
// download of that navigation; it is not requested again. A file that cannot be
// read remains a download.
func (nv *navigator) readFile(ctx context.Context, t *tab, n *action.Navigated) {
	mediaType := nv.mediaType(t)
	if nv.options().Files == nil || kindOf(mediaType) == "" && mediaType != pdfType {
		return
	}
	arriving, stop := context.WithTimeout(ctx, fileLimit)
	defer stop()
	d, ok := nv.downloads.Ended(arriving, n.Download)
	if !ok {
		return
	}
	file, err := nv.downloads.Get(arriving, n.Download)
	if err != nil {
		return
	}
	text, pages, cut, err := extract.Document(ctx, file.Bytes, textLimit)
	if err != nil {
		nv.notes.add("the file %q has no text that can be read: %s", untrusted.Shorten(file.Name, mostQuote), file.MediaType)
		return
	}
	if cut {
		nv.notes.add("the text was cut at 1 MiB: the file has more")
	}
	read := &document{text: text, url: d.URL, title: d.Name, Document: action.Document{Kind: action.KindText, Pages: pages, Name: d.Name, Artifact: file.ID}}
	if pages > 0 {
		read.Kind = action.KindPDF
	}
	nv.state.Do(func(*state) { t.file = read })
	n.Document = read.shows()
}

// mediaType returns that of the newest document that a tab's main frame was sent.
func (b *base) mediaType(t *tab) string {
	return guarded.Get(b.state, func(*state) string { return t.mediaType })
}

const pdfType = "application/pdf"

// documentShown returns the document that a tab shows; nil for a page.
func (rd *reader) documentShown(ctx context.Context, t *tab) *action.Document {
	d, err := rd.documentOf(ctx, t, rd.mediaType(t))
	if err != nil {
		return nil
	}
	return d.shows()
}

// find searches for text in the document.
func (d *document) find(ctx context.Context, q snapshot.Query) *action.Matches {
	page := &snapshot.Page{URL: d.url, Title: d.title}
	for line := range strings.Lines(d.text) {
		page.Nodes = append(page.Nodes, &action.Node{Role: "text", Name: strings.TrimRight(line, "\n")})
	}
	out := &action.Matches{URL: d.url, Title: d.title}
	out.Matches, out.Total = page.Find(ctx, q)
	return out
}
