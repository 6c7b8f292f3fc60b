package session

import (
	"context"
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

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
