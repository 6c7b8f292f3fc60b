package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// TestAPersonWatchesAndTakesOver has a real Chromium as the viewer, by each way in
// which pictures come.
func TestAPersonWatchesAndTakesOver(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	testenv.Require(t, testenv.Chromium)
	for name, way := range map[string]struct {
		env       []string
		transport string
	}{
		"UDP":       {nil, "WebRTC, UDP"},
		"TCP":       {[]string{"GLOVEBOX_SERVER_LIVE_UDP=off"}, "WebRTC, TCP"},
		"WebSocket": {[]string{"GLOVEBOX_SERVER_LIVE_UDP=off", "GLOVEBOX_SERVER_LIVE_TCP=off"}, "WebSocket"},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, settings{env: way.env})
			c := g.curl(t, "operator")
			id := c.open(`{}`)
			c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
			c.post("/v1/sessions/"+id+"/browser/click", `{"role": "searchbox"}`)
			out, complaint, status := g.command(t, "session", "watch", id)
			live := strings.TrimSpace(out)
			if status != 0 || !strings.HasPrefix(live, "http://"+g.address+"/live/"+id+"#token=") {
				t.Fatalf("%d %s%s", status, out, complaint)
			}
			g.journey(t, "live.mjs", id, "LIVE="+live, "TRANSPORT="+way.transport, "CHROMIUM="+testenv.ChromiumPath())
			trail := string(c.get("/v1/audit?session=" + id + "&limit=1000").body)
			for _, recorded := range []string{"desktop.watch", "session.take", "had the controls", "session.hand_back"} {
				if !strings.Contains(trail, recorded) {
					t.Errorf("the audit lacks %q", recorded)
				}
			}
			_, secret, _ := strings.Cut(live, "#token=")
			if all := trail + g.log.String(); strings.Contains(all, secret) || strings.Contains(all, "Größe") {
				t.Error("the token, or what the person typed, is in the audit or the log")
			}
		})
	}
}
