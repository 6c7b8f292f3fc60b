package engine

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
)

// Channels are WebSockets and WebTransports: what is sent over one that is open
// cannot be held. WebSockets are asked about by the egress door, which sees each
// connection that is made for one. Those that share a connection of HTTP/2 (RFC
// 8441) it cannot see: they are judged here, and ended, once they are open.
// WebTransport needs UDP, which a box does not have.

// channel is one that is open.
type channel struct {
	tab string // that it is of; empty for a worker's
	url string
}

// channelOpened has a WebSocket judged that shares a connection with other
// requests, and goes on with next.
func channelOpened(next taker) taker {
	return func(b *Browser, session string, from *target, params json.RawMessage) {
		var p struct {
			Request  string          `json:"requestId"`
			Response netlog.Response `json:"response"`
		}
		if json.Unmarshal(params, &p) == nil && from != nil && p.Response.Status == http.StatusOK { // elsewhere 101
			b.judgeOpen(from, b.channels[session+"/"+p.Request].url)
		}
		next(b, session, from, params)
	}
}

// judgeOpen ends what has opened a WebSocket that the session may not have. b.mu
// is held.
func (b *Browser) judgeOpen(from *target, address string) {
	judge := b.options.Outgoing
	if judge == nil || address == "" {
		return
	}
	r := action.Request{Method: http.MethodConnect, URL: address, Kind: action.ChannelKind, Open: true}
	if from.tab != nil {
		r.Page = from.tab.root.url
		r.Document = r.Page
	}
	b.own.Go(func() {
		if _, err := judge(b.life, r); err != nil {
			b.endTarget(from)
		}
	})
}

// endTarget ends a document or worker with the channels that it has open.
func (b *Browser) endTarget(t *target) {
	switch {
	case t.tab != nil:
		t.tab.main.session.Send("Page.navigate", map[string]string{"url": "about:blank"})
	case t.kind == "worker":
		t.session.Send("Runtime.terminateExecution", nil)
		t.session.Send("Runtime.evaluate", map[string]string{"expression": "self.close()"})
	default:
		b.root.Send("Target.closeTarget", map[string]string{"targetId": t.id})
	}
}

// channelBegins notes that a page or worker opened a channel, and goes on with
// next.
func channelBegins(next taker) taker {
	return channelEvent(next, func(b *Browser, key, address string, from *target) {
		tab := ""
		if from != nil && from.tab != nil {
			tab = from.tab.id
		}
		if b.channels == nil {
			b.channels = map[string]channel{}
		}
		b.channels[key] = channel{tab, address}
	})
}

func channelEnds(next taker) taker {
	return channelEvent(next, func(b *Browser, key, _ string, _ *target) { delete(b.channels, key) })
}

func channelEvent(next taker, note func(b *Browser, key, address string, from *target)) taker {
	return func(b *Browser, session string, from *target, params json.RawMessage) {
		var p struct {
			Request   string `json:"requestId"`
			Transport string `json:"transportId"`
			URL       string `json:"url"`
		}
		if json.Unmarshal(params, &p) == nil {
			note(b, session+"/"+p.Request+p.Transport, p.URL, from)
		}
		if next != nil {
			next(b, session, from, params)
		}
	}
}

// hasChannel reports whether a tab has a channel open, or a worker has, which
// may be any tab's. b.mu is held.
func (b *Browser) hasChannel(t *tab) bool {
	for _, c := range b.channels {
		if c.tab == t.id || c.tab == "" {
			return true
		}
	}
	return false
}

// dropChannels forgets the channels of a tab, whose document is gone, or of a
// target that is. b.mu is held.
func (b *Browser) dropChannels(gone func(session, tab string) bool) {
	for key, c := range b.channels {
		if session, _, _ := strings.Cut(key, "/"); gone(session, c.tab) {
			delete(b.channels, key)
		}
	}
}
