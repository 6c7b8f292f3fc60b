package page

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const textLimit = 1 << 20 // bytes of text of all frames together

// extract reads the page's text, frame by frame, or its title.
func (b *Browser) extract(ctx context.Context, t *tab, a *action.Extract, _ action.Pin) (any, error) {
	mode := a.Mode
	if mode == "" {
		mode = "text"
	}
	if mode != "text" && mode != "title" {
		return nil, fault.New(fault.InvalidRequest, "mode %q is not known", a.Mode).Hinted("use text or title")
	}
	p, err := b.main(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := b.roundTrip(ctx, t, p, glance); err != nil {
		return nil, err
	}
	here := b.facts(t)
	out := &action.Extracted{Mode: mode, URL: here.URL, Title: here.Title, Text: here.Title}
	if mode == "text" {
		out.Text, err = b.text(ctx, t)
	}
	return out, err
}

func (b *Browser) text(ctx context.Context, t *tab) (string, error) {
	var all strings.Builder
	for _, p := range b.places(t) {
		r, err := p.world.Text(ctx)
		if err != nil {
			if p.frame == t.root || !moved(err) {
				return "", err
			}
			continue
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
	return all.String(), nil
}
