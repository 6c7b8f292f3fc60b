package gate

import (
	"net/url"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// confirmationWindow is how long a yes to a link that acts covers the form which the page
// behind it shows to make sure.
const confirmationWindow = 2 * time.Minute

// allowedLink is an address that a person let an agent follow a link to.
type allowedLink struct {
	address string
	cover   policy.Cover
	until   time.Time
}

// allowConfirmation lets a form be sent unasked that is posted to the very address
// a person has just let the agent follow a link to, for what was shown with it:
// pages that ask "Are you sure?" do so, and nobody is asked twice for one thing.
// It does so once.
func (p *invocation) allowConfirmation() {
	e := p.facts.Element
	if p.verdict.Decision != policy.Ask || p.verdict.Risk > action.High || e == nil || !e.Submits || len(p.inspection.findings) > 0 {
		return
	}
	cover := p.policy.Covers(p.call, p.verb, p.facts, p.verdict.Risk)
	if p.g.acts.takeAllowedLink(p.facts.Session.ID, withoutQuery(e.FormAction), cover, time.Now()) {
		p.verdict.Decision, p.verdict.Rule = policy.Allow, "approved.before"
		p.journal.hitl = approved
	}
}

// deferOpenChannel lets a MEDIUM act on a page whose channel cannot be held run up to
// the wire, where a person has allowed such an act on the host in this session.
func (p *invocation) deferOpenChannel() {
	if p.verdict.Channel && len(p.inspection.findings) == 0 && p.g.acts.remembers(p.facts.Session.ID, p.channelKey(), false) {
		p.verdict = p.verdict.Defer()
	}
}

// channelKey is what is remembered of a yes to an act on a page with a channel open.
func (c *callInfo) channelKey() string {
	u, err := url.Parse(c.facts.Page.URL)
	if err != nil {
		return ""
	}
	return "channel: " + u.Scheme + "://" + u.Host
}

// rememberApproval remembers a link that a person let the agent follow, and a host on
// whose page with a channel a person let it act.
func (p *invocation) rememberApproval() {
	if p.verdict.Channel {
		p.g.acts.remembers(p.facts.Session.ID, p.channelKey(), true)
	}
	e := p.facts.Element
	if e == nil || e.LinkURL == "" || withoutQuery(e.LinkURL) == "" {
		return
	}
	cover := p.policy.Covers(p.call, p.verb, p.facts, p.verdict.Risk)
	p.g.acts.rememberLink(p.facts.Session.ID, allowedLink{withoutQuery(e.LinkURL), cover, time.Now().Add(confirmationWindow)})
}

// rememberLink keeps the newest address that was allowed in a session.
func (d *acts) rememberLink(session string, a allowedLink) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.session(session).link = a
}

// takeAllowedLink reports whether an address was allowed in a session just now, for what is
// asked to be covered. It counts once.
func (d *acts) takeAllowedLink(session, address string, cover policy.Cover, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(session)
	a := s.link
	if address == "" || a.address != address || now.After(a.until) || !a.cover.Includes(cover) {
		return false
	}
	s.link = allowedLink{}
	return true
}

// withoutQuery is an address without query and fragment; empty for what is none of
// the web.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
