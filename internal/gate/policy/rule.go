package policy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/spelling"
)

// Rule is one rule of the configuration, as it is written (docs/policy.md). The first rule
// that matches a call decides, unless the call is one that no rule can allow.
type Rule struct {
	Tools       []string // verbs, MCP tools, or "*"
	Roles       []string // agent and viewer when empty; operator only for rules that deny
	Hosts       []string // hosts and "*." patterns; any when empty
	Risk        string   // LOW, MEDIUM, HIGH or CRITICAL: raises, never lowers; nothing when empty
	Action      string   // allow, ask or deny; the risk decides when empty
	Conditions  []Condition
	Description string
}

// Condition must hold for a rule to match. Exactly one of Equals, Matches and In is given.
type Condition struct {
	Param   string   // an argument of the verb, or one of Params
	Equals  *string  // the whole text, whatever its case
	Matches *string  // a regular expression (RE2) that is searched, whatever the case
	In      []string // one of these, as by Equals
}

// Problem is one problem of a Config.
type Problem struct {
	Path    string // from the Config: "rules[2].conditions[0].param"
	Message string
}

func (p Problem) Error() string { return p.Path + ": " + p.Message }

// rule is a Rule that was read and checked.
type rule struct {
	number     int    // from 1, in the order of the configuration
	name       string // "rule.1", for records
	source     Rule
	verbs      map[string]bool // nil is every verb
	roles      map[action.Role]bool
	grants     bool // it names roles, so that it may give verbs that agents do not have
	hosts      patterns
	risk       action.Risk // 0: none
	act        act
	conditions []condition
}

// act is what a rule decides.
type act int

const (
	judge act = iota // the risk decides
	denies
	asks
	allows
)

var acts = map[string]act{"": judge, "deny": denies, "ask": asks, "allow": allows}

// condition is a Condition that was read and checked.
type condition struct {
	param   string
	values  map[string]bool // folded; nil where pattern is set
	exact   []string
	pattern *pattern
}

// maxPattern is the length of a pattern of a rule, in characters.
const maxPattern = 1000

// reader reads rules and collects their problems.
type reader struct {
	problems []Problem
	at       string
}

func (r *reader) complain(path, format string, args ...any) {
	at := strings.TrimPrefix(r.at+"."+path, ".")
	r.problems = append(r.problems, Problem{Path: strings.TrimSuffix(at, "."), Message: fmt.Sprintf(format, args...)})
}

// knownWord complains about a word that is not in a list, and reports whether it is.
func (r *reader) knownWord(path, what, word string, all []string) bool {
	if slices.Contains(all, word) {
		return true
	}
	r.complain(path, "%q is no %s; the nearest known one is %q", word, what, spelling.Nearest(word, all))
	return false
}

// rule reads the rule at an index, from 0.
func (r *reader) rule(i int, source Rule) rule {
	r.at = fmt.Sprintf("rules[%d]", i)
	out := rule{number: i + 1, name: "rule." + strconv.Itoa(i+1), source: source}
	out.verbs = r.tools(source.Tools)
	out.roles = r.roles(source.Roles)
	out.grants = len(source.Roles) > 0
	var err error
	if out.hosts, err = parsePatterns(source.Hosts); err != nil {
		r.complain("hosts", "%s", err)
	}
	if source.Risk != "" && r.knownWord("risk", "risk", source.Risk, []string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}) {
		_ = out.risk.UnmarshalText([]byte(source.Risk))
	}
	if source.Action != "" && r.knownWord("action", "action", source.Action, []string{"allow", "ask", "deny"}) {
		out.act = acts[source.Action]
	}
	if source.Risk == "" && source.Action == "" {
		r.complain("", "says neither risk nor action: it would do nothing")
	}
	for n, c := range source.Conditions {
		out.conditions = append(out.conditions, r.condition(n, c, out.verbs))
	}
	r.checkRule(&out)
	return out
}

// tools reads names of verbs and MCP tools; nil is every verb.
func (r *reader) tools(names []string) map[string]bool {
	if len(names) == 0 {
		r.complain("tools", `is missing; name verbs or MCP tools, or "*" for all`)
	}
	verbs := map[string]bool{}
	for i, name := range names {
		if name == "*" {
			if len(names) > 1 {
				r.complain("tools", `"*" stands for all: leave out the others`)
			}
			return nil
		}
		if r.knownWord(fmt.Sprintf("tools[%d]", i), "verb or tool", name, toolNames) {
			maps.Copy(verbs, verbsOf[name])
		}
	}
	return verbs
}

func (r *reader) roles(names []string) map[action.Role]bool {
	if len(names) == 0 {
		return map[action.Role]bool{action.Agent: true, action.Viewer: true}
	}
	roles := map[action.Role]bool{}
	for i, name := range names {
		if r.knownWord(fmt.Sprintf("roles[%d]", i), "role", name, []string{"agent", "viewer", "operator"}) {
			roles[action.Role(name)] = true
		}
	}
	return roles
}

func (r *reader) condition(n int, c Condition, verbs map[string]bool) condition {
	at := fmt.Sprintf("conditions[%d]", n)
	out := condition{param: c.Param}
	r.checkParam(at+".param", c.Param, verbs)
	given := 0
	if c.Equals != nil {
		given++
		out.exact = []string{*c.Equals}
	}
	if len(c.In) > 0 {
		given++
		out.exact = c.In
	}
	if c.Matches != nil {
		given++
		out.pattern = r.pattern(at+".matches", *c.Matches)
	}
	if given != 1 {
		r.complain(at, "wants exactly one of equals, matches and in")
	}
	if out.pattern == nil {
		out.values = map[string]bool{}
		for _, value := range out.exact {
			out.values[fold(value)] = true
		}
	}
	return out
}

func (r *reader) pattern(path, text string) *pattern {
	switch {
	case text == "":
		r.complain(path, "is empty and would match everything; leave the condition out")
		return nil
	case len([]rune(text)) > maxPattern:
		r.complain(path, "is longer than %d characters; make several rules of it", maxPattern)
		return nil
	}
	p, err := newPattern(text)
	if err != nil {
		r.complain(path, "%s", err)
		return nil
	}
	return p
}

// checkRule complains about a rule that would not do what it says.
func (r *reader) checkRule(x *rule) {
	gives := x.act == allows || x.act == asks
	if x.roles[action.Operator] && x.act != denies {
		r.complain("roles", "operators are not asked and need no leave: a rule for them may only deny")
	}
	for _, name := range slices.Sorted(maps.Keys(x.verbs)) {
		verb, _ := action.Lookup(name)
		switch {
		case gives && verb.Class == action.Admin:
			r.complain("tools", "%s is for operators: a rule may only deny it", name)
		case gives && verb.Class == action.Raw && (!x.grants || !x.roles[action.Agent]):
			r.complain("roles", "%s gives unmediated access: name agent, to whom it is given", name)
		}
	}
}
