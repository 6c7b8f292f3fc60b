package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// The HTTP Archive format 1.2
// (w3c.github.io/web-performance/specs/HAR/Overview.html), as far as it is
// filled in: no bodies and no cookies.
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

// exportHAR writes the remembered requests as an HTTP archive.
func (b *Browser) exportHAR(_ context.Context, a *action.ExportHAR) (any, error) {
	b.mu.Lock()
	kept := make([]exchange, 0, len(b.traffic.kept.kept))
	for _, x := range b.traffic.kept.all() {
		kept = append(kept, *x)
	}
	titles := make(map[string]string, len(b.tabs))
	for id, t := range b.tabs {
		titles[id] = t.title
	}
	b.mu.Unlock()
	file := harFile{Log: harLog{Version: "1.2", Creator: harCreator{Name: "Glovebox", Version: "1"}, Pages: []harPage{}, Entries: make([]harEntry, 0, len(kept))}}
	for _, x := range kept {
		file.Log.Entries = append(file.Log.Entries, x.entry(a.Headers))
		if title, open := titles[x.tab]; open {
			file.Log.Pages = append(file.Log.Pages, harPage{Started: x.seen.Timestamp, ID: x.tab, Title: title})
			delete(titles, x.tab)
		}
	}
	file.dropLostPages()
	data, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return &action.HAR{Bytes: data, Entries: len(kept), Headers: a.Headers}, nil
}

// dropLostPages leaves out references to tabs that are closed by now.
func (f *harFile) dropLostPages() {
	there := map[string]bool{}
	for _, p := range f.Log.Pages {
		there[p.ID] = true
	}
	for i := range f.Log.Entries {
		if e := &f.Log.Entries[i]; !there[e.Page] {
			e.Page = ""
		}
	}
}

func (x exchange) entry(headers bool) harEntry {
	address, version := pagetext.MaskURL(x.seen.URL), cmp.Or(x.protocol, "HTTP/1.1")
	e := harEntry{
		Page: x.tab, Started: x.seen.Timestamp, Error: x.seen.Error, Pending: x.seen.Pending, Timings: x.timings(),
		Request: harRequest{Method: x.seen.Method, URL: address, Version: version, Cookies: []struct{}{}, Headers: []harPair{}, Query: queryPairs(address), HeadSize: -1, BodySize: -1},
		Response: harResponse{
			Status: x.seen.Status, Text: http.StatusText(x.seen.Status), Version: version, Cookies: []struct{}{}, Headers: []harPair{},
			Content: harContent{Size: x.body, MimeType: x.seen.MimeType}, Redirect: shownUnlessEmpty(x.location), HeadSize: -1, BodySize: -1, Transfer: x.seen.ResponseSize,
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

// timing is when the steps of a request began and ended, in milliseconds after
// Request; -1 where there was no such step (Network.ResourceTiming).
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
	none := harTimings{Blocked: -1, DNS: -1, Connect: -1, TLS: -1, Wait: max(x.seen.Duration, 0)}
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
		Blocked: max(0, (t.Request-x.began)*1000+begin), DNS: span(t.DNSStart, t.DNSEnd), Connect: span(t.ConnStart, t.ConnEnd), TLS: span(t.TLSStart, t.TLSEnd),
		Send: max(0, t.SendEnd-t.SendStart), Wait: max(0, t.Answered-t.SendEnd),
	}
	out.Receive = max(0, x.seen.Duration-out.sum())
	return out
}

func span(from, to float64) float64 {
	if from < 0 || to < from {
		return -1
	}
	return to - from
}

// sum is the time of a whole request; that of TLS is part of the connection's.
func (t harTimings) sum() float64 {
	return max(t.Blocked, 0) + max(t.DNS, 0) + max(t.Connect, 0) + t.Send + t.Wait + t.Receive
}
