package engine

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// The headers of a set are added to each request while it is paused, and only to
// requests to its origin. Network.setExtraHTTPHeaders would send them to every host
// and along redirects.

const (
	senderLimit = 500 * time.Millisecond // for the event that says which document sends a paused request
	mostSenders = 1000                   // requests under way to origins that get headers
)

// sender is a request that a tab's top document sends.
type sender struct {
	url    string // of the present hop
	astray bool   // a hop went to another origin than the document's
}

// patterns are the parameters of Fetch.enable: the requests to pause are documents,
// those that may change something, and all to origins that get headers or may have
// a self-signed certificate.
func (in *injection) patterns(s *state) map[string]any {
	return guarded.Get(&in.sets, func(c *credentialSets) map[string]any { return c.patterns(s.options.SelfSigned) })
}

func (c *credentialSets) patterns(selfSigned action.SelfSigned) map[string]any {
	origins := append(slices.Sorted(maps.Keys(withHeaders(c.domains))), originsOf(selfSigned)...)
	return map[string]any{"patterns": outgoing.Patterns(origins, c.paused), "handleAuthRequests": answersAuth(c.domains)}
}

// sameOrigins reports whether the same origins get headers, and the same answers.
func sameOrigins(x, y map[string]*domainCredentials) bool {
	return maps.Equal(withHeaders(x), withHeaders(y)) && answersAuth(x) == answersAuth(y)
}

// withHeaders are the origins that get headers, or answers to HTTP authentication.
func withHeaders(all map[string]*domainCredentials) map[string]bool {
	origins := map[string]bool{}
	for _, in := range all {
		if len(in.set.Headers)+len(in.set.HTTPAuth) > 0 {
			origins[in.origin] = true
		}
	}
	return origins
}

// answersAuth reports whether any set answers HTTP authentication.
func answersAuth(all map[string]*domainCredentials) bool {
	for _, in := range all {
		if len(in.set.HTTPAuth) > 0 {
			return true
		}
	}
	return false
}

// headersFor is the set that has headers for requests to an address, nil for none.
func (c *credentialSets) headersFor(address string) *domainCredentials {
	if len(c.domains) == 0 {
		return nil
	}
	origin := originOf(address)
	for _, d := range c.domains {
		if d.origin == origin && len(d.set.Headers) > 0 {
			return d
		}
	}
	return nil
}

// noteSender notes which document sends a request.
func (in *injection) noteSender(s *state, t *tab, from *target, e netlog.Event) {
	if e.IsDocument() || from != t.main || e.Frame != t.root.id {
		return
	}
	if guarded.Get(&in.sets, func(c *credentialSets) bool { return c.noteSender(e) }) {
		s.change()
	}
}

// noteSender notes which document sends a request, if the document's origin gets
// headers.
func (c *credentialSets) noteSender(e netlog.Event) bool {
	if c.headersFor(e.Document) == nil {
		return false
	}
	s, known := c.senders[e.ID]
	if !known && len(c.senders) >= mostSenders || c.senders == nil {
		c.senders = map[string]sender{}
	}
	s.url = e.Request.URL
	s.astray = s.astray || originOf(e.Request.URL) != originOf(e.Document)
	c.senders[e.ID] = s
	return true
}

// injectHeaders lets a paused request go on that is not for a document. It gets the
// headers of its origin if the top document of a tab sends it, is of the same
// origin, and no hop of the request was elsewhere. It may wait.
func (in *injection) injectHeaders(t *tab, p paused) {
	hasHeaders := func(c *credentialSets) bool { return c.headersFor(p.Request.URL) != nil }
	if t == nil || p.Frame != t.root.id || !guarded.Get(&in.sets, hasHeaders) {
		in.resume(p, false)
		return
	}
	ctx, stop := context.WithTimeout(in.life, senderLimit)
	defer stop()
	var by sender
	err := in.await(ctx, func(*state) bool {
		by = guarded.Get(&in.sets, func(c *credentialSets) sender { return c.senders[p.Network] })
		return by.url == p.Request.URL
	})
	in.resume(p, err == nil && !by.astray)
}

// resume lets a request go on that the browser as a whole paused, with the headers
// of its origin or without.
func (in *injection) resume(p paused, headers bool) {
	params := map[string]any{"requestId": p.ID}
	if headers {
		in.sets.Do(func(c *credentialSets) {
			if d := c.headersFor(p.Request.URL); d != nil {
				params["headers"] = d.added(p.Request.Headers)
			}
		})
	}
	in.root.Send("Fetch.continueRequest", params)
}

// getsHeaders reports whether the request for a document gets the headers of its
// origin: a request for what the tab is to show that a link could make.
func (t *tab) getsHeaders(p paused) bool {
	return t != nil && p.Frame == t.root.id && p.Request.Method == http.MethodGet
}

// header is a header of a request (CDP Fetch.HeaderEntry).
type header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// added are a request's headers with those of the set. Headers that the page sets
// itself stay.
func (d *domainCredentials) added(own map[string]string) []header {
	all := make([]header, 0, len(own)+len(d.set.Headers))
	present := map[string]bool{}
	for name, text := range own {
		all = append(all, header{name, text})
		present[strings.ToLower(name)] = true
	}
	for name, text := range d.set.Headers {
		if !present[strings.ToLower(name)] {
			all = append(all, header{name, text.Reveal()})
		}
	}
	return all
}
