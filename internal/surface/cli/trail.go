package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Trail is what can be done with an audit trail without its gateway.
type Trail struct {
	// Inspect verifies the trail in files.
	Inspect func(ctx context.Context, c config.Config, f TrailFiles) (action.AuditVerdict, error)
	// Key returns the public key, in PEM, and its id.
	Key func(c config.Config) (pem []byte, id string, err error)
}

// TrailFiles are where a trail lies. What is empty is as configured.
type TrailFiles struct {
	StateDir    string
	Checkpoints string
	PublicKey   string // a file in PEM
}

func (r *root) auditVerify() *cobra.Command {
	c := verb("audit.verify", "verify", "glovebox audit verify --json\n"+
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
		verdict, err := r.verdict(c.Context(), files)
		if err != nil {
			return err
		}
		if !verdict.OK {
			return fault.New(fault.AuditUnavailable, "the audit trail is broken at record %d: %s", verdict.Broken, verdict.Problem).
				Hinted("keep the state directory as it is, and compare it with a backup")
		}
		return r.print(action.Result{Data: &verdict}, func(action.Result) { r.sayVerdict(verdict) })
	}
	return c
}

// verdict asks the gateway, or looks at files where some are named.
func (r *root) verdict(ctx context.Context, files TrailFiles) (action.AuditVerdict, error) {
	if files != (TrailFiles{}) {
		c, err := r.load()
		if err != nil {
			return action.AuditVerdict{}, err
		}
		return r.parts.Trail.Inspect(ctx, c, files)
	}
	door, err := r.door(operatorToken)
	if err != nil {
		return action.AuditVerdict{}, err
	}
	result, err := r.send(ctx, door, action.Call{Verb: "audit.verify", Args: &action.None{}})
	if err != nil {
		return action.AuditVerdict{}, err
	}
	verdict, _ := result.Data.(*action.AuditVerdict)
	return *verdict, nil
}

func (r *root) sayVerdict(v action.AuditVerdict) {
	r.printf("%s %d records, head %s\n", r.style.good("the chain holds:"), v.Records, v.Head)
	if v.First > 1 {
		r.printf("retention has removed what was before record %d\n", v.First)
	}
	if v.Checkpoints > 0 {
		r.printf("%d checkpoints of key %s hold, the newest of record %d\n", v.Checkpoints, v.Key, v.Signed)
	}
}

func (r *root) auditKey() *cobra.Command {
	return &cobra.Command{
		Use: "key", Short: "Print the public key that verifies the trail's checkpoints", Args: between(0, 0),
		Example: "  glovebox audit key > audit.pem",
		RunE: func(*cobra.Command, []string) error {
			c, err := r.load()
			if err != nil {
				return err
			}
			text, id, err := r.parts.Trail.Key(c)
			if err != nil {
				return err
			}
			if r.json {
				return encode(r.io.Out, map[string]string{"id": id, "pem": string(text)})
			}
			r.printf("%s", text)
			return nil
		},
	}
}
