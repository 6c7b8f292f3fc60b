package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
	"github.com/gloveboxhq/glovebox/internal/gate/webhook"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// Gateway is an open gateway: everything but the surfaces. Close it.
type Gateway struct {
	Gate         *gate.Gate
	Orchestrator *workflow.Orchestrator // what surfaces call: the gate, and macros before it
	Tokens       *auth.Book
	Log          *slog.Logger // as it was given, without the secrets of sessions

	config    config.Config  // in force
	policy    *policy.Policy // at the start
	audit     *audit.Log
	approvals *approval.Queue
	sessions  *session.Registry
	vault     *source.Vault
	secrets   redact.Book // the secrets of sessions
	closers   []closer    // in the order they were opened
}

// closer is one thing to close.
type closer struct {
	name  string
	close func(context.Context) error
}

// Open opens a gateway on the state directory of c. own are the addresses it
// listens on, which no box may reach. Faults: already_active when another
// gateway uses the directory, start_failed, invalid_request for a
// configuration a room refuses.
func Open(ctx context.Context, c config.Config, version string, own []netip.AddrPort, log *slog.Logger) (_ *Gateway, err error) {
	h := &Gateway{config: c}
	log = h.logTo(log)
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close(context.WithoutCancel(ctx)))
		}
	}()
	db, trail, err := h.openRecords(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if err := h.openTrace(ctx, c, version, trail, log); err != nil {
		return nil, err
	}
	if err := h.openSessions(ctx, c, version, db, trail, own, log); err != nil {
		return nil, err
	}
	if err := h.openApprovals(ctx, c, db, trail, log); err != nil {
		return nil, err
	}
	if err := h.openWebhook(ctx, c.Security.HITL.Webhook, webhook.Options{DB: db, Trail: trail, Approvals: h.approvals, Log: log}); err != nil {
		return nil, err
	}
	if err := h.openGate(ctx, c, db, trail, log); err != nil {
		return nil, err
	}
	if n, err := trail.CloseLost(ctx); err != nil {
		return nil, err
	} else if n > 0 {
		log.Warn("calls of the last gateway have no outcome: they are recorded as lost", "calls", n)
	}
	trail.Record(configEvent("gateway "+version+" started", c, h.policy))
	if err := h.sessions.Recover(ctx); err != nil {
		return nil, err
	}
	h.Orchestrator.EndOrphans()
	return h, nil
}

// logTo has the house log without the secrets of its sessions.
func (h *Gateway) logTo(log *slog.Logger) *slog.Logger {
	h.Log = slog.New(h.secrets.Handler(log.Handler()))
	return h.Log
}

// openRecords opens what is kept in the state directory: tokens, store, trail.
func (h *Gateway) openRecords(ctx context.Context, c config.Config, log *slog.Logger) (*store.DB, *audit.Log, error) {
	locked, err := lock(c.Server.StateDir)
	if err != nil {
		return nil, nil, err
	}
	h.onClose("lock", func(context.Context) error { return locked.Close() })
	if h.Tokens, err = openTokens(c, log); err != nil {
		return nil, nil, err
	}
	db, err := store.Open(ctx, filepath.Join(c.Server.StateDir, storeFile))
	if err != nil {
		return nil, nil, err
	}
	h.onClose("store", func(context.Context) error { return db.Close() })
	trail, err := h.openTrail(ctx, c, db, log)
	if err != nil {
		return nil, nil, err
	}
	h.audit = trail
	h.onClose("audit", func(context.Context) error { trail.Close(); return nil })
	if err := h.Tokens.Keep(ctx, db); err != nil {
		return nil, nil, err
	}
	h.onClose("tokens", h.Tokens.Close)
	return db, trail, nil
}

func (h *Gateway) onClose(name string, end func(context.Context) error) {
	h.closers = append(h.closers, closer{name, end})
}

// Close closes every room, the last opened first. Boxes end, within the bound
// of the session room.
func (h *Gateway) Close(ctx context.Context) error {
	var errs []error
	for i := len(h.closers) - 1; i >= 0; i-- {
		if err := h.closers[i].close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", h.closers[i].name, err))
		}
	}
	h.closers = nil
	return errors.Join(errs...)
}

func openTokens(c config.Config, log *slog.Logger) (*auth.Book, error) {
	entries, err := tokens(c)
	if err != nil {
		return nil, err
	}
	book, err := auth.Open(c.Server.StateDir, entries...)
	if err != nil {
		return nil, err
	}
	book.Pace(auth.Rate{PerSecond: c.Auth.Rate.PerSecond, Burst: c.Auth.Rate.Burst})
	if j := c.Auth.JWT; j.Issuer != "" {
		err = book.Trust(auth.Issuer{
			Name: j.Issuer, Audience: j.Audience, KeysURL: j.KeysURL, RoleClaim: j.RoleClaim, ScopeClaim: j.ScopeClaim, Log: log,
		})
	}
	if err != nil {
		return nil, fault.New(fault.StartFailed, "auth.jwt: %v", err).Hinted("see glovebox config print")
	}
	return book, nil
}

func (h *Gateway) openSessions(ctx context.Context, c config.Config, version string, db *store.DB, trail *audit.Log, own []netip.AddrPort, log *slog.Logger) error {
	driver, err := openDriver(c, version, log)
	if err != nil {
		return err
	}
	h.onClose("driver", func(context.Context) error { return driver.Close() })
	h.reapBoxes(ctx, driver, log)
	door, err := openProxy(c.Security.Network, own, log, egress.Options{
		OnRefused: func(box string, r action.Refusal) { h.sessions.Refused(box, r) },
		AllowChannel: func(ctx context.Context, box string, channel action.Channel) error {
			return h.sessions.Opens(ctx, box, channel)
		},
	})
	if err != nil {
		return err
	}
	h.onClose("egress", door.Shutdown)
	artifacts, err := artifact.Open(ctx, filepath.Join(c.Server.StateDir, "artifacts"), db, artifact.Limits{}, log)
	if err != nil {
		return err
	}
	h.onClose("artifacts", func(context.Context) error { return artifacts.Close() })
	profiles, err := openProfiles(ctx, c, db, log)
	if err != nil {
		return err
	}
	pages, err := pageOptions(c)
	if err != nil {
		return err
	}
	if h.vault, err = openVault(c); err != nil {
		return err
	}
	h.onClose("vault", h.vault.Close)
	h.sessions, err = session.New(ctx, session.Options{
		DB: db, Artifacts: artifacts, Profiles: profiles, Driver: driver, Door: door, Record: trail.Record,
		Vault: h.vault, Known: &h.secrets, Outgoing: (*requestGate)(h),
		Wished:  func(s action.Session, host string) { h.Gate.RequestHost(s, host) },
		Limited: func(s action.Session, why string) { h.Gate.AskToResume(s, why) },
		Asks:    func(s action.Session) bool { return h.Gate.HasOpenQuestions(s) },
		Open:    openPage, Page: pages, Config: sessionConfig(c), Log: log,
	})
	if err != nil {
		return err
	}
	h.onClose("sessions", h.sessions.Close)
	return nil
}

// openProfiles opens the saved user data. The key may be in the environment,
// and is in no configuration: that is printed.
func openProfiles(ctx context.Context, c config.Config, db *store.DB, log *slog.Logger) (*profile.Store, error) {
	key, err := profile.Key(os.Getenv(profile.KeyEnv), c.Server.StateDir)
	if err != nil {
		return nil, err
	}
	return profile.Open(ctx, filepath.Join(c.Server.StateDir, "profiles"), db, key, log)
}

// openPage connects the page engine to a box's browser.
func openPage(ctx context.Context, box sandbox.Box, o engine.Options) (session.Browser, error) {
	stream, err := box.CDP(ctx)
	if err != nil {
		return nil, err
	}
	return engine.Open(ctx, stream, o)
}

// openApprovals opens what judges calls and what asks people.
func (h *Gateway) openApprovals(ctx context.Context, c config.Config, db *store.DB, trail *audit.Log, log *slog.Logger) (err error) {
	if h.policy, err = policy.New(policyConfig(c)); err != nil {
		return err
	}
	h.approvals, err = approval.Open(ctx, approval.Options{DB: db, Log: log, OnEnded: gate.RecordEnded(trail), Timeouts: timeouts(c)})
	if err != nil {
		return err
	}
	h.onClose("approval", func(context.Context) error { h.approvals.Close(); return nil })
	return nil
}

// openGate opens the gate, and macros before it. The desk must be open.
func (h *Gateway) openGate(ctx context.Context, c config.Config, db *store.DB, trail *audit.Log, log *slog.Logger) error {
	runs, err := workflow.OpenRuns(ctx, workflow.RunsOptions{DB: db, Log: log, Retention: sessionConfig(c).Retention})
	if err != nil {
		return err
	}
	h.Gate, err = gate.New(gate.Options{
		Sessions: router{h.sessions, runs, h}, Policy: h.policy, Approvals: h.approvals, Audit: trail, Log: log,
		Tokens: h.Tokens, HostRequests: c.Security.HITL.Enabled, Credentials: credentialScan(c), Secrets: &h.secrets,
		Timeouts: gate.Timeouts{Action: time.Duration(c.Browser.Timeout) * time.Second},
		Notifies: func() bool { return c.Security.HITL.Webhook.URL != "" },
	})
	if err != nil {
		return errors.Join(err, runs.Close(ctx))
	}
	h.onClose("gate", h.Gate.Close)
	h.Orchestrator = workflow.New(h.Gate, runs)
	h.onClose("runs", runs.Close)
	return nil
}

// credentialScan is how calls are looked through for credentialScan. What is not
// known halts.
func credentialScan(c config.Config) gate.Credentials {
	on := map[string]gate.OnCredential{"deny": gate.DenyCall, "ask": gate.AskPerson}[c.Security.Credentials.Scan]
	return gate.Credentials{Scanner: scan.New(c.Security.Credentials.Test), On: on}
}

// listenAddress returns the address a listener has, for the egress door to
// refuse.
func listenAddress(l net.Listener) []netip.AddrPort {
	tcp, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	return []netip.AddrPort{tcp.AddrPort()}
}
