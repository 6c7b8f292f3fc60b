package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestWhatIsRefusedBeforeTheDoorIsRecordedThere(t *testing.T) {
	alone := func(r *http.Request) { r.Header.Del("Authorization") }
	for name, c := range map[string]struct {
		method, target, body string
		change               func(r *http.Request)
		code                 fault.Code
		verb                 string
		stranger             bool
	}{
		"no token":           {"GET", "/v1/browser/snapshot", "", alone, fault.Unauthenticated, "", true},
		"no token, no route": {"GET", "/v1/nowhere", "", alone, fault.Unauthenticated, "", true},
		"rebound host":       {"GET", "/v1/sessions", "", func(r *http.Request) { r.Host = "evil.example" }, fault.DeniedByPolicy, "", true},
		"foreign origin":     {"GET", "/v1/sessions", "", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, fault.DeniedByPolicy, "", true},
		"no route":           {"GET", "/v1/nowhere", "", nil, fault.NotFound, "", false},
		"dotted path":        {"GET", "/v1/../v1/sessions", "", nil, fault.NotFound, "", true},
		"wrong method":       {"DELETE", "/v1/browser/click", "", nil, fault.InvalidRequest, "", false},
		"HEAD":               {"HEAD", "/v1/sessions", "", nil, fault.InvalidRequest, "", false},
		"no JSON":            {"POST", "/v1/browser/click", "{", nil, fault.InvalidRequest, "page.click", false},
		"unknown argument":   {"POST", "/v1/browser/click", `{"ref":"e1","fly":1}`, nil, fault.InvalidRequest, "page.click", false},
		"bad session":        {"GET", "/v1/browser/snapshot?session=%20", "", nil, fault.InvalidRequest, "page.snapshot", false},
		"too large":          {"POST", "/v1/browser/click", strings.Repeat(" ", 2<<20), nil, fault.InvalidRequest, "", false},
		"unknown verb":       {"POST", "/v1/verbs/page.fly", "{}", nil, fault.UnknownAction, "", false},
		"inner verb":         {"POST", "/v1/verbs/crawl.page", "{}", nil, fault.UnknownAction, "", false},
		"generic, no JSON":   {"POST", "/v1/verbs/page.click", "[", nil, fault.InvalidRequest, "page.click", false},
		"no clients of CDP":  {"GET", "/v1/browser/cdp", "", func(r *http.Request) { r.Header.Set("Upgrade", "websocket") }, fault.NotActive, "cdp.attach", false},
		"discovery, no such": {"GET", "/v1/browser/cdp/json/version?session=%20", "", nil, fault.InvalidRequest, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := refusing()
			r := request(c.method, c.target, c.body)
			r.Header.Set("User-Agent", "probe/1")
			r.RemoteAddr = "192.0.2.7:999"
			if c.change != nil {
				c.change(r)
			}
			w := build(t, d).do(r)
			if w.Code < 400 || d.count() != 0 || len(d.refused) != 1 {
				t.Fatalf("status %d, %d calls, refused %+v", w.Code, d.count(), d.refused)
			}
			got := d.refused[0]
			want := agent
			if c.stranger {
				want = action.Caller{}
			}
			if got.why.Code != c.code || got.call.Verb != c.verb || got.call.Caller != want || got.call.ID != w.Header().Get("X-Request-Id") || got.call.Surface != "rest" {
				t.Errorf("refused %+v: %v", got.call, got.why)
			}
			if s := got.call.Source; s.Address != "192.0.2.7" || s.UserAgent != "probe/1" || !strings.HasPrefix(s.Request, c.method+" /v1/") {
				t.Errorf("from %+v", s)
			}
		})
	}
}

func TestWhatWentThroughTheDoorIsNotRecordedTwice(t *testing.T) {
	d := refusing()
	h := build(t, d)
	h.do(request("POST", "/v1/browser/click", `{"ref":"e1"}`))
	h.do(request("GET", "/v1/health", ""))
	h.do(request("GET", "/openapi.json", ""))
	if d.count() != 1 || len(d.refused) != 0 {
		t.Errorf("%d calls, refused %+v", d.count(), d.refused)
	}
}
