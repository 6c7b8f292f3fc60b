package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// outgoingRequests decides on requests that may change something outside of the
// browser, and keeps the open channels.
type outgoingRequests struct {
	*base
	credentials credentialInjector
	empty       *emptyDocuments
	channels    channels
}

// serverLimit bounds the wait for the answers to an act's requests after people have
// allowed them.
const serverLimit = 5 * time.Second

// actKey is the context key of an act.
type actKey struct{}

// Acting marks the call with a context as an act. Requests of its tab belong to the
// act while it runs, and for a while afterwards.
func Acting(ctx context.Context, a action.Act) context.Context {
	return context.WithValue(ctx, actKey{}, a)
}

type yieldKey struct{}

// Yielding returns a context whose calls release their caller's turn to act when they wait
// for a person: others can act meanwhile. release must do nothing if it is called again.
func Yielding(ctx context.Context, release func()) context.Context {
	outer, _ := ctx.Value(yieldKey{}).(func())
	return context.WithValue(ctx, yieldKey{}, func() {
		release()
		if outer != nil {
			outer()
		}
	})
}

// yieldTurn releases the turns of a call.
func yieldTurn(ctx context.Context) {
	if release, given := ctx.Value(yieldKey{}).(func()); given {
		release()
	}
}

func actOf(ctx context.Context) (action.Act, bool) {
	a, ok := ctx.Value(actKey{}).(action.Act)
	return a, ok && a.ID != ""
}

// follow notes that the act of a context begins in a tab. The function that it
// returns ends the act and adds its effects to the result.
func (og *outgoingRequests) follow(ctx context.Context, t *tab) func(*action.Result) {
	a, follows := actOf(ctx)
	if !follows {
		return func(*action.Result) {}
	}
	og.state.Do(func(s *state) {
		tab := ""
		if t != nil {
			tab = t.id
		}
		og.ledger.Begin(tab, s.reach(outgoing.NewReach(tab)), a)
	})
	return func(out *action.Result) {
		og.ledger.End(a.ID, time.Now())
		out.Effects = og.ledger.Of(a.ID)
	}
}

// Acting returns the ids of the acts of all tabs that may cause requests now, the
// newest first.
func (b *Browser) Acting() []string { return b.ledger.Live(time.Now()) }

// Busy reports whether a call to the browser is not answered yet, or a download
// is under way.
func (b *Browser) Busy() bool {
	return b.conn.Waiting() > 0 || b.downloads.Busy()
}

// judge asks Options.Outgoing about a paused request. If it is allowed, judge calls
// goOn, otherwise it fails the request.
func (og *outgoingRequests) judge(s *state, t *tab, p paused, goOn func()) {
	judge := s.options.Outgoing
	if judge == nil || isPreflight(p) {
		og.own.Go(goOn)
		return
	}
	r := og.requestOf(s, t, p)
	tab, outlives := "", r.Kind == "Ping"
	if t != nil && !outlives {
		tab = t.id
	}
	ctx, gone := context.WithCancel(og.life)
	if t != nil {
		t.judged = append(t.judged, judgedRequest{key: p.key(), hop: p.hop(), left: t.left})
	}
	r.Asking = func(act, question string) {
		e := effectOf(r, action.EffectHeld, "")
		e.Act = act
		og.ledger.Note(p.key(), tab, e)
		og.hold(t, heldRequest{
			key: p.key(), hop: p.hop(), question: question, method: r.Method, url: bareAddress(r.URL), document: r.Top, outlives: outlives,
			gone: func() {
				if og.ledger.Holds(p.key()) {
					e.State, e.Why = action.EffectRefused, takenBack
					og.ledger.Note(p.key(), tab, e)
				}
				gone()
			},
		})
	}
	og.own.Go(func() {
		defer gone()
		ruling, err := judge(ctx, r)
		if ctx.Err() != nil {
			err = fault.New(fault.ApprovalTimeout, takenBack).Hinted("take a snapshot to see the page as it is now")
		}
		e := effectOf(r, action.EffectSent, "")
		e.Act = ruling.Act
		if err != nil {
			e.State, e.Why = action.EffectRefused, fault.From(err).Message
		}
		if ruling.Effect || err != nil {
			og.ledger.Note(p.key(), tab, e)
		}
		if err == nil {
			og.release(t, p.key())
			goOn()
		} else {
			og.failRequest(t, p, err)
		}
		og.unhold(t, p)
	})
}

// takenBack is why a request was not sent that the page gave up, or that ended with it.
const takenBack = "the page took it back before a person answered"

// isPreflight reports whether a request is the browser's own question whether another
// origin may send one (CORS). Scripts cannot set its header.
func isPreflight(p paused) bool {
	return p.Request.Method == http.MethodOptions && !p.Request.HasBody && headerOf(p.Request.Headers, "Access-Control-Request-Method") != ""
}

// failRequest fails a request that was refused. A refused document is aborted, so
// that the tab keeps its page.
func (og *outgoingRequests) failRequest(t *tab, p paused, err error) {
	reason := "BlockedByClient"
	if p.Type == "Document" {
		reason = "Aborted"
		if t != nil && p.Frame == t.root.id {
			og.state.Do(func(*state) { t.refused = err })
		}
	}
	og.root.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": reason})
}

func effectOf(r action.Request, state, why string) action.Effect {
	return action.Effect{Method: r.Method, URL: bareAddress(r.URL), Host: host(r.URL), State: state, Why: why, Key: r.Key()}
}

// requestOf describes a paused request.
func (og *outgoingRequests) requestOf(s *state, t *tab, p paused) action.Request {
	r := action.Request{Method: methodOf(p), URL: p.Request.URL, Kind: p.Type, Redirect: p.Redirected != ""}
	if t != nil {
		r.Page, r.Top, r.Crawl = t.root.url, p.Type == "Document" && p.Frame == t.root.id, t.hidden
		r.Document = s.documentAround(t, t.frames[p.Frame])
	}
	if r.Document == "" {
		r.Document = s.claimed(headerOf(p.Request.Headers, "Referer"))
	}
	r.Origin = headerOf(p.Request.Headers, "Origin")
	r.Acts, r.Told = og.causes(s, t, p)
	body := []byte(p.Request.Body)
	if len(p.Request.Pieces) > 0 {
		body = nil
		for _, piece := range p.Request.Pieces {
			part, err := base64.StdEncoding.DecodeString(piece.Bytes)
			r.Unread = r.Unread || err != nil
			body = append(body, part...)
		}
	}
	kind := headerOf(p.Request.Headers, "Content-Type")
	said := outgoing.Body(kind, body)
	r.Fields, r.Cut, r.Unknown = said.Fields, said.Cut, said.Unknown
	// The protocol leaves out the bytes of files.
	if !r.Unread && (len(body) > 0 || !p.Request.HasBody) && !strings.HasPrefix(strings.ToLower(kind), "multipart/") {
		sum := sha256.Sum256(body)
		r.Sum = hex.EncodeToString(sum[:])
	}
	for _, name := range slices.Sorted(maps.Keys(p.Request.Headers)) {
		if value := p.Request.Headers[name]; value != "" && (action.IsOrderHeader(name) || plainOrder.MatchString(name)) {
			r.Fields = append(r.Fields, action.BodyField{Name: http.CanonicalHeaderKey(name), Value: pagetext.Brief(value)})
		}
	}
	if p.Request.HasBody && len(body) == 0 { // a blob, which the protocol leaves out
		r.Unread, r.Unknown = true, !outgoing.IsMedia(kind)
	}
	r.Unread = r.Unread || said.Unread
	return r
}

// claimed returns the address that a request without a tab names as its document or
// worker, if there is one of that origin; otherwise "".
func (s *state) claimed(address string) string {
	origin := originOf(address)
	if origin == "" {
		return ""
	}
	for _, t := range s.sessions {
		if t.tab != nil && t.tab.shows(origin) || t.tab == nil && originOf(t.url) == origin {
			return address
		}
	}
	return ""
}

// shows reports whether a document of the tab is of an origin.
func (t *tab) shows(origin string) bool {
	for _, f := range t.frames {
		if originOf(f.url) == origin {
			return true
		}
	}
	return false
}

// overriding are headers that name another method, which servers use in place of the
// request's own.
var overriding = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"}

// methodOf returns the method of a request, or the more dangerous method that one of
// its headers names.
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

// plainOrder matches names of headers that say what a request is to do, besides those of
// action.IsOrderHeader.
var plainOrder = regexp.MustCompile(`(?i)^(soapaction|action|command|method|operation|(x|hx)-([a-z0-9-]+-)?override)$`)

func headerOf(headers map[string]string, name string) string {
	for key, value := range headers {
		if http.CanonicalHeaderKey(key) == name {
			return value
		}
	}
	return ""
}

// waitForApproval waits until people have answered about the held requests of an act and its tab,
// at most as long as the caller of the act, and then for the servers and a
// requested document. It reports whether there was any held request.
func (ob *observer) waitForApproval(ctx context.Context, t *tab) bool {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || t == nil || !ob.ledger.WaitingFor(a.ID, t.id) {
		return false
	}
	yieldTurn(ctx)
	if !ob.waitForPeople(ctx, t, a) {
		return false
	}
	answering, end := context.WithTimeout(ctx, serverLimit)
	defer end()
	_ = ob.await(answering, func(*state) bool { return t.closed || t.crashed || !ob.ledger.Open(a.ID) })
	ob.waitForArrival(ctx, t)
	return true
}

// waitForPeople waits for the answer of people, only for a short time if nobody follows their
// questions. It reports whether they have answered.
func (ob *observer) waitForPeople(ctx context.Context, t *tab, a action.Act) bool {
	waits := []time.Duration{a.Wait}
	if a.Attended != nil && a.Short < a.Wait {
		waits = []time.Duration{a.Short, a.Wait - a.Short}
	}
	for i, wait := range waits {
		if i > 0 && !a.Attended() {
			return false
		}
		patient, stop := context.WithTimeout(ctx, wait)
		err := ob.await(patient, func(*state) bool { return t.closed || t.crashed || !ob.ledger.WaitingFor(a.ID, t.id) })
		stop()
		if err == nil {
			return true
		}
	}
	return false
}

// waitForSent waits for the requests of an act without a report.
func (ob *observer) waitForSent(ctx context.Context, r *report, out *action.Result) {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || r.tab == nil || out.Modal != nil {
		return
	}
	asking, stop := context.WithTimeout(ctx, ob.options().requestLimit)
	defer stop()
	_ = ob.waitForAnswers(asking, r.tab, r)
	if ob.waitForApproval(ctx, r.tab) || ob.waitForServers(ctx, r.tab) {
		now, _ := ob.outcome(nil, nil)
		out.Page, out.Modal = now.Page, now.Modal
		out.Notes = append(out.Notes, now.Notes...)
	}
}

// waitForServers waits for the answers to an act's requests, at most as long as for
// other requests. It reports whether there was any to wait for.
func (ob *observer) waitForServers(ctx context.Context, t *tab) bool {
	a, follows := actOf(ctx)
	if !follows || a.Wait <= 0 || t == nil || !ob.ledger.Open(a.ID) {
		return false
	}
	answering, end := context.WithTimeout(ctx, ob.options().requestLimit)
	defer end()
	return ob.await(answering, func(*state) bool { return t.closed || t.crashed || !ob.ledger.Open(a.ID) }) == nil
}

// receipts notes the answer to a request, or its failure.
func (og *outgoingRequests) receipts(s *state, p netlog.Event) {
	var e action.Effect
	var known bool
	switch {
	case p.Redirect != nil:
		e, known = og.ledger.Answered(p.ID, bareAddress(p.Redirect.URL), p.Redirect.Status)
	case p.Response.Status != 0:
		e, known = og.ledger.Answered(p.ID, "", p.Response.Status)
	case p.Error != "":
		e, known = og.ledger.Failed(p.ID, pagetext.Brief(p.Error))
	default:
		return
	}
	if t := s.tabs[p.Tab]; t != nil && p.Error != "" {
		for i := range t.judged {
			t.judged[i].failed = t.judged[i].failed || t.judged[i].key == p.ID
		}
		t.takeBack(func(h heldRequest) bool { return h.key == p.ID })
	}
	if receipt := s.options.Receipt; known && receipt != nil {
		og.work.add(func() { receipt(e) })
	}
	s.change()
}
