package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// wayOut is a page on an allowed site that tries to reach other places.
func wayOut(t *testing.T, g *gateway) {
	var reached atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*") // a leak would be seen by the page, too
		reached.Add(1)
	}))
	defer private.Close()
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	for _, place := range []string{
		private.URL + "/secret", "http://foreign.example/x", "http://" + g.address + "/v1/health",
		"http://169.254.169.254/latest/meta-data/", "http://[::1]:80/", "https://foreign.example/x",
	} {
		c.post("/v1/browser/navigate", `{"url": "`+g.site+"/lab/fetch?url="+url.QueryEscape(place)+`"}`).object(http.StatusOK)
		if found := c.post("/v1/browser/wait", `{"text": "fetch: ", "timeout": 120000}`).object(http.StatusOK); found["found"] != true {
			t.Errorf("%s: the page still waits", place)
		}
		text := c.get("/v1/browser/extract").object(http.StatusOK)["text"].(string)
		if !strings.Contains(text, "fetch: refused") && !strings.Contains(text, "fetch: status 403") {
			t.Errorf("%s: %s", place, text)
		}
	}
	if reached.Load() != 0 {
		t.Error("the page reached a private address")
	}
	blocked := map[string]bool{}
	for _, record := range g.trail(t) {
		if record.EventType == "blocked" && record.SessionID == id {
			blocked[record.Domain] = true
		}
	}
	for _, host := range []string{"127.0.0.1", "foreign.example", "169.254.169.254"} {
		if !blocked[host] {
			t.Errorf("the trail does not say that %s was blocked: %v", host, blocked)
		}
	}
	c.post("/v1/browser/navigate", `{"url": "`+private.URL+`"}`).problem(fault.BlockedDomain)
	noInterface(t, g, id)
}

// noInterface looks from inside the box: loopback is all there is.
func noInterface(t *testing.T, g *gateway, session string) {
	t.Helper()
	boxes := g.boxes()
	if len(boxes) != 1 {
		t.Fatalf("boxes %v of session %s", boxes, session)
	}
	inside := func(command ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "docker", append([]string{"exec", boxes[0]}, command...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := inside("ls", "/sys/class/net"); got != "lo" {
		t.Errorf("interfaces %q", got)
	}
	if got := inside("cat", "/proc/net/route"); strings.Count(got, "\n") != 0 {
		t.Errorf("routes\n%s", got)
	}
	if got := inside("id", "-u"); got != "10001" {
		t.Errorf("the box runs as %s", got)
	}
}
