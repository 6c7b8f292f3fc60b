package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

const policyPage = "../../docs/policy.md"

// TestExamplesOfThePolicyPageLoad loads every configuration on the page as the
// gateway does.
func TestExamplesOfThePolicyPageLoad(t *testing.T) {
	page, err := os.ReadFile(policyPage)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	for i, example := range examples {
		file := filepath.Join(t.TempDir(), "glovebox.yaml")
		if err := os.WriteFile(file, example[1], 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Examine(file, func(name string) (string, bool) { return "/home/someone", name == "HOME" }, policyProblems)
		if err != nil || len(c.Security.HITL.Rules)+len(c.Security.Effects.Rules) == 0 {
			t.Errorf("example %d: %v", i+1, err)
		}
	}
}

func TestThePolicyPageListsEveryParameter(t *testing.T) {
	var table strings.Builder
	table.WriteString("| parameter | |\n|---|---|\n")
	for _, p := range policy.Params {
		fmt.Fprintf(&table, "| `%s` | %s |\n", p.Name, p.Doc)
	}
	golden.Part(t, policyPage, "parameters", table.String())
}

func TestRulesReachThePolicy(t *testing.T) {
	c := config.Default()
	button := config.Scalar("button")
	c.Security.HITL.Rules = []config.Rule{{Tools: []string{"page.click"}, Action: "deny", Conditions: []config.Condition{
		{Param: "element.role", Equals: &button}, {Param: "element.name", In: []config.Scalar{"Save", "Go"}},
	}}}
	c.Security.Network.AllowPrivate = []string{"localhost:3000"}
	for name, want := range map[string]string{"Go": "deny", "Stop": "ask"} {
		e, err := explain(c, action.PolicyQuery{Verb: "page.click", Element: action.PolicyElement{Role: "button", Name: name}})
		if err != nil || e.Decision != want {
			t.Errorf("%s: %+v %v, want %s", name, e, err, want)
		}
	}
	e, err := explain(c, action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url": "http://localhost:3000/"}`)})
	if err != nil || e.Decision != "allow" {
		t.Errorf("an allowed host: %+v %v", e, err)
	}
	c.Security.HITL.Rules[0].Tools[0] = "page.clik"
	problems := policyProblems(c)
	if len(problems) != 1 || problems[0].Path != "security.hitl.rules[0].tools[0]" || !strings.Contains(problems[0].Message, `"page.click"`) {
		t.Errorf("problems %v", problems)
	}
}
