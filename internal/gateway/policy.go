package gateway

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// policyKey returns the configuration key for a path of the policy.
func policyKey(path string) string {
	if rest, effects := strings.CutPrefix(path, "effects["); effects {
		return "security.effects.rules[" + rest
	}
	return "security.hitl." + path
}

// policyConfig returns the policy's part of a configuration.
func policyConfig(c config.Config) policy.Config {
	hitl := c.Security.HITL
	out := policy.Config{
		Enabled: hitl.Enabled, Trusted: hitl.Trusted, Sensitive: hitl.Sensitive,
		Allowed: slices.Concat(c.Security.Network.Navigation, c.Security.Network.AllowPrivate),
		AskAt:   policy.AskAt(hitl.AskAt),
		File:    c.Source.File, SHA256: c.Source.SHA256,
	}
	for _, r := range c.Security.Effects.Rules {
		out.Effects = append(out.Effects, policy.EffectRule{
			Hosts: r.Hosts, Methods: r.Methods, Paths: r.Paths, Risk: r.Risk, Sending: r.Effects, Description: r.Description,
		})
	}
	for _, r := range hitl.Rules {
		rule := policy.Rule{Tools: r.Tools, Roles: r.Roles, Hosts: r.Hosts, Risk: r.Risk, Action: r.Action, Description: r.Description}
		for _, c := range r.Conditions {
			rule.Conditions = append(rule.Conditions, condition(c))
		}
		out.Rules = append(out.Rules, rule)
	}
	return out
}

func condition(c config.Condition) policy.Condition {
	out := policy.Condition{Param: c.Param, Equals: (*string)(c.Equals), Matches: c.Matches}
	for _, value := range c.In {
		out.In = append(out.In, string(value))
	}
	return out
}

// policyProblems lists the policy's problems with a configuration, with the
// configuration's keys.
func policyProblems(c config.Config) []config.Problem {
	var all []config.Problem
	for _, p := range policy.Check(policyConfig(c)) {
		all = append(all, config.Problem{Path: policyKey(p.Path), Message: p.Message})
	}
	return all
}

// explain returns what the policy of a configuration decides about a call,
// without a gateway.
func explain(c config.Config, q action.PolicyQuery) (action.PolicyExplanation, error) {
	p, err := policy.New(policyConfig(c))
	if err != nil {
		return action.PolicyExplanation{}, err
	}
	return p.Explain(q, nil)
}
