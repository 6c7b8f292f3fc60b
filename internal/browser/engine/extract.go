package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const textLimit = 1 << 20 // bytes of text of all frames together

// extract reads the text of the page's frames, or its title.
func (ct *contents) extract(ctx context.Context, t *tab, a *action.Extract, _ action.Pin) (any, error) {
	mode := cmp.Or(a.Mode, "text")
	if d := ct.fileOf(t); d != nil {
		return d.extracted(mode, a.Paging), nil
	}
	p, err := ct.main(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := ct.effects.ask(ctx, t, p, readTitle); err != nil {
		return nil, err
	}
	here := ct.facts(t)
	out := &action.Extracted{Mode: mode, URL: here.URL, Title: here.Title, Text: here.Title}
	if mode == "title" {
		return out, nil
	}
	text, mediaType, err := ct.reader.text(ctx, t)
	if err != nil {
		return nil, err
	}
	if d, err := ct.reader.documentOf(ctx, t, mediaType); err != nil {
		return nil, err
	} else if d != nil {
		return d.extracted(mode, a.Paging), nil
	}
	out.Text, out.Paged = paged(text, here.Title, here.URL, a.Paging)
	return out, nil
}

// extracted returns the result of page.extract for a document.
func (d *document) extracted(mode string, p action.Paging) *action.Extracted {
	out := &action.Extracted{Mode: mode, URL: d.url, Title: d.title, Text: d.title, Document: d.shows()}
	if mode == "text" {
		out.Text, out.Paged = paged(d.text, d.title, d.url, p)
	}
	return out
}

// text reads the text of all frames that a person can see. mediaType is that of the
// main document.
func (rd *reader) text(ctx context.Context, t *tab) (text, mediaType string, err error) {
	var all strings.Builder
	for _, p := range rd.places(t) {
		r, err := p.world.Text(ctx)
		if err != nil {
			if p.frame == t.root || !moved(err) {
				return "", "", err
			}
			continue
		}
		if p.frame == t.root {
			mediaType = r.Type
		}
		if all.Len() > 0 && r.Text != "" {
			all.WriteString("\n\n")
		}
		if all.Len()+len(r.Text) > textLimit {
			all.WriteString(strings.ToValidUTF8(r.Text[:max(0, textLimit-all.Len())], ""))
			break
		}
		all.WriteString(r.Text)
	}
	return all.String(), mediaType, nil
}
