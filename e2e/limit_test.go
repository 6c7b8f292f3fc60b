package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestLimitsHoldAndSayWhich(t *testing.T) {
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
	detail := c.post("/v1/browser/navigate", `{"url": "`+g.site+`"}`).problem(fault.LimitReached)["detail"].(string)
	if !strings.Contains(detail, "max_actions_per_session") {
		t.Errorf("it does not say which limit: %s", detail)
	}
	g.settled(t) // over the limit, the session ends
	if shown := c.get("/v1/sessions/one").object(http.StatusOK); shown["state"] != "closed" || !strings.Contains(shown["reason"].(string), "max_actions") {
		t.Errorf("the session is %v", shown)
	}
	c.open(`{"name": "three"}`)
	g.trailHolds(t)
}
