package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestFaultsNameTheReachedLimit(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{security: "max_concurrent_sessions: 1\n  max_actions_per_session: 3"})
	c := g.curl(t, "agent")
	c.open(`{"name": "one"}`)
	refused := c.post("/v1/sessions", `{"name": "two"}`)
	if detail := refused.problem(fault.LimitReached)["detail"].(string); !strings.Contains(detail, "max_concurrent_sessions") {
		t.Errorf("it does not say which limit: %s", detail)
	}
	if refused.header.Get("Retry-After") == "" {
		t.Error("a 429 does not say when to retry")
	}
	for range 3 {
		c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
		c.get("/v1/browser/snapshot").object(http.StatusOK) // reading is not limited
	}
	on := `{"url": "` + g.site + `"}`
	detail := c.post("/v1/browser/navigate", on).problem(fault.LimitReached)["detail"].(string)
	if !strings.Contains(detail, "max_actions_per_session") {
		t.Errorf("it does not say which limit: %s", detail)
	}
	if shown := c.get("/v1/sessions/one").object(http.StatusOK); shown["state"] != "paused" {
		t.Fatalf("the session is %v", shown)
	}
	c.get("/v1/browser/snapshot").object(http.StatusOK) // it is paused, not lost
	c.post("/v1/browser/navigate", on).problem(fault.SessionPaused)
	g.goesOn(t)
	went := c.post("/v1/browser/navigate", on).object(http.StatusOK)
	if notes := fmt.Sprint(went["notes"]); !strings.Contains(notes, "it may go on") {
		t.Errorf("told %v", went)
	}
	c.post("/v1/browser/reload", "")
	if notes := fmt.Sprint(c.post("/v1/browser/reload", "").object(http.StatusOK)["notes"]); !strings.Contains(notes, "6 of 6 actions") {
		t.Errorf("near the limit it says %s", notes)
	}
	g.curl(t, "operator").post("/v1/sessions/one/close", "").object(http.StatusOK)
	gone := c.get("/v1/browser/snapshot").problem(fault.NotActive)["detail"].(string)
	for _, word := range []string{"session one ended at ", "closed by operator", "it was at " + g.site} {
		if !strings.Contains(gone, word) {
			t.Errorf("the end is told as %q, without %q", gone, word)
		}
	}
	c.open(`{"name": "three"}`)
	g.trailHolds(t)
}

// goesOn lets a person approve that a session at its limit continues.
func (g *gateway) goesOn(t *testing.T) {
	t.Helper()
	var id string
	testwait.For(t, "the question whether it may go on", func() bool {
		for _, q := range g.curl(t, "operator").get("/v1/approvals").object(http.StatusOK)["questions"].([]any) {
			if q := q.(object); q["verb"] == "session.resume" && strings.Contains(q["why"].(string), "max_actions_per_session") {
				id = q["id"].(string)
			}
		}
		return id != ""
	})
	if out, complaint, status := g.command(t, "approvals", "approve", id); status != 0 {
		t.Fatalf("approve: %d\n%s%s", status, out, complaint)
	}
}
