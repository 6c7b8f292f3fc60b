package engine

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
)

// Headers of a set are added to requests one by one, while they are paused, and
// only to those of its origin: Network.setExtraHTTPHeaders sends what it is
// given to every host, and along redirects.

const (
	senderLimit = 500 * time.Millisecond // for a page to say that it sends a request, which the browser has paused already
	mostSenders = 1000                   // requests under way to origins that get headers
)

// sender is what a tab's top document says of a request that it sends.
type sender struct {
	url    string // of the hop that it is at
	astray bool   // a hop was to another origin than the document's
}

// patterns are the requests that we are asked about before they are made:
// documents, those that may change something, and all of origins that get
// headers or may have a certificate of their own making. base.mu is held.
func (b *Browser) patterns() map[string]any {
	origins := append(slices.Sorted(maps.Keys(headered(b.injected))), b.certificates.listedOrigins()...)
	return map[string]any{"patterns": outgoing.Patterns(origins, b.outgoing.pausesAll.Load()), "handleAuthRequests": answers(b.injected)}
}

// sameOrigins reports whether the same origins get headers, and the same answers.
func sameOrigins(x, y map[string]*domainCredentials) bool {
	return maps.Equal(headered(x), headered(y)) && answers(x) == answers(y)
}

// headered are the origins that get headers, or answers to HTTP authentication.
func headered(all map[string]*domainCredentials) map[string]bool {
	origins := map[string]bool{}
	for _, in := range all {
		if len(in.set.Headers)+len(in.set.HTTPAuth) > 0 {
			origins[in.origin] = true
		}
	}
	return origins
}

// answers reports whether any set answers HTTP authentication.
func answers(all map[string]*domainCredentials) bool {
	for _, in := range all {
		if len(in.set.HTTPAuth) > 0 {
			return true
		}
	}
	return false
}

// headersFor is the set that has headers for requests to an address, nil for
// none. base.mu is held.
func (b *Browser) headersFor(address string) *domainCredentials {
	if len(b.injected) == 0 {
		return nil
	}
	origin := originOf(address)
	for _, in := range b.injected {
		if in.origin == origin && len(in.set.Headers) > 0 {
			return in
		}
	}
	return nil
}

// sends notes which document sends a request. base.mu is held.
func (b *Browser) sends(t *tab, from *target, p netlog.Event) {
	if len(b.injected) == 0 || p.IsDocument() || from != t.main || p.Frame != t.root.id || b.headersFor(p.Document) == nil {
		return
	}
	s, known := b.senders[p.ID]
	if !known && len(b.senders) >= mostSenders || b.senders == nil {
		b.senders = map[string]sender{}
	}
	s.url = p.Request.URL
	s.astray = s.astray || originOf(p.Request.URL) != originOf(p.Document)
	b.senders[p.ID] = s
	b.change()
}

// carry lets a request go on that is no document's: with the headers of its
// origin where the top document of a tab sends it that is of the same origin,
// and it never was elsewhere. It may wait.
func (b *Browser) carry(t *tab, p paused) {
	b.mu.Lock()
	plain := t == nil || p.Frame != t.root.id || b.headersFor(p.Request.URL) == nil
	b.mu.Unlock()
	if plain {
		b.goOn(p, false)
		return
	}
	ctx, stop := context.WithTimeout(b.life, senderLimit)
	defer stop()
	var s sender
	err := b.await(ctx, func() bool {
		s = b.senders[p.Network]
		return s.url == p.Request.URL
	})
	b.goOn(p, err == nil && !s.astray)
}

// goOn lets a request go on, of which the browser as a whole asked.
func (b *Browser) goOn(p paused, carries bool) {
	params := map[string]any{"requestId": p.ID}
	if carries {
		b.mu.Lock()
		if in := b.headersFor(p.Request.URL); in != nil {
			params["headers"] = in.added(p.Request.Headers)
		}
		b.mu.Unlock()
	}
	b.root.Send("Fetch.continueRequest", params)
}

// leads reports whether a document's request gets the headers of its origin:
// one that a tab is to show and that a link could ask for.
func (t *tab) leads(p paused) bool {
	return t != nil && p.Frame == t.root.id && p.Request.Method == http.MethodGet
}

// header is a header of a request (CDP Fetch.HeaderEntry).
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// added are a request's headers with those of a set. What the page itself says
// stays.
func (in *domainCredentials) added(own map[string]string) []header {
	all := make([]header, 0, len(own)+len(in.set.Headers))
	said := map[string]bool{}
	for name, text := range own {
		all = append(all, header{name, text})
		said[strings.ToLower(name)] = true
	}
	for name, text := range in.set.Headers {
		if !said[strings.ToLower(name)] {
			all = append(all, header{name, text.Reveal()})
		}
	}
	return all
}
