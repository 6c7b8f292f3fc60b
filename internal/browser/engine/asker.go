package engine

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

const mostAskers = 1000 // hosts for which it is known who asked; the door keeps as many refusals

// askers are, for each host, the address of the document that asked for
// something there last. They are guarded by Browser.mu.
type askers map[string]string

// Asker returns the address, without query, of the document that last asked
// for something of host: a page, a frame or a worker's script; for a redirect
// the address it came from. The browser may tell of a request after it was
// made: Asker waits for that until ctx ends, and then returns "".
func (b *Browser) Asker(ctx context.Context, host string) (address string) {
	_ = b.await(ctx, func() bool {
		address = b.askers[host]
		return address != ""
	})
	return address
}

// asked notes who makes a request. b.mu is held.
func (b *Browser) asked(from *target, p netlog.Event) {
	to, err := url.Parse(cmp.Or(p.Request.URL, p.URL))
	if err != nil || to.Hostname() == "" {
		return
	}
	if by, err := url.Parse(p.Document); err == nil && by.Host == to.Host && !p.IsDocument() {
		return // a preflight names itself, and what a host asks of itself is no news
	}
	by := p.Document
	switch {
	case p.Redirect != nil:
		by = p.Redirect.URL
	case from.tab != nil && (p.IsDocument() || by == ""):
		by = b.shownIn(from.tab, from.tab.frames[p.Frame])
	}
	if by = bareAddress(by); by == "" {
		return
	}
	if b.askers == nil || len(b.askers) >= mostAskers {
		b.askers = askers{}
	}
	b.askers[strings.TrimSuffix(to.Hostname(), ".")] = by
	b.change()
}

// shownIn returns the address of the document in a frame, or of the nearest
// around it, or of what opened the tab. b.mu is held.
func (b *base) shownIn(t *tab, f *frame) string {
	if f == nil {
		f = t.root
	}
	for ; f != nil; f = f.parent {
		if strings.HasPrefix(f.url, "http") {
			return f.url
		}
	}
	if opener := b.tabs[t.opener]; opener != nil {
		return opener.root.url
	}
	return ""
}

// bareAddress is an http address without query, fragment and user, or the
// origin of what a script made; "" for any other.
func bareAddress(address string) string {
	inner, made := strings.CutPrefix(address, "blob:")
	u, err := url.Parse(inner)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return ""
	case made:
		return "blob:" + u.Scheme + "://" + u.Host // the rest is a random name
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return pagetext.Brief(u.String())
}
