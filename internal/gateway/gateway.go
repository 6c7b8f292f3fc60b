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
	"github.com/gloveboxhq/glovebox/internal/sight"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// Gateway is an open gateway without the surfaces. It must be closed.
type Gateway struct {
	Gate         *gate.Gate
	Orchestrator *workflow.Orchestrator // called by surfaces; runs the steps of batches, crawls and runs
	Tokens       *auth.TokenStore
	Log          *slog.Logger // redacts the secrets of sessions

	config    config.Config  // in force
	policy    *policy.Policy // at the start
	audit     *audit.Log
	approvals *approval.Queue
	requests  *gate.Requests
	sessions  *session.Registry
	sights    *sight.Store
	vault     *source.Vault
	secrets   redact.SecretStore // the secrets of sessions
	closers   []closer           // in the order they were opened
}

// closer is one thing to close.
type closer struct {
	name  string
	close func(context.Context) error
}

// Open opens a gateway on the state directory of c. It makes the innermost parts
// first, so that each part gets what it needs in its constructor. own are the
// listeners of the gateway, which no box may reach. Faults: already_active if
// another gateway uses the directory, start_failed, invalid_request for a
// configuration that a part refuses.
func Open(ctx context.Context, c config.Config, version string, own []netip.AddrPort, log *slog.Logger) (_ *Gateway, err error) {
	g := &Gateway{config: c}
	log = g.logTo(log)
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
	}()
	db, trail, err := g.openRecords(ctx, c, log)
	if err != nil {
		return nil, err
	}
	if err := g.openTrace(ctx, c, version, trail, log); err != nil {
		return nil, err
	}
	if err := g.openPolicy(ctx, c, db, trail, log); err != nil {
		return nil, err
	}
	reports := newEvents() // from the proxy to the sessions, and from the sessions to the gate
	g.onClose("events", reports.close)
	driver, err := g.openDriver(ctx, c, version, log)
	if err != nil {
		return nil, err
	}
	proxy, err := g.openProxy(c.Security.Network, own, reports, log)
	if err != nil {
		return nil, err
	}
	if err := g.openVault(c); err != nil {
		return nil, err
	}
	if err := g.openSessions(ctx, c, db, trail, driver, proxy, reports, log); err != nil {
		return nil, err
	}
	if err := g.openWebhook(ctx, c.Security.HITL.Webhook, webhook.Options{DB: db, Trail: trail, Approvals: g.approvals, Log: log}); err != nil {
		return nil, err
	}
	if err := g.openGate(ctx, c, db, log); err != nil {
		return nil, err
	}
	reports.deliver(g.sessions, g.Gate)
	if err := g.start(ctx, version); err != nil {
		return nil, err
	}
	return g, nil
}

// logTo returns a logger that redacts the secrets of the sessions.
func (g *Gateway) logTo(log *slog.Logger) *slog.Logger {
	g.Log = slog.New(g.secrets.Handler(log.Handler()))
	return g.Log
}

// start handles what an earlier gateway left: calls without an outcome, boxes and
// runs.
func (g *Gateway) start(ctx context.Context, version string) error {
	n, err := g.audit.CloseLost(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		g.Log.Warn("calls of the last gateway have no outcome: they are recorded as lost", "calls", n)
	}
	g.audit.Record(configEvent("gateway "+version+" started", g.config, g.policy))
	if err := g.sessions.Recover(ctx); err != nil {
		return err
	}
	g.Orchestrator.EndOrphans()
	return nil
}

// openRecords opens the tokens, the database and the audit trail.
func (g *Gateway) openRecords(ctx context.Context, c config.Config, log *slog.Logger) (*store.DB, *audit.Log, error) {
	locked, err := lock(c.Server.StateDir)
	if err != nil {
		return nil, nil, err
	}
	g.onClose("lock", func(context.Context) error { return locked.Close() })
	if g.Tokens, err = openTokens(c, log); err != nil {
		return nil, nil, err
	}
	db, err := store.Open(ctx, filepath.Join(c.Server.StateDir, storeFile))
	if err != nil {
		return nil, nil, err
	}
	g.onClose("store", func(context.Context) error { return db.Close() })
	trail, err := g.openTrail(ctx, c, db, log)
	if err != nil {
		return nil, nil, err
	}
	g.audit = trail
	g.onClose("audit", func(context.Context) error { trail.Close(); return nil })
	if err := g.Tokens.Keep(ctx, db); err != nil {
		return nil, nil, err
	}
	g.onClose("tokens", g.Tokens.Close)
	return db, trail, nil
}

func (g *Gateway) onClose(name string, end func(context.Context) error) {
	g.closers = append(g.closers, closer{name, end})
}

// Close closes every part, the last opened first. Boxes end within the time limit
// of session.Registry.Close.
func (g *Gateway) Close(ctx context.Context) error {
	var errs []error
	for i := len(g.closers) - 1; i >= 0; i-- {
		if err := g.closers[i].close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", g.closers[i].name, err))
		}
	}
	g.closers = nil
	return errors.Join(errs...)
}

func openTokens(c config.Config, log *slog.Logger) (*auth.TokenStore, error) {
	entries, err := tokens(c)
	if err != nil {
		return nil, err
	}
	book, err := auth.Open(c.Server.StateDir, entries...)
	if err != nil {
		return nil, err
	}
	book.LimitRate(auth.Rate{PerSecond: c.Auth.Rate.PerSecond, Burst: c.Auth.Rate.Burst})
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

// openSessions opens the sessions, with their files, profiles and browsers.
func (g *Gateway) openSessions(ctx context.Context, c config.Config, db *store.DB, trail *audit.Log, driver driver, proxy *egress.Proxy, reports *events, log *slog.Logger) error {
	artifacts, err := artifact.Open(ctx, filepath.Join(c.Server.StateDir, "artifacts"), db, artifact.Limits{}, log)
	if err != nil {
		return err
	}
	g.onClose("artifacts", func(context.Context) error { return artifacts.Close() })
	if g.sights, err = sight.Open(filepath.Join(c.Server.StateDir, "sights")); err != nil {
		return err
	}
	g.onClose("sights", func(context.Context) error { return g.sights.Close() })
	profiles, err := openProfiles(ctx, c, db, log)
	if err != nil {
		return err
	}
	pages, err := pageOptions(c)
	if err != nil {
		return err
	}
	g.sessions, err = session.New(ctx, session.Options{
		DB: db, Artifacts: artifacts, Profiles: profiles, Driver: driver, Egress: proxy, Record: trail.Record,
		Vault: g.vault, Known: &g.secrets, Outgoing: g.requests, HasQuestions: g.requests.HasOpenQuestions,
		OnRetain: g.sights.Prune, OnHostRequest: reports.hostRequested, OnLimit: reports.limited,
		Open: openPage, Page: pages, Config: sessionConfig(c), Log: log,
	})
	if err != nil {
		return err
	}
	g.onClose("sessions", g.sessions.Close)
	return nil
}

// openProfiles opens the store of profiles. Its key is in the environment or in a
// file, not in the configuration, which can be printed.
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

// openPolicy opens the policy and the queue of questions to people.
func (g *Gateway) openPolicy(ctx context.Context, c config.Config, db *store.DB, trail *audit.Log, log *slog.Logger) (err error) {
	if g.policy, err = policy.New(policyConfig(c)); err != nil {
		return err
	}
	g.approvals, err = approval.Open(ctx, approval.Options{DB: db, Log: log, OnEnded: gate.RecordEnded(trail), Timeouts: timeouts(c)})
	if err != nil {
		return err
	}
	g.onClose("approval", func(context.Context) error { g.approvals.Close(); return nil })
	g.requests, err = gate.NewRequests(gate.RequestsOptions{
		Policy: g.policy, Approvals: g.approvals, Audit: trail, Log: log, Credentials: credentialScan(c), Secrets: &g.secrets,
	})
	return err
}

// openGate opens the gate and the orchestrator in front of it.
func (g *Gateway) openGate(ctx context.Context, c config.Config, db *store.DB, log *slog.Logger) error {
	runs, err := workflow.OpenRuns(ctx, workflow.RunsOptions{DB: db, Log: log, Retention: sessionConfig(c).Retention})
	if err != nil {
		return err
	}
	g.Gate, err = gate.New(gate.Options{
		Sessions: router{g.sessions, runs, vaultCheck{g.vault, c.Security.Credentials.AutoInject}}, Requests: g.requests,
		Sights: g.sights, Tokens: g.Tokens, HostRequests: c.Security.HITL.Enabled,
		Timeouts: gate.Timeouts{Action: time.Duration(c.Browser.Timeout) * time.Second},
		Notifies: func() bool { return c.Security.HITL.Webhook.URL != "" },
	})
	if err != nil {
		return errors.Join(err, runs.Close(ctx))
	}
	g.onClose("gate", g.Gate.Close)
	g.Orchestrator = workflow.New(g.Gate, runs)
	g.onClose("runs", runs.Close)
	return nil
}

// credentialScan configures the scan of calls for credentials. An unknown value
// pauses the session.
func credentialScan(c config.Config) gate.Credentials {
	on := map[string]gate.OnCredential{"deny": gate.DenyCall, "ask": gate.AskPerson}[c.Security.Credentials.Scan]
	return gate.Credentials{Scanner: scan.New(c.Security.Credentials.Test), On: on}
}

// listenAddress returns the address of a listener, for the proxy to refuse.
func listenAddress(l net.Listener) []netip.AddrPort {
	tcp, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	return []netip.AddrPort{tcp.AddrPort()}
}

// router passes each call of the gate to the sessions, the store of runs, or the
// vault.
type router struct {
	gate.Sessions
	runs  *workflow.Runs
	vault vaultCheck
}

// Look passes a call on.
func (b router) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Look(ctx, call)
	}
	if call.Verb == action.VerbCredentialCheck.Name {
		return action.Facts{}, action.Pin{}, nil
	}
	return b.Sessions.Look(ctx, call)
}

// Do passes a call on.
func (b router) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if b.runs.Owns(call.Verb) {
		return b.runs.Do(ctx, call)
	}
	if call.Verb == action.VerbCredentialCheck.Name {
		return b.vault.check(ctx, call)
	}
	return b.Sessions.Do(ctx, call, pin)
}
