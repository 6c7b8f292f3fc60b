package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func (tr *trial) network(a action.ReadNetwork) []action.NetworkRequest {
	tr.t.Helper()
	return tr.must("page.network", &a).Data.(*action.NetworkListing).Requests
}

// ended waits until one request whose address holds words has ended.
func (tr *trial) ended(words string) action.NetworkRequest {
	tr.t.Helper()
	for tr.ctx.Err() == nil {
		for _, r := range tr.network(action.ReadNetwork{Limit: 1000}) {
			if strings.Contains(r.URL, words) && !r.Pending {
				return r
			}
		}
		_, _ = tr.Do(tr.ctx, "page.extract", &action.Extract{Mode: "title"}, action.Pin{}) // goes to the page and back
	}
	r, err := tr.Do(context.Background(), "page.network", &action.ReadNetwork{}, action.Pin{})
	tr.t.Fatalf("%s did not end: %+v %v", words, r.Data, err)
	return action.NetworkRequest{}
}

// trafficSite has a page that makes requests of many kinds.
func trafficSite() http.Handler {
	mux := http.NewServeMux()
	say := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		})
	}
	say("/{$}", "text/html", `<title>net</title><script>
		fetch('/data?access_token=abcdef', {method: 'POST'}); fetch('/cut').catch(() => {}); fetch('/gone')
		new Worker('/worker.js'); new Image().src = 'data:image/png;base64,AAAA'; new WebSocket('ws://' + location.host + '/gone?sid=12345678')
		addEventListener('load', () => document.body.append(Object.assign(document.createElement('iframe'), {src: location.href.replace('127.0.0.1', 'localhost') + 'framed'})))
		</script>`)
	say("/data", "application/json", `"`+strings.Repeat("x", 50_000)+`"`)
	say("/framed", "text/html", `framed <script>fetch('/from-frame')</script>`)
	say("/worker.js", "text/javascript", `fetch('/from-worker')`)
	say("/from-frame", "text/plain", "f")
	mux.HandleFunc("/from-worker", func(w http.ResponseWriter, r *http.Request) {
		testwait.Latency(r.Context(), 60*time.Millisecond)
		_, _ = w.Write([]byte("w"))
	})
	mux.HandleFunc("/cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/go", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) })
	return mux
}

func TestNetworkShowsEveryRequestAndItsEnd(t *testing.T) {
	tr := start(t)
	s := listen(t, trafficSite())
	before := time.Now().Add(-time.Second)
	tr.must("page.goto", &action.Goto{URL: s.URL + "/go"})
	for words, want := range map[string]action.NetworkRequest{
		"/go":           {URL: s.URL + "/go", Method: "GET", Status: 302, MimeType: "text/html"},
		"/data":         {URL: s.URL + "/data?access_token=(masked)", Method: "POST", Status: 200, MimeType: "application/json"},
		s.URL + "/gone": {URL: s.URL + "/gone", Method: "GET", Status: 404, MimeType: "text/plain"},
		"/worker.js":    {URL: s.URL + "/worker.js", Method: "GET", Status: 200, MimeType: "text/javascript"},
		"/from-worker":  {URL: s.URL + "/from-worker", Method: "GET", Status: 200, MimeType: "text/plain"},
		"/framed":       {URL: elsewhere(s) + "/framed", Method: "GET", Status: 200, MimeType: "text/html"},
		"/from-frame":   {URL: elsewhere(s) + "/from-frame", Method: "GET", Status: 200, MimeType: "text/plain"},
	} {
		got := tr.ended(words)
		if got.Timestamp.Before(before) || got.Timestamp.After(time.Now().Add(time.Second)) || got.Duration <= 0 || got.Duration > 60_000 || got.ResponseSize <= 0 || got.Error != "" {
			t.Errorf("%s took %+v", words, got)
		}
		got.Timestamp, got.Duration, got.ResponseSize = time.Time{}, 0, 0
		if got != want {
			t.Errorf("%s is %+v, want %+v", words, got, want)
		}
	}
	if got := tr.ended("/data"); got.ResponseSize < 50_000 || got.ResponseSize > 52_000 {
		t.Errorf("transferred %d bytes of 50,002 and headers", got.ResponseSize)
	}
	if got := tr.ended("/from-worker"); got.Duration < 55 {
		t.Errorf("an answer of 60 ms took %v", got.Duration)
	}
	if got := tr.ended("/cut"); got.Status != 0 || got.Error != "net::ERR_EMPTY_RESPONSE" {
		t.Errorf("what was cut is %+v", got)
	}
	if got := tr.ended("ws://"); got.Error == "" || !strings.HasSuffix(got.URL, "/gone?sid=(masked)") {
		t.Errorf("the socket is %+v", got)
	}
	seen := map[string]int{}
	for _, r := range tr.network(action.ReadNetwork{Limit: 1000}) {
		seen[r.Method+r.URL]++
		if strings.HasPrefix(r.URL, "data:") || seen[r.Method+r.URL] > 1 {
			t.Errorf("%+v is listed %d times", r, seen[r.Method+r.URL])
		}
	}
}

func TestNetworkIsFilteredByWhatIsShown(t *testing.T) {
	tr := start(t, func(o *engine.Options) {
		o.Guard = func(u string) error {
			if strings.Contains(u, "localhost") {
				return fault.New(fault.BlockedDomain, "localhost is not allowed").Hinted("stay here")
			}
			return nil
		}
	})
	s := tr.visit(`<title>x</title>`)
	tr.must("page.goto", &action.Goto{URL: s.URL + "/?token=s3cret-value"})
	if got := tr.network(action.ReadNetwork{Pattern: "s3cret"}); len(got) != 0 {
		t.Errorf("a masked value was asked for: %+v", got)
	}
	if got := tr.network(action.ReadNetwork{Pattern: `\?token=.*masked`, Limit: 1}); len(got) != 1 || got[0].URL != s.URL+"/?token=(masked)" {
		t.Errorf("found %+v", got)
	}
	tr.refuse(fault.BlockedDomain, "page.goto", &action.Goto{URL: elsewhere(s)})
	if got := tr.ended("localhost"); !strings.HasPrefix(got.Error, "net::ERR_BLOCKED_BY_CLIENT") {
		t.Errorf("what the guard refused is %+v", got)
	}
	f := tr.refuse(fault.InvalidRequest, "page.network", &action.ReadNetwork{Pattern: "(s3cret"})
	if strings.Contains(f.Error(), "s3cret") {
		t.Errorf("%v repeats the pattern", f)
	}
}

func TestRequestsThatAreOverAreForgotten(t *testing.T) {
	tr := start(t)
	release := make(chan struct{})
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<title>two</title><script>fetch('/slow'); fetch('/quick').then(() => document.title = 'made')</script>`)
		case "/slow":
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.ended("/quick")
	if all := tr.network(action.ReadNetwork{Clear: true}); len(all) < 3 {
		t.Errorf("%d requests are listed", len(all))
	}
	left := tr.network(action.ReadNetwork{})
	if len(left) != 1 || left[0].URL != s.URL+"/slow" || !left[0].Pending {
		t.Errorf("left is %+v", left)
	}
	close(release)
	tr.ended("/slow")
}

func TestOnlyTheNewestRequestsAreKept(t *testing.T) {
	testenv.Heavy(t)
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<title>many</title><script>(async () => { for (let i = 0; i < 1100; i++) await fetch('/n/' + i); document.title = 'made' })()</script>`)
		}
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.ended("/n/1099")
	all := tr.network(action.ReadNetwork{Limit: 1000})
	if len(all) != 1000 || all[999].URL != s.URL+"/n/1099" || all[0].URL != s.URL+"/n/100" {
		t.Errorf("%d requests from %s to %s", len(all), all[0].URL, all[len(all)-1].URL)
	}
}
