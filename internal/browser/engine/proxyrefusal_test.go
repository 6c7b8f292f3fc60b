package engine_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestTheEgressDoorsOwnAnswersAreFaults(t *testing.T) {
	tr := start(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			w.Header().Set("X-Glovebox-Refused", "host is not on the allow list")
		case "/failed":
			w.Header().Set("X-Glovebox-Failed", "host has no address")
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	for path, want := range map[string]fault.Code{"/refused": fault.BlockedDomain, "/failed": fault.NavigationFailed, "/forbidden": ""} {
		_, err := tr.Do(tr.ctx, "page.goto", &action.Goto{URL: server.URL + path}, action.Pin{})
		if fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want code %q", path, err, want)
		}
	}
}
