package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// noAgents fails the test if a client is to be admitted.
type noAgents struct{ t *testing.T }

func (a noAgents) Admit(*http.Request) (action.Attachment, error) {
	a.t.Error("the request came through")
	return nil, fault.New(fault.Internal, "it came through")
}

func TestHostileRequestsAreRefusedAndChangeNothing(t *testing.T) {
	const secret = "hunter2hunter2"
	with := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	cases := []struct {
		name, method, target, body string
		spoil                      func(*http.Request)
		status                     int
		code                       fault.Code
	}{
		{"unknown field", "POST", "/v1/browser/click", `{"ref":"e1","x-` + secret[:3] + `":"` + secret + `"}`, nil, 400, fault.InvalidRequest},
		{"wrong type", "POST", "/v1/browser/click", `{"ref":{"a":"` + secret + `"}}`, nil, 400, fault.InvalidRequest},
		{"field twice", "POST", "/v1/browser/click", `{"ref":"e1","ref":"` + secret + `"}`, nil, 400, fault.InvalidRequest},
		{"field in another case", "POST", "/v1/approvals/a1/answer", `{"approve":false,"Approve":true}`, nil, 400, fault.InvalidRequest},
		{"value out of bounds", "POST", "/v1/browser/click", `{"ref":"` + strings.Repeat(secret, 10) + `"}`, nil, 400, fault.InvalidRequest},
		{"missing URL", "POST", "/v1/browser/navigate", `{}`, nil, 400, fault.MissingURL},
		{"no JSON", "POST", "/v1/browser/click", secret, nil, 400, fault.InvalidRequest},
		{"cut off", "POST", "/v1/browser/click", `{"ref":"` + secret, nil, 400, fault.InvalidRequest},
		{"list", "POST", "/v1/browser/click", `["` + secret + `"]`, nil, 400, fault.InvalidRequest},
		{"two values", "POST", "/v1/browser/click", `{}{}`, nil, 400, fault.InvalidRequest},
		{"deep", "POST", "/v1/browser/click", strings.Repeat(`{"ref":`, 100_000), nil, 400, fault.InvalidRequest},
		{"deep arguments", "POST", "/v1/verbs/page.click", `{"args":` + strings.Repeat("[", 200_000), nil, 400, fault.InvalidRequest},
		{"bad UTF-8", "POST", "/v1/browser/type", "{\"text\":\"\xff\xfe\"}", nil, 400, fault.InvalidRequest},
		{"NUL", "POST", "/v1/browser/type", `{"text":"a\u0000b"}`, nil, 400, fault.InvalidRequest},
		{"too large", "POST", "/v1/browser/type", `{"text":"` + strings.Repeat("a", 1<<20) + `"}`, nil, 413, fault.InvalidRequest},
		{"no media type", "POST", "/v1/browser/click", `{"ref":"e1"}`, func(r *http.Request) { r.Header.Del("Content-Type") }, 400, fault.InvalidRequest},
		{"form", "POST", "/v1/browser/click", `{"ref":"e1"}`, with("Content-Type", "text/plain"), 400, fault.InvalidRequest},
		{"other charset", "POST", "/v1/browser/click", `{"ref":"e1"}`, with("Content-Type", "application/json; charset=utf-16"), 400, fault.InvalidRequest},
		{"compressed", "POST", "/v1/browser/click", `{"ref":"e1"}`, with("Content-Encoding", "gzip"), 400, fault.InvalidRequest},
		{"unknown parameter", "GET", "/v1/browser/snapshot?" + secret[:3] + "=" + secret, "", nil, 400, fault.InvalidRequest},
		{"parameter of wrong type", "GET", "/v1/browser/snapshot?depth=" + secret, "", nil, 400, fault.InvalidRequest},
		{"parameter twice", "GET", "/v1/browser/snapshot?depth=1&depth=2", "", nil, 400, fault.InvalidRequest},
		{"arguments in the query of a POST", "POST", "/v1/browser/navigate?url=a", "{}", nil, 400, fault.InvalidRequest},
		{"broken query", "GET", "/v1/browser/snapshot?depth=%zz", "", nil, 400, fault.InvalidRequest},
		{"session with a slash", "POST", "/v1/sessions/..%2f..%2fetc/close", "", nil, 404, fault.NotFound},
		{"session with a line break", "POST", "/v1/browser/back?session=a%0d%0aX:%20y", "", nil, 400, fault.InvalidRequest},
		{"session too long", "POST", "/v1/browser/back", "", with("Glovebox-Session", strings.Repeat("a", 65)), 400, fault.InvalidRequest},
		{"two sessions", "POST", "/v1/browser/back?session=b", "", with("Glovebox-Session", "a"), 400, fault.InvalidRequest},
		{"path climbs", "GET", "/v1/artifacts/../../etc/passwd", "", nil, 404, fault.NotFound},
		{"path climbs, encoded", "GET", "/v1/artifacts/%2e%2e%2fetc", "", nil, 404, fault.NotFound},
		{"NUL in the path", "GET", "/v1/artifacts/a%00b", "", nil, 404, fault.NotFound},
		{"id that is none", "GET", "/v1/artifacts/a%20b", "", nil, 404, fault.NotFound},
		{"id that differs", "POST", "/v1/approvals/a1/answer", `{"id":"a2","approve":true}`, nil, 400, fault.InvalidRequest},
		{"no route", "GET", "/v1/nothing", "", nil, 404, fault.NotFound},
		{"empty filter", "DELETE", "/v1/browser/cookies?name=", "", nil, 400, fault.InvalidRequest},
		{"filter twice", "DELETE", "/v1/browser/cookies?name=a&name=b", "", nil, 400, fault.InvalidRequest},
		{"unknown filter", "DELETE", "/v1/browser/cookies?path=/", "", nil, 400, fault.InvalidRequest},
		{"cookie of another kind", "POST", "/v1/browser/cookies", `{"cookies":[{"name":"a","value":{"b":"` + secret + `"}}]}`, nil, 400, fault.InvalidRequest},
		{"cookie with NUL", "POST", "/v1/browser/cookies", `{"cookies":[{"name":"a","value":"` + secret + `\u0000"}]}`, nil, 400, fault.InvalidRequest},
		{"cookie too long", "POST", "/v1/browser/cookies", `{"cookies":[{"name":"a","value":"` + strings.Repeat(secret, 300) + `"}]}`, nil, 400, fault.InvalidRequest},
		{"no cookies", "POST", "/v1/browser/cookies", `{"cookies":[]}`, nil, 400, fault.InvalidRequest},
		{"wrong method", "DELETE", "/v1/browser/click", "", nil, 405, fault.InvalidRequest},
		{"no token", "GET", "/v1/sessions", "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"wrong token", "GET", "/v1/sessions", "", with("Authorization", "Bearer "+secret), 401, fault.Unauthenticated},
		{"basic", "GET", "/v1/sessions", "", with("Authorization", "Basic "+goodToken), 401, fault.Unauthenticated},
		{"token in the query", "GET", "/v1/sessions?access_token=" + goodToken, "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"two tokens", "GET", "/v1/sessions", "", func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }, 401, fault.Unauthenticated},
		{"no token, no route", "GET", "/v1/nothing", "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"foreign host", "GET", "/v1/health", "", func(r *http.Request) { r.Host = "evil.example" }, 403, fault.DeniedByPolicy},
		{"host that looks local", "GET", "/v1/health", "", func(r *http.Request) { r.Host = "localhost.evil.example:2468" }, 403, fault.DeniedByPolicy},
		{"no host", "GET", "/v1/health", "", func(r *http.Request) { r.Host = "" }, 403, fault.DeniedByPolicy},
		{"foreign origin", "POST", "/v1/browser/back", "", with("Origin", "https://evil.example"), 403, fault.DeniedByPolicy},
		{"null origin", "POST", "/v1/browser/back", "", with("Origin", "null"), 403, fault.DeniedByPolicy},
		{"foreign origin of the same host", "POST", "/v1/browser/back", "", with("Origin", "http://127.0.0.1:9"), 403, fault.DeniedByPolicy},
		{"foreign origin to MCP", "POST", "/mcp", "{}", with("Origin", "https://evil.example"), 403, fault.DeniedByPolicy},
		{"no token to MCP", "POST", "/mcp", "{}", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"foreign origin to the stream", "GET", "/v1/mcp/stream", "", with("Origin", "https://evil.example"), 403, fault.DeniedByPolicy},
		{"foreign host to the stream", "GET", "/v1/mcp/stream", "", func(r *http.Request) { r.Host = "evil.example" }, 403, fault.DeniedByPolicy},
		{"no token to the stream", "GET", "/v1/mcp/stream", "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"token in the query of the stream", "GET", "/v1/mcp/stream?access_token=" + goodToken, "", func(r *http.Request) { r.Header.Del("Authorization") }, 401, fault.Unauthenticated},
		{"no upgrade to the stream", "GET", "/v1/mcp/stream", "", func(r *http.Request) { r.Header.Del("Upgrade") }, 426, fault.InvalidRequest},
		{"another method to the stream", "POST", "/v1/mcp/stream", "{}", nil, 405, fault.InvalidRequest},
		{"preflight of a foreign origin", "OPTIONS", "/v1/browser/back", "", with("Origin", "https://evil.example"), 403, fault.DeniedByPolicy},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := answering(action.Result{})
			mcp := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request came through") })
			h := build(t, d, func(o *rest.Options) { o.MCP, o.Agents = mcp, noAgents{t} })
			r := request(c.method, c.target, c.body)
			if strings.HasPrefix(c.target, "/v1/mcp/stream") {
				r.Header.Set("Upgrade", "websocket")
			}
			if c.spoil != nil {
				c.spoil(r)
			}
			w := h.do(r)
			wantProblem(t, w, c.status, c.code)
			if d.count() != 0 {
				t.Errorf("the call came through: %+v", d.calls)
			}
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("a value is repeated: %s", w.Body)
			}
			if strings.Contains(h.log.String(), secret) || strings.Contains(h.log.String(), goodToken) && !strings.Contains(c.target, goodToken) {
				t.Errorf("a value is logged: %s", h.log)
			}
			if len(w.Header()["Access-Control-Allow-Origin"]) != 0 {
				t.Error("a foreign origin may read the answer")
			}
		})
	}
}

func TestLogHasOneLineAndNoToken(t *testing.T) {
	h := build(t, answering(action.Result{}))
	h.do(request("GET", "/v1/browser/snapshot?ref=e3", ""))
	line := h.log.String()
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, "actor=agent") || !strings.Contains(line, "status=200") {
		t.Errorf("log %q", line)
	}
	r := request("GET", "/v1/sessions?access_token="+goodToken, "")
	h.do(r)
	if strings.Contains(h.log.String(), goodToken) || strings.Contains(h.log.String(), "Bearer") {
		t.Errorf("the token is logged: %s", h.log)
	}
}

func TestHealthTellsAStrangerOnlyOK(t *testing.T) {
	r := request("GET", "/v1/health", "")
	r.Header.Del("Authorization")
	w := build(t, refusing()).do(r)
	if w.Code != http.StatusOK || w.Body.String() != `{"ok":true}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRequestIDsThatAreNoShortTokensAreReplaced(t *testing.T) {
	for _, id := range []string{"a b", "a\tb", strings.Repeat("a", 65), "<script>", "", "r0123456789abcdef.3"} {
		r := request("GET", "/v1/health", "")
		r.Header.Set("X-Request-Id", id)
		if got := build(t, refusing()).do(r).Header().Get("X-Request-Id"); !strings.HasPrefix(got, "req-") {
			t.Errorf("%q became %q", id, got)
		}
	}
}

func TestNoTwoRequestsHaveOneID(t *testing.T) {
	h, seen := build(t, refusing()), map[string]bool{}
	for range 3 {
		for _, id := range []string{"mine", strings.Repeat("a", 39)} {
			r := request("GET", "/v1/health", "")
			r.Header.Set("X-Request-Id", id)
			got := h.do(r).Header().Get("X-Request-Id")
			if seen[got] || !strings.HasPrefix(got, id+"-") || len(got) > 64 {
				t.Errorf("%q became %q", id, got)
			}
			seen[got] = true
		}
	}
}

func TestConfiguredHostsAndOriginsMayCall(t *testing.T) {
	open := func(o *rest.Options) {
		o.AllowedHosts, o.AllowedOrigins = []string{"box.example"}, []string{"https://app.example"}
	}
	d := answering(action.Result{Data: &action.Page{}})
	h := build(t, d, open)
	r := request("POST", "/v1/browser/back", "")
	r.Host = "BOX.example:2468"
	r.Header.Set("Origin", "https://app.example")
	w := h.do(r)
	if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	r = request("OPTIONS", "/v1/browser/back", "")
	r.Header.Del("Authorization")
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	if w := h.do(r); w.Code != http.StatusNoContent || d.count() != 1 {
		t.Errorf("the preflight got %d; %d calls", w.Code, d.count())
	}
	for _, host := range []string{"localhost:1", "127.0.0.1", "[::1]:2468", "127.9.9.9:1"} {
		r := request("POST", "/v1/browser/back", "")
		r.Host = host
		r.Header.Set("Origin", "http://"+host)
		if w := h.do(r); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", host, w.Code, w.Body)
		}
	}
}

func TestMCPStandsBehindTheSameChecks(t *testing.T) {
	var got action.Caller
	mcp := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = auth.From(r.Context())
		w.WriteHeader(http.StatusAccepted)
	})
	w := build(t, refusing(), func(o *rest.Options) { o.MCP, o.Agents = mcp, noAgents{t} }).do(request("POST", "/mcp", "{}"))
	if w.Code != http.StatusAccepted || got != agent {
		t.Errorf("%d %+v", w.Code, got)
	}
}
