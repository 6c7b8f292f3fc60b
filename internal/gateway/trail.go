package gateway

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/telemetry"
)

// storeFile is the name of the database file in the state directory.
const storeFile = "glovebox.db"

// checkpointDir returns the folder of the trail's checkpoints.
func checkpointDir(c config.Config) string {
	if c.Audit.CheckpointDir != "" {
		return c.Audit.CheckpointDir
	}
	return filepath.Join(c.Server.StateDir, "checkpoints")
}

func (g *Gateway) openTrail(ctx context.Context, c config.Config, db *store.DB, log *slog.Logger) (*audit.Log, error) {
	key, err := audit.Key(c.Server.StateDir)
	if err != nil {
		return nil, err
	}
	return audit.Open(ctx, audit.Options{
		DB: db, Log: log, NoFlush: !c.Audit.Durable, Redact: gate.RedactRecords(&g.secrets),
		Retention: max(0, duration(c.Audit.RetentionDays, 24*time.Hour)),
		Signing:   audit.Signing{Key: key, Folder: checkpointDir(c)},
	})
}

// openTrace starts to send spans of calls, if a collector is configured.
func (g *Gateway) openTrace(ctx context.Context, c config.Config, version string, trail *audit.Log, log *slog.Logger) error {
	if c.Audit.OTLP == "" {
		return nil
	}
	spans, err := telemetry.Open(ctx, telemetry.Options{
		Endpoint: c.Audit.OTLP, Version: version, Follow: trail.Follow, After: trail.Last(), Log: log,
	})
	if err != nil {
		return err
	}
	g.onClose("trace", spans.Close)
	return nil
}

// publicKey returns the key that verifies checkpoints: the one in file, or that
// of the state directory.
func publicKey(c config.Config, file string) (ed25519.PublicKey, error) {
	if file == "" {
		path := filepath.Join(c.Server.StateDir, audit.KeyFile)
		if _, err := os.Stat(path); err != nil { // a new key would verify nothing
			return nil, fault.New(fault.NotFound, "there is no signing key in %s", c.Server.StateDir).
				Hinted("a gateway makes it at its first start; give the public one with --public-key")
		}
		key, err := audit.Key(c.Server.StateDir)
		if err != nil {
			return nil, err
		}
		public, _ := key.Public().(ed25519.PublicKey)
		return public, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the public key cannot be read: %s", err)
	}
	return audit.ReadPublic(text)
}

// showKey returns the public key as text.
func showKey(c config.Config) ([]byte, string, error) {
	public, err := publicKey(c, "")
	if err != nil {
		return nil, "", err
	}
	text, err := audit.PublicPEM(public)
	return text, audit.KeyID(public), err
}

// inspectTrail verifies a trail without its gateway.
func inspectTrail(ctx context.Context, c config.Config, o cli.TrailFiles) (action.AuditVerdict, error) {
	if o.StateDir != "" {
		c.Server.StateDir, c.Audit.CheckpointDir = o.StateDir, ""
	}
	if o.Checkpoints != "" {
		c.Audit.CheckpointDir = o.Checkpoints
	}
	public, err := publicKey(c, o.PublicKey)
	if err != nil {
		return action.AuditVerdict{}, err
	}
	if _, err := os.Stat(checkpointDir(c)); err != nil {
		return action.AuditVerdict{}, fault.New(fault.NotFound, "there are no checkpoints: %s", fmt.Sprint(err)).
			Hinted("give their folder with --checkpoints")
	}
	return audit.Inspect(ctx, filepath.Join(c.Server.StateDir, storeFile), checkpointDir(c), public)
}
