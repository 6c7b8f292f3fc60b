package gate

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// confirmationWindow is how long a person's approval of a link also covers the form by
// which the linked page asks for confirmation.
const confirmationWindow = 2 * time.Minute

// allowedLink is the address of a link that a person allowed an agent to follow, or of a form
// that deletes.
type allowedLink struct {
	address string
	fields  [][2]string // of the form, without those that change with each page
	posted  bool
	cover   policy.Cover
	until   time.Time
}

// allowConfirmation allows a form that is posted to the address of a link which a
// person has just approved, if the approval covers it: many pages ask "Are you
// sure?", and people need not answer twice. Each approval counts once.
func (p *invocation) allowConfirmation() {
	e := p.facts.Element
	if p.verdict.Decision != policy.Ask || p.verdict.Risk > action.High || e == nil || !e.Submits || len(p.inspection.findings) > 0 {
		return
	}
	cover := p.policy.Covers(p.facts, p.verdict.Risk)
	if e.FormRead && p.g.acts.takeAllowedLink(p.facts.Session.ID, e.FormAction, e.FormFields, cover, time.Now()) {
		p.verdict.Decision, p.verdict.Rule = policy.Allow, "approved.before"
		p.journal.hitl = approved
	}
}

// deferOpenChannel allows a MEDIUM act on a page with an open WebSocket, if a
// person has allowed such an act on this host in this session. The requests of
// the act are judged when they are sent.
func (p *invocation) deferOpenChannel() {
	if p.verdict.Channel && len(p.inspection.findings) == 0 && p.g.acts.remembers(p.facts.Session.ID, p.channelKey(), false) {
		p.verdict = p.verdict.Defer()
	}
}

// channelKey is the key under which the approval of an act on a page with an open
// WebSocket is remembered.
func (c *callInfo) channelKey() string {
	u, err := url.Parse(c.facts.Page.URL)
	if err != nil {
		return ""
	}
	return "channel: " + u.Scheme + "://" + u.Host
}

// rememberApproval stores the link that a person approved, and the host of a page
// with an open WebSocket on which a person approved an act.
func (p *invocation) rememberApproval() {
	if p.verdict.Channel {
		p.g.acts.remembers(p.facts.Session.ID, p.channelKey(), true)
	}
	e := p.facts.Element
	if e == nil || e.LinkURL == "" || withoutQuery(e.LinkURL) == "" {
		return
	}
	cover := p.policy.Covers(p.facts, p.verdict.Risk)
	p.g.acts.rememberLink(p.facts.Session.ID, allowedLink{address: e.LinkURL, cover: cover, until: time.Now().Add(confirmationWindow)})
}

// rememberLink stores the address of a document that a person has just approved: its page
// may ask for confirmation. A form that was posted counts only if it deletes.
func (o *outgoingRequest) rememberLink() {
	r := o.request
	posted := r.Method == http.MethodPost
	if !r.Top || r.Unread || r.Method != http.MethodGet && !(posted && o.verdict.OnlyDeletes()) {
		return
	}
	a := allowedLink{address: r.URL, posted: posted, cover: policy.CoverOfRequest(r, o.verdict), until: time.Now().Add(confirmationWindow)}
	a.fields = slices.DeleteFunc(fieldPairs(r.Fields), func(pair [2]string) bool { return forgeryToken.MatchString(pair[0]) })
	o.g.acts.rememberLink(o.session.ID, a)
}

// confirmsLink reports whether the request is the form by which an approved document asks
// for confirmation.
func (o *outgoingRequest) confirmsLink() bool {
	r := o.request
	if r.Kind != "Document" || r.Method != http.MethodPost || r.Unread || o.verdict.Risk > action.High {
		return false
	}
	return o.g.acts.takeAllowedLink(o.session.ID, r.URL, fieldPairs(r.Fields), policy.CoverOfRequest(r, o.verdict), time.Now())
}

// rememberLink stores the newest approved address of a session.
func (d *acts) rememberLink(session string, a allowedLink) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session(session).link = a
}

// takeAllowedLink reports whether a link to the address of a form with these fields was
// approved just before in a session, by an approval that covers cover. It counts once.
func (d *acts) takeAllowedLink(session, address string, fields [][2]string, cover policy.Cover, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	a := s.link
	if !a.confirmedBy(address, fields) || now.After(a.until) || !a.cover.Includes(cover) {
		return false
	}
	s.link = allowedLink{}
	return true
}

// confirmedBy reports whether a form goes to the address of a link or form, with the parameters
// that it had and others that only confirm. After a form, one must confirm it.
func (a allowedLink) confirmedBy(address string, fields [][2]string) bool {
	to := withoutQuery(address)
	if to == "" || to != withoutQuery(a.address) {
		return false
	}
	sent, had := slices.Concat(fields, pairsOf(address)), slices.Concat(a.fields, pairsOf(a.address))
	if slices.ContainsFunc(had, func(pair [2]string) bool { return !slices.Contains(sent, pair) && !(a.posted && unset[pair[1]]) }) {
		return false
	}
	more := slices.DeleteFunc(sent, func(pair [2]string) bool { return slices.Contains(had, pair) || forgeryToken.MatchString(pair[0]) })
	if slices.ContainsFunc(more, func(pair [2]string) bool { return !confirmsOnly(pair[1], a.address) }) {
		return false
	}
	return !a.posted || slices.ContainsFunc(more, func(pair [2]string) bool { return policy.IsConfirmation(strings.ToLower(pair[1])) }) &&
		!slices.ContainsFunc(more, func(pair [2]string) bool {
			return slices.ContainsFunc(had, func(h [2]string) bool { return h[0] == pair[0] })
		})
}

// unset are values of fields that say nothing.
var unset = map[string]bool{"": true, "0": true, "false": true}

// confirmsOnly reports whether the value of a field says no more than that somebody is sure: it
// is a word of confirmation, or a part of the address.
func confirmsOnly(value, address string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return value == "" || policy.IsConfirmation(value) ||
		slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return strings.EqualFold(part, value) })
}

// forgeryToken matches names of fields for tokens against cross-site request forgery.
var forgeryToken = regexp.MustCompile(`(?i)csrf|xsrf|(^|_)token$|nonce|authenticity|viewstate|eventvalidation|form_build_id|^form_id$`)

// fieldPairs returns the names and values of the fields of a request.
func fieldPairs(fields []action.BodyField) (pairs [][2]string) {
	for _, f := range fields {
		pairs = append(pairs, [2]string{f.Name, f.Value})
	}
	return pairs
}

// pairsOf returns the parameters of an address.
func pairsOf(address string) (pairs [][2]string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for name, values := range u.Query() {
		for _, value := range values {
			pairs = append(pairs, [2]string{name, value})
		}
	}
	return pairs
}

// withoutQuery is an address without query and fragment; empty for an address that is
// not http or https.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
