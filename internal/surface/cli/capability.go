package cli

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/spf13/cobra"
)

// showCapability prints a contract for people.
func (cmd runCommands) showCapability(c action.Capability) {
	cmd.printf("%s  %s\n%s\n\n", cmd.style.bold(c.ID), c.Domain, c.Description)
	cmd.facts(func(row func(name, value string)) {
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
		cmd.printf("\n%s\n", cmd.style.bold(part.title))
		cmd.facts(func(row func(name, value string)) {
			for _, n := range part.all {
				row("  "+n.Name, n.About)
			}
		})
	}
	cmd.capabilityFields("input", c.InputFields)
	cmd.capabilityFields("output", c.OutputFields)
	cmd.printf("\n%s\n", cmd.style.bold("side effects, and the worst that can happen"))
	for _, text := range append(append([]string{}, c.SideEffects...), c.WorstCases...) {
		cmd.printf("  %s\n", text)
	}
}

func (cmd runCommands) capabilityFields(title string, fields []action.CapabilityItem) {
	cmd.printf("\n%s\n", cmd.style.bold(title))
	cmd.facts(func(row func(name, value string)) {
		for _, f := range fields {
			row("  "+f.Name, strings.TrimSpace(f.Type+" "+f.Validation))
		}
	})
}

func (cmd runCommands) capability() *cobra.Command {
	c := verb(action.VerbCapabilityShow.Name, "capability", "glovebox capability --json")
	c.Args = between(0, 0)
	c.RunE = func(*cobra.Command, []string) error {
		contract := action.BrowserAutomation // the same in every gateway of this version, so that none needs to run
		return cmd.print(action.Result{Data: contract}, func(action.Result) { cmd.showCapability(contract) })
	}
	return c
}
