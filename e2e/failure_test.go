package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// chromium returns the process ids, as this machine sees them, of the box's
// browser or of its renderers.
func (g *gateway) chromium(t *testing.T, kind string) []int {
	t.Helper()
	boxes := g.boxes()
	if len(boxes) != 1 {
		t.Fatalf("boxes %v", boxes)
	}
	out, err := exec.CommandContext(t.Context(), "docker", "top", boxes[0], "-eo", "pid,args").Output()
	if err != nil {
		t.Fatalf("docker top: %v", err)
	}
	var found []int
	for line := range strings.Lines(string(out)) {
		is := strings.Contains(line, "/chromium ") && strings.Contains(line, "--remote-debugging-pipe") && !strings.Contains(line, "--type=")
		if kind == "renderer" {
			is = strings.Contains(line, "--type=renderer")
		}
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		if is && err == nil {
			found = append(found, pid)
		}
	}
	if len(found) == 0 {
		t.Fatalf("no %s in\n%s", kind, out)
	}
	return found
}

// midClick begins a click whose page never ends it, kills processes once the
// click is on its way, and returns what the click came to.
func midClick(t *testing.T, g *gateway, c curl, kind string) answer {
	t.Helper()
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/slow-click"}`).object(http.StatusOK)
	pids := g.chromium(t, kind)
	came := make(chan answer, 1)
	started := g.app.SlowClicks()
	go func() {
		came <- c.post("/v1/browser/click", `{"text": "Show more", "timeout": 20000}`)
	}()
	until(t, startLimit, "the click to reach the page", func() bool { return g.app.SlowClicks() > started })
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	return <-came
}
