package engine

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// HTTP authentication is answered with the stored user name and password of the
// origin that asks (CDP Fetch.authRequired), for documents that a tab is to show
// and for requests of pages of that origin. The browser then sends them with its
// later requests to the origin by itself. No other challenge is answered.

// authSchemes are the schemes that are answered. Others (Negotiate, NTLM) are for
// networks that a box is not in.
var authSchemes = map[string]string{"basic": "Basic", "digest": "Digest"}

type challenge struct {
	paused
	Auth struct {
		Source string `json:"source"` // Server, Proxy
		Origin string `json:"origin"`
		Scheme string `json:"scheme"`
	} `json:"authChallenge"`
}

// authAnswers is what became of the challenges of an origin.
type authAnswers struct {
	requests map[string]bool // that were given the password
	reported bool            // Options.Authenticated was called
	refused  bool            // the origin did not take it: it is not given again
}

var authEvents = map[string]eventHandler{
	"Fetch.authRequired": on(func(b *Browser, s *state, session string, c challenge) {
		if session == "" {
			b.injection.answerChallenge(s, c)
		}
	}),
}

// answerChallenge answers a request for a user name and a password.
func (in *injection) answerChallenge(s *state, c challenge) {
	answer := map[string]string{"response": "CancelAuth"} // the page gets the 401; by default the browser shows a dialog that nobody sees
	if t := s.tabWithFrame(c.Frame); t != nil && c.Type == "Document" && c.Frame == t.root.id {
		answer["response"] = "Default" // the navigation fails, with the reason
	}
	in.sets.Do(func(sets *credentialSets) {
		if d := sets.answering(s, c); d != nil {
			answer = map[string]string{
				"response": "ProvideCredentials",
				"username": d.set.HTTPAuth["username"].Reveal(), "password": d.set.HTTPAuth["password"].Reveal(),
			}
			in.reportAnswered(s.options.Authenticated, d, authSchemes[strings.ToLower(c.Auth.Scheme)])
		}
	})
	in.work.add(func() {
		in.root.Send("Fetch.continueWithAuth", map[string]any{"requestId": c.ID, "authChallengeResponse": answer})
	})
}

// answering is the set that answers a challenge, nil for none. A second challenge
// for a request that was answered means that the origin refused the password.
func (sets *credentialSets) answering(s *state, c challenge) *domainCredentials {
	d := sets.authFor(c.Auth.Origin)
	if d == nil || c.Auth.Source != "Server" || authSchemes[strings.ToLower(c.Auth.Scheme)] == "" || originOf(c.Request.URL) != d.origin {
		return nil
	}
	if d.auth.requests[c.key()] {
		d.auth.refused = true
	}
	if d.auth.refused || !s.isOfOrigin(c.paused, d.origin) {
		return nil
	}
	if d.auth.requests == nil || len(d.auth.requests) >= mostSenders {
		d.auth.requests = map[string]bool{}
	}
	d.auth.requests[c.key()] = true
	return d
}

// authFor is the set that answers for an origin, nil for none.
func (sets *credentialSets) authFor(origin string) *domainCredentials {
	for _, d := range sets.domains {
		if len(d.set.HTTPAuth) > 0 && d.origin == originOf(origin) {
			return d
		}
	}
	return nil
}

// isOfOrigin reports whether a request is for the document that a tab is to show, or
// is made by a document of the origin in a tab of that origin.
func (s *state) isOfOrigin(p paused, origin string) bool {
	t := s.tabWithFrame(p.Frame)
	if t == nil {
		return false
	}
	f := t.frames[p.Frame]
	if p.Type == "Document" {
		if f == t.root {
			return true
		}
		f = f.parent
	}
	for ; f != nil; f = f.parent {
		if at := documentOf(f.url); at != "" && originOf(at) != origin {
			return false
		}
	}
	return originOf(t.root.url) == origin
}

// reportAnswered reports that a password was given, once.
func (in *injection) reportAnswered(report func(domain, origin, scheme string), d *domainCredentials, scheme string) {
	if d.auth.reported {
		return
	}
	d.auth.reported = true
	in.notes.add("answered the HTTP authentication of %s with the stored user name and password", d.set.Domain)
	if report != nil {
		in.own.Go(func() { report(d.set.Domain, d.origin, scheme) })
	}
}

// passwordRefused reports whether the origin of an address was given the stored user
// name and password, and did not take them.
func (in *injection) passwordRefused(address string) bool {
	return guarded.Get(&in.sets, func(sets *credentialSets) bool {
		d := sets.authFor(address)
		return d != nil && d.auth.refused
	})
}
