package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// TestHTTPAuthentication checks that a stored password is used for the server of
// its origin, that this is recorded, and that the agent sees neither the password
// nor a dialog.
func TestHTTPAuthentication(t *testing.T) {
	testenv.Heavy(t)
	const password = "canary-http-auth-4187"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, given, _ := r.BasicAuth()
		if user != "ada" || given != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="router"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>router</title><p>Signed in as %s with %s and %s", user, given, r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	port := server.Listener.Addr().String()[strings.LastIndex(server.Listener.Addr().String(), ":"):]
	router, other := "router.localhost"+port, "other.localhost"+port
	g := start(t, reaching(router, other))
	if out, complaint, status := g.piped(t, "ada\n"+password+"\n", "vault", "set", "router.localhost", "--http-auth", "--origin", "http://"+router); status != 0 {
		t.Fatalf("vault set: %d\n%s%s", status, out, complaint)
	}
	agent := g.curl(t, "agent")
	id := agent.open(`{"name": "router"}`)
	base := "/v1/sessions/" + id + "/browser/"
	if got := agent.post(base+"navigate", `{"url": "http://`+router+`/"}`).object(http.StatusOK); got["title"] != "router" {
		t.Errorf("navigate: %v", got)
	}
	text := toJSON(t, agent.get(base+"snapshot").object(http.StatusOK))
	if !strings.Contains(text, "Signed in as ada") || strings.Contains(text, password) {
		t.Errorf("snapshot: %s", text)
	}
	refused := toJSON(t, agent.post(base+"navigate", `{"url": "http://`+other+`/"}`).problem(fault.NavigationFailed))
	if !strings.Contains(refused, "HTTP authentication") || !strings.Contains(refused, "httpAuth") {
		t.Errorf("without a password: %s", refused)
	}
	used := false
	for _, r := range g.trail(t) {
		used = used || r.SessionID == id && r.EventType == "injection" && r.Result == "used" && strings.Contains(r.Detail, "Basic")
	}
	if !used {
		t.Error("no record says that the password was used")
	}
	g.keepsNothingOf(t, password)
}
