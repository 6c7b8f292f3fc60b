package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// shutdownLimit is the time limit for the end of a gateway: for answers that are
// being sent, then for its boxes.
const shutdownLimit = 35 * time.Second

// serve runs a gateway until ctx ends or it was idle for too long.
func serve(ctx context.Context, c config.Config, version string, o cli.ServeOptions) (err error) {
	log := slog.New(slog.NewTextHandler(o.Err, nil))
	if o.LogJSON {
		log = slog.New(slog.NewJSONHandler(o.Err, nil))
	}
	listener, err := net.Listen("tcp", c.Server.Listen)
	if err != nil {
		return fault.New(fault.StartFailed, "cannot listen on %s", c.Server.Listen).
			Hinted("another gateway may be running there; choose another address with --listen").Because(err)
	}
	defer listener.Close()
	gw, err := Open(ctx, c, version, listenAddress(listener), log)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownLimit)
		defer cancel()
		err = errors.Join(err, gw.Close(ctx))
	}()
	log = gw.Log
	idle := newIdleWatch(gw, time.Duration(o.IdleExit)*time.Second)
	agents, err := mcp.New(mcp.Options{Gate: idle, Version: version, Log: log})
	if err != nil {
		return err
	}
	defer agents.Close()
	listen, err := listenOptions(c.Server)
	if err != nil {
		return err
	}
	listen.Gate, listen.Clients, listen.Auth, listen.MCP, listen.Agents, listen.Version, listen.Log, listen.Background, listen.Missing = idle, idle, gw.Tokens, agents.Handler(), agents, version, log, o.IdleExit > 0, (&readiness{gateway: gw}).missing
	closeStreams, err := offerLive(&listen, c.Server.Live, idle, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStreams()) }()
	handler, err := rest.New(listen)
	if err != nil {
		return err
	}
	defer handler.Close()
	if listener, err = withTLS(c.Server, listener, log); err != nil {
		return err
	}
	if err := greet(o, c, listener.Addr().String()); err != nil {
		return err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	var watching sync.WaitGroup
	defer watching.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watching.Go(freeMemory)
	watching.Go(func() { idle.watch(ctx, cancel) })
	watching.Go(func() { gw.reloads(ctx, hangups, o, log, cancel) })
	return run(ctx, rest.NewServer(handler, log), listener)
}

// run serves on a listener until ctx ends.
func run(ctx context.Context, server *http.Server, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- rest.Serve(server, listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the listener ended: %w", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second) // for answers that are being sent
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
	<-failed
	return nil
}

// greet prints where the gateway is and how to connect to it. It prints the
// agent's token only on a terminal, since otherwise it would stay in a log.
func greet(o cli.ServeOptions, c config.Config, address string) error {
	token := "in " + filepath.Join(c.Server.StateDir, auth.AgentFile)
	if o.Terminal {
		data, err := os.ReadFile(filepath.Join(c.Server.StateDir, auth.AgentFile))
		if err != nil {
			return fmt.Errorf("cannot read the agent's token: %w", err)
		}
		token = strings.TrimSpace(string(data))
	}
	self, err := os.Executable()
	if err != nil {
		self = "glovebox"
	}
	allowed := "nowhere yet: add hosts with --allow, or security.network.navigation"
	if hosts := c.Security.Network.Navigation; len(hosts) > 0 {
		allowed = strings.Join(hosts, ", ")
	}
	_, err = fmt.Fprintf(o.Out, `glovebox listens on %[1]s
  agents may go    %[2]s
  agent's token    %[3]s
  operator's token in %[4]s

Connect an agent:
  Claude Code      claude mcp add glovebox -- %[5]s mcp
  Cursor, others   {"mcpServers": {"glovebox": {"command": %[5]q, "args": ["mcp"]}}}
  over HTTP        %[1]s/mcp with the header Authorization: Bearer <agent's token>

Answer what agents must ask: %[5]s approvals watch
API: %[1]s/docs (with a token), or %[5]s openapi --docs
`, scheme(c.Server)+address, allowed, token, filepath.Join(c.Server.StateDir, auth.OperatorFile), self)
	return err
}

// idleWatch passes calls to the gateway and tracks when it was last used.
type idleWatch struct {
	gateway *Gateway
	limit   time.Duration
	calls   chan struct{} // one value for each call that begins or ends
}

func newIdleWatch(gw *Gateway, limit time.Duration) *idleWatch {
	return &idleWatch{gateway: gw, limit: limit, calls: make(chan struct{}, 1)}
}

// Call passes a call to the orchestrator.
func (i *idleWatch) Call(ctx context.Context, call action.Call) (action.Result, error) {
	i.noteCall()
	defer i.noteCall()
	return i.gateway.Orchestrator.Call(ctx, call)
}

// Refuse records a call that a surface refused.
func (i *idleWatch) Refuse(ctx context.Context, call action.Call, why error) {
	i.gateway.Orchestrator.Refuse(ctx, call, why)
}

// Attach passes a client of the DevTools protocol to the gate. While it is
// attached its session is open, so the gateway is not idle.
func (i *idleWatch) Attach(ctx context.Context, call action.Call) (action.Attachment, error) {
	i.noteCall()
	defer i.noteCall()
	return i.gateway.Gate.Attach(ctx, call) //nolint:wrapcheck // a fault
}

// View connects a viewer to the live picture of a session.
func (i *idleWatch) View(ctx context.Context, call action.Call) (action.View, error) {
	i.noteCall()
	defer i.noteCall()
	return i.gateway.Gate.View(ctx, call) //nolint:wrapcheck // a fault
}

func (i *idleWatch) noteCall() {
	select {
	case i.calls <- struct{}{}:
	default:
	}
}

// watch ends the gateway when no session is open and it was not used for the
// limit. Without a limit it does nothing.
func (i *idleWatch) watch(ctx context.Context, end func()) {
	if i.limit <= 0 {
		return
	}
	timer := time.NewTimer(i.limit)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-i.calls:
			timer.Reset(i.limit)
		case <-timer.C:
			if i.gateway.sessions.Live() == 0 {
				end()
				return
			}
			timer.Reset(i.limit)
		}
	}
}

// listenOptions returns from where and by which names the gateway may be called.
func listenOptions(s config.Server) (rest.Options, error) {
	proxies, err := s.Prefixes()
	if err != nil {
		return rest.Options{}, err
	}
	hosts := s.Hosts
	if at, err := netip.ParseAddrPort(s.Listen); err == nil && !at.Addr().IsUnspecified() { // web pages may try the name 0.0.0.0
		hosts = append([]string{at.Addr().String()}, hosts...)
	}
	return rest.Options{
		AllowedHosts: hosts, AllowedOrigins: s.Origins, Proxies: proxies,
		OnlyProxies: !s.Loopback() && s.TLS.Cert == "" && !s.Insecure,
	}, nil
}

// withTLS wraps a listener in TLS, if that is configured.
func withTLS(s config.Server, l net.Listener, log *slog.Logger) (net.Listener, error) {
	if s.TLS.Cert == "" {
		return l, nil
	}
	c, err := rest.TLS(s.TLS.Cert, s.TLS.Key, log)
	if err != nil {
		return nil, fault.New(fault.StartFailed, "the certificate cannot be used").
			Hinted("server.tls wants two PEM files that belong together: %s and %s", s.TLS.Cert, s.TLS.Key).Because(err)
	}
	return tls.NewListener(l, c), nil
}

func scheme(s config.Server) string {
	if s.TLS.Cert != "" {
		return "https://"
	}
	return "http://"
}
