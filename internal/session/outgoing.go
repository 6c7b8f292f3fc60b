package session

import (
	"context"
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// guard sets the functions that a page engine asks before a page loads, sends or
// stores anything.
func (p *pages) guard(o *engine.Options, box string) {
	o.Guard = func(rawURL string) error {
		if d := p.networks.egress.Judge(box, rawURL); !d.Allowed {
			return blockedFault(d)
		}
		return nil
	}
	o.Unreached = func(ctx context.Context, rawURL string) string { return p.networks.egress.Unreached(ctx, box, rawURL) }
	o.Owns = func(host string) error { return p.networks.mayHaveCookies(box, host) }
	if p.creds.vault != nil {
		o.Prepare = func(ctx context.Context, rawURL string) error { return p.creds.prepare(ctx, box, rawURL) }
		o.Authenticated = func(domain, origin, scheme string) { p.creds.authenticated(box, domain, origin, scheme) }
	}
	o.Files = &boxFiles{files: p.files, box: box}
	o.Refused = func(refusal action.Refusal) { p.refusals.add(box, refusal) }
	o.Credentialed, o.Secrets = p.creds.secretsOfBox(box)
	if p.outgoing != nil {
		o.Outgoing = func(ctx context.Context, request action.Request) (action.Ruling, error) {
			return p.judgeOutgoing(ctx, box, request)
		}
		o.Receipt = func(e action.Effect) {
			if sess := p.sessions.byBox(box); sess != nil {
				p.outgoing.Receipt(sess.now(), e)
			}
		}
	}
}

// judgeOutgoing judges a request that a box's browser wants to send. A box
// without a session may send nothing.
func (p *pages) judgeOutgoing(ctx context.Context, box string, request action.Request) (action.Ruling, error) {
	sess := p.sessions.byBox(box)
	if sess == nil {
		return action.Ruling{}, fault.New(fault.DeniedByPolicy, "this browser has no session: it may send nothing").Hinted("start a session")
	}
	record, from := sess.beginSending(request)
	defer sess.endSending()
	ruling, err := p.outgoing.Outgoing(ctx, record, from, request)
	if ruling.Notice != "" {
		p.control.queueNotice(record.ID, ruling.Notice)
	}
	return ruling, err
}

// beginSending records that a request of the session's pages waits for a
// decision, and returns its session and sender. endSending must be called
// afterwards.
func (o *openSession) beginSending(request action.Request) (record action.Session, from action.Sender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	st := &o.state
	from = action.Sender{Owner: st.terms.Role, Sending: st.terms.Sending, People: st.pause.Taken}
	if st.crawl != nil && st.crawl.reads && (request.Crawl || request.Page == "") { // a worker's request may come from a page of the crawl
		from.Sending = action.SendNone
	}
	for _, client := range st.clientCalls {
		from.People = from.People || client.call.Caller.Role == action.Operator
	}
	st.sending++
	return st.record, from
}

func (o *openSession) endSending() { o.with(func(st *sessionState) { st.sending-- }) }

// opensChannel judges a WebSocket that a box wants to open, and waits for a
// person if one is asked. An error refuses it.
func (p *pages) opensChannel(ctx context.Context, box string, channel action.Channel) error {
	if p.outgoing == nil {
		return nil
	}
	request := action.Request{Method: http.MethodConnect, URL: channel.URL, Kind: action.ChannelKind, Document: channel.Origin}
	if sess := p.sessions.byBox(box); sess != nil {
		if browser := sess.stage().browser; browser != nil {
			request.Acts, request.Page = browser.Acting(), browser.Page().URL
		}
	}
	_, err := p.judgeOutgoing(ctx, box, request)
	return err
}
