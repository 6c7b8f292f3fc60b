package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/config"
)

func TestConfigCheckReportsEveryProblem(t *testing.T) {
	r := newRig(t, &fakeGate{})
	r.parts.Problems = func(c config.Config) []config.Problem {
		if len(c.Security.HITL.Rules) != 1 {
			t.Errorf("shown %+v", c.Security.HITL.Rules)
		}
		return []config.Problem{{Path: "security.hitl.rules[0].tools[0]", Message: "no such verb"}}
	}
	file := filepath.Join(t.TempDir(), "g.yaml")
	text := "browser:\n  enabld: true\nsecurity:\n  hitl:\n    rules:\n      - tools: [page.clik]\n        action: ask\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, complaints, status := r.run("config", "check", file)
	for _, want := range []string{file + `:2: unknown key "browser.enabld"`, file + ":6: security.hitl.rules[0].tools[0]: no such verb", "2 problems"} {
		if !strings.Contains(complaints, want) {
			t.Errorf("it says %q, not %q", complaints, want)
		}
	}
	if status != 2 {
		t.Errorf("status %d", status)
	}
	out, _, status := r.run("config", "check", file, "--json")
	var answer struct {
		Error struct {
			Details struct{ Problems []config.Problem }
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 2 || len(answer.Error.Details.Problems) != 2 || answer.Error.Details.Problems[1].Line != 6 {
		t.Errorf("%d %v %s", status, err, out)
	}
}

func TestConfigCheckAcceptsAValidFile(t *testing.T) {
	r := newRig(t, &fakeGate{})
	file := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(file, []byte("browser: {enabled: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"config", "check", file}, {"config", "check", "--config", file}} {
		if out, complaints, status := r.run(args...); status != 0 || !strings.Contains(out, file) {
			t.Errorf("%q: %d %q %q", args, status, out, complaints)
		}
	}
	out, _, _ := r.run("config", "check", file, "--json")
	if !strings.Contains(out, `"sha256"`) {
		t.Errorf("got %s", out)
	}
	if _, complaints, status := r.run("config", "check", file+".not"); status != 2 || !strings.Contains(complaints, "no such file") {
		t.Errorf("%d %q", status, complaints)
	}
}
