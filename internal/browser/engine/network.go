package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
)

// consoleEvents are events of any target: tabs, frames, workers.
var consoleEvents = func() map[string]eventHandler {
	all := make(map[string]eventHandler)
	for _, method := range netlog.ConsoleEvents {
		all[method] = func(_ *Browser, _ *state, _ string, from *target, params json.RawMessage) {
			if from != nil && !from.isHidden() {
				from.console.Event(method, params, from.origin())
			}
		}
	}
	return all
}()

// origin says where a target's console messages come from.
func (t *target) origin() (o netlog.Origin) {
	if t.tab == nil {
		return o
	}
	o.Tab, o.Loader = t.tab.id, t.tab.root.loader
	if f := t.tab.frames[t.id]; f != nil {
		o.URL = f.url
	}
	return o
}

// requestEvent takes an event of a request or WebSocket of any target. inTab,
// which may be nil, is called for those of a tab or of a frame in one.
func requestEvent(method string, inTab func(s *state, t *tab, e netlog.Event)) eventHandler {
	return func(b *Browser, s *state, session string, from *target, params json.RawMessage) {
		var e netlog.Event
		if from == nil || json.Unmarshal(params, &e) != nil {
			return
		}
		if from.tab != nil {
			e.Tab = from.tab.id
		}
		if e.Starts() && !(from.tab != nil && from.tab.offline) {
			b.guard.noteInitiator(s, from, e)
			b.certificates.noteSender(s, e)
		}
		if !from.isHidden() {
			b.netlog.RequestEvent(method, session, e)
		}
		if from.tab != nil && e.Document != "" {
			b.injection.noteSender(s, from.tab, from, e)
		}
		b.outgoing.receipts(s, e)
		if from.tab != nil && inTab != nil {
			inTab(s, from.tab, e)
			s.change()
		}
	}
}

var networkEvents = joined(requestEvents(map[string]func(*state, *tab, netlog.Event){
	"Network.requestWillBeSent":                 func(_ *state, t *tab, e netlog.Event) { t.began(e) },
	"Network.responseReceived":                  func(_ *state, t *tab, e netlog.Event) { t.answered(e) },
	"Network.dataReceived":                      nil,
	"Network.loadingFinished":                   func(_ *state, t *tab, e netlog.Event) { t.finished(e.ID) },
	"Network.loadingFailed":                     func(_ *state, t *tab, e netlog.Event) { t.loadFailed(e) },
	"Network.webSocketWillSendHandshakeRequest": nil,
	"Network.webSocketFrameError":               nil,
}), map[string]eventHandler{
	"Fetch.requestPaused":                        requestPaused,
	"Network.webSocketCreated":                   channelBegins(requestEvent("Network.webSocketCreated", nil)),
	"Network.webSocketHandshakeResponseReceived": channelOpened(requestEvent("Network.webSocketHandshakeResponseReceived", nil)),
	"Network.webSocketClosed":                    channelEnds(requestEvent("Network.webSocketClosed", nil)),
	"Network.webTransportCreated":                channelBegins(nil),
	"Network.webTransportClosed":                 channelEnds(nil),
})

func requestEvents(inTab map[string]func(*state, *tab, netlog.Event)) map[string]eventHandler {
	all := make(map[string]eventHandler)
	for method, do := range inTab {
		all[method] = requestEvent(method, do)
	}
	return all
}

// The verbs of package netlog.

func readConsole(b *Browser, _ context.Context, a *action.ReadConsole) (any, error) {
	return b.netlog.Console(a), nil
}

func readNetwork(b *Browser, ctx context.Context, a *action.ReadNetwork) (any, error) {
	return b.netlog.Requests(ctx, a, b.concealer().Text)
}

func exportHAR(b *Browser, _ context.Context, a *action.ExportHAR) (any, error) {
	titles := map[string]string{}
	b.state.Do(func(s *state) {
		for id, t := range s.tabs {
			titles[id] = t.title
		}
	})
	return b.netlog.HAR(a, titles)
}

func (t *tab) began(p netlog.Event) {
	if p.Type != "EventSource" && len(t.inflight) < 10_000 {
		t.inflight[p.ID] = struct{}{}
		if waitedFor[p.Type] {
			t.asking[p.ID] = endpoint(p)
		}
	}
	t.lastBusy = time.Now()
}

func (t *tab) answered(p netlog.Event) {
	if !p.IsDocument() {
		return
	}
	if len(t.status) > 100 {
		clear(t.status)
		clear(t.away)
	}
	if err := proxyRefusal(p.Response.URL, p.Response.Headers); err != nil {
		t.away[p.Loader] = err
	}
	t.status[p.Loader] = p.Response.Status
	if p.Frame == t.root.id {
		t.mediaType = p.Response.MimeType
	}
	if t.visit != nil && p.Frame == t.root.id {
		t.visit.status, t.visit.mime = p.Response.Status, p.Response.MimeType
	}
}

func (t *tab) loadFailed(p netlog.Event) {
	if p.Type == "Document" {
		if len(t.failures) > 100 {
			clear(t.failures)
		}
		t.failures[p.ID] = p.Error
	}
	t.finished(p.ID)
}

func (t *tab) finished(id string) {
	delete(t.inflight, id)
	delete(t.asking, id)
	t.lastBusy = time.Now()
}
