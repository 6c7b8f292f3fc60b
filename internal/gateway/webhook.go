package gateway

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/webhook"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// openWebhook starts deliveries to the configured address, if there is one.
// Fault: invalid_request if its secret is missing.
func (g *Gateway) openWebhook(ctx context.Context, c config.Webhook, o webhook.Options) error {
	if c.URL == "" {
		return webhook.Forget(ctx, o.DB)
	}
	o.URL, o.Secret = c.URL, os.Getenv(c.SecretEnv)
	if o.Secret == "" {
		return noSecret(c)
	}
	sender, err := webhook.Open(ctx, o)
	if err != nil {
		return err
	}
	g.onClose("webhook", func(context.Context) error { sender.Close(); return nil })
	return nil
}

func noSecret(c config.Webhook) *fault.Fault {
	return fault.New(fault.InvalidRequest, "security.hitl.webhook.secret_env: %s is not set", c.SecretEnv).
		Hinted("set it to whsec_ and base64 of 32 random bytes: export %s=whsec_$(openssl rand -base64 32)", c.SecretEnv)
}

// webhookCheck checks the deliveries of the webhook, if one is configured.
func webhookCheck(ctx context.Context, c config.Config) []cli.Check {
	if c.Security.HITL.Webhook.URL == "" {
		return nil
	}
	check := cli.Check{Name: "webhook", Repair: "see that security.hitl.webhook.url answers with 2xx within 10 s; the gateway's log says what failed"}
	if os.Getenv(c.Security.HITL.Webhook.SecretEnv) == "" {
		missing := noSecret(c.Security.HITL.Webhook)
		check.Detail, check.Repair = missing.Message, missing.Hint
		return []cli.Check{check}
	}
	path := filepath.Join(c.Server.StateDir, storeFile)
	if _, err := os.Stat(path); err != nil {
		check.OK, check.Detail = true, "no gateway has run yet"
		return []cli.Check{check}
	}
	db, err := store.Look(path)
	if err != nil {
		return []cli.Check{failedCheck("webhook", err)}
	}
	defer db.Close()
	s, err := webhook.Read(ctx, &store.DB{Reader: db})
	if err != nil {
		return []cli.Check{failedCheck("webhook", err)}
	}
	check.OK = s.Problem == "" && s.GivenUp == 0
	check.Detail = fmt.Sprintf("%d delivered, %d waiting, %d given up", s.Delivered, s.Waiting, s.GivenUp)
	if s.Problem != "" {
		check.Detail += fmt.Sprintf("; %s ago: %s", time.Since(s.Tried).Round(time.Second), s.Problem)
	}
	return []cli.Check{check}
}
