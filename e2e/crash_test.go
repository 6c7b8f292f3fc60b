package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// TestASessionContinuesAfterItsBrowserCrashed kills the browser of a session. Its
// box starts another, and references of the old one are stale.
func TestASessionContinuesAfterItsBrowserCrashed(t *testing.T) {
	g := start(t, settings{})
	c := g.curl(t, "agent")
	id := c.open(`{}`)
	lab := `{"url": "` + g.site + `/lab/controls"}`
	c.post("/v1/browser/navigate", lab).object(http.StatusOK)
	first := ref(t, fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"]), `button "Show 0"`)
	for _, pid := range g.chromium(t, "browser") {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	gone := c.post("/v1/browser/click", `{"ref": "`+first+`"}`)
	if gone.status == http.StatusOK {
		t.Fatalf("a reference of the browser that crashed was clicked: %s", gone.body)
	}
	went := c.post("/v1/browser/navigate", lab).object(http.StatusOK)
	if notes := fmt.Sprint(went["notes"]); !strings.Contains(notes, "the browser crashed and was started again; it was at "+g.site+"/lab/controls") {
		t.Errorf("told %v", went)
	}
	if detail := c.post("/v1/browser/click", `{"ref": "`+first+`"}`).problem(fault.StaleRef)["detail"].(string); !strings.Contains(detail, "earlier browser") {
		t.Errorf("the reference is refused with %q", detail)
	}
	again := ref(t, fmt.Sprint(c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"]), `button "Show 0"`)
	c.post("/v1/browser/click", `{"ref": "`+again+`"}`).object(http.StatusOK)
	if shown := c.get("/v1/sessions/" + id).object(http.StatusOK); shown["state"] != "open" {
		t.Errorf("the session is %v", shown)
	}
	if status := c.get("/v1/browser/status").object(http.StatusOK); status["state"] != "active" {
		t.Errorf("the browser is %v", status)
	}
	c.post("/v1/sessions/"+id+"/close", "").object(http.StatusOK)
	g.trailHolds(t)
}

// TestTheFaultSaysThatAPageExhaustedItsBoxsMemory opens a page that needs more
// memory than its box has.
func TestTheFaultSaysThatAPageExhaustedItsBoxsMemory(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{})
	c := g.curl(t, "operator")
	id := c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	c.post("/v1/browser/execute", `{"expression": "for (const kept = [];;) kept.push(new Uint8Array(1 << 24).fill(1))"}`)
	crashed := c.get("/v1/browser/snapshot").problem(fault.PageCrashed)
	if detail, _ := crashed["detail"].(string); !strings.Contains(detail, "memory") {
		t.Errorf("told %v", crashed)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	c.post("/v1/sessions/"+id+"/close", "").object(http.StatusOK)
}
