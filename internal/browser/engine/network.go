package engine

import (
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// request is what the protocol's events say of a request.
type request struct {
	ID       string  `json:"requestId"`
	Loader   string  `json:"loaderId"`
	Type     string  `json:"type"`
	Frame    string  `json:"frameId"`
	Document string  `json:"documentURL"`
	URL      string  `json:"url"`       // of a WebSocket
	Time     float64 `json:"timestamp"` // seconds of the browser's own clock
	Wall     float64 `json:"wallTime"`  // seconds since the epoch
	Request  struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
	Redirect *response `json:"redirectResponse"`
	Response response  `json:"response"`
	Length   float64   `json:"encodedDataLength"`
	Error    string    `json:"errorText"`
	Message  string    `json:"errorMessage"` // of a WebSocket
	Blocked  string    `json:"blockedReason"`
	Canceled bool      `json:"canceled"`
	Cors     struct {
		Error string `json:"corsError"`
	} `json:"corsErrorStatus"`
	DataLength int64 `json:"dataLength"` // bytes of a piece of the body, decoded
	tab        string
}

type response struct {
	Status   int               `json:"status"`
	URL      string            `json:"url"`
	MimeType string            `json:"mimeType"`
	Length   float64           `json:"encodedDataLength"`
	Headers  map[string]string `json:"headers"`
	Protocol string            `json:"protocol"`
	Timing   *timing           `json:"timing"`
}

func (r request) document() bool { return r.Type == "Document" && r.ID == r.Loader }

// ofNetwork decodes a network event. note is for those of any target; inTab,
// which may be nil, for those of a tab or of a frame in one.
func ofNetwork(note func(f *traffic, session string, p request), inTab func(t *tab, p request)) taker {
	return func(b *Browser, session string, from *target, params json.RawMessage) {
		var p request
		if from == nil || json.Unmarshal(params, &p) != nil {
			return
		}
		if from.tab != nil {
			p.tab = from.tab.id
		}
		if p.Document != "" || p.URL != "" { // a request or a WebSocket begins
			b.asked(from, p)
			b.sendsTo(p)
		}
		if !from.isHidden() {
			note(&b.traffic, session, p)
		}
		if from.tab != nil && p.Document != "" {
			b.sends(from.tab, from, p)
		}
		b.receipts(p)
		if from.tab != nil && inTab != nil {
			inTab(from.tab, p)
			b.change()
		}
	}
}

// noting makes a note of a request that is known.
func noting(do func(f *traffic, x *exchange, p request)) func(f *traffic, session string, p request) {
	return func(f *traffic, session string, p request) {
		if x := f.find(session, p.ID); x != nil {
			do(f, x, p)
		}
	}
}

var networkEvents = map[string]taker{
	"Fetch.requestPaused":       judged,
	"Network.requestWillBeSent": ofNetwork(began, (*tab).began),
	"Network.responseReceived": ofNetwork(noting(func(_ *traffic, x *exchange, p request) {
		x.answered(p.Response)
	}), (*tab).answered),
	"Network.dataReceived": ofNetwork(noting(func(_ *traffic, x *exchange, p request) {
		x.body += p.DataLength
	}), nil),
	"Network.loadingFinished": ofNetwork(noting(func(f *traffic, x *exchange, p request) {
		f.end(x, p.Time, p.Length)
	}), func(t *tab, p request) { t.finished(p.ID) }),
	"Network.loadingFailed": ofNetwork(noting((*traffic).fail), (*tab).loadFailed),

	"Network.webSocketCreated": channelBegins(ofNetwork(began, nil)),
	"Network.webSocketWillSendHandshakeRequest": ofNetwork(noting(func(_ *traffic, x *exchange, p request) {
		x.began = p.Time
	}), nil),
	"Network.webSocketHandshakeResponseReceived": channelOpened(ofNetwork(noting(func(_ *traffic, x *exchange, p request) {
		x.seen.Status = p.Response.Status
	}), nil)),
	"Network.webSocketFrameError": ofNetwork(noting(func(_ *traffic, x *exchange, p request) {
		x.seen.Error = pagetext.Brief(p.Message)
	}), nil),
	"Network.webSocketClosed": channelEnds(ofNetwork(noting(func(f *traffic, x *exchange, p request) {
		f.end(x, p.Time, 0)
	}), nil)),
	"Network.webTransportCreated": channelBegins(nil),
	"Network.webTransportClosed":  channelEnds(nil),
}

func began(f *traffic, session string, p request) { f.begin(requestKey(session, p.ID), p) }

func (t *tab) began(p request) {
	if p.Type != "EventSource" && len(t.inflight) < 10_000 {
		t.inflight[p.ID] = struct{}{}
		if waitedFor[p.Type] {
			t.asking[p.ID] = endpoint(p)
		}
	}
	t.lastBusy = time.Now()
}

func (t *tab) answered(p request) {
	if !p.document() {
		return
	}
	if len(t.status) > 100 {
		clear(t.status)
		clear(t.away)
	}
	if err := turnedAway(p.Response.URL, p.Response.Headers); err != nil {
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

func (t *tab) loadFailed(p request) {
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
