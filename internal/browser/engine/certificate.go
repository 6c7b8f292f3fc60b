package engine

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
)

// Certificates of unknown authorities are accepted for the hosts of
// Options.SelfSigned alone, and of these for their own pages alone: whoever
// answers in the place of such a host shall not come into pages of others. Every
// request to such a host is paused (Fetch) and refused unless it is for a page or
// comes from one of these hosts. What the browser then finds of a certificate it
// asks about (Security.certificateError), one request at a time; an answer is not
// kept by the browser.

const (
	unknownAuthority = "ERR_CERT_AUTHORITY_INVALID" // by Chromium's order it hides that the name or the dates are wrong
	mostTrusting     = 1000                         // requests to listed hosts that are remembered: by their sender, and by their address once they were let through
)

// trusting is what is known of requests to hosts of Options.SelfSigned. It is
// guarded by Browser.mu.
type trusting struct {
	documents map[string]string // address of the document that sends a request, by the request's id
	passed    map[string]bool   // addresses that may be requested whatever their certificate
}

type certificateError struct {
	ID   int    `json:"eventId"`
	Type string `json:"errorType"`
	URL  string `json:"requestURL"`
}

var certificateEvents = map[string]taker{
	"Security.certificateError": inTab(func(b *Browser, t *tab, from *target, e certificateError) { b.certified(t, from.session, e) }),
}

// certifying has a tab ask about certificates that it does not accept, where any
// may be accepted all the same.
func (o Options) certifying(kind string) []stroke {
	if len(o.SelfSigned) == 0 || kind != "page" {
		return nil
	}
	return []stroke{{"Security.enable", nil}, {"Security.setOverrideCertificateErrors", map[string]bool{"override": true}}}
}

// certified answers the browser about a certificate that it does not take. b.mu
// is held.
func (b *Browser) certified(t *tab, session *cdp.Session, e certificateError) {
	verdict := "cancel"
	if b.takes(t, e) {
		verdict = "continue"
	} else {
		t.uncertified = "net::" + e.Type
		if !t.hidden {
			b.notes.add("not loaded: the certificate of %s is not accepted (%s)", host(e.URL), e.Type)
		}
	}
	b.work.add(func() {
		session.Send("Security.handleCertificateError", map[string]any{"eventId": e.ID, "action": verdict})
	})
}

// takes reports whether a certificate is accepted all the same. WebSockets are
// not paused: every document of their tab must be of a listed host. b.mu is held.
func (b *Browser) takes(t *tab, e certificateError) bool {
	listed := b.options.SelfSigned
	if e.Type != unknownAuthority || !listed.Covers(e.URL) {
		return false
	}
	if !strings.HasPrefix(e.URL, "wss:") {
		return b.trusting.passed[unfragmented(e.URL)]
	}
	for _, f := range t.frames {
		if at := documentOf(f.url); at != "" && !listed.Covers(at) {
			return false
		}
	}
	return listed.Covers(t.root.url)
}

// certain calls goOn, with b.mu held, for a request that may go to its host
// whatever certificate that has, and for one to any other host. Others are
// refused. b.mu is held.
func (b *Browser) certain(t *tab, p paused, goOn func()) {
	if !b.options.SelfSigned.Covers(p.Request.URL) {
		goOn()
		return
	}
	b.own.Go(func() {
		passes := b.entitled(t, p)
		b.mu.Lock()
		defer b.mu.Unlock()
		if !passes {
			b.notes.add("not loaded: %s is in security.network.allow_self_signed, which holds for its own pages and not for what other pages load", host(p.Request.URL))
			b.work.add(func() {
				b.root.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "AccessDenied"})
			})
			return
		}
		if b.trusting.passed == nil || len(b.trusting.passed) >= mostTrusting {
			b.trusting.passed = map[string]bool{}
		}
		b.trusting.passed[unfragmented(p.Request.URL)] = true
		goOn()
	})
}

// entitled reports whether a request to a listed host is for what a tab is to
// show, or is sent by a document of listed hosts inside of such alone. It waits
// for the document to say that it sends the request.
func (b *Browser) entitled(t *tab, p paused) bool {
	document := p.Type == "Document"
	if t != nil && document && p.Frame == t.root.id {
		return true
	}
	b.mu.Lock()
	listed, inside := b.options.SelfSigned, t == nil || b.surrounded(t, p.Frame)
	b.mu.Unlock()
	if document || !inside {
		return inside && t != nil
	}
	ctx, stop := context.WithTimeout(b.life, senderLimit)
	defer stop()
	sender := ""
	_ = b.await(ctx, func() bool {
		sender = b.trusting.documents[p.Network]
		return sender != ""
	})
	return listed.Covers(documentOf(sender))
}

// surrounded reports whether every document around a frame is of a listed host.
// b.mu is held.
func (b *Browser) surrounded(t *tab, frame string) bool {
	f := t.frames[frame]
	if f == nil {
		return false
	}
	for f = f.parent; f != nil; f = f.parent {
		at := documentOf(f.url)
		if at != "" && !b.options.SelfSigned.Covers(at) || f.parent == nil && at == "" {
			return false
		}
	}
	return true
}

// sendsTo notes which document sends a request to a listed host. b.mu is held.
func (b *Browser) sendsTo(p netlog.Event) {
	if p.ID == "" || p.Document == "" || !b.options.SelfSigned.Covers(p.Request.URL) {
		return
	}
	if b.trusting.documents == nil || len(b.trusting.documents) >= mostTrusting {
		b.trusting.documents = map[string]string{}
	}
	b.trusting.documents[p.ID] = p.Document
	b.change()
}

// listedOrigins are the listed hosts as patterns of origins.
func (b *Browser) listedOrigins() []string {
	var all []string
	for _, entry := range b.options.SelfSigned {
		u, err := url.Parse("https://" + entry)
		switch {
		case strings.Count(entry, ":") > 1 && !strings.HasPrefix(entry, "["):
			all = append(all, "https://["+entry+"]", "https://["+entry+"]:*")
		case err != nil || u.Port() == "":
			all = append(all, "https://"+entry, "https://"+entry+":*")
		case u.Port() == "443":
			all = append(all, "https://"+strings.TrimSuffix(entry, ":443"))
		default:
			all = append(all, "https://"+entry)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// documentOf is the address that a document is of: what a script made belongs to
// the origin that made it. Empty for a document that has that of the one around
// it.
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
