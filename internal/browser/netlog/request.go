package netlog

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Event holds the fields of the protocol's events of requests and WebSockets.
// Each event has some of them.
type Event struct {
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
	Redirect *Response `json:"redirectResponse"`
	Response Response  `json:"response"`
	Length   float64   `json:"encodedDataLength"`
	Error    string    `json:"errorText"`
	Message  string    `json:"errorMessage"` // of a WebSocket
	Blocked  string    `json:"blockedReason"`
	Canceled bool      `json:"canceled"`
	Cors     struct {
		Error string `json:"corsError"`
	} `json:"corsErrorStatus"`
	DataLength int64 `json:"dataLength"` // bytes of a piece of the body, decoded

	Tab string `json:"-"` // id of the tab; empty for a worker's request
}

// Response is the part of an Event about an answer.
type Response struct {
	Status   int               `json:"status"`
	URL      string            `json:"url"`
	MimeType string            `json:"mimeType"`
	Length   float64           `json:"encodedDataLength"`
	Headers  map[string]string `json:"headers"`
	Protocol string            `json:"protocol"`
	Timing   *timing           `json:"timing"`
}

// IsDocument reports whether the request is for a document of a frame.
func (e Event) IsDocument() bool { return e.Type == "Document" && e.ID == e.Loader }

// Starts reports whether the event is the start of a request or WebSocket.
func (e Event) Starts() bool { return e.Document != "" || e.URL != "" }

// exchange is a request and its answer.
type exchange struct {
	key    string
	entry  action.NetworkRequest
	began  float64 // seconds of the browser's own clock
	length float64 // bytes so far

	tab            string // that it belongs to; empty for a worker's
	protocol       string
	location       string // that it redirects to
	body           int64  // bytes of the answer, decoded
	timing         *timing
	sent, received map[string]string // headers, credentials masked
}

// RequestEvent takes an event of a request or WebSocket.
func (l *Log) RequestEvent(method, session string, e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := requestKey(session, e.ID)
	if method == "Network.requestWillBeSent" || method == "Network.webSocketCreated" {
		l.begin(key, e)
		return
	}
	x := l.open[key]
	if x == nil {
		return
	}
	switch method {
	case "Network.responseReceived":
		l.answer(x, e.Response)
	case "Network.dataReceived":
		x.body += e.DataLength
	case "Network.loadingFinished":
		l.end(x, e.Time, e.Length)
	case "Network.loadingFailed":
		l.fail(x, e)
	case "Network.webSocketWillSendHandshakeRequest":
		x.began = e.Time
	case "Network.webSocketHandshakeResponseReceived":
		x.entry.Status = e.Response.Status
	case "Network.webSocketFrameError":
		x.entry.Error = pagetext.Brief(e.Message)
	case "Network.webSocketClosed":
		l.end(x, e.Time, 0)
	}
}

// requestKey identifies a request. Requests that the browser sends for a
// document or a worker have unique ids, and may end in another session than the
// one in which they began. The ids of others are unique only within a process.
func requestKey(session, id string) string {
	if strings.Contains(id, ".") {
		return session + "/" + id
	}
	return id
}

// begin adds a request. A previous request with the key was redirected to it
// and has ended.
func (l *Log) begin(key string, e Event) {
	address := cmp.Or(e.Request.URL, e.URL)
	if from := l.open[key]; from != nil && e.Redirect != nil {
		l.answer(from, *e.Redirect)
		from.location = pagetext.Brief(address)
		l.end(from, e.Time, e.Redirect.Length)
	}
	if strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "blob:") {
		return // nothing is sent over a network
	}
	x := &exchange{key: key, began: e.Time, tab: e.Tab, sent: pagetext.MaskHeaders(e.Request.Headers), entry: action.NetworkRequest{
		URL: pagetext.Brief(address), Method: cmp.Or(e.Request.Method, "GET"), Timestamp: time.Now().UTC().Truncate(time.Millisecond), Pending: true,
	}}
	if e.Wall > 0 {
		x.entry.Timestamp = timestamp(e.Wall * 1000)
	}
	if gone, full := l.requests.put(x); full && l.open[gone.key] == gone {
		delete(l.open, gone.key)
	}
	l.open[key] = x
}

func (l *Log) answer(x *exchange, r Response) {
	x.entry.Status, x.entry.MimeType, x.length = r.Status, pagetext.Brief(r.MimeType), r.Length
	x.protocol, x.timing, x.received = pagetext.Brief(r.Protocol), r.Timing, pagetext.MaskHeaders(r.Headers)
	if err := l.host.ProxyAnswer(r.URL, r.Headers); err != nil {
		x.entry.Error = fault.From(err).Message
	}
}

func (l *Log) end(x *exchange, at, length float64) {
	delete(l.open, x.key)
	x.entry.Pending = false
	x.entry.ResponseSize = int64(max(length, x.length, 0))
	if at > x.began && x.began > 0 {
		x.entry.Duration = math.Round((at-x.began)*1e4) / 10
	}
}

func (l *Log) fail(x *exchange, e Event) {
	l.end(x, e.Time, x.length)
	why := cmp.Or(e.Error, e.Message, "it failed")
	switch {
	case e.Blocked != "":
		why += " (" + e.Blocked + ")"
	case e.Cors.Error != "":
		why += " (CORS: " + e.Cors.Error + ")"
	case e.Canceled:
		why += " (cancelled)"
	}
	x.entry.Error = pagetext.Brief(why)
}

// Requests lists the newest requests, oldest first. redact takes secrets out of an
// address. The pattern is matched with the addresses as they are shown, so that it
// cannot probe for what is masked. Faults: invalid_request.
func (l *Log) Requests(ctx context.Context, a *action.ReadNetwork, redact func(string) string) (*action.NetworkListing, error) {
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "urlPattern is no regular expression").
			Hinted("it takes the syntax of RE2: no look-around, no back-references").With("field", "urlPattern")
	}
	requests := l.copied(a)
	found := requests[:0]
	for _, r := range requests {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.URL = redact(pagetext.MaskURL(r.URL))
		if pattern.MatchString(r.URL) {
			found = append(found, r)
		}
	}
	return &action.NetworkListing{Requests: newest(found, a.Limit)}, nil
}

// copied returns the requests as they are now. With Clear it drops those that have
// ended.
func (l *Log) copied(a *action.ReadNetwork) []action.NetworkRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.requests.all()
	requests := make([]action.NetworkRequest, 0, len(all))
	for _, x := range all {
		r := x.entry
		if a.Headers {
			r.Headers = &action.Headers{Request: x.sent, Response: x.received}
		}
		requests = append(requests, r)
	}
	if a.Clear {
		l.requests.clear()
		for _, x := range all {
			if x.entry.Pending {
				l.requests.put(x)
			}
		}
	}
	return requests
}
