package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// On every route, options for texts are refused with a tree, and nothing is
// done.
func TestATreeTakesNoBudget(t *testing.T) {
	d := answering(action.Result{Data: &action.Snapshot{}})
	h := build(t, d).handler
	ask := func(method, path, body string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		h.ServeHTTP(out, request(method, path, body))
		return out
	}
	for field, value := range map[string]string{"max_tokens": "2000", "offset": "1", "interactive": "true"} {
		for way, out := range map[string]*httptest.ResponseRecorder{
			"route":   ask(http.MethodGet, "/v1/browser/snapshot?format=tree&"+field+"="+value, ""),
			"generic": ask(http.MethodPost, "/v1/verbs/page.snapshot", `{"args": {"format": "tree", "`+field+`": `+value+`}}`),
		} {
			if body := out.Body.String(); out.Code != http.StatusBadRequest || !strings.Contains(body, `"code":"invalid_request"`) ||
				!strings.Contains(body, field+" does not go with format tree") || !strings.Contains(body, "use format text") {
				t.Errorf("%s, %s: %d %s", field, way, out.Code, body)
			}
		}
		if out := ask(http.MethodGet, "/v1/browser/snapshot?format=text&"+field+"="+value, ""); out.Code != http.StatusOK {
			t.Errorf("%s of a text: %d %s", field, out.Code, out.Body)
		}
	}
	if out := ask(http.MethodGet, "/v1/browser/snapshot?format=tree&depth=3&ref=e1", ""); out.Code != http.StatusOK || d.count() != 4 {
		t.Errorf("a part of a tree: %d; %d calls came", out.Code, d.count())
	}
}
