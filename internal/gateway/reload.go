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
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// reloadableKeys are the keys that a reload applies. The others need a restart: the
// proxy and the webhook are opened once.
var reloadableKeys = []string{
	"security.hitl.enabled", "security.hitl.timeouts.", "security.hitl.trusted_domains", "security.hitl.sensitive_domains", "security.hitl.rules", "security.hitl.ask_at", "security.effects.rules",
	"security.network.navigation", "security.network.subresources", "security.network.listed", "security.network.allow_private", "security.network.ports",
}

// reloadable reports whether a reload applies a key, by its path.
func reloadable(key string) bool {
	return slices.ContainsFunc(reloadableKeys, func(known string) bool { return strings.HasPrefix(key, known) })
}

const maxProblemText = 1000 // characters of what is wrong with a configuration, in a record

// reloads reloads the configuration at each signal, until ctx ends. A terminal that was
// closed sends the same signal: then the gateway ends.
func (h *Gateway) reloads(ctx context.Context, signals <-chan os.Signal, o cli.ServeOptions, log *slog.Logger, end func()) {
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
			err = h.Reload(c, log)
		}
		if err != nil {
			h.reloadFailed(c, err, log)
		}
	}
}

// Reload applies the parts of a configuration that can change while sessions run: the
// policy, how long questions wait, and where new sessions may go. It applies all of
// them or none. Faults: invalid_request.
func (h *Gateway) Reload(c config.Config, log *slog.Logger) error {
	rules, err := policy.New(policyConfig(c))
	if err != nil {
		return err
	}
	if err := h.sessions.SetNetwork(network(c.Security.Network)); err != nil { // the last that can fail
		return err
	}
	h.approvals.SetTimeouts(timeouts(c))
	if err := h.Gate.SetPolicy(rules); err != nil {
		return err
	}
	var later []string
	for _, key := range config.Changed(h.config, c) {
		if !reloadable(key) {
			later = append(later, key)
		}
	}
	h.config.Take(c, reloadable) // what needs a restart is warned of at each reload
	h.config.Source = c.Source
	if len(later) > 0 {
		log.Warn("keys that changed and want a restart", "keys", later)
	}
	log.Info("configuration reloaded", "file", c.Source.File, "sha256", c.Source.SHA256, "policy", rules.Hash())
	h.audit.Record(configEvent("reloaded", c, rules))
	return nil
}

// reloadFailed logs and records that a configuration was not applied.
func (h *Gateway) reloadFailed(c config.Config, err error, log *slog.Logger) {
	f := fault.From(err)
	problem := f.Message
	if all, known := f.Details["problems"].(config.Problems); known {
		problem = all.Error()
	}
	log.Error("the configuration was not reloaded; the one before stays", "file", c.Source.File, "sha256", c.Source.SHA256, "problem", problem)
	h.audit.Record(action.Record{
		EventType: audit.Config, Result: "fault", Error: untrusted.Record(fmt.Sprintf("%s: %s", f.Code, problem), maxProblemText),
		Detail: untrusted.Record(fmt.Sprintf("not reloaded, the one before stays: file %s, sha256 %s", c.Source.File, c.Source.SHA256), maxProblemText),
	})
}

// configEvent is the record of a configuration that came into force.
func configEvent(what string, c config.Config, rules *policy.Policy) action.Record {
	source := "no file"
	if c.Source.File != "" {
		source = fmt.Sprintf("file %s, sha256 %s", c.Source.File, c.Source.SHA256)
	}
	return action.Record{
		EventType: audit.Config, Result: "ok",
		Detail: untrusted.Record(fmt.Sprintf("%s: %s, policy %s", what, source, rules.Hash()), maxProblemText),
	}
}

// timeouts is how long questions wait.
func timeouts(c config.Config) approval.Timeouts {
	t := c.Security.HITL.Timeouts
	return approval.Timeouts{
		Medium: time.Duration(t.Medium) * time.Second, High: time.Duration(t.High) * time.Second, Critical: time.Duration(t.Critical) * time.Second,
	}
}
