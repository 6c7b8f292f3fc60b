package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/config"
)

const wrong = `browser:
  timeout_seconds: 500
  sandbox:
    warm_pol: 2
    driver: podman
security:
  hitl:
    timeouts: {medium: 0}
    rules:
      - tools: [page.click]
        action: ask
      - tols: [page.type]
        action: deny
        conditions:
          - parm: element.name
            equals: x
auth:
  tokens:
    - {nam: x, role: agent}
`

func problems(t *testing.T, text string, further ...func(config.Config) []config.Problem) config.Problems {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glovebox.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Examine(path, env("HOME", "/home/someone", "GLOVEBOX_BROWSER_VIEWPORT_DPI", "1"), further...)
	if c.Source.File != path || len(c.Source.SHA256) != 64 {
		t.Errorf("read %+v", c.Source)
	}
	var all config.Problems
	if !errors.As(err, &all) {
		t.Fatalf("error %v", err)
	}
	return all
}

func TestEverythingWrongIsNamedWithItsLine(t *testing.T) {
	var got []string
	for _, p := range problems(t, wrong, func(c config.Config) []config.Problem {
		if len(c.Security.HITL.Rules) != 2 {
			t.Errorf("others are shown %+v", c.Security.HITL)
		}
		return []config.Problem{{Path: "security.hitl.rules[1].conditions[0].param", Message: "is missing"}, {Path: "security.hitl.rules[0].risk", Message: "x"}}
	}) {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Path))
	}
	want := []string{
		"0 browser.viewport.dpi", // the environment says so
		"2 browser.timeout_seconds",
		"4 browser.sandbox.warm_pol",
		"5 browser.sandbox.driver",
		"8 security.hitl.timeouts.medium",
		"10 security.hitl.rules[0].risk", // the rule begins there
		"12 security.hitl.rules[1].tols",
		"15 security.hitl.rules[1].conditions[0].param",
		"15 security.hitl.rules[1].conditions[0].parm",
		"19 auth.tokens[0]",
		"19 auth.tokens[0].nam",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALineIsNamedForWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]struct {
		line int
		says string
	}{
		"browser:\n  timeout_seconds: soon\n":                                       {2, "a text stands where a whole number belongs"},
		"browser:\n  enabled: true\n  enabled: false\n":                             {3, "already defined"},
		"security:\n  hitl:\n    rules:\n      - deny\n":                            {4, "wants keys below it"},
		"security:\n  hitl:\n    rules:\n      - tools: [a]\n        risk:\n":       {5, "has no value"},
		"security:\n  hitl:\n    rules:\n    - conditions: [{equals: [a]}]\n":       {4, "wants a text, a number, true or false"},
		"browser:\n\tenabled: true\n":                                               {2, "not valid YAML"},
		"a: &x {enabled: no}\nbrowser: *x\nserver: {<<: *x, listen: 127.0.0.1:1}\n": {1, "unknown key"},
	} {
		all := problems(t, text)
		if !slices.ContainsFunc(all, func(p config.Problem) bool { return p.Line == want.line && strings.Contains(p.Message, want.says) }) {
			t.Errorf("%q: %+v, want line %d and %q", text, all, want.line, want.says)
		}
	}
}

func TestRulesAreReadAsTheyAreWritten(t *testing.T) {
	c, err := load(t, `
security:
  hitl:
    rules:
      - tools: [page.click, browser_type]
        roles: [agent]
        hosts: ["*.example.com"]
        risk: HIGH
        action: ask
        conditions:
          - {param: element.submits, equals: true}
          - {param: index, in: [1, 2.5, two]}
          - {param: element.name, matches: 'a|b'}
        description: Why
`)
	if err != nil {
		t.Fatal(err)
	}
	yes, pattern := config.Scalar("true"), "a|b"
	want := []config.Rule{{
		Tools: []string{"page.click", "browser_type"}, Roles: []string{"agent"}, Hosts: []string{"*.example.com"}, Risk: "HIGH", Action: "ask", Description: "Why",
		Conditions: []config.Condition{{Param: "element.submits", Equals: &yes}, {Param: "index", In: []config.Scalar{"1", "2.5", "two"}}, {Param: "element.name", Matches: &pattern}},
	}}
	if diff := cmp.Diff(want, c.Security.HITL.Rules); diff != "" {
		t.Error(diff)
	}
}

func TestChangedKeysAreNamed(t *testing.T) {
	a, b := config.Default(), config.Default()
	b.Server.Listen, b.Security.HITL.Rules = "127.0.0.1:1", []config.Rule{{Tools: []string{"*"}}}
	b.Source.File = "another"
	if diff := cmp.Diff([]string{"server.listen", "security.hitl.rules"}, config.Changed(a, b)); diff != "" {
		t.Error(diff)
	}
	if same := config.Changed(a, a); same != nil {
		t.Errorf("of the same: %v", same)
	}
}

func TestTakeSetsOnlyTheKeysThatApply(t *testing.T) {
	running, file := config.Default(), config.Default()
	file.Server.Listen, file.Security.HITL.AskAt = "127.0.0.1:9999", "act"
	running.Take(file, func(path string) bool { return strings.HasPrefix(path, "security.hitl.") })
	if diff := cmp.Diff([]string{"server.listen"}, config.Changed(running, file)); diff != "" {
		t.Errorf("the keys that still differ (-want +got):\n%s", diff)
	}
}

func TestEmptySectionsAreKnownOrNamed(t *testing.T) {
	got := problems(t, "security: {netwrk: {}, network: {}}\nserver: {listen: nowhere}\n")
	if !slices.ContainsFunc(got, func(p config.Problem) bool { return strings.Contains(p.Error(), `"security.netwrk"`) && p.Line == 1 }) {
		t.Errorf("%v does not name security.netwrk", got)
	}
	if slices.ContainsFunc(got, func(p config.Problem) bool { return p.Path == "security.network" }) {
		t.Errorf("%v names an empty section that is known", got)
	}
}
