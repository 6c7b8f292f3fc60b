package gate

import (
	"net/url"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// againFor is how long a yes to a link that acts covers the form which the page
// behind it shows to make sure.
const againFor = 2 * time.Minute

// allowedAddress is an address that a person let an agent follow a link to.
type allowedAddress struct {
	address string
	cover   policy.Cover
	until   time.Time
}

// spareRepetition lets a form be sent unasked that is posted to the very address
// a person has just let the agent follow a link to, for what was shown with it:
// pages that ask "Are you sure?" do so, and nobody is asked twice for one thing.
// It does so once.
func (p *passage) spareRepetition() {
	e := p.facts.Element
	if p.verdict.Decision != policy.Ask || p.verdict.Risk > action.High || e == nil || !e.Submits || len(p.credentials) > 0 {
		return
	}
	cover := p.policy.Covers(p.call, p.verb, p.facts, p.verdict.Risk)
	if p.g.deeds.again(p.facts.Session.ID, bareOf(e.FormAction), cover, time.Now()) {
		p.verdict.Decision, p.verdict.Rule = policy.Allow, "approved.before"
		p.hitl = approved
	}
}

// spareChannel lets a MEDIUM act on a page whose channel cannot be held run up to
// the wire, where a person has allowed such an act on the host in this session.
func (p *passage) spareChannel() {
	if p.verdict.Channel && len(p.credentials) == 0 && p.g.deeds.knows(p.facts.Session.ID, p.channel(), false) {
		p.verdict = p.verdict.Defer()
	}
}

// channel is what is remembered of a yes to an act on a page with a channel open.
func (p *passage) channel() string {
	u, err := url.Parse(p.facts.Page.URL)
	if err != nil {
		return ""
	}
	return "channel: " + u.Scheme + "://" + u.Host
}

// allowAgain remembers a link that a person let the agent follow, and a host on
// whose page with a channel a person let it act.
func (p *passage) allowAgain() {
	if p.verdict.Channel {
		p.g.deeds.knows(p.facts.Session.ID, p.channel(), true)
	}
	e := p.facts.Element
	if e == nil || e.LinkURL == "" || bareOf(e.LinkURL) == "" {
		return
	}
	cover := p.policy.Covers(p.call, p.verb, p.facts, p.verdict.Risk)
	p.g.deeds.allow(p.facts.Session.ID, allowedAddress{bareOf(e.LinkURL), cover, time.Now().Add(againFor)})
}

// allow keeps the newest address that was allowed in a session.
func (d *deeds) allow(session string, a allowedAddress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sender(session).allowed = a
}

// again reports whether an address was allowed in a session just now, for what is
// asked to be covered. It counts once.
func (d *deeds) again(session, address string, cover policy.Cover, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sender(session)
	a := s.allowed
	if address == "" || a.address != address || now.After(a.until) || !a.cover.Includes(cover) {
		return false
	}
	s.allowed = allowedAddress{}
	return true
}

// bareOf is an address without query and fragment; empty for what is none of
// the web.
func bareOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
