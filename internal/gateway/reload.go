package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// reloadableKeys are the keys that a reload applies. The others need a restart,
// because the proxy and the webhook are opened only once.
var reloadableKeys = []string{
	"security.hitl.enabled", "security.hitl.timeouts.", "security.hitl.trusted_domains", "security.hitl.sensitive_domains", "security.hitl.rules", "security.hitl.ask_at", "security.effects.rules",
	"security.network.navigation", "security.network.subresources", "security.network.listed", "security.network.allow_private", "security.network.ports",
}

// reloadable reports whether a reload applies a key, by its path.
func reloadable(key string) bool {
	return slices.ContainsFunc(reloadableKeys, func(known string) bool { return strings.HasPrefix(key, known) })
}

const maxProblemText = 1000 // characters of what is wrong with a configuration, in a record

// reloads reloads the configuration at each signal, until ctx ends. A closed
// terminal sends the same signal; then the gateway ends.
func (g *Gateway) reloads(ctx context.Context, signals <-chan os.Signal, o cli.ServeOptions, log *slog.Logger, end func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		if o.Terminal && !terminal(o.Out) {
			end()
			return
		}
		c, err := o.Reload()
		if err == nil {
			err = g.Reload(c, log)
		}
		if err != nil {
			g.reloadFailed(c, err, log)
		}
	}
}

// Reload applies the parts of a configuration that can change while sessions run: the
// policy, how long questions wait, and where new sessions may go. It applies all of
// them or none. Faults: invalid_request.
func (g *Gateway) Reload(c config.Config, log *slog.Logger) error {
	rules, err := policy.New(policyConfig(c))
	if err != nil {
		return err
	}
	if err := g.sessions.SetNetwork(network(c.Security.Network)); err != nil { // the last step that can fail
		return err
	}
	g.approvals.SetTimeouts(timeouts(c))
	if err := g.Gate.SetPolicy(rules); err != nil {
		return err
	}
	var later []string
	for _, key := range config.Changed(g.config, c) {
		if !reloadable(key) {
			later = append(later, key)
		}
	}
	g.config.Take(c, reloadable) // what needs a restart is warned of at each reload
	g.config.Source = c.Source
	if len(later) > 0 {
		log.Warn("keys that changed and want a restart", "keys", later)
	}
	log.Info("configuration reloaded", "file", c.Source.File, "sha256", c.Source.SHA256, "policy", rules.Hash())
	g.audit.Record(configEvent("reloaded", c, rules))
	return nil
}

// reloadFailed logs and records that a configuration was not applied.
func (g *Gateway) reloadFailed(c config.Config, err error, log *slog.Logger) {
	f := fault.From(err)
	problem := f.Message
	if all, known := f.Details["problems"].(config.Problems); known {
		problem = all.Error()
	}
	log.Error("the configuration was not reloaded; the one before stays", "file", c.Source.File, "sha256", c.Source.SHA256, "problem", problem)
	g.audit.Record(action.Record{
		EventType: action.EventConfig, Result: "fault", Error: untrusted.Record(fmt.Sprintf("%s: %s", f.Code, problem), maxProblemText),
		Detail: untrusted.Record(fmt.Sprintf("not reloaded, the one before stays: file %s, sha256 %s", c.Source.File, c.Source.SHA256), maxProblemText),
	})
}

// configEvent is the record of a configuration that was applied.
func configEvent(what string, c config.Config, rules *policy.Policy) action.Record {
	source := "no file"
	if c.Source.File != "" {
		source = fmt.Sprintf("file %s, sha256 %s", c.Source.File, c.Source.SHA256)
	}
	return action.Record{
		EventType: action.EventConfig, Result: "ok",
		Detail: untrusted.Record(fmt.Sprintf("%s: %s, policy %s", what, source, rules.Hash()), maxProblemText),
	}
}

// timeouts returns how long questions wait.
func timeouts(c config.Config) approval.Timeouts {
	t := c.Security.HITL.Timeouts
	return approval.Timeouts{
		Medium: time.Duration(t.Medium) * time.Second, High: time.Duration(t.High) * time.Second, Critical: time.Duration(t.Critical) * time.Second,
	}
}
