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
// a self-signed certificate. base.mu is held.
func (in *injection) patterns() map[string]any {
	in.state.Lock()
	defer in.state.Unlock()
	return in.patternsLocked()
}

func (in *injection) patternsLocked() map[string]any {
	origins := append(slices.Sorted(maps.Keys(withHeaders(in.domains))), in.certificates.listedOrigins()...)
	return map[string]any{"patterns": outgoing.Patterns(origins, in.paused), "handleAuthRequests": answersAuth(in.domains)}
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
// in.state is held.
func (in *injection) headersFor(address string) *domainCredentials {
	if len(in.domains) == 0 {
		return nil
	}
	origin := originOf(address)
	for _, d := range in.domains {
		if d.origin == origin && len(d.set.Headers) > 0 {
			return d
		}
	}
	return nil
}

// noteSender notes which document sends a request. base.mu is held.
func (in *injection) noteSender(t *tab, from *target, e netlog.Event) {
	in.state.Lock()
	defer in.state.Unlock()
	if len(in.domains) == 0 || e.IsDocument() || from != t.main || e.Frame != t.root.id || in.headersFor(e.Document) == nil {
		return
	}
	s, known := in.senders[e.ID]
	if !known && len(in.senders) >= mostSenders || in.senders == nil {
		in.senders = map[string]sender{}
	}
	s.url = e.Request.URL
	s.astray = s.astray || originOf(e.Request.URL) != originOf(e.Document)
	in.senders[e.ID] = s
	in.change()
}

func (in *injection) sender(request string) sender {
	in.state.Lock()
	defer in.state.Unlock()
	return in.senders[request]
}

// injectHeaders lets a paused request go on that is not for a document. It gets the
// headers of its origin if the top document of a tab sends it, is of the same
// origin, and no hop of the request was elsewhere. It may wait.
func (in *injection) injectHeaders(t *tab, p paused) {
	in.mu.Lock()
	top := t != nil && p.Frame == t.root.id
	in.mu.Unlock()
	in.state.Lock()
	plain := !top || in.headersFor(p.Request.URL) == nil
	in.state.Unlock()
	if plain {
		in.resume(p, false)
		return
	}
	ctx, stop := context.WithTimeout(in.life, senderLimit)
	defer stop()
	var s sender
	err := in.await(ctx, func() bool {
		s = in.sender(p.Network)
		return s.url == p.Request.URL
	})
	in.resume(p, err == nil && !s.astray)
}

// resume lets a request go on that the browser as a whole paused, with the headers
// of its origin or without.
func (in *injection) resume(p paused, headers bool) {
	params := map[string]any{"requestId": p.ID}
	if headers {
		in.state.Lock()
		if d := in.headersFor(p.Request.URL); d != nil {
			params["headers"] = d.added(p.Request.Headers)
		}
		in.state.Unlock()
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
