package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) auditCommands() []*cobra.Command {
	group := &cobra.Command{Use: "audit", Short: "Read and verify the audit trail", Args: between(0, 0), RunE: help}
	group.AddCommand(r.auditTail(), r.auditVerify(), r.auditKey())
	return []*cobra.Command{group}
}

func (r *root) auditTail() *cobra.Command {
	var call action.AuditQuery
	var follow bool
	c := verb("audit.query", "tail", "glovebox audit tail -n 20\nglovebox audit tail -f --json")
	c.Args = between(0, 0)
	f := c.Flags()
	f.IntVarP(&call.Limit, "lines", "n", 20, "how many of the newest records")
	f.BoolVarP(&follow, "follow", "f", false, "go on as records come")
	f.StringVar(&call.Actor, "actor", "", "only this actor's")
	f.StringVar(&call.Verb, "verb", "", "only this verb's")
	c.RunE = func(c *cobra.Command, _ []string) error {
		door, err := r.door(operatorToken)
		if err != nil {
			return err
		}
		call.Session = r.target
		for {
			result, err := r.send(c.Context(), door, action.Call{Verb: "audit.query", Args: &call})
			if err != nil {
				return err
			}
			page := result.Data.(*action.AuditPage)
			for _, record := range page.Records {
				if !follow || record.Action != "audit.query" { // its own look-ups, two records each second
					r.record(record)
				}
			}
			if !follow {
				return nil
			}
			call.After = page.Last
			select {
			case <-time.After(time.Second):
			case <-c.Context().Done():
				return nil
			}
		}
	}
	return c
}

func (r *root) record(record action.Record) {
	if r.json {
		_ = encode(r.io.Out, record)
		return
	}
	outcome := record.Result
	switch {
	case record.Error != "":
		outcome = r.style.bad(short(record.Error, 70))
	case outcome == "ok":
		outcome = r.style.good(outcome)
	}
	words := []string{
		r.style.dim(record.Timestamp.Local().Format("15:04:05.000")), record.EventType, r.style.bold(record.Action),
		record.Actor, short(record.TargetElement, 50), short(first(record.TargetURL, record.URL), 60), record.Risk, record.HITLDecision,
		outcome, short(record.Detail, 80),
	}
	kept := words[:0]
	for _, word := range words {
		if word != "" {
			kept = append(kept, word)
		}
	}
	r.printf("%6d %s\n", record.Seq, strings.Join(kept, "  "))
}
