package netlog

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// The fields of the HTTP Archive format 1.2 that are written
// (w3c.github.io/web-performance/specs/HAR/Overview.html): no bodies and no cookies.
type (
	harFile struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harCreator `json:"creator"`
		Pages   []harPage  `json:"pages"`
		Entries []harEntry `json:"entries"`
	}
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harPage struct {
		Started time.Time `json:"startedDateTime"`
		ID      string    `json:"id"`
		Title   string    `json:"title"`
		Timings struct{}  `json:"pageTimings"`
	}
	harEntry struct {
		Page     string      `json:"pageref,omitempty"`
		Started  time.Time   `json:"startedDateTime"`
		Time     float64     `json:"time"` // milliseconds, as all times
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Error    string      `json:"_error,omitempty"`
		Pending  bool        `json:"_pending,omitempty"`
	}
	harRequest struct {
		Method   string     `json:"method"`
		URL      string     `json:"url"`
		Version  string     `json:"httpVersion"`
		Cookies  []struct{} `json:"cookies"`
		Headers  []harPair  `json:"headers"`
		Query    []harPair  `json:"queryString"`
		HeadSize int        `json:"headersSize"` // -1: not known
		BodySize int        `json:"bodySize"`
	}
	harResponse struct {
		Status   int        `json:"status"`
		Text     string     `json:"statusText"`
		Version  string     `json:"httpVersion"`
		Cookies  []struct{} `json:"cookies"`
		Headers  []harPair  `json:"headers"`
		Content  harContent `json:"content"`
		Redirect string     `json:"redirectURL"`
		HeadSize int        `json:"headersSize"`
		BodySize int64      `json:"bodySize"`
		Transfer int64      `json:"_transferSize"`
	}
	harContent struct {
		Size     int64  `json:"size"`
		MimeType string `json:"mimeType"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harTimings struct { // -1: it does not apply
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"` // TLS included
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
		TLS     float64 `json:"ssl"`
	}
)

// HAR writes the requests that the log keeps as an HTTP archive. titles are the
// titles of the open tabs, by id.
func (l *Log) HAR(a *action.ExportHAR, titles map[string]string) (*action.HAR, error) {
	l.mu.Lock()
	all := l.requests.all()
	kept := make([]exchange, 0, len(all))
	for _, x := range all {
		kept = append(kept, *x)
	}
	l.mu.Unlock()
	file := harFile{Log: harLog{Version: "1.2", Creator: harCreator{Name: "Glovebox", Version: "1"}, Pages: []harPage{}, Entries: make([]harEntry, 0, len(kept))}}
	listed := map[string]bool{}
	for _, x := range kept {
		title, open := titles[x.tab]
		if open && !listed[x.tab] {
			listed[x.tab] = true
			file.Log.Pages = append(file.Log.Pages, harPage{Started: x.entry.Timestamp, ID: x.tab, Title: title})
		}
		e := x.har(a.Headers)
		if !open { // the tab was closed
			e.Page = ""
		}
		file.Log.Entries = append(file.Log.Entries, e)
	}
	data, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return &action.HAR{Bytes: data, Entries: len(kept), Headers: a.Headers}, nil
}

func (x exchange) har(headers bool) harEntry {
	address, version := pagetext.MaskURL(x.entry.URL), cmp.Or(x.protocol, "HTTP/1.1")
	e := harEntry{
		Page: x.tab, Started: x.entry.Timestamp, Error: x.entry.Error, Pending: x.entry.Pending, Timings: x.timings(),
		Request: harRequest{Method: x.entry.Method, URL: address, Version: version, Cookies: []struct{}{}, Headers: []harPair{}, Query: queryPairs(address), HeadSize: -1, BodySize: -1},
		Response: harResponse{
			Status: x.entry.Status, Text: http.StatusText(x.entry.Status), Version: version, Cookies: []struct{}{}, Headers: []harPair{},
			Content: harContent{Size: x.body, MimeType: x.entry.MimeType}, Redirect: shownUnlessEmpty(x.location), HeadSize: -1, BodySize: -1, Transfer: x.entry.ResponseSize,
		},
	}
	e.Time = e.Timings.sum()
	if headers {
		e.Request.Headers, e.Response.Headers = pairs(x.sent), pairs(x.received)
	}
	return e
}

func shownUnlessEmpty(address string) string {
	if address == "" {
		return ""
	}
	return pagetext.MaskURL(address)
}

func queryPairs(address string) []harPair {
	out := []harPair{}
	u, err := url.Parse(address)
	if err != nil {
		return out
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			out = append(out, harPair{Name: name, Value: value})
		}
	}
	return out
}

func pairs(headers map[string]string) []harPair {
	out := make([]harPair, 0, len(headers))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		out = append(out, harPair{Name: name, Value: headers[name]})
	}
	return out
}

// timing is the protocol's Network.ResourceTiming: when the steps of a request
// began and ended, in milliseconds after Request; -1 for steps that did not
// occur.
type timing struct {
	Request   float64 `json:"requestTime"` // seconds of the browser's own clock
	DNSStart  float64 `json:"dnsStart"`
	DNSEnd    float64 `json:"dnsEnd"`
	ConnStart float64 `json:"connectStart"`
	ConnEnd   float64 `json:"connectEnd"`
	TLSStart  float64 `json:"sslStart"`
	TLSEnd    float64 `json:"sslEnd"`
	SendStart float64 `json:"sendStart"`
	SendEnd   float64 `json:"sendEnd"`
	Answered  float64 `json:"receiveHeadersEnd"`
}

func (x exchange) timings() harTimings {
	none := harTimings{Blocked: -1, DNS: -1, Connect: -1, TLS: -1, Wait: max(x.entry.Duration, 0)}
	t := x.timing
	if t == nil {
		return none
	}
	begin := t.SendStart
	for _, at := range []float64{t.ConnStart, t.DNSStart} {
		if at >= 0 {
			begin = at
		}
	}
	out := harTimings{
		Blocked: max(0, (t.Request-x.began)*1000+begin), DNS: elapsed(t.DNSStart, t.DNSEnd), Connect: elapsed(t.ConnStart, t.ConnEnd), TLS: elapsed(t.TLSStart, t.TLSEnd),
		Send: max(0, t.SendEnd-t.SendStart), Wait: max(0, t.Answered-t.SendEnd),
	}
	out.Receive = max(0, x.entry.Duration-out.sum())
	return out
}

func elapsed(from, to float64) float64 {
	if from < 0 || to < from {
		return -1
	}
	return to - from
}

// sum returns the duration of a request. Connect includes the time of TLS.
func (t harTimings) sum() float64 {
	return max(t.Blocked, 0) + max(t.DNS, 0) + max(t.Connect, 0) + t.Send + t.Wait + t.Receive
}
