package cli

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
)

// auditCommands read and verify the audit trail.
type auditCommands struct{ *environment }

func (cmd auditCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "audit", Short: "Read, export and verify the audit trail", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.query(), cmd.tail(), cmd.export(), cmd.verify(), cmd.key())
	return []*cobra.Command{group}
}

// filterFlags adds the flags of all commands that read the trail. --session is the
// flag that all commands have.
func filterFlags(c *cobra.Command, a *action.AuditFilter) {
	f := c.Flags()
	f.StringVar(&a.Actor, "actor", "", "only this actor's")
	f.StringVar(&a.Verb, "verb", "", "only this verb's, such as page.click")
	f.StringVar(&a.Event, "event", "", "only this kind: "+strings.Join(action.AuditEvents, ", "))
	f.StringVar(&a.Domain, "domain", "", "only about this host")
	f.StringVar(&a.Risk, "risk", "", "only of this risk: LOW, MEDIUM, HIGH, CRITICAL")
	f.StringVar(&a.Decision, "decision", "", "only where people had this to do with it: auto_approved, operator, approved, denied, expired, pending")
	f.StringVar(&a.Result, "result", "", "only what became this: ok, fault, pending, cancelled, lost")
	f.StringVar(&a.From, "from", "", "not before this time (RFC 3339)")
	f.StringVar(&a.To, "to", "", "before this time (RFC 3339)")
	f.BoolVar(&a.Unscoped, "unscoped", false, "the records of no scope instead: the gateway's own, and calls of strangers")
}

func (cmd auditCommands) query() *cobra.Command {
	var call action.AuditQuery
	c := verb(action.VerbAuditQuery.Name, "query", "glovebox audit query --verb page.click --result fault\nglovebox audit query --risk HIGH --from 2026-11-21T00:00:00Z --json\nglovebox audit query --before 4000 -n 500")
	c.Args = between(0, 0)
	filterFlags(c, &call.AuditFilter)
	f := c.Flags()
	f.IntVarP(&call.Limit, "lines", "n", 100, "how many records: the newest, or with --after the next")
	f.Int64Var(&call.After, "after", 0, "only records with a greater number")
	f.Int64Var(&call.Before, "before", 0, "only records with a smaller number")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		_, err = cmd.records(c.Context(), gateway, call, false)
		return err
	}
	return c
}

func (cmd auditCommands) tail() *cobra.Command {
	var call action.AuditQuery
	var follow bool
	c := verb(action.VerbAuditQuery.Name, "tail", "glovebox audit tail -n 20\nglovebox audit tail -f --json")
	c.Args = between(0, 0)
	filterFlags(c, &call.AuditFilter)
	f := c.Flags()
	f.IntVarP(&call.Limit, "lines", "n", 20, "how many of the newest records")
	f.BoolVarP(&follow, "follow", "f", false, "go on as records come")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		for {
			call.After, err = cmd.records(c.Context(), gateway, call, follow)
			if err != nil || !follow {
				return err
			}
			call.Limit = maxRecords
			select {
			case <-time.After(time.Second):
			case <-c.Context().Done():
				return nil
			}
		}
	}
	return c
}

const maxRecords = 1000 // of one page; action.AuditQuery

// records prints a page of records and returns where the next one begins: after the
// last record, or after the newest when there are no more. While it follows it leaves
// out its own queries, which make two records each second.
func (cmd auditCommands) records(ctx context.Context, gateway *client.Client, q action.AuditQuery, follows bool) (after int64, err error) {
	q.Session = cmd.target
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbAuditQuery.Name, Args: &q})
	if err != nil {
		return 0, err
	}
	page, _ := result.Data.(*action.AuditPage)
	for _, record := range page.Records {
		if !follows || record.Action != action.VerbAuditQuery.Name {
			cmd.record(record)
		}
	}
	if n := len(page.Records); n == maxRecords {
		return page.Records[n-1].Seq, nil
	}
	return page.Last, nil
}

func (cmd auditCommands) export() *cobra.Command {
	var call action.AuditExport
	var out string
	c := verb(action.VerbAuditExport.Name, "export", "glovebox audit export -o audit.jsonl\nglovebox audit export --format csv --from 2026-11-01T00:00:00Z -o november.csv")
	c.Args = between(0, 0)
	filterFlags(c, &call.AuditFilter)
	c.Flags().StringVar(&call.Format, "format", "jsonl", "jsonl or csv")
	outputFlag(c, &out, toStandardOutput)
	c.RunE = func(c *cobra.Command, _ []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		call.Session = cmd.target
		if out == "" || out == "-" {
			_, err := gateway.Export(c.Context(), call, cmd.io.Out)
			return err
		}
		return cmd.exportTo(c.Context(), gateway, call, out)
	}
	return c
}

// exportTo writes an export to a file. The file is complete or not there.
func (cmd auditCommands) exportTo(ctx context.Context, gateway *client.Client, call action.AuditExport, out string) error {
	n, err := writeWhole(out, func(to io.Writer) error {
		_, err := gateway.Export(ctx, call, to)
		return err
	})
	if err != nil {
		return err
	}
	return cmd.print(action.Result{Data: map[string]any{"file": out, "bytes": n}}, func(action.Result) {
		cmd.printf("%s %d bytes in %s\n", cmd.style.good("exported:"), n, out)
	})
}

func (cmd auditCommands) record(record action.Record) {
	if cmd.json {
		_ = encode(cmd.io.Out, record)
		return
	}
	outcome := record.Result
	switch {
	case record.Error != "":
		outcome = cmd.style.bad(short(record.Error, 70))
	case outcome == "ok":
		outcome = cmd.style.good(outcome)
	}
	words := []string{
		cmd.style.dim(record.Timestamp.Local().Format("15:04:05.000")), record.EventType, cmd.style.bold(record.Action),
		record.Actor, short(record.TargetElement, 50), short(first(record.TargetURL, record.URL), 60), record.Risk, record.HITLDecision,
		outcome, short(record.Detail, 80),
	}
	kept := words[:0]
	for _, word := range words {
		if word != "" {
			kept = append(kept, word)
		}
	}
	cmd.printf("%6d %s\n", record.Seq, strings.Join(kept, "  "))
}
