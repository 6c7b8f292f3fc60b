package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestAReloadChangesThePolicyOfRunningSessions replaces rules with SIGHUP while a
// session runs: the next call is judged by the new ones, an invalid file changes
// nothing, and the audit trail records each with the file's hash.
func TestAReloadChangesThePolicyOfRunningSessions(t *testing.T) {
	g := start(t, settings{})
	before, err := os.ReadFile(g.config)
	if err != nil {
		t.Fatal(err)
	}
	operator, agent := g.curl(t, "operator"), g.curl(t, "agent")
	session := agent.open(`{"url": "` + g.site + `/lab/controls"}`)
	click := func() answer {
		return agent.post("/v1/sessions/"+session+"/browser/click", `{"selector": "#count"}`, "Prefer: wait=0")
	}
	click().object(http.StatusOK)
	reload := func(text string) {
		t.Helper()
		if err := os.WriteFile(g.config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		told := len(g.configured(t))
		if err := g.process.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		testwait.For(t, "the reload to be recorded", func() bool { return len(g.configured(t)) > told })
	}
	hash := func() string { return operator.get("/v1/policy").object(http.StatusOK)["policy"].(string) }
	old := hash()
	const rules = "    rules:\n      - {tools: [page.click], hosts: [localhost], action: deny, description: no clicks today}\n"
	with := strings.Replace(string(before), "  hitl:\n", "  hitl:\n"+rules, 1)
	reload(with)
	if refused := click(); refused.status != http.StatusForbidden || !strings.Contains(string(refused.body), "no clicks today") || !strings.Contains(string(refused.body), "rule.1") {
		t.Errorf("refused with %d %s", refused.status, refused.body)
	}
	changed := hash()
	if changed == old {
		t.Error("the policy's hash did not change")
	}
	last := func() action.Record { all := g.configured(t); return all[len(all)-1] }
	if r := last(); r.Result != "ok" || !strings.Contains(r.Detail, changed) || !strings.Contains(r.Detail, "sha256 "+sum(with)) {
		t.Errorf("recorded %+v", r)
	}
	wrong := strings.Replace(with, "page.click", "page.clik", 1)
	reload(wrong)
	if r := last(); r.Result != "fault" || !strings.Contains(r.Error, `the nearest known one is "page.click"`) || !strings.Contains(r.Detail, sum(wrong)) {
		t.Errorf("recorded %+v", r)
	}
	if click().status != http.StatusForbidden {
		t.Error("a broken file took the rule away")
	}
	if hash() != changed {
		t.Error("a broken file changed the policy")
	}
	reload(string(before))
	click().object(http.StatusOK)
}

// configured are the records of configurations that were loaded, or not.
func (g *gateway) configured(t *testing.T) []action.Record {
	t.Helper()
	return slices.DeleteFunc(g.trail(t), func(r action.Record) bool { return r.EventType != "config" })
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
