package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/extract"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// contents answers the verbs that read a page.
type contents struct {
	*base
	effects   *effects
	elements  *elements
	reader    *reader
	navigator *navigator
}

// content reads the HTML of the document, or of an element's content. Faults:
// invalid_selector, not_found.
func (ct *contents) content(ctx context.Context, t *tab, a *action.Content, _ action.Pin) (any, error) {
	p, err := ct.reader.readable(ctx, t)
	if err != nil {
		return nil, err
	}
	node := 0
	if a.Selector != "" {
		h, err := ct.elements.locate(ctx, t, action.Locator{Selector: a.Selector}, action.Timing{})
		if err != nil {
			return nil, err
		}
		p, node = h.place, h.node
	}
	got, err := p.world.HTML(ctx, node)
	if err != nil {
		return nil, err
	}
	if got.Gone {
		return nil, errMoved
	}
	if got.Cut {
		ct.notes.add("the HTML was cut at 8 MiB: give a selector for a part of it")
	}
	here := ct.facts(t)
	return &action.HTML{HTML: got.HTML, URL: here.URL, Title: here.Title}, nil
}

// readable waits until the main frame can be read and its title is known.
func (rd *reader) readable(ctx context.Context, t *tab) (place, error) {
	p, err := rd.main(ctx, t)
	if err != nil {
		return p, err
	}
	return p, rd.effects.ask(ctx, t, p, readTitle)
}

// eachFrame calls read with each frame, the main frame first, from which it takes
// the tab's title. A child frame that goes away meanwhile is left out.
func (rd *reader) eachFrame(ctx context.Context, t *tab, read func(injected.Frame) (title string, err error)) error {
	if _, err := rd.main(ctx, t); err != nil {
		return err
	}
	for _, p := range rd.places(t) {
		title, err := read(p.world)
		if err != nil && (p.frame == t.root || !moved(err)) {
			return err
		}
		if err == nil && p.frame == t.root {
			rd.setTitle(t, p, title)
		}
	}
	return nil
}

// markdown reads as markdown what a person can see of the page.
func (ct *contents) markdown(ctx context.Context, t *tab, a *action.Markdown, _ action.Pin) (any, error) {
	out, cut, err := ct.reader.marked(ctx, t, a, true)
	if err != nil {
		return nil, err
	}
	if cut {
		ct.notes.add("the markdown was cut at 1 MiB: the page has more")
	}
	out.Markdown, out.Paged = paged(out.Markdown, out.Title, out.URL, a.Paging)
	return out, nil
}

// marked returns the page as markdown. cut reports that the page has more. With
// article, it returns only the page's article, if the page has one.
func (rd *reader) marked(ctx context.Context, t *tab, a *action.Markdown, article bool) (out *action.Marked, cut bool, err error) {
	if d := rd.fileOf(t); d != nil {
		return d.marked(), false, nil
	}
	out = &action.Marked{}
	var parts []string
	size, mediaType, first := 0, "", true
	err = rd.eachFrame(ctx, t, func(w injected.Frame) (string, error) {
		if size >= textLimit {
			return "", nil
		}
		hints := article && first && !a.Full
		m, err := w.Markup(ctx, injected.MarkupOptions{Full: a.Full, Images: a.Images, Hints: hints})
		if err != nil {
			return "", err
		}
		text, found, err := written(m, hints)
		if err != nil {
			return "", err
		}
		out.Hidden, out.Article = out.Hidden+m.Hidden, out.Article || found
		if first {
			mediaType, first = m.Type, false
		}
		if m.Cut || size+len(text) > textLimit {
			text = strings.ToValidUTF8(text[:min(len(text), textLimit-size)], "")
			cut = true
		}
		if size += len(text); text != "" {
			parts = append(parts, text)
		}
		return m.Title, nil
	})
	if err != nil {
		return nil, false, err
	}
	if d, err := rd.documentOf(ctx, t, mediaType); err != nil {
		return nil, false, err
	} else if d != nil {
		return d.marked(), false, nil
	}
	here := rd.facts(t)
	out.URL, out.Title = here.URL, here.Title
	out.Markdown = strings.Join(parts, "\n\n")
	return out, cut, nil
}

// written converts the HTML of a frame to markdown: with hints, only its article, if
// it has one.
func written(m injected.Markup, hints bool) (text string, article bool, err error) {
	if hints {
		text, article, err = extract.Article(m.HTML, m.Declared)
	}
	if err == nil && !article {
		text, err = extract.Markdown(m.HTML)
	}
	if err != nil {
		return "", false, fault.New(fault.Internal, "the page could not be made markdown of").
			Hinted("use page.extract or page.snapshot").Because(err)
	}
	return text, article, nil
}

const mostLinks = 5000

// links lists the links of the page and its frames, each address once.
func (ct *contents) links(ctx context.Context, t *tab, _ *action.None, _ action.Pin) (any, error) {
	out := &action.LinkListing{Links: []action.Link{}}
	known := map[string]int{}
	cut := false
	err := ct.reader.eachFrame(ctx, t, func(w injected.Frame) (string, error) {
		found, err := w.Links(ctx)
		cut = cut || found.Cut
		for _, l := range found.Links {
			at, twice := known[l.Href]
			switch {
			case twice && out.Links[at].Text == "":
				out.Links[at].Text = l.Text
			case !twice && len(out.Links) >= mostLinks:
				cut = true
			case !twice:
				known[l.Href] = len(out.Links)
				out.Links = append(out.Links, action.Link(l))
			}
		}
		return found.Title, err
	})
	out.URL = ct.facts(t).URL
	if cut {
		ct.notes.add("only the first %d links are listed", mostLinks)
	}
	return out, err
}

// attributed splits selector@attribute. An @ that is part of the selector is in
// quotes or brackets or after a backslash, so the rest is not only a name.
var attributed = regexp.MustCompile(`(?s)^(.*[^\\])@([A-Za-z_][A-Za-z0-9_.:-]*)$`)

// sought parses an entry of a scrape: selector@attribute, or the attribute after the
// name of the list.
func sought(name, selector string) injected.ScrapeItem {
	if m := attributed.FindStringSubmatch(selector); m != nil {
		return injected.ScrapeItem{Selector: strings.TrimSpace(m[1]), Attribute: m[2]}
	}
	if m := attributed.FindStringSubmatch(name); m != nil {
		return injected.ScrapeItem{Selector: selector, Attribute: m[2]}
	}
	return injected.ScrapeItem{Selector: selector}
}

// scrape reads lists of texts or attributes, after a navigation if the call names an
// address. Faults: invalid_selector, denied_by_policy for protected content, and
// those of a navigation.
func (ct *contents) scrape(ctx context.Context, t *tab, a *action.Scrape, _ action.Pin) (any, error) {
	if a.Navigates() {
		if _, err := ct.navigator.visit(ctx, t, &action.Goto{URL: a.URL}, action.Pin{}); err != nil {
			return nil, err
		}
	}
	var names []string
	for name := range a.Selectors {
		names = append(names, name)
	}
	slices.Sort(names)
	var items []injected.ScrapeItem
	data := make(map[string][]string, len(names))
	for _, name := range names {
		item, err := ct.allowedItem(ctx, name, sought(name, a.Selectors[name]))
		if err != nil {
			return nil, err
		}
		items, data[name] = append(items, item), []string{}
	}
	hidden, cut := 0, false
	err := ct.reader.eachFrame(ctx, t, func(w injected.Frame) (string, error) {
		got, err := w.Scrape(ctx, items)
		if err == nil {
			err = refusedScrape(got, names)
		}
		for i, list := range got.Lists {
			data[names[i]] = append(data[names[i]], list...)
		}
		hidden, cut = hidden+got.Hidden, cut || got.Cut
		return got.Title, err
	})
	if err != nil {
		return nil, err
	}
	ct.noteLeftOut(hidden, cut)
	here := ct.facts(t)
	return &action.Scraped{Data: data, URL: here.URL, Title: here.Title}, nil
}

// noteLeftOut notes what a scrape left out.
func (ct *contents) noteLeftOut(hidden int, cut bool) {
	if hidden > 0 {
		ct.notes.add("%d of the elements hold text that a person could not see; it is left out", hidden)
	}
	if cut {
		ct.notes.add("the lists were cut: more matches than 1 MiB of text, or 5000 in one list")
	}
}

func refusedScrape(got injected.ScrapeResult, names []string) error {
	if got.Error == "" || got.At < 0 || got.At >= len(names) {
		return nil
	}
	f := fault.New(fault.InvalidSelector, "selectors.%s cannot be read: %s", names[got.At], got.Message).
		Hinted("give a CSS selector, such as h1, or img@src for an attribute")
	if got.Error == "refused" {
		f.Code, f.Hint = fault.DeniedByPolicy, "leave it out: secrets, scripts and raw HTML are not handed out by page.scrape"
	}
	return f.With("field", "selectors")
}
