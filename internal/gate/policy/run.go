package policy

import (
	"cmp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// runStart judges the start of a run by its archetype and phase. Its hosts are judged when its browser
// is opened, and each of its actions by itself.
func runStart(args *action.RunStart) judgement {
	j := judgement{risk: action.Low, rule: action.VerbRunStart.Name, why: "each of its actions is judged by itself"}
	for _, rule := range []struct{ name, given, only string }{
		{"archetype", args.Archetype, action.RunArchetype}, {"phase", args.Phase, action.RunPhase},
	} {
		if cmp.Or(rule.given, rule.only) != rule.only {
			j.raise(action.High, "run."+rule.name, "runs are for "+rule.name+" "+rule.only+" only")
			j.refuse, j.forAll = fault.DeniedByPolicy, true
			j.hint = "leave " + rule.name + " out, or let a " + action.RunArchetype + " do it in phase " + action.RunPhase
		}
	}
	return j
}

// runGuide judges the question how a paused run continues, which is always asked.
func runGuide(args *action.RunGuide) judgement {
	why := "a run is paused"
	if args != nil {
		why = "run " + args.Run + " is paused: " + args.Why
	}
	return judgement{risk: action.High, rule: "run.guidance", why: why + ". Approving has it go on with what is left; other guidance: run.resume"}
}

// runAllow judges the question about a host that a run may not open. It is always asked, except where
// adding a host would not help.
func runAllow(facts action.Facts) judgement {
	to := facts.Destination
	if to == nil || to.Allowed || to.Host == "" {
		return blocked("no host would let the run go there", "navigation.blocked")
	}
	return judgement{risk: action.High, rule: "navigation.blocked",
		why: "a run was to open a page of " + to.Host + ", which it may not: approving adds the host to the run"}
}

// onlyAsks reports whether a verb only asks people a question, also in a run that an operator started.
func onlyAsks(verb *action.Verb) bool {
	return verb.Name == action.VerbRunGuide.Name || verb.Name == action.VerbRunAllow.Name
}

// runOpen judges the opening of a run's browser by its hosts: people are asked about those that nobody
// has approved, in one question.
func (p *Policy) runOpen(facts action.Facts) judgement {
	to := facts.Destination
	switch {
	case facts.Run == nil || len(facts.Run.Hosts) == 0 || to == nil:
		return blocked("the hosts could not be judged", "run.unknown")
	case !to.Allowed || to.Host == "":
		return notAllowed(to)
	}
	j := judgement{risk: action.Low, rule: "run.domains", why: "its hosts are approved", auto: true}
	if unknown := facts.Run.Unknown; len(unknown) > 0 {
		j.raise(action.High, "run.domains", "a run wants to open hosts that nobody has approved: "+strings.Join(unknown, ", "))
	}
	return j
}
