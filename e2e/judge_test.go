package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestJudgeSeesWhatIsNotDescribed tests the judge of all other tests: it must
// object to each of these exchanges, and to no others.
func TestJudgeSeesWhatIsNotDescribed(t *testing.T) {
	const fault = `{"type":"tag:x,2026:y","title":"t","status":409,"detail":"d","instance":"i","code":"not_active","retryable":false,"correlationId":"c"}`
	cases := map[string]struct {
		method, target, sent, kind, body string
		status                           int
		objects                          string // part of the objection; none when empty
	}{
		"as described":       {"GET", "/v1/browser/links?session=s", "", "application/json", `{"links":[{"href":"h","text":"t"}],"url":"u"}`, 200, ""},
		"a fault":            {"GET", "/v1/sessions/a/browser/links", "", "application/problem+json", fault, 409, ""},
		"a field more":       {"GET", "/v1/browser/links", "", "application/json", `{"links":[],"url":"u","more":1}`, 200, "more"},
		"a field less":       {"GET", "/v1/browser/links", "", "application/json", `{"links":[]}`, 200, "url"},
		"another kind":       {"GET", "/v1/browser/links", "", "application/json", `{"links":null,"url":"u"}`, 200, "links"},
		"deep inside":        {"GET", "/v1/browser/links", "", "application/json", `{"links":[{"href":1,"text":"t"}],"url":"u"}`, 200, "href"},
		"another status":     {"GET", "/v1/browser/links", "", "application/json", `{"links":[],"url":"u"}`, 201, "status 201"},
		"another media type": {"GET", "/v1/browser/links", "", "text/html", "<p>", 200, "text/html"},
		"no picture":         {"GET", "/v1/browser/screenshot", "", "image/png", "", 200, "empty"},
		"half a fault":       {"GET", "/v1/browser/links", "", "application/problem+json", `{"code":"not_active"}`, 409, "correlationId"},
		"no time":            {"GET", "/v1/audit", "", "application/json", `{"records":[{"seq":1,"event_type":"e","correlation_id":"c","timestamp":"now","hash":"h"}],"last":1}`, 200, "timestamp"},
		"a parameter more":   {"GET", "/v1/browser/links?full=true", "", "application/json", `{"links":[],"url":"u"}`, 200, "full"},
		"a body it took":     {"POST", "/v1/browser/back", `{"far":1}`, "application/json", `{"url":"u","title":"t"}`, 200, "far"},
		"no such operation":  {"GET", "/v1/secret", "", "application/json", `{}`, 200, "not described"},
	}
	for name, c := range cases {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			judge, err := readContract()
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequest(c.method, c.target, nil)
			request.Header.Set("Content-Type", "application/json")
			err = judge.judge(exchange{request, c.sent, c.status, http.Header{"Content-Type": {c.kind}}, []byte(c.body)})
			if (err == nil) != (c.objects == "") || err != nil && !strings.Contains(err.Error(), c.objects) {
				t.Errorf("it says %v, want %q", err, c.objects)
			}
		})
	}
}
