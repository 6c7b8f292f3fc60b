package gate

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxShownFields = 12 // of a request, in a question
	maxShownValue  = 80 // characters of one
)

// outgoingRequest is one request that a browser wants to send.
type outgoingRequest struct {
	ctx     context.Context //nolint:containedctx // of the request: it ends when the page takes the request back
	g       *Requests
	policy  *policy.Policy
	session action.Session
	from    action.Sender
	request action.Request
	acts    []*causingAct
	verdict policy.EffectVerdict
	same    bool // the same bytes left before without a question
	unasked bool // it leaves, whatever people say about the requests that it joined
	silent  bool // the agent knows that it is refused
}

func (o *outgoingRequest) decide(ctx context.Context) (action.Ruling, error) {
	address := policy.RequestKey(o.request)
	in := policy.Outgoing{
		Request: o.request, Sending: o.from.Sending, Owner: o.from.Owner, People: o.from.People,
	}
	learn := o.request.Method != http.MethodGet || !policy.IsStatic(o.request) // of static files there are too many
	for _, b := range o.acts {
		d := b.policyAct()
		d.Told = slices.Contains(o.request.Told, b.id)
		in.Acts = append(in.Acts, d)
		learn = learn && d.Risk < action.High && o.request.Method == http.MethodGet
	}
	in.Known = o.g.acts.remembers(o.session.ID, address, learn)
	poll := ""
	if o.request.Method != http.MethodGet { // what a page sends, as pictures and the like do not
		poll = policy.PollKey(o.request)
	}
	same := o.sameKey()
	o.same = same != "" && o.g.acts.remembers(o.session.ID, same, false)
	in.Same = o.same
	in.Polls = poll != "" && o.g.acts.remembers(o.session.ID, pollPrefix+poll, false)
	o.verdict = o.policy.Effect(in)
	if o.verdict.Decision == policy.Ask && len(o.acts) > 0 && o.acts[0].allows(o.verdict, o.request) {
		in.Acts[0].Covered = true
		o.verdict = o.policy.Effect(in)
	}
	if same != "" && o.verdict.Decision == policy.Allow && o.verdict.Rule != "effect.approved" && !o.harms() {
		o.g.acts.remembers(o.session.ID, same, true)
	}
	if poll != "" && !o.verdict.Reads && o.verdict.SentByPage() {
		o.g.acts.remembers(o.session.ID, pollPrefix+poll, true)
	}
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
		ruling.Notice = o.report(err)
	}
	return ruling, err
}

// sameKey is the remembered key of a request that sends the same bytes; empty for one that
// sends nothing, or what is not known.
func (o *outgoingRequest) sameKey() string {
	key := o.request.Key()
	if key == "" || o.request.Method == http.MethodGet {
		return ""
	}
	return samePrefix + key
}

// isChannel reports whether the request is for a WebSocket.
func (o *outgoingRequest) isChannel() bool { return o.request.Kind == action.ChannelKind }

// Prefixes of the remembered keys of addresses. A MEDIUM request is asked about
// once in a session. A denied request without an act is not asked about again.
// What a page sends by itself is remembered by its policy.PollKey.
const (
	allowedPrefix = "allowed: "
	refusedPrefix = "refused: "
	pollPrefix    = "poll: "
	samePrefix    = "same: "
)

// act returns the act that caused the request; nil if there is none.
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
	if o.confirmsLink() {
		if b := o.act(); b != nil {
			b.approve(o.request)
		}
		o.verdict.Rule = "approved.before"
		return nil
	}
	if err := o.deniedBefore(); err != nil {
		return err
	}
	err := o.ask(ctx)
	if err == nil && o.verdict.Risk == action.Medium {
		o.g.acts.remembers(o.session.ID, o.allowedKey(address), true)
	}
	return err
}

// allowedKey returns the key under which the approval of a MEDIUM request is
// stored. It includes the sender.
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

// questionOf returns the question about the request. Its subject is unique,
// because an approval is for this request only.
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

// heldRequest returns the request as people see it.
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

// significantFirst returns the fields that people see. Fields that say what the
// request does come first, so that a page cannot hide them behind others.
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

// secretField matches names of fields with secrets, or with tokens against
// cross-site request forgery.
var secretField = regexp.MustCompile(`(?i)pass|pwd|secret|token|csrf|xsrf|nonce|otp|pin$|cvc|cvv|card.?number|cc.?number|api.?key|session|auth|signature`)

func (o *outgoingRequest) shownValue(f action.BodyField) string {
	if secretField.MatchString(f.Name) || len(o.g.credentials.Scanner.Find(scan.Text{Value: f.Value, Label: f.Name})) > 0 {
		return hidden
	}
	return untrusted.Record(f.Value, maxShownValue)
}

// shownURL returns an address as people and records see it.
func (g *Requests) shownURL(address string) string {
	if g.containsCredential(address) {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || g.containsCredential(u.Host) {
			return hidden
		}
		return u.Scheme + "://" + u.Host + "/" + hidden
	}
	return maskURL(address)
}

// report records the result of the request. notice is for the agent's next
// answer, if no answer of a call reports it.
func (o *outgoingRequest) report(err error) (notice string) {
	e := action.Effect{Method: o.request.Method, URL: maskURL(o.request.URL), Host: hostOf(o.request.URL), State: action.EffectSent}
	b := o.act()
	if err != nil {
		e.State, e.Why = action.EffectRefused, fault.From(err).Message
		event := o.event(action.EventEffect)
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
	if err != nil && !o.silent && (b == nil || !b.isActive() || o.isChannel()) {
		notice = untrusted.Record(refusalText(e, b), maxErrorText)
	}
	return notice
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

// recordDocument records the navigation of a tab or a frame.
func (o *outgoingRequest) recordDocument() {
	if o.request.Kind != "Document" {
		return
	}
	event := o.event(action.EventNavigation)
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
	event := o.event(action.EventEffect)
	event.Result, event.Detail = "ok", "a WebSocket is opened; what is sent over it is not held"
	o.g.recordRequest(o.session.ID, event)
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
