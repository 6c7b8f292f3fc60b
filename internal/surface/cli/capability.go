package cli

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// showCapability prints a contract for people.
func (r *root) showCapability(c action.Capability) {
	r.printf("%s  %s\n%s\n\n", r.style.bold(c.ID), c.Domain, c.Description)
	r.facts(func(row func(name, value string)) {
		row("risk", c.RiskLevel)
		row("archetypes", strings.Join(c.Archetypes, ", "))
		row("phases", strings.Join(c.Phases, ", "))
		row("rollback", c.Rollback)
		row("idempotent", c.Idempotency)
		row("duration", c.Duration)
		row("concurrency", c.Concurrency)
		row("people", c.HumanIntervention)
		row("trace", c.TraceLevel)
		row("audit", strings.Join(c.AuditFields, ", "))
	})
	for _, part := range []struct {
		title string
		all   []action.Named
	}{
		{"required decisions", c.RequiredDecisions}, {"required status", c.RequiredStatus}, {"actions", c.ActionTypes},
		{"failures", c.FailureModes}, {"escalation", c.Escalations}, {"security", c.Security},
	} {
		r.printf("\n%s\n", r.style.bold(part.title))
		r.facts(func(row func(name, value string)) {
			for _, n := range part.all {
				row("  "+n.Name, n.About)
			}
		})
	}
	r.capabilityFields("input", c.InputFields)
	r.capabilityFields("output", c.OutputFields)
	r.printf("\n%s\n", r.style.bold("side effects, and the worst that can happen"))
	for _, text := range append(append([]string{}, c.SideEffects...), c.WorstCases...) {
		r.printf("  %s\n", text)
	}
}

func (r *root) capabilityFields(title string, fields []action.CapabilityItem) {
	r.printf("\n%s\n", r.style.bold(title))
	r.facts(func(row func(name, value string)) {
		for _, f := range fields {
			row("  "+f.Name, strings.TrimSpace(f.Type+" "+f.Validation))
		}
	})
}
