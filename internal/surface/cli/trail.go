package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Trail has the functions for an audit trail that need no gateway.
type Trail struct {
	// Inspect verifies the trail in files.
	Inspect func(ctx context.Context, c config.Config, f TrailFiles) (action.AuditVerdict, error)
	// Key returns the public key, in PEM, and its id.
	Key func(c config.Config) (pem []byte, id string, err error)
}

// TrailFiles are the files of a trail. Empty paths are as configured.
type TrailFiles struct {
	StateDir    string
	Checkpoints string
	PublicKey   string // a file in PEM
}

func (cmd auditCommands) verify() *cobra.Command {
	c := verb(action.VerbAuditVerify.Name, "verify", "glovebox audit verify --json\n"+
		"glovebox audit verify --state-dir /backup/glovebox --checkpoints /mnt/checkpoints --public-key audit.pem")
	c.Long = c.Short + ": the hash chain of its records and the signed checkpoints.\n" +
		"With a flag no gateway is asked: what is verified are the files, also of a copy."
	c.Args = between(0, 0)
	var files TrailFiles
	f := c.Flags()
	f.StringVar(&files.StateDir, "state-dir", "", "state directory, or a copy of one")
	f.StringVar(&files.Checkpoints, "checkpoints", "", "folder of the checkpoints (default: checkpoints in the state directory)")
	f.StringVar(&files.PublicKey, "public-key", "", "file that glovebox audit key printed (default: of the key in the state directory)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		verdict, err := cmd.verdict(c.Context(), files)
		if err != nil {
			return err
		}
		if !verdict.OK {
			return fault.New(fault.AuditUnavailable, "the audit trail is broken at record %d: %s", verdict.Broken, verdict.Problem).
				Hinted("keep the state directory as it is, and compare it with a backup")
		}
		return cmd.print(action.Result{Data: &verdict}, func(action.Result) { cmd.showVerdict(verdict) })
	}
	return c
}

// verdict asks the gateway to verify the trail, or verifies files where some are
// named.
func (cmd auditCommands) verdict(ctx context.Context, files TrailFiles) (action.AuditVerdict, error) {
	if files != (TrailFiles{}) {
		c, err := cmd.load()
		if err != nil {
			return action.AuditVerdict{}, err
		}
		return cmd.deps.Trail.Inspect(ctx, c, files)
	}
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return action.AuditVerdict{}, err
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbAuditVerify.Name, Args: &action.None{}})
	if err != nil {
		return action.AuditVerdict{}, err
	}
	verdict, _ := result.Data.(*action.AuditVerdict)
	return *verdict, nil
}

func (cmd auditCommands) showVerdict(v action.AuditVerdict) {
	cmd.printf("%s %d records, head %s\n", cmd.style.good("the chain holds:"), v.Records, v.Head)
	if v.First > 1 {
		cmd.printf("retention has removed what was before record %d\n", v.First)
	}
	if v.Checkpoints > 0 {
		cmd.printf("%d checkpoints of key %s hold, the newest of record %d\n", v.Checkpoints, v.Key, v.Signed)
	}
}

func (cmd auditCommands) key() *cobra.Command {
	return &cobra.Command{
		Use: "key", Short: "Print the public key that verifies the trail's checkpoints", Args: between(0, 0),
		Example: "  glovebox audit key > audit.pem",
		RunE: func(*cobra.Command, []string) error {
			c, err := cmd.load()
			if err != nil {
				return err
			}
			text, id, err := cmd.deps.Trail.Key(c)
			if err != nil {
				return err
			}
			if cmd.json {
				return encode(cmd.io.Out, map[string]string{"id": id, "pem": string(text)})
			}
			cmd.printf("%s", text)
			return nil
		},
	}
}
