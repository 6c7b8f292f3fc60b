package engine

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
)

// Channels are WebSockets and WebTransports. What is sent over an open one cannot be
// held. The egress proxy sees the connection of a WebSocket and asks about it. It
// cannot see WebSockets that share a connection of HTTP/2 (RFC 8441): they are
// judged here once they are open, and ended if refused. WebTransport needs UDP,
// which a box does not have.

// channel is one that is open.
type channel struct {
	tab  string // whose document or dedicated worker opened it; empty for other workers
	site string // of the worker that opened it; empty where that is not known
	url  string
}

// channels are those that are open, by session and id.
type channels struct {
	mu   sync.Mutex
	open map[string]channel
}

func (c *channels) add(key string, opened channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[string]channel)
	}
	c.open[key] = opened
}

func (c *channels) address(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[key].url
}

// in reports whether a channel is open within a part of the browser. A worker whose
// site is not known may be of any part.
func (c *channels) in(part outgoing.Reach) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, each := range c.open {
		if part.Tabs[each.tab] || part.Sites[each.site] || each.tab == "" && each.site == "" {
			return true
		}
	}
	return false
}

func (c *channels) closed(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, key)
}

// drop forgets channels by their session and tab.
func (c *channels) drop(gone func(session, tab string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.open, func(key string, each channel) bool {
		session, _, _ := strings.Cut(key, "/")
		return gone(session, each.tab)
	})
}

// channelOpened judges a WebSocket that shares a connection with other requests, and
// calls next.
func channelOpened(next eventHandler) eventHandler {
	return func(b *Browser, s *state, session string, from *target, params json.RawMessage) {
		var p struct {
			Request  string          `json:"requestId"`
			Response netlog.Response `json:"response"`
		}
		if json.Unmarshal(params, &p) == nil && from != nil && p.Response.Status == http.StatusOK { // elsewhere 101
			b.outgoing.judgeOpen(s, from, b.outgoing.channels.address(session+"/"+p.Request))
		}
		next(b, s, session, from, params)
	}
}

// judgeOpen ends the page or worker that has opened a WebSocket which is refused.
func (og *outgoingRequests) judgeOpen(s *state, from *target, address string) {
	judge := s.options.Outgoing
	if judge == nil || address == "" {
		return
	}
	r := action.Request{Method: http.MethodConnect, URL: address, Kind: action.ChannelKind, Open: true}
	if from.tab != nil {
		r.Page = from.tab.root.url
		r.Document = r.Page
	}
	og.own.Go(func() {
		if _, err := judge(og.life, r); err != nil {
			og.endTarget(from)
		}
	})
}

// endTarget ends a document or worker together with its open channels.
func (og *outgoingRequests) endTarget(t *target) {
	switch {
	case t.tab != nil:
		t.tab.main.session.Send("Page.navigate", map[string]string{"url": "about:blank"})
	case t.kind == "worker":
		t.session.Send("Runtime.terminateExecution", nil)
		t.session.Send("Runtime.evaluate", map[string]string{"expression": "self.close()"})
	default:
		og.root.Send("Target.closeTarget", map[string]string{"targetId": t.id})
	}
}

// channelBegins notes that a page or worker opened a channel, and calls next.
func channelBegins(next eventHandler) eventHandler {
	return channelEvent(next, func(b *Browser, key, address string, from *target) {
		opened := channel{url: address}
		if from != nil {
			opened.tab, opened.site = from.owner()
		}
		b.outgoing.channels.add(key, opened)
	})
}

func channelEnds(next eventHandler) eventHandler {
	return channelEvent(next, func(b *Browser, key, _ string, _ *target) { b.outgoing.channels.closed(key) })
}

func channelEvent(next eventHandler, note func(b *Browser, key, address string, from *target)) eventHandler {
	return func(b *Browser, s *state, session string, from *target, params json.RawMessage) {
		var p struct {
			Request   string `json:"requestId"`
			Transport string `json:"transportId"`
			URL       string `json:"url"`
		}
		if json.Unmarshal(params, &p) == nil {
			note(b, session+"/"+p.Request+p.Transport, p.URL, from)
		}
		if next != nil {
			next(b, s, session, from, params)
		}
	}
}
