package engine

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// Certificates of unknown authorities are accepted only for the hosts of
// Options.SelfSigned, and only for those hosts' own pages: somebody who answers in
// place of such a host must not get into the pages of others. Every request to such
// a host is paused (Fetch), and refused unless it is for a main document or comes
// from one of these hosts. The browser then asks about each certificate
// (Security.certificateError), for every request anew.

const (
	unknownAuthority = "ERR_CERT_AUTHORITY_INVALID" // Chromium reports it also if name or dates are wrong, too
	mostListed       = 1000                         // requests to listed hosts that are kept: with their sender, and their address once they were allowed
)

// certificates answers the browser about certificates that it does not accept.
type certificates struct {
	*base
	senders *recent[string] // address of the document that sends a request to a listed host, by the request's id
	passed  *recent[bool]   // addresses that may be requested whatever their certificate
}

type certificateError struct {
	ID   int    `json:"eventId"`
	Type string `json:"errorType"`
	URL  string `json:"requestURL"`
}

var certificateEvents = map[string]eventHandler{
	"Security.certificateError": inTab(func(b *Browser, s *state, t *tab, from *target, e certificateError) {
		b.certificates.certified(s, t, from.session, e)
	}),
}

// certifying are the calls that make a tab ask about certificates that it does not
// accept, if the options list any host.
func (o Options) certifying(kind string) []command {
	if len(o.SelfSigned) == 0 || kind != "page" {
		return nil
	}
	return []command{{"Security.enable", nil}, {"Security.setOverrideCertificateErrors", map[string]bool{"override": true}}}
}

// certified answers the browser about a certificate that it does not accept.
func (ce *certificates) certified(s *state, t *tab, session *cdp.Session, e certificateError) {
	verdict := "cancel"
	if ce.accepts(s, t, e) {
		verdict = "continue"
	} else {
		t.uncertified = "net::" + e.Type
		if !t.hidden {
			ce.notes.add("not loaded: the certificate of %s is not accepted (%s)", host(e.URL), e.Type)
		}
	}
	ce.work.add(func() {
		session.Send("Security.handleCertificateError", map[string]any{"eventId": e.ID, "action": verdict})
	})
}

// accepts reports whether a certificate is accepted because of the list. WebSockets
// are not paused: every document of their tab must be of a listed host.
func (ce *certificates) accepts(s *state, t *tab, e certificateError) bool {
	listed := s.options.SelfSigned
	if e.Type != unknownAuthority || !listed.Covers(e.URL) {
		return false
	}
	if !strings.HasPrefix(e.URL, "wss:") {
		return ce.passed.of(unfragmented(e.URL))
	}
	for _, f := range t.frames {
		if at := documentOf(f.url); at != "" && !listed.Covers(at) {
			return false
		}
	}
	return listed.Covers(t.root.url)
}

// proceed calls goOn for a request to a listed host that is entitled, and for every
// request to another host. It refuses the rest.
func (ce *certificates) proceed(s *state, t *tab, p paused, goOn func(*state)) {
	if !s.options.SelfSigned.Covers(p.Request.URL) {
		goOn(s)
		return
	}
	ce.own.Go(func() {
		if !ce.entitled(t, p) {
			ce.notes.add("not loaded: %s is in security.network.allow_self_signed, which holds for its own pages and not for what other pages load", host(p.Request.URL))
			ce.work.add(func() {
				ce.root.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "AccessDenied"})
			})
			return
		}
		ce.passed.put(unfragmented(p.Request.URL), true)
		ce.state.Do(goOn)
	})
}

// entitled reports whether a request to a listed host is for the main document of a
// tab, or is sent by a document of a listed host with only such documents around
// it. It waits for the page to report that it sends the request.
func (ce *certificates) entitled(t *tab, p paused) bool {
	document := p.Type == "Document"
	if t != nil && document && p.Frame == t.root.id {
		return true
	}
	var listed action.SelfSigned
	inside := guarded.Get(ce.state, func(s *state) bool {
		listed = s.options.SelfSigned
		return t == nil || t.surrounded(p.Frame, listed)
	})
	if document || !inside {
		return inside && t != nil
	}
	ctx, stop := context.WithTimeout(ce.life, senderLimit)
	defer stop()
	sender := ""
	_ = ce.await(ctx, func(*state) bool {
		sender = ce.senders.of(p.Network)
		return sender != ""
	})
	return listed.Covers(documentOf(sender))
}

// surrounded reports whether every document around a frame is of a listed host.
func (t *tab) surrounded(frame string, listed action.SelfSigned) bool {
	f := t.frames[frame]
	if f == nil {
		return false
	}
	for f = f.parent; f != nil; f = f.parent {
		at := documentOf(f.url)
		if at != "" && !listed.Covers(at) || f.parent == nil && at == "" {
			return false
		}
	}
	return true
}

// noteSender notes which document sends a request to a listed host.
func (ce *certificates) noteSender(s *state, p netlog.Event) {
	if p.ID == "" || p.Document == "" || !s.options.SelfSigned.Covers(p.Request.URL) {
		return
	}
	ce.senders.put(p.ID, p.Document)
	s.change()
}

// documentOf returns the address that decides on a document's origin: for a blob
// that of the document that made it. It is "" for a document that has the origin of
// the one around it.
func documentOf(address string) string {
	address = strings.TrimPrefix(address, "blob:")
	if address == "" || strings.HasPrefix(address, "about:") {
		return ""
	}
	return address
}

func unfragmented(address string) string {
	bare, _, _ := strings.Cut(address, "#")
	return bare
}
