package engine

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// serverLimit bounds the wait for the answers to requests that an act sent, once
// people let them out.
const serverLimit = 5 * time.Second

// actKey is the key of a context whose call is followed.
type actKey struct{}

// Acting marks what is done with a context as an act: requests of its tab belong
// to it while it runs, and for a while after it.
func Acting(ctx context.Context, a action.Act) context.Context {
	return context.WithValue(ctx, actKey{}, a)
}

func actOf(ctx context.Context) (action.Act, bool) {
	a, ok := ctx.Value(actKey{}).(action.Act)
	return a, ok && a.ID != ""
}

// follow notes that the act of a context begins in a tab, and returns what ends
// it and adds its effects to the result.
func (og *outgoingRequests) follow(ctx context.Context, t *tab) func(*action.Result) {
	a, follows := actOf(ctx)
	if !follows {
		return func(*action.Result) {}
	}
	tab := ""
	if t != nil {
		tab = t.id
	}
	og.ledger.Begin(tab, a)
	if a.All {
		og.pauseAll(ctx, a.Long)
	}
	return func(out *action.Result) {
		og.ledger.End(a.ID, time.Now())
		out.Effects = og.ledger.Of(a.ID)
	}
}

// Acting are the ids of the acts, of any tab, that may cause requests now, the
// newest first.
func (b *Browser) Acting() []string { return b.ledger.Live(time.Now()) }

// Busy reports whether a call to the browser is not answered yet, or a download
// is under way.
func (b *Browser) Busy() bool {
	return b.conn.Waiting() > 0 || b.downloads.Busy()
}

// pauseAll has every request paused, also those that only read, for as long as
// an act may cause any that counts.
func (og *outgoingRequests) pauseAll(ctx context.Context, long time.Duration) {
	if og.credentials.pauseAll(ctx, true) != nil {
		return // the connection is gone, and what was asked with it
	}
	og.own.Go(func() {
		timer := time.NewTicker(max(long, time.Second))
		defer timer.Stop()
		for {
			select {
			case <-og.life.Done():
				return
			case now := <-timer.C:
				if !og.ledger.All(now) {
					_ = og.credentials.pauseAll(og.life, false)
					return
				}
			}
		}
	})
}

// judge judges a request that the browser has paused, and lets it go on by
// goOn, or refuses it. b.mu is held.
func (og *outgoingRequests) judge(t *tab, p paused, goOn func()) {
	judge := og.options.Outgoing
	if judge == nil || methodOf(p) == http.MethodOptions {
		og.own.Go(goOn)
		return
	}
	r := og.requestOf(t, p)
	tab := ""
	if t != nil {
		tab = t.id
	}
	r.Asking = func(act string) {
		e := effectOf(r, action.EffectHeld, "")
		e.Act = act
		og.ledger.Note(p.key(), tab, e)
		og.noteHeld(t, r.Top, true)
	}
	og.own.Go(func() {
		ruling, err := judge(og.life, r)
		e := effectOf(r, action.EffectSent, "")
		e.Act = ruling.Act
		if err != nil {
			e.State, e.Why = action.EffectRefused, fault.From(err).Message
		}
		if ruling.Effect || err != nil {
			og.ledger.Note(p.key(), tab, e)
		}
		if err == nil {
			goOn()
		} else {
			og.failRequest(t, p, err)
		}
		og.noteHeld(t, r.Top, false)
	})
}

// noteHeld notes whether the document that a tab is to show next waits for a
// person, and wakes whoever waits for that to change.
func (og *outgoingRequests) noteHeld(t *tab, document, waits bool) {
	og.mu.Lock()
	defer og.mu.Unlock()
	if t != nil && document {
		t.documentHeld = waits
		if waits {
			t.interrupt(errDocumentHeld)
		}
	}
	og.change()
}

// failRequest fails a request that may not leave. A document that was to take the place
// of another is given up, so that the page stays where it is.
func (og *outgoingRequests) failRequest(t *tab, p paused, err error) {
	reason := "BlockedByClient"
	if p.Type == "Document" {
		reason = "Aborted"
		og.mu.Lock()
		if t != nil && p.Frame == t.root.id {
			t.refused = err
		}
		og.mu.Unlock()
	}
	og.root.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": reason})
}

func effectOf(r action.Request, state, why string) action.Effect {
	return action.Effect{Method: r.Method, URL: bareAddress(r.URL), Host: host(r.URL), State: state, Why: why}
}

// requestOf describes a paused request. b.mu is held.
func (og *outgoingRequests) requestOf(t *tab, p paused) action.Request {
	r := action.Request{Method: methodOf(p), URL: p.Request.URL, Kind: p.Type, Redirect: p.Redirected != ""}
	tabs := []string{}
	if t != nil {
		r.Page, r.Top, r.Crawl = t.root.url, p.Type == "Document" && p.Frame == t.root.id, t.hidden
		r.Document = og.documentAround(t, t.frames[p.Frame])
		tabs = append(tabs, t.id)
		if opener := og.tabs[t.opener]; opener != nil {
			tabs = append(tabs, opener.id)
		}
	}
	if r.Document == "" {
		r.Document = og.claimed(headerOf(p.Request.Headers, "Referer"))
	}
	r.Origin = headerOf(p.Request.Headers, "Origin")
	r.Acts = og.ledger.Live(time.Now(), tabs...)
	body := []byte(p.Request.Body)
	if len(p.Request.Pieces) > 0 {
		body = nil
		for _, piece := range p.Request.Pieces {
			part, err := base64.StdEncoding.DecodeString(piece.Bytes)
			r.Unread = r.Unread || err != nil
			body = append(body, part...)
		}
	}
	var unread bool
	r.Fields, unread, r.Cut = outgoing.Body(headerOf(p.Request.Headers, "Content-Type"), body)
	for _, name := range orders {
		if value := headerOf(p.Request.Headers, name); value != "" {
			r.Fields = append(r.Fields, action.BodyField{Name: name, Value: pagetext.Brief(value)})
		}
	}
	r.Unread = r.Unread || unread || p.Request.HasBody && len(body) == 0
	return r
}

// claimed is the address of the document or worker that a request without a tab
// says it is of, where there is one of that origin; empty otherwise. b.mu is held.
func (og *outgoingRequests) claimed(address string) string {
	origin := originOf(address)
	if origin == "" {
		return ""
	}
	for _, t := range og.sessions {
		if t.tab != nil && og.originIn(t.tab, origin) || t.tab == nil && originOf(t.url) == origin {
			return address
		}
	}
	return ""
}

func (og *outgoingRequests) originIn(t *tab, origin string) bool {
	for _, f := range t.frames {
		if originOf(f.url) == origin {
			return true
		}
	}
	return false
}

// overriding are headers by which servers take another method than the one that
// a request has.
var overriding = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"}

// methodOf is the method that a request has, or the worse one that a header of it
// names.
func methodOf(p paused) string {
	method := p.Request.Method
	for _, name := range overriding {
		for said := range strings.SplitSeq(headerOf(p.Request.Headers, name), ",") {
			switch said = strings.ToUpper(strings.TrimSpace(said)); {
			case said == "" || said == http.MethodGet || said == http.MethodHead || said == http.MethodOptions:
			case said == http.MethodDelete, method == http.MethodGet, method == http.MethodHead, method == http.MethodOptions:
				method = said
			}
		}
	}
	return method
}

// orders are headers that say what a request is to be taken for.
var orders = append([]string{"Soapaction", "X-Action"}, overriding...)

func headerOf(headers map[string]string, name string) string {
	for key, value := range headers {
		if http.CanonicalHeaderKey(key) == name {
			return value
		}
	}
	return ""
}

// waitForApproval waits until people have answered about the requests of a tab that
// wait for them, as long as the caller of the act does, and then for the servers
// and a document that was asked for. It reports whether there was any.
func (ob *observer) waitForApproval(ctx context.Context, t *tab) bool {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || t == nil || !ob.ledger.Waiting(t.id) {
		return false
	}
	before := ob.effects.mark(t)
	ob.mu.Lock()
	document := t.documentHeld
	ob.mu.Unlock()
	patient, stop := context.WithTimeout(ctx, a.Wait)
	defer stop()
	if ob.await(patient, func() bool { return t.closed || t.crashed || !ob.ledger.Waiting(t.id) }) != nil {
		return false
	}
	answering, end := context.WithTimeout(ctx, serverLimit)
	defer end()
	_ = ob.await(answering, func() bool { return t.closed || t.crashed || !ob.ledger.Open(a.ID) })
	_ = ob.await(answering, func() bool {
		shown := t.root.loader != before.loader && t.root.events["DOMContentLoaded"]
		return !document || t.closed || t.crashed || shown || t.moves.stopped > before.moves.stopped
	})
	return true
}

// waitForSent waits for what an act has sent, where nobody asked what it changed.
func (ob *observer) waitForSent(ctx context.Context, r *report, out *action.Result) {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || r.tab == nil || out.Modal != nil {
		return
	}
	asking, stop := context.WithTimeout(ctx, requestLimit)
	defer stop()
	_ = ob.waitForAnswers(asking, r.tab, r)
	if ob.waitForApproval(ctx, r.tab) || ob.waitForServers(ctx, r.tab) {
		now, _ := ob.outcome(nil, nil)
		out.Page, out.Modal = now.Page, now.Modal
		out.Notes = append(out.Notes, now.Notes...)
	}
}

// isHeld reports whether a tab waits for a document that a person is asked
// about.
func (b *base) isHeld(t *tab) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t != nil && t.documentHeld
}

// waitForServers waits for the answers to what an act has sent, no longer than
// for other requests, and reports whether there was any to wait for.
func (ob *observer) waitForServers(ctx context.Context, t *tab) bool {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || t == nil || !ob.ledger.Open(a.ID) {
		return false
	}
	answering, end := context.WithTimeout(ctx, requestLimit)
	defer end()
	return ob.await(answering, func() bool { return t.closed || t.crashed || !ob.ledger.Open(a.ID) }) == nil
}

// receipts takes in what became of a request that left. b.mu is held.
func (og *outgoingRequests) receipts(p netlog.Event) {
	switch {
	case p.Redirect != nil:
		og.receipt(og.ledger.Answered(p.ID, bareAddress(p.Redirect.URL), p.Redirect.Status))
	case p.Response.Status != 0:
		og.receipt(og.ledger.Answered(p.ID, "", p.Response.Status))
	case p.Error != "":
		og.receipt(og.ledger.Failed(p.ID, pagetext.Brief(p.Error)))
	default:
		return
	}
	og.change()
}

func (og *outgoingRequests) receipt(e action.Effect, is bool) {
	if told := og.options.Receipt; is && told != nil {
		og.work.add(func() { told(e) })
	}
}

// outgoingRequests judges requests that may change something outside of the
// browser, and keeps what became of them.
type outgoingRequests struct {
	*base
	credentials credentialInjector
	channels    channels
}
