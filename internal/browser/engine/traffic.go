package engine

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

// traffic remembers the browser's newest requests, those of workers included.
// It is guarded by Browser.mu.
type traffic struct {
	kept ring[*exchange]
	open map[string]*exchange // those that still run
}

// exchange is a request and its answer.
type exchange struct {
	key    string
	seen   action.NetworkRequest
	began  float64 // seconds of the browser's own clock
	length float64 // bytes so far

	tab            string // that it belongs to; empty for a worker's
	protocol       string
	location       string // where it redirects to
	body           int64  // bytes of the answer, decoded
	timing         *timing
	sent, received map[string]string // headers, credentials masked
}

// requestKey is what a request is known by. Those that the browser sends for a
// document or a worker have ids of their own, and may end in another session
// than they began in; the others are numbered within a process.
func requestKey(session, id string) string {
	if strings.Contains(id, ".") {
		return session + "/" + id
	}
	return id
}

// forget drops every request that is over.
func (f *traffic) forget() {
	kept := f.kept.all()
	f.kept.clear()
	for _, x := range kept {
		if x.seen.Pending {
			f.kept.put(x)
		}
	}
}

func (f *traffic) find(session, id string) *exchange { return f.open[requestKey(session, id)] }

// begin notes a request that is sent. What it redirects from has ended.
func (f *traffic) begin(key string, p request) {
	if from := f.open[key]; from != nil && p.Redirect != nil {
		from.answered(*p.Redirect)
		from.location = pagetext.Brief(cmp.Or(p.Request.URL, p.URL))
		f.end(from, p.Time, p.Redirect.Length)
	}
	address := cmp.Or(p.Request.URL, p.URL)
	if strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "blob:") {
		return // nothing that goes over a network
	}
	x := &exchange{key: key, began: p.Time, tab: p.tab, sent: pagetext.MaskHeaders(p.Request.Headers), seen: action.NetworkRequest{
		URL: pagetext.Brief(address), Method: cmp.Or(p.Request.Method, "GET"), Timestamp: time.Now().UTC().Truncate(time.Millisecond), Pending: true,
	}}
	if p.Wall > 0 {
		x.seen.Timestamp = moment(p.Wall * 1000)
	}
	if gone, full := f.kept.put(x); full && f.open[gone.key] == gone {
		delete(f.open, gone.key)
	}
	if f.open == nil {
		f.open = make(map[string]*exchange)
	}
	f.open[key] = x
}

func (x *exchange) answered(r response) {
	x.seen.Status, x.seen.MimeType, x.length = r.Status, pagetext.Brief(r.MimeType), r.Length
	x.protocol, x.timing, x.received = pagetext.Brief(r.Protocol), r.Timing, pagetext.MaskHeaders(r.Headers)
	if err := turnedAway(r.URL, r.Headers); err != nil {
		x.seen.Error = fault.From(err).Message
	}
}

// end notes that a request is over.
func (f *traffic) end(x *exchange, at, length float64) {
	delete(f.open, x.key)
	x.seen.Pending = false
	x.seen.ResponseSize = int64(max(length, x.length, 0))
	if at > x.began && x.began > 0 {
		x.seen.Duration = math.Round((at-x.began)*1e4) / 10
	}
}

// fail notes that a request failed.
func (f *traffic) fail(x *exchange, p request) {
	f.end(x, p.Time, x.length)
	x.seen.Error = cmp.Or(p.Error, p.Message, "it failed")
	switch {
	case p.Blocked != "":
		x.seen.Error += " (" + p.Blocked + ")"
	case p.Cors.Error != "":
		x.seen.Error += " (CORS: " + p.Cors.Error + ")"
	case p.Canceled:
		x.seen.Error += " (cancelled)"
	}
	x.seen.Error = pagetext.Brief(x.seen.Error)
}

// readNetwork lists the newest requests, oldest first. The pattern is held
// against the addresses as they are shown: it cannot ask for what is masked.
func (b *Browser) readNetwork(ctx context.Context, a *action.ReadNetwork) (any, error) {
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "urlPattern is no regular expression").
			Hinted("it takes the syntax of RE2: no look-around, no back-references").With("field", "urlPattern")
	}
	b.mu.Lock()
	requests := make([]action.NetworkRequest, 0, len(b.traffic.kept.kept))
	for _, x := range b.traffic.kept.all() {
		seen := x.seen
		if a.Headers {
			seen.Headers = &action.Headers{Request: x.sent, Response: x.received}
		}
		requests = append(requests, seen)
	}
	if a.Clear {
		b.traffic.forget()
	}
	b.mu.Unlock()
	found := requests[:0]
	for _, r := range requests {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.URL = b.concealer().Text(pagetext.MaskURL(r.URL))
		if pattern.MatchString(r.URL) {
			found = append(found, r)
		}
	}
	return &action.NetworkListing{Requests: newest(found, a.Limit)}, nil
}
