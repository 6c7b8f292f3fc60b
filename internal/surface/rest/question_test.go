package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The page shows where a question is answered and nothing about the question,
// whoever opens it.
func TestThePageOfAQuestionSaysWhereItIsAnsweredAndNothingElse(t *testing.T) {
	d := refusing()
	h := build(t, d).handler
	ask := func(method, path string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		r := request(method, path, "")
		r.Header.Del("Authorization")
		h.ServeHTTP(out, r)
		return out
	}
	page := ask(http.MethodGet, "/approvals/q1")
	if page.Code != http.StatusOK || page.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.Contains(page.Body.String(), "glovebox approvals approve q1 ") || !strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v %s", page.Code, page.Header(), page.Body)
	}
	other := ask(http.MethodGet, "/approvals/q2") // whether there is such a question it does not tell
	if want := strings.ReplaceAll(page.Body.String(), "q1", "q2"); other.Body.String() != want {
		t.Errorf("another: %s", other.Body)
	}
	for path, want := range map[string]int{"/approvals/%3Cscript%3E": http.StatusNotFound, "/approvals/": http.StatusNotFound, "/approvals/q1/answer": http.StatusNotFound, "/v1/approvals/q1": http.StatusUnauthorized} {
		if got := ask(http.MethodGet, path); got.Code != want || strings.Contains(got.Body.String(), "<script>") {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
	if got := ask(http.MethodPost, "/approvals/q1"); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got.Code)
	}
	if d.count() != 0 {
		t.Errorf("%d calls came", d.count())
	}
}
