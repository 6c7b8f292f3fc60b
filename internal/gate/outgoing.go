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
)

const (
	shownFields = 12 // of a request, in a question
	shownValue  = 80 // characters of one
)

// Outgoing judges a request that is to leave the browser of a session, and waits
// for a person where one is asked. An error refuses the request. Faults:
// denied_by_policy, approval_denied, approval_timeout, limit_reached.
func (g *Gate) Outgoing(ctx context.Context, s action.Session, from action.Sender, r action.Request) (action.Ruling, error) {
	o := &sending{g: g, policy: g.policy.Load(), session: s, from: from, request: r, deeds: g.deeds.of(s.ID, r.Acts)}
	return o.decide(ctx)
}

// sending is one request on its way out.
type sending struct {
	g       *Gate
	policy  *policy.Policy
	session action.Session
	from    action.Sender
	request action.Request
	deeds   []*deed
	verdict policy.EffectVerdict
}

func (o *sending) decide(ctx context.Context) (action.Ruling, error) {
	address := addressOf(o.request)
	in := policy.Outgoing{
		Request: o.request, Sending: o.from.Sending, Owner: o.from.Owner, People: o.from.People,
	}
	learn := true
	for _, b := range o.deeds {
		d := b.policyDeed()
		in.Acts = append(in.Acts, d)
		learn = learn && d.Risk <= action.Low && o.request.Method == http.MethodGet
	}
	in.Known = o.g.deeds.knows(o.session.ID, address, learn)
	o.verdict = o.policy.Effect(in)
	ruling := action.Ruling{Effect: !o.opens() && (!o.verdict.Reads || o.verdict.Risk >= action.High)}
	if b := o.deed(); b != nil {
		ruling.Act = b.id
	}
	err := o.allowed(ctx, address)
	if err == nil {
		o.recordDocument()
		o.recordChannel()
	}
	if ruling.Effect || err != nil {
		o.note(err)
	}
	return ruling, err
}

// opens reports whether the request is for a WebSocket.
func (o *sending) opens() bool { return o.request.Kind == action.ChannelKind }

// What people said of addresses: MEDIUM requests are asked about once in a
// session, and what nobody acted for is not asked about again after a no.
const (
	once        = "allowed: "
	refusedOnce = "refused: "
)

// deed is the act that the request belongs to, nil for none.
func (o *sending) deed() *deed {
	if o.verdict.Act < 0 || o.verdict.Act >= len(o.deeds) {
		return nil
	}
	return o.deeds[o.verdict.Act]
}

func (o *sending) allowed(ctx context.Context, address string) error {
	switch o.verdict.Decision {
	case policy.Allow:
		return nil
	case policy.Ask:
	default:
		return o.refusal()
	}
	if o.verdict.Risk == action.Medium {
		if o.g.deeds.knows(o.session.ID, o.once(address), false) {
			return nil
		}
		granted, err := o.g.desk.Granted(ctx, o.session.ID, action.EffectVerb, o.verdict.Host)
		if err != nil || granted {
			return err
		}
	}
	err := o.ask(ctx)
	if err == nil && o.verdict.Risk == action.Medium {
		o.g.deeds.knows(o.session.ID, o.once(address), true)
	}
	return err
}

// once is what is remembered of a yes to a MEDIUM request: it is for who sends it,
// too.
func (o *sending) once(address string) string {
	return once + policy.SenderOf(o.request) + " " + address
}

func (o *sending) refusal() error {
	code := o.verdict.Code
	if code == "" {
		code = fault.DeniedByPolicy
	}
	return fault.New(code, "%s", plain(o.verdict.Why)).Hinted("%s", o.verdict.Hint).With("rule", o.verdict.Rule).With("risk", o.verdict.Risk.String())
}

// ask has a person decide. Requests of one act that the same yes covers wait for
// one question.
func (o *sending) ask(ctx context.Context) error {
	b := o.deed()
	if b == nil {
		return o.askAlone(ctx)
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
		o.asking(b)
		select {
		case <-other.done:
		case <-ctx.Done():
			return gaveUp()
		}
		if other.err != nil || other.cover.Includes(cover) {
			return other.err
		}
	}
}

// askAlone asks about a request that nobody acted for. What a person refused
// once is not asked about again in the session.
func (o *sending) askAlone(ctx context.Context) error {
	word := refusedOnce + addressOf(o.request)
	if o.g.deeds.knows(o.session.ID, word, false) {
		return fault.New(fault.ApprovalDenied, "a person said no to it before").Hinted("go on without it, or leave the page")
	}
	done, err := o.g.deeds.askAlone(o.session.ID)
	if err != nil {
		return err
	}
	defer done()
	err = o.askPerson(ctx, nil)
	if fault.CodeOf(err) == fault.ApprovalDenied {
		o.g.deeds.knows(o.session.ID, word, true)
	}
	return err
}

func gaveUp() error {
	return fault.New(fault.ApprovalTimeout, "the session ended before a person answered").Hinted("start a new session")
}

func (o *sending) asking(b *deed) {
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
func (o *sending) askPerson(ctx context.Context, b *deed) error {
	q, _, err := o.g.question(ctx, o.questionOf(b))
	if err != nil {
		return err
	}
	if b != nil {
		b.mu.Lock()
		b.question = q
		running := b.running
		b.mu.Unlock()
		o.g.picture(ctx, b, &q)
		if b.call.Asked != nil && running {
			b.call.Asked(*pendingOf(q))
		}
	}
	event := o.event(audit.Question)
	event.HITLDecision, event.ApprovalID, event.Screenshot, event.Detail = pending, q.ID, q.Screenshot, join("question "+q.ID, event.Detail)
	o.g.audit.Record(event)
	o.asking(b)
	_, err = o.g.desk.Await(ctx, q.ID, 0)
	return err
}

// questionOf is what people are asked. No other request has the same subject: a
// yes is for the one that waits.
func (o *sending) questionOf(b *deed) approval.Request {
	r := approval.Request{
		Subject: approval.Subject{Scope: o.session.Scope, Session: o.session.ID, Verb: action.EffectVerb, Args: []string{newID(), o.request.Method, o.request.URL}},
		Actor:   o.session.Actor, Risk: o.verdict.Risk, Rule: o.verdict.Rule, Why: o.verdict.Why, Host: o.verdict.Host,
		Page: action.Page{URL: o.g.shownURL(o.request.Page)}, Held: o.held(b),
	}
	if o.session.Page != nil {
		r.Page.Title = o.session.Page.Title
	}
	if b != nil {
		r.Actor, r.Element, r.Within = b.call.Caller.Actor, masked(b.facts.Element), within(b.facts.Element)
	}
	return r
}

// held is the request as people are shown it.
func (o *sending) held(b *deed) *action.Held {
	h := &action.Held{
		Method: o.request.Method, URL: o.g.shownURL(o.request.URL), Host: hostOf(o.request.URL), From: o.g.shownURL(o.request.Document),
		Cause: "the page by itself: nobody acted", More: o.request.Unread || len(o.request.Fields) > shownFields,
	}
	if b != nil {
		h.Cause = b.named
		if e := b.facts.Element; e != nil {
			h.Cause += " on " + e.Role + " " + quote(e.Name)
		}
	}
	for _, f := range tellingFirst(o.request.Fields) {
		h.Fields = append(h.Fields, action.BodyField{Name: f.Name, Value: o.shownValue(f)})
	}
	return h
}

// tellingFirst are the fields that people are shown, those first that say what is
// done: a page must not push them out by others.
func tellingFirst(fields []action.BodyField) []action.BodyField {
	var first, then []action.BodyField
	for _, f := range fields {
		if policy.Significant(f) {
			first = append(first, f)
		} else {
			then = append(then, f)
		}
	}
	all := append(first, then...)
	return all[:min(len(all), shownFields)]
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

// secretField matches names of fields that hold secrets, or what a server made
// to tell its own forms.
var secretField = regexp.MustCompile(`(?i)pass|pwd|secret|token|csrf|xsrf|nonce|otp|pin$|cvc|cvv|card.?number|cc.?number|api.?key|session|auth|signature`)

func (o *sending) shownValue(f action.BodyField) string {
	if secretField.MatchString(f.Name) || len(o.g.credentials.Scanner.Find(scan.Text{Value: f.Value, Label: f.Name})) > 0 {
		return hidden
	}
	return approval.Sanitize(f.Value, shownValue)
}

// shownURL is an address as people are shown it and records keep it.
func (g *Gate) shownURL(address string) string {
	if g.holdsCredential(address) {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || g.holdsCredential(u.Host) {
			return hidden
		}
		return u.Scheme + "://" + u.Host + "/" + hidden
	}
	return maskURL(address)
}

// note records what became of the request, and tells the agent where no answer
// of a call does.
func (o *sending) note(err error) {
	e := action.Effect{Method: o.request.Method, URL: maskURL(o.request.URL), Host: hostOf(o.request.URL), State: action.EffectSent}
	b := o.deed()
	if err != nil {
		e.State, e.Why = action.EffectRefused, fault.From(err).Message
		event := o.event(audit.Effect)
		event.Result, event.Error = "fault", approval.Sanitize(fmt.Sprintf("%s: %s", fault.CodeOf(err), e.Why), keptError)
		o.g.recordRequest(o.session.ID, event)
	}
	if b != nil && !o.opens() {
		b.note(e)
		if err != nil {
			b.mu.Lock()
			b.refused = err
			b.mu.Unlock()
		}
	}
	if err != nil && (b == nil || !b.runs() || o.opens()) {
		o.g.sessions.QueueNotice(o.session.ID, approval.Sanitize(refusedWords(e, b), keptError))
	}
}

func refusedWords(e action.Effect, b *deed) string {
	cause := "the page sent it by itself"
	if b != nil {
		cause = "it came of " + b.named
	}
	if e.Method == http.MethodConnect {
		return fmt.Sprintf("the WebSocket %s was not opened (%s): %s", e.URL, cause, e.Why)
	}
	return fmt.Sprintf("%s %s did not leave the browser (%s): %s", e.Method, e.URL, cause, e.Why)
}

// recordDocument records where a tab or a frame goes.
func (o *sending) recordDocument() {
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
	if o.deed() == nil {
		what += ", caused by no call"
	}
	event.Result, event.Detail = "ok", o.request.Method+", "+what
	o.g.recordRequest(o.session.ID, event)
}

// recordChannel records that a WebSocket is opened.
func (o *sending) recordChannel() {
	if !o.opens() || o.request.Open {
		return
	}
	event := o.event(audit.Effect)
	event.Result, event.Detail = "ok", "a WebSocket is opened; what is sent over it is not held"
	o.g.recordRequest(o.session.ID, event)
}

// recordRequest keeps a record about a request, unless its session has too many.
func (g *Gate) recordRequest(session string, event action.Record) {
	if event, kept := g.deeds.recorded(session, event); kept {
		g.audit.Record(event)
	}
}

// event is a record about the request.
func (o *sending) event(kind string) action.Record {
	event := action.Record{
		EventType: kind, Actor: o.session.Actor, Scope: o.session.Scope, SessionID: o.session.ID, ContainerID: o.session.Box, Action: action.EffectVerb,
		URL: approval.Sanitize(o.g.shownURL(o.request.Document), keptURL), TargetURL: approval.Sanitize(o.g.shownURL(o.request.URL), keptURL), Domain: hostOf(o.request.URL),
		Risk: o.verdict.Risk.String(), Rule: o.verdict.Rule, Detail: o.request.Method,
	}
	if b := o.deed(); b != nil {
		event.CorrelationID, event.Actor, event.Role, event.Surface = b.call.ID, b.call.Caller.Actor, b.call.Caller.Role, b.call.Surface
	}
	return event
}

// Receipt records what became of a request that left the browser of a session.
func (g *Gate) Receipt(s action.Session, e action.Effect) {
	event := action.Record{
		EventType: audit.Effect, Actor: s.Actor, Scope: s.Scope, SessionID: s.ID, ContainerID: s.Box, Action: action.EffectVerb,
		TargetURL: approval.Sanitize(g.shownURL(e.URL), keptURL), Domain: e.Host, Result: "ok", Detail: fmt.Sprintf("%s: %d", e.Method, e.Status),
	}
	if e.State == action.EffectUnknown {
		event.Result, event.Detail = "unknown", e.Method+": "+approval.Sanitize(e.Why, keptError)
	}
	for _, b := range g.deeds.of(s.ID, []string{e.Act}) {
		b.note(e)
		event.CorrelationID, event.Actor, event.Role, event.Surface = b.call.ID, b.call.Caller.Actor, b.call.Caller.Role, b.call.Surface
	}
	g.recordRequest(s.ID, event)
}

// Over forgets what is known of a session's requests: it has ended.
func (g *Gate) Over(session string) { g.deeds.over(session) }

var numbers = regexp.MustCompile(`[0-9a-fA-F]{8,}|[0-9]+`)

// addressOf is what requests for the same kind of thing have in common: method,
// host, and path without numbers.
func addressOf(r action.Request) string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return r.Method + " " + r.URL
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + strings.ToLower(u.Host) + numbers.ReplaceAllString(u.Path, "0")
}
