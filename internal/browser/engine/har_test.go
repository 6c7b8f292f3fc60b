package engine_test

import (
	_ "embed"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gloveboxhq/glovebox/internal/action"
)

//go:embed testdata/har-1.2.schema.json
var harSchema []byte

type pair struct{ Name, Value string }

type archived struct {
	Pageref string
	Time    float64
	Request struct {
		Method, URL string
		Headers     []pair
		QueryString []pair
	}
	Response struct {
		Status      int
		RedirectURL string
		Headers     []pair
		Content     struct {
			Size     int
			MimeType string
		}
	}
	Timings struct{ Blocked, DNS, Connect, Send, Wait, Receive float64 }
	Error   string `json:"_error"`
}

// archive exports the network log, which must be valid.
func (tr *trial) archive(headers bool) (entries []archived, text string) {
	tr.t.Helper()
	got := tr.must("page.har", &action.ExportHAR{Headers: headers}).Data.(*action.HAR)
	var schema jsonschema.Schema
	must(tr.t, json.Unmarshal(harSchema, &schema))
	resolved, err := schema.Resolve(nil)
	must(tr.t, err)
	var document any
	must(tr.t, json.Unmarshal(got.Bytes, &document))
	must(tr.t, resolved.Validate(document))
	var file struct {
		Log struct {
			Pages   []struct{ ID, Title string }
			Entries []archived
		}
	}
	must(tr.t, json.Unmarshal(got.Bytes, &file))
	if len(file.Log.Entries) != got.Entries || len(file.Log.Pages) != 1 || file.Log.Pages[0].Title != "net" {
		tr.t.Errorf("%d entries of %d, pages %+v", len(file.Log.Entries), got.Entries, file.Log.Pages)
	}
	return file.Log.Entries, string(got.Bytes)
}

func TestTheNetworkLogIsAnHTTPArchive(t *testing.T) {
	tr := start(t)
	site := trafficSite()
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "sid=s3cret-cookie")
		w.Header().Set("X-Api-Key", "s3cret-key")
		w.Header().Set("X-Plain", "words")
		site.ServeHTTP(w, r)
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/go?session=s3cret-session"})
	for _, words := range []string{"/go", "access_token", "/cut", "/from-worker", "ws://", "/from-frame"} {
		tr.ended(words)
	}
	tr.title()
	entries, text := tr.archive(false)
	if strings.Contains(text, "s3cret") || strings.Contains(text, "abcdef") {
		t.Error("a secret is in the file")
	}
	seen := map[string]archived{}
	for _, e := range entries {
		seen[strings.SplitN(strings.TrimPrefix(e.Request.URL, s.URL), "?", 2)[0]] = e
		sum := max(e.Timings.Blocked, 0) + max(e.Timings.DNS, 0) + max(e.Timings.Connect, 0) + e.Timings.Send + e.Timings.Wait + e.Timings.Receive
		if math.Abs(sum-e.Time) > 0.01 || len(e.Request.Headers)+len(e.Response.Headers) > 0 {
			t.Errorf("%s took %v of %v, headers %v", e.Request.URL, e.Time, sum, e.Response.Headers)
		}
	}
	if e := seen["/go"]; e.Response.Status != http.StatusFound || e.Response.RedirectURL != s.URL+"/" || e.Pageref == "" {
		t.Errorf("the redirect is %+v", e)
	}
	if e := seen["/data"]; e.Response.Content.Size != 50_002 || e.Request.Method != "POST" || len(e.Request.QueryString) != 1 || e.Request.QueryString[0] != (pair{"access_token", "(masked)"}) {
		t.Errorf("the data is %+v", e)
	}
	if e := seen["/from-worker"]; e.Timings.Wait < 55 {
		t.Errorf("an answer of 60 ms took %+v", e.Timings)
	}
	if e := seen["/cut"]; e.Response.Status != 0 || !strings.HasPrefix(e.Error, "net::") {
		t.Errorf("what was cut is %+v", e)
	}
}

func TestHeadersAreShownMaskedWhereAskedFor(t *testing.T) {
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Set-Cookie", "sid=s3cret-cookie")
		w.Header().Set("X-Api-Key", "s3cret-key")
		w.Header().Set("X-Odd", "eyJhbGciOiJIUzI1NiJ9 words")
		w.Header().Set("X-Next", "http://a.example/?token=s3cret-token")
		_, _ = w.Write([]byte(`<title>net</title><script>location.pathname === '/' && fetch('/api', {headers: {Authorization: 'Bearer s3cret-bearer', 'X-Mine': 'plain'}})</script>`))
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.ended("/api")
	tr.title()
	entries, text := tr.archive(true)
	if strings.Contains(text, "s3cret") || strings.Contains(text, "eyJ") {
		t.Error("a secret is in the file")
	}
	all := map[string]string{}
	for _, e := range entries {
		if strings.HasSuffix(e.Request.URL, "/api") {
			for _, p := range append(e.Request.Headers, e.Response.Headers...) {
				all[p.Name] = p.Value
			}
		}
	}
	for name, want := range map[string]string{
		"authorization": "(masked)", "x-mine": "plain", "set-cookie": "", "x-api-key": "(masked)", "x-odd": "(masked) words", "x-next": "http://a.example/?token=(masked)",
	} {
		if all[name] != want {
			t.Errorf("%s is %q, want %q", name, all[name], want)
		}
	}
	for _, r := range tr.network(action.ReadNetwork{Pattern: "/api$", Headers: true}) {
		if r.Headers == nil || r.Headers.Request["x-mine"] != "plain" {
			t.Errorf("listed with %+v", r.Headers)
		}
	}
	for _, r := range tr.network(action.ReadNetwork{}) {
		if r.Headers != nil {
			t.Errorf("headers %+v were not asked for", r.Headers)
		}
	}
}
