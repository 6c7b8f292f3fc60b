package gate

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxShownFields = 12 // of a request, in a question
	maxShownValue  = 80 // characters of one
)

// Outgoing judges a request that is to leave the browser of a session, and waits
// for a person where one is asked. An error refuses the request. Faults:
// denied_by_policy, approval_denied, approval_timeout, limit_reached.
func (g *Gate) Outgoing(ctx context.Context, s action.Session, from action.Sender, r action.Request) (action.Ruling, error) {
	o := &outgoingRequest{g: g, policy: g.policy.Load(), session: s, from: from, request: r, acts: g.acts.find(s.ID, r.Acts)}
	return o.decide(ctx)
}

// outgoingRequest is one request on its way out.
type outgoingRequest struct {
	g       *Gate
	policy  *policy.Policy
	session action.Session
	from    action.Sender
	request action.Request
	acts    []*causingAct
	verdict policy.EffectVerdict
}

func (o *outgoingRequest) decide(ctx context.Context) (action.Ruling, error) {
	address := requestKey(o.request)
	in := policy.Outgoing{
		Request: o.request, Sending: o.from.Sending, Owner: o.from.Owner, People: o.from.People,
	}
	learn := true
	for _, b := range o.acts {
		d := b.policyAct()
		in.Acts = append(in.Acts, d)
		learn = learn && d.Risk <= action.Low && o.request.Method == http.MethodGet
	}
	in.Known = o.g.acts.remembers(o.session.ID, address, learn)
	o.verdict = o.policy.Effect(in)
	ruling := action.Ruling{Effect: !o.isChannel() && (!o.verdict.Reads || o.verdict.Risk >= action.High)}
	if b := o.act(); b != nil {
		ruling.Act = b.id
	}
	err := o.allowed(ctx, address)
	if err == nil {
		o.recordDocument()
		o.recordChannel()
	}
	if ruling.Effect || err != nil {
		o.report(err)
	}
	return ruling, err
}

// isChannel reports whether the request is for a WebSocket.
func (o *outgoingRequest) isChannel() bool { return o.request.Kind == action.ChannelKind }

// What people said of addresses: MEDIUM requests are asked about once in a
// session, and what nobody acted for is not asked about again after a no.
const (
	allowedPrefix = "allowed: "
	refusedPrefix = "refused: "
)

// act is the act that the request belongs to, nil for none.
func (o *outgoingRequest) act() *causingAct {
	if o.verdict.Act < 0 || o.verdict.Act >= len(o.acts) {
		return nil
	}
	return o.acts[o.verdict.Act]
}

func (o *outgoingRequest) allowed(ctx context.Context, address string) error {
	switch o.verdict.Decision {
	case policy.Allow:
		return nil
	case policy.Ask:
	default:
		return o.refusalFault()
	}
	if o.verdict.Risk == action.Medium {
		if o.g.acts.remembers(o.session.ID, o.allowedKey(address), false) {
			return nil
		}
		granted, err := o.g.approvals.Granted(ctx, o.session.ID, action.EffectVerb, o.verdict.Host)
		if err != nil || granted {
			return err
		}
	}
	err := o.ask(ctx)
	if err == nil && o.verdict.Risk == action.Medium {
		o.g.acts.remembers(o.session.ID, o.allowedKey(address), true)
	}
	return err
}

// allowedKey is what is remembered of a yes to a MEDIUM request: it is for who sends it,
// too.
func (o *outgoingRequest) allowedKey(address string) string {
	return allowedPrefix + policy.SenderOf(o.request) + " " + address
}

func (o *outgoingRequest) refusalFault() error {
	code := o.verdict.Code
	if code == "" {
		code = fault.DeniedByPolicy
	}
	return fault.New(code, "%s", sanitizedFault(o.verdict.Why)).Hinted("%s", o.verdict.Hint).With("rule", o.verdict.Rule).With("risk", o.verdict.Risk.String())
}

// ask has a person decide. Requests of one act that the same yes covers wait for
// one question.
func (o *outgoingRequest) ask(ctx context.Context) error {
	b := o.act()
	if b == nil {
		return o.askUncaused(ctx)
	}
	cover := policy.CoversEffect(o.verdict, o.request, b.cover)
	for {
		b.mu.Lock()
		other := b.decision
		if other == nil {
			mine := &decision{cover: cover, done: make(chan struct{})}
			b.decision = mine
			b.mu.Unlock()
			mine.err = o.askPerson(ctx, b)
			if mine.err == nil {
				b.approve(cover)
			}
			b.mu.Lock()
			b.decision = nil
			b.mu.Unlock()
			close(mine.done)
			return mine.err
		}
		b.mu.Unlock()
		o.notifyAsking(b)
		select {
		case <-other.done:
		case <-ctx.Done():
			return sessionEndedFault()
		}
		if other.err != nil || other.cover.Includes(cover) {
			return other.err
		}
	}
}

// askUncaused asks about a request that nobody acted for. What a person refused
// once is not asked about again in the session.
func (o *outgoingRequest) askUncaused(ctx context.Context) error {
	word := refusedPrefix + requestKey(o.request)
	if o.g.acts.remembers(o.session.ID, word, false) {
		return fault.New(fault.ApprovalDenied, "a person said no to it before").Hinted("go on without it, or leave the page")
	}
	done, err := o.g.acts.reserveUncaused(o.session.ID)
	if err != nil {
		return err
	}
	defer done()
	err = o.askPerson(ctx, nil)
	if fault.CodeOf(err) == fault.ApprovalDenied {
		o.g.acts.remembers(o.session.ID, word, true)
	}
	return err
}

func sessionEndedFault() error {
	return fault.New(fault.ApprovalTimeout, "the session ended before a person answered").Hinted("start a new session")
}

func (o *outgoingRequest) notifyAsking(b *causingAct) {
	if o.request.Asking == nil {
		return
	}
	id := ""
	if b != nil {
		id = b.id
	}
	o.request.Asking(id)
}

// askPerson puts the question, tells whoever called, and waits.
func (o *outgoingRequest) askPerson(ctx context.Context, b *causingAct) error {
	q, _, err := o.g.askQuestion(ctx, o.questionOf(b))
	if err != nil {
		return err
	}
	if b != nil {
		b.mu.Lock()
		b.question = q
		running := b.running
		b.mu.Unlock()
		o.g.addActScreenshot(ctx, b, &q)
		if b.call.Asked != nil && running {
			b.call.Asked(*pendingOf(q))
		}
	}
	event := o.event(audit.Question)
	event.HITLDecision, event.ApprovalID, event.Screenshot, event.Detail = pending, q.ID, q.Screenshot, join("question "+q.ID, event.Detail)
	o.g.audit.Record(event)
	o.notifyAsking(b)
	_, err = o.g.approvals.Await(ctx, q.ID, 0)
	return err
}

// questionOf is what people are asked. No other request has the same subject: a
// yes is for the one that waits.
func (o *outgoingRequest) questionOf(b *causingAct) approval.Request {
	r := approval.Request{
		Subject: approval.Subject{Scope: o.session.Scope, Session: o.session.ID, Verb: action.EffectVerb, Args: []string{newID(), o.request.Method, o.request.URL}},
		Actor:   o.session.Actor, Risk: o.verdict.Risk, Rule: o.verdict.Rule, Why: o.verdict.Why, Host: o.verdict.Host,
		Page: action.Page{URL: o.g.shownURL(o.request.Page)}, Held: o.heldRequest(b),
	}
	if o.session.Page != nil {
		r.Page.Title = o.session.Page.Title
	}
	if b != nil {
		r.Actor, r.Element, r.Within = b.call.Caller.Actor, maskElement(b.facts.Element), surroundings(b.facts.Element)
	}
	return r
}

// heldRequest is the request as people are shown it.
func (o *outgoingRequest) heldRequest(b *causingAct) *action.Held {
	h := &action.Held{
		Method: o.request.Method, URL: o.g.shownURL(o.request.URL), Host: hostOf(o.request.URL), From: o.g.shownURL(o.request.Document),
		Cause: "the page by itself: nobody acted", More: o.request.Unread || len(o.request.Fields) > maxShownFields,
	}
	if b != nil {
		h.Cause = b.name
		if e := b.facts.Element; e != nil {
			h.Cause += " on " + e.Role + " " + quote(e.Name)
		}
	}
	for _, f := range significantFirst(o.request.Fields) {
		h.Fields = append(h.Fields, action.BodyField{Name: f.Name, Value: o.shownValue(f)})
	}
	return h
}

// significantFirst are the fields that people are shown, those first that say what is
// done: a page must not push them out by others.
func significantFirst(fields []action.BodyField) []action.BodyField {
	var first, then []action.BodyField
	for _, f := range fields {
		if policy.Significant(f) {
			first = append(first, f)
		} else {
			then = append(then, f)
		}
	}
	all := append(first, then...)
	return all[:min(len(all), maxShownFields)]
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

// secretField matches names of fields that hold secrets, or what a server made
// to tell its own forms.
var secretField = regexp.MustCompile(`(?i)pass|pwd|secret|token|csrf|xsrf|nonce|otp|pin$|cvc|cvv|card.?number|cc.?number|api.?key|session|auth|signature`)

func (o *outgoingRequest) shownValue(f action.BodyField) string {
	if secretField.MatchString(f.Name) || len(o.g.credentials.Scanner.Find(scan.Text{Value: f.Value, Label: f.Name})) > 0 {
		return hidden
	}
	return untrusted.Record(f.Value, maxShownValue)
}

// shownURL is an address as people are shown it and records keep it.
func (g *Gate) shownURL(address string) string {
	if g.containsCredential(address) {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || g.containsCredential(u.Host) {
			return hidden
		}
		return u.Scheme + "://" + u.Host + "/" + hidden
	}
	return maskURL(address)
}

// report records what became of the request, and tells the agent where no answer
// of a call does.
func (o *outgoingRequest) report(err error) {
	e := action.Effect{Method: o.request.Method, URL: maskURL(o.request.URL), Host: hostOf(o.request.URL), State: action.EffectSent}
	b := o.act()
	if err != nil {
		e.State, e.Why = action.EffectRefused, fault.From(err).Message
		event := o.event(audit.Effect)
		event.Result, event.Error = "fault", untrusted.Record(fmt.Sprintf("%s: %s", fault.CodeOf(err), e.Why), maxErrorText)
		o.g.recordRequest(o.session.ID, event)
	}
	if b != nil && !o.isChannel() {
		b.noteEffect(e)
		if err != nil {
			b.mu.Lock()
			b.refused = err
			b.mu.Unlock()
		}
	}
	if err != nil && (b == nil || !b.isActive() || o.isChannel()) {
		o.g.sessions.QueueNotice(o.session.ID, untrusted.Record(refusalText(e, b), maxErrorText))
	}
}

func refusalText(e action.Effect, b *causingAct) string {
	cause := "the page sent it by itself"
	if b != nil {
		cause = "it came of " + b.name
	}
	if e.Method == http.MethodConnect {
		return fmt.Sprintf("the WebSocket %s was not opened (%s): %s", e.URL, cause, e.Why)
	}
	return fmt.Sprintf("%s %s did not leave the browser (%s): %s", e.Method, e.URL, cause, e.Why)
}

// recordDocument records where a tab or a frame goes.
func (o *outgoingRequest) recordDocument() {
	if o.request.Kind != "Document" {
		return
	}
	event := o.event(audit.Navigation)
	what := "frame"
	if o.request.Top {
		what = "page"
	}
	if o.request.Redirect {
		what += ", by a redirect"
	}
	if o.act() == nil {
		what += ", caused by no call"
	}
	event.Result, event.Detail = "ok", o.request.Method+", "+what
	o.g.recordRequest(o.session.ID, event)
}

// recordChannel records that a WebSocket is opened.
func (o *outgoingRequest) recordChannel() {
	if !o.isChannel() || o.request.Open {
		return
	}
	event := o.event(audit.Effect)
	event.Result, event.Detail = "ok", "a WebSocket is opened; what is sent over it is not held"
	o.g.recordRequest(o.session.ID, event)
}

// recordRequest keeps a record about a request, unless its session has too many.
func (g *Gate) recordRequest(session string, event action.Record) {
	if event, kept := g.acts.allowRecord(session, event); kept {
		g.audit.Record(event)
	}
}

// event is a record about the request.
func (o *outgoingRequest) event(kind string) action.Record {
	event := action.Record{
		EventType: kind, Actor: o.session.Actor, Scope: o.session.Scope, SessionID: o.session.ID, ContainerID: o.session.Box, Action: action.EffectVerb,
		URL: untrusted.Record(o.g.shownURL(o.request.Document), maxRecordedURL), TargetURL: untrusted.Record(o.g.shownURL(o.request.URL), maxRecordedURL), Domain: hostOf(o.request.URL),
		Risk: o.verdict.Risk.String(), Rule: o.verdict.Rule, Detail: o.request.Method,
	}
	if b := o.act(); b != nil {
		event.CorrelationID, event.Actor, event.Role, event.Surface = b.call.ID, b.call.Caller.Actor, b.call.Caller.Role, b.call.Surface
	}
	return event
}

// Receipt records what became of a request that left the browser of a session.
func (g *Gate) Receipt(s action.Session, e action.Effect) {
	event := action.Record{
		EventType: audit.Effect, Actor: s.Actor, Scope: s.Scope, SessionID: s.ID, ContainerID: s.Box, Action: action.EffectVerb,
		TargetURL: untrusted.Record(g.shownURL(e.URL), maxRecordedURL), Domain: e.Host, Result: "ok", Detail: fmt.Sprintf("%s: %d", e.Method, e.Status),
	}
	if e.State == action.EffectUnknown {
		event.Result, event.Detail = "unknown", e.Method+": "+untrusted.Record(e.Why, maxErrorText)
	}
	for _, b := range g.acts.find(s.ID, []string{e.Act}) {
		b.noteEffect(e)
		event.CorrelationID, event.Actor, event.Role, event.Surface = b.call.ID, b.call.Caller.Actor, b.call.Caller.Role, b.call.Surface
	}
	g.recordRequest(s.ID, event)
}

// Over forgets what is known of a session's requests: it has ended.
func (g *Gate) Over(session string) { g.acts.endSession(session) }

var numberPattern = regexp.MustCompile(`[0-9a-fA-F]{8,}|[0-9]+`)

// requestKey is what requests for the same kind of thing have in common: method,
// host, and path without numbers.
func requestKey(r action.Request) string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return r.Method + " " + r.URL
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + strings.ToLower(u.Host) + numberPattern.ReplaceAllString(u.Path, "0")
}
