package engine

import (
	"maps"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
)

// What an act does in a page can be told to other tabs, which then send the request.
// Documents of an origin share channels, storage events and workers, and those of a
// site share cookies and their events, in any tab. Windows that opened each other
// have handles of each other, of whatever origin they are. Documents with frames of
// several sites pass on between those. A page cannot tell other tabs, except by way
// of a server.

// reach returns the part of the browser that a part of it can tell something.
func (s *state) reach(from outgoing.Reach) outgoing.Reach {
	parts := make([]outgoing.Reach, 0, len(s.tabs))
	for _, t := range s.tabs {
		parts = append(parts, t.reach())
	}
	from.Closure(parts)
	return from
}

// reach returns the tab itself, the first one of its group, and the sites of its
// frames.
func (t *tab) reach() outgoing.Reach {
	r := outgoing.NewReach(t.id)
	r.Tabs[t.group] = true
	if t.offline {
		return r // it has a browser context of its own
	}
	maps.Copy(r.Sites, t.past)
	for _, f := range t.frames {
		if site := f.site(); site != "" {
			r.Sites[site] = true
		}
	}
	return r
}

// site returns the site of a frame's document; "" for none.
func (f *frame) site() string {
	if site := siteOf(f.url); site != "" {
		return site
	}
	return siteOf(f.origin) // of about:blank: that of the document which made it
}

// keepSite notes the site of a frame that goes away or gets another document: it may
// have left a message port or a handle to the tab's main document.
func (t *tab) keepSite(f *frame) {
	if site := f.site(); site != "" {
		t.past[site] = true
	}
}

// keepSites notes the sites of a closed tab in the others of its group.
func (s *state) keepSites(closed *tab) {
	for _, t := range s.tabs {
		if t.group == closed.group {
			maps.Copy(t.past, closed.reach().Sites)
		}
	}
}

// extendReach notes that a tab was opened or shows another document, to which the
// live acts may be told from now on.
func (og *outgoingRequests) extendReach(s *state, t *tab) {
	if now := time.Now(); len(og.ledger.Live(now)) > 0 {
		og.ledger.Extend(now, s.reach(t.reach()))
	}
}

// causes returns the acts that may have caused a paused request, the newest first. told are
// those of other tabs than its own and the one that opened it. A request whose document or
// worker is not known may come of every act, and so may that of a worker of an act's site.
func (og *outgoingRequests) causes(s *state, t *tab, p paused) (acts, told []string) {
	now := time.Now()
	live := og.ledger.Live(now)
	if len(live) == 0 {
		return nil, nil // most requests: what they reach need not be known
	}
	if t == nil {
		site := s.siteOfWorker(p.Frame)
		if site == "" {
			return live, nil
		}
		from := outgoing.NewReach("")
		from.Sites[site] = true
		acts, _ = og.ledger.Causes(now, s.reach(from))
		return acts, nil
	}
	from := t.reach()
	if t.hidden && p.Type == "Document" && p.Frame == t.root.id {
		from = outgoing.NewReach(t.id) // the crawl goes there
	}
	return og.ledger.Causes(now, s.reach(from), t.id, t.opener)
}

// siteOfWorker returns the site of a shared or service worker by its id; "" where it
// is not known.
func (s *state) siteOfWorker(id string) string {
	for _, t := range s.sessions {
		if t.id == id && t.tab == nil {
			_, site := t.owner()
			return site
		}
	}
	return ""
}

// owner returns the tab of a frame or of a dedicated worker, and the site of a worker
// that is of no single tab.
func (t *target) owner() (tab, site string) {
	for t.kind == "worker" && t.parent != nil {
		t = t.parent
	}
	if t.tab != nil {
		return t.tab.id, ""
	}
	return "", siteOf(t.url)
}

// siteOf returns the registrable domain of an http or blob address, or its host where
// that has none; "" for other addresses.
func siteOf(address string) string {
	host := pageHost(strings.TrimPrefix(address, "blob:"))
	if !shareable(host) {
		return host
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}
