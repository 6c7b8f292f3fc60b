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

// allowedLink is the address of a link that a person allowed an agent to follow.
type allowedLink struct {
	address string
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
	p.g.acts.rememberLink(p.facts.Session.ID, allowedLink{e.LinkURL, cover, time.Now().Add(confirmationWindow)})
}

// rememberLink stores the address of a document that a person has just approved: its page
// may ask for confirmation.
func (o *outgoingRequest) rememberLink() {
	if r := o.request; r.Top && r.Method == http.MethodGet {
		o.g.acts.rememberLink(o.session.ID, allowedLink{r.URL, policy.CoverOfRequest(r, o.verdict), time.Now().Add(confirmationWindow)})
	}
}

// confirmsLink reports whether the request is the form by which an approved document asks
// for confirmation.
func (o *outgoingRequest) confirmsLink() bool {
	r := o.request
	if r.Kind != "Document" || r.Method != http.MethodPost || r.Unread || o.verdict.Risk > action.High {
		return false
	}
	var fields [][2]string
	for _, f := range r.Fields {
		fields = append(fields, [2]string{f.Name, f.Value})
	}
	return o.g.acts.takeAllowedLink(o.session.ID, r.URL, fields, policy.CoverOfRequest(r, o.verdict), time.Now())
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
	if !confirms(address, fields, a.address) || now.After(a.until) || !a.cover.Includes(cover) {
		return false
	}
	s.link = allowedLink{}
	return true
}

// confirms reports whether a form goes to the address of a link, with the parameters
// that the link had.
func confirms(address string, fields [][2]string, link string) bool {
	to := withoutQuery(address)
	if to == "" || to != withoutQuery(link) {
		return false
	}
	sent := slices.Concat(fields, pairsOf(address))
	shown := pairsOf(link)
	return !slices.ContainsFunc(shown, func(pair [2]string) bool { return !slices.Contains(sent, pair) }) &&
		!slices.ContainsFunc(sent, func(pair [2]string) bool { return !slices.Contains(shown, pair) && !confirmsOnly(pair, link) })
}

// confirmsOnly reports whether a field says no more than that somebody is sure: its value is
// a word of confirmation, a part of the link, or a token against cross-site request forgery.
func confirmsOnly(pair [2]string, link string) bool {
	name, value := pair[0], strings.ToLower(strings.TrimSpace(pair[1]))
	u, err := url.Parse(link)
	if err != nil {
		return false
	}
	return value == "" || policy.IsConfirmation(value) || forgeryToken.MatchString(name) ||
		slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool { return strings.EqualFold(part, value) })
}

// forgeryToken matches names of fields for tokens against cross-site request forgery.
var forgeryToken = regexp.MustCompile(`(?i)csrf|xsrf|(^|_)token$|nonce|authenticity|viewstate|eventvalidation|form_build_id|^form_id$`)

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
