package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// clients installs the clients of the protocol as cdp/package-lock.json pins
// them, unless an earlier run did, and returns their folder. It is outside of
// the tree and is kept.
func clients(t *testing.T) string {
	t.Helper()
	lock, err := os.ReadFile("cdp/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "glovebox-e2e", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	copyFiles(t, fresh, "cdp/package.json", "cdp/package-lock.json")
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, other := os.Stat(dir); other != nil { // nobody was faster
			t.Fatal(err)
		}
	}
	return dir
}

func copyFiles(t *testing.T, to string, files ...string) {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// journey runs a script of a client against the gateway's most recent session.
func (g *gateway) journey(t *testing.T, script string) {
	t.Helper()
	dir, err := os.MkdirTemp(clients(t), "run-") // below its modules, where node looks for them
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	copyFiles(t, dir, "cdp/journey.mjs", "cdp/"+script)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", script)
	node.Dir = dir
	node.Env = append(os.Environ(), "BASE=http://"+g.address, "TOKEN="+g.token("operator"), "SITE="+g.site)
	if out, err := node.CombinedOutput(); err != nil || !strings.HasSuffix(string(bytes.TrimSpace(out)), "ok") {
		t.Fatalf("%s: %v\n%s\n%s", script, err, out, g.log.String())
	}
}

func TestClientsOfTheProtocol(t *testing.T) {
	g := start(t, settings{})
	c := g.curl(t, "operator")
	for _, script := range []string{"playwright.mjs", "puppeteer.mjs", "cri.mjs"} {
		t.Run(script, func(t *testing.T) {
			id := c.open(`{}`)
			g.journey(t, script)
			c.post("/v1/sessions/"+id+"/close", "")
			trail := string(c.get("/v1/audit?session=" + id + "&limit=1000").body)
			for _, recorded := range []string{"cdp.attach", "Page.navigate: ", "refused", "left after"} {
				if !strings.Contains(trail, recorded) {
					t.Errorf("the audit lacks %q", recorded)
				}
			}
			if strings.Contains(trail+g.log.String(), g.token("operator")) {
				t.Error("the token is in the audit or the log")
			}
		})
	}
}

func TestAgentsAndStrangersDoNotAttach(t *testing.T) {
	g := start(t, settings{})
	g.curl(t, "operator").open(`{}`)
	upgrade := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	g.curl(t, "agent").get("/v1/browser/cdp", upgrade...).problem(fault.DeniedByPolicy)
	g.curl(t, "operator").get("/v1/browser/cdp").problem(fault.InvalidRequest)
	for path, want := range map[string]int{
		"/v1/browser/cdp": http.StatusUnauthorized, "/v1/browser/cdp?access_token=wrong": http.StatusUnauthorized,
		"/v1/browser/cdp/json/version": http.StatusUnauthorized, "/json/version": http.StatusOK,
		"/v1/browser/tabs?access_token=" + g.token("operator"): http.StatusUnauthorized,
	} {
		res, err := http.Get("http://" + g.address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("a stranger gets %d from %s, want %d", res.StatusCode, strings.Split(path, "?")[0], want)
		}
	}
}
