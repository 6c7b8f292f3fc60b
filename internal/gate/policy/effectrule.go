package policy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// EffectRule is a rule of the configuration about requests that leave the browser. It names them
// exactly, so it may set any risk, also a lower one. The first rule that matches decides.
type EffectRule struct {
	Hosts       []string // hosts and "*." patterns; any when empty
	Methods     []string // any when empty
	Paths       []string // of the address; "*" stands for any text; any when empty
	Risk        string   // LOW, MEDIUM, HIGH or CRITICAL; as judged when empty
	Sending     string   // asked, none or free; as of the session when empty
	Description string
}

type effectRule struct {
	name    string // "effects.1", for records
	source  EffectRule
	hosts   patterns
	paths   []*regexp.Regexp
	risk    action.Risk
	sending action.Sending
}

func (x *effectRule) why() string {
	if x.source.Description != "" {
		return x.source.Description
	}
	return "a rule of the configuration about requests says so"
}

// effectRule reads the rule at an index, from 0.
func (r *reader) effectRule(i int, source EffectRule) effectRule {
	r.at = "effects[" + strconv.Itoa(i) + "]"
	out := effectRule{name: "effects." + strconv.Itoa(i+1), source: source, sending: action.Sending(source.Sending)}
	var err error
	if out.hosts, err = parsePatterns(source.Hosts); err != nil {
		r.complain("hosts", "%s", err)
	}
	for n, m := range source.Methods {
		if m != strings.ToUpper(m) || m == "" {
			r.complain("methods["+strconv.Itoa(n)+"]", "%q is no method; write it in capitals, such as POST", m)
		}
	}
	for n, glob := range source.Paths {
		if !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "*") {
			r.complain("paths["+strconv.Itoa(n)+"]", "%q is no path; it begins with / or *", glob)
		}
		parts := strings.Split(glob, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		out.paths = append(out.paths, regexp.MustCompile("^"+strings.Join(parts, ".*")+"$")) // of quoted parts: compiles
	}
	if source.Risk != "" && r.knownWord("risk", "risk", source.Risk, []string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}) {
		_ = out.risk.UnmarshalText([]byte(source.Risk))
	}
	if source.Sending != "" {
		r.knownWord("effects", "way to treat effects", source.Sending, []string{string(action.SendAsked), string(action.SendNone), string(action.SendFree)})
	}
	if source.Risk == "" && source.Sending == "" {
		r.complain("", "says neither risk nor effects: it would do nothing")
	}
	return out
}

// effectRule returns the first rule that matches a request; nil for none.
func (p *Policy) effectRule(r action.Request) *effectRule {
	if len(p.effects) == 0 {
		return nil
	}
	u, err := parseLeniently(r.URL)
	if err != nil {
		return nil
	}
	host := hostOf(r.URL)
	for i := range p.effects {
		if x := &p.effects[i]; x.matches(host, r.Method, u.EscapedPath()) {
			return x
		}
	}
	return nil
}

func (x *effectRule) matches(host, method, path string) bool {
	return (len(x.source.Hosts) == 0 || x.hosts.match(host)) &&
		(len(x.source.Methods) == 0 || slices.Contains(x.source.Methods, method)) &&
		(len(x.paths) == 0 || slices.ContainsFunc(x.paths, func(p *regexp.Regexp) bool { return p.MatchString(path) }))
}
