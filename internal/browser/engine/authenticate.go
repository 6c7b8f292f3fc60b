package engine

import (
	"strings"
)

// HTTP authentication is answered with the stored user name and password of the
// origin that asks (CDP Fetch.authRequired), for what a tab is to show and for
// what pages of that origin ask of it. The browser then sends them with its later
// requests to the origin by itself. Everybody else's question stays unanswered.

// authSchemes are those that are answered. Others take part in networks that a
// box is not in (Negotiate, NTLM).
var authSchemes = map[string]string{"basic": "Basic", "digest": "Digest"}

type challenge struct {
	paused
	Auth struct {
		Source string `json:"source"` // Server, Proxy
		Origin string `json:"origin"`
		Scheme string `json:"scheme"`
	} `json:"authChallenge"`
}

// authAnswers is what became of an origin's questions. Its fields are guarded by
// Browser.mu.
type authAnswers struct {
	requests map[string]bool // that were given the password
	told     bool            // whoever wants to know was told
	refused  bool            // the origin did not take it: it is not given again
}

var authEvents = map[string]eventHandler{
	"Fetch.authRequired": on(func(b *Browser, session string, c challenge) {
		if session == "" {
			b.challenged(c)
		}
	}),
}

// challenged answers a question for a user name and a password. base.mu is held.
func (b *Browser) challenged(c challenge) {
	answer := map[string]string{"response": "CancelAuth"} // its answer is taken as it is: otherwise the browser shows a dialog that nobody sees
	if t := b.tabWithFrame(c.Frame); t != nil && c.Type == "Document" && c.Frame == t.root.id {
		answer["response"] = "Default" // the navigation fails, with the reason
	}
	if in := b.answering(c); in != nil {
		answer = map[string]string{
			"response": "ProvideCredentials",
			"username": in.set.HTTPAuth["username"].Reveal(), "password": in.set.HTTPAuth["password"].Reveal(),
		}
		b.tellAnswered(in, authSchemes[strings.ToLower(c.Auth.Scheme)])
	}
	b.work.add(func() {
		b.root.Send("Fetch.continueWithAuth", map[string]any{"requestId": c.ID, "authChallengeResponse": answer})
	})
}

// answering is the set that answers a question, nil for none. A request that has
// been answered and is asked again was given what the origin does not take. base.mu
// is held.
func (b *Browser) answering(c challenge) *domainCredentials {
	in := b.authFor(c.Auth.Origin)
	if in == nil || c.Auth.Source != "Server" || authSchemes[strings.ToLower(c.Auth.Scheme)] == "" || originOf(c.Request.URL) != in.origin {
		return nil
	}
	if in.answered.requests[c.key()] {
		in.answered.refused = true
	}
	if in.answered.refused || !b.asksForItself(c.paused, in.origin) {
		return nil
	}
	if in.answered.requests == nil || len(in.answered.requests) >= mostSenders {
		in.answered.requests = map[string]bool{}
	}
	in.answered.requests[c.key()] = true
	return in
}

// authFor is the set that answers for an origin, nil for none. base.mu is held.
func (b *Browser) authFor(origin string) *domainCredentials {
	for _, in := range b.injected {
		if len(in.set.HTTPAuth) > 0 && in.origin == originOf(origin) {
			return in
		}
	}
	return nil
}

// asksForItself reports whether a request is for what a tab is to show, or is of
// a document of the origin that is in a tab of that origin. base.mu is held.
func (b *Browser) asksForItself(p paused, origin string) bool {
	t := b.tabWithFrame(p.Frame)
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

// tellAnswered notes that a password was given. base.mu is held.
func (b *Browser) tellAnswered(in *domainCredentials, scheme string) {
	if in.answered.told {
		return
	}
	in.answered.told = true
	b.notes.add("answered the HTTP authentication of %s with the stored user name and password", in.set.Domain)
	if tell := b.options.Authenticated; tell != nil {
		domain, origin := in.set.Domain, in.origin
		b.own.Go(func() { tell(domain, origin, scheme) })
	}
}

// untakenAuth reports whether the origin of an address was given the stored user
// name and password, and did not take them.
func (b *Browser) untakenAuth(address string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	in := b.authFor(address)
	return in != nil && in.answered.refused
}
