package engine

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
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

// pausing are the parameters of Fetch.enable. Every request is paused: the protocol selects
// neither by method nor by words in any case and language, and a request for a picture can
// delete something.
func pausing(domains map[string]*domainCredentials) map[string]any {
	return map[string]any{"patterns": []map[string]string{{"urlPattern": "*", "requestStage": "Request"}}, "handleAuthRequests": answersAuth(domains)}
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
