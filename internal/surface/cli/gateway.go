package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/relay"
)

// gatewayCommands start and check the gateway.
type gatewayCommands struct{ *environment }

const (
	startWait = 30 * time.Second // for a gateway that was started in the background to answer; an engine that is not ready takes a few
	idleExit  = 10 * 60          // seconds after which a gateway that was started in the background ends by itself
)

func (cmd gatewayCommands) commands() []*cobra.Command {
	return []*cobra.Command{cmd.serve(), cmd.mcp(), setupCommands(cmd).smoke(), cmd.doctor(), cmd.guest()}
}

func (cmd gatewayCommands) serve() *cobra.Command {
	var options ServeOptions
	var to allowFlags
	var listen string
	var insecure bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Long: "Runs the gateway: REST and MCP on server.listen, until it is interrupted. The first start makes\n" +
			"an operator's and an agent's token in the state directory. SIGHUP reads the configuration again: rules,\n" +
			"trusted and sensitive hosts and waiting times at once, networks for new sessions; a wrong file changes nothing.",
		Example: "  glovebox serve\n  glovebox serve --allow example.com,*.example.org --trust example.com\n  glovebox serve --allow localhost:3000",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			to.implyPrivate()
			configure := func() (config.Config, error) {
				conf, err := setupCommands(cmd).examine(cmd.config)
				if err != nil {
					return conf, err
				}
				conf.Server.Listen = first(listen, conf.Server.Listen)
				conf.Server.Insecure = conf.Server.Insecure || insecure
				if err := conf.Check(); err != nil {
					return conf, usage(err)
				}
				to.add(&conf)
				return conf, nil
			}
			conf, err := configure()
			if err != nil {
				return err
			}
			options.Reload = configure
			options.Out, options.Err, options.Terminal, options.LogJSON = cmd.io.Out, cmd.io.Err, cmd.io.Terminal, cmd.json
			return cmd.deps.Serve(c.Context(), conf, options)
		},
	}
	f := c.Flags()
	f.StringVar(&listen, "listen", "", "address, in place of server.listen")
	f.BoolVar(&insecure, "allow-insecure-listen", false, "let that address be one that other machines reach, without TLS: in a container whose port is published on loopback")
	to.flags(c)
	f.IntVar(&options.IdleExit, "idle-exit", 0, "end after so many seconds without sessions and calls (0: never)")
	return c
}

// allowFlags are the flags that allow agents more hosts.
type allowFlags struct {
	allow, private, trust []string

	trusts bool // hosts of allow and private are trusted too, since a person names them for an agent
	askAll bool // they are not trusted
}

func (t *allowFlags) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&t.allow, "allow", nil, "more hosts for security.network.navigation, and servers on this machine or in this network: localhost:3000")
	f.StringSliceVar(&t.private, "allow-private", nil, "more host:port for security.network.allow_private")
	f.StringSliceVar(&t.trust, "trust", nil, "more hosts for security.hitl.trusted_domains")
	if t.trusts {
		f.Lookup("allow").Usage += "; trusted with that: MEDIUM calls run there unasked"
		f.BoolVar(&t.askAll, "ask-all", false, "do not trust the hosts of --allow and --allow-private")
	}
}

// implyPrivate takes local servers among the hosts of --allow, which have a port, for
// those of --allow-private. It returns them.
func (t *allowFlags) implyPrivate() (implied []string) {
	t.allow = slices.DeleteFunc(slices.Clone(t.allow), func(entry string) bool {
		host, port, err := net.SplitHostPort(entry)
		if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || !action.IsLocalHost(host) {
			return false
		}
		implied = append(implied, entry)
		return true
	})
	t.private = slices.Concat(t.private, implied)
	return implied
}

// trusted returns the trusted hosts: those of --trust and, where a person sets up an
// agent, those that it may open. A host with a port is left out.
func (t allowFlags) trusted() []string {
	trusted := slices.Clone(t.trust)
	if !t.trusts || t.askAll {
		return trusted
	}
	for _, host := range slices.Concat(t.allow, t.private) {
		if bare, _, err := net.SplitHostPort(host); err == nil {
			host = bare
		}
		if strings.Contains(host, ":") {
			continue // an address that trusted_domains cannot name
		}
		if !slices.Contains(trusted, host) {
			trusted = append(trusted, host)
		}
	}
	return trusted
}

func (t allowFlags) add(c *config.Config) {
	network := &c.Security.Network
	network.Navigation = append(network.Navigation, t.allow...)
	network.AllowPrivate = append(network.AllowPrivate, t.private...)
	c.Security.HITL.Trusted = append(c.Security.HITL.Trusted, t.trusted()...)
}

// args are the same flags for a gateway that is started in the background.
func (t allowFlags) args() []string { return t.flagged(t.trusted()) }

// given are the flags as they were given.
func (t allowFlags) given() []string {
	args := t.flagged(t.trust)
	if t.askAll {
		args = append(args, "--ask-all")
	}
	return args
}

func (t allowFlags) flagged(trusted []string) []string {
	var args []string
	for _, f := range []struct {
		name  string
		hosts []string
	}{{"--allow", t.allow}, {"--allow-private", t.private}, {"--trust", trusted}} {
		if len(f.hosts) > 0 {
			args = append(args, f.name, strings.Join(f.hosts, ","))
		}
	}
	return args
}

func (cmd gatewayCommands) guest() *cobra.Command {
	return &cobra.Command{
		Use:                "guest",
		Short:              "Run inside a box (the image starts it)",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(c *cobra.Command, args []string) error { return cmd.deps.Guest(c.Context(), args) },
	}
}

// readyClient returns a client of a gateway that answers. Where none does it starts
// one in the background, which outlives this command and ends when it is idle.
func (cmd gatewayCommands) readyClient(ctx context.Context, tokenFile string, to allowFlags) (ready *client.Client, started bool, err error) {
	conf, err := cmd.load()
	if err != nil {
		return nil, false, err
	}
	gateway, err := cmd.connect(conf, "")
	if err != nil {
		return nil, false, err
	}
	defer gateway.Close()
	silent := gateway.Health(ctx)
	switch {
	case silent == nil:
	case cmd.url != "":
		return nil, false, silent
	default:
		if err := cmd.spawn(ctx, conf, gateway, to); err != nil {
			return nil, false, err
		}
		started = true
	}
	ready, err = cmd.client(tokenFile)
	return ready, started, err
}

func (cmd gatewayCommands) spawn(ctx context.Context, conf config.Config, gateway *client.Client, to allowFlags) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program: %w", err)
	}
	if err := os.MkdirAll(conf.Server.StateDir, 0o700); err != nil {
		return fault.New(fault.StartFailed, "cannot make the state directory").Because(err)
	}
	path := filepath.Join(conf.Server.StateDir, "gateway.log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fault.New(fault.StartFailed, "cannot open %s", path).Because(err)
	}
	defer log.Close()
	args := append([]string{"serve", "--idle-exit", fmt.Sprint(idleExit)}, to.args()...)
	if cmd.config != "" {
		args = append(args, "--config", cmd.config)
	}
	gatewayProcess := exec.Command(self, args...)
	gatewayProcess.Stdout, gatewayProcess.Stderr = log, log
	gatewayProcess.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this command and its terminal
	if err := gatewayProcess.Start(); err != nil {
		return fault.New(fault.StartFailed, "cannot start the gateway").Because(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- gatewayProcess.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	failed := fault.New(fault.StartFailed, "the gateway did not start").Hinted("read %s, or run glovebox doctor", path)
	for gateway.Health(ctx) != nil {
		select {
		case err := <-exited:
			return failed.Because(errors.Join(errors.New("it ended"), err))
		case <-ctx.Done():
			return failed.Because(ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

func (cmd gatewayCommands) mcp() *cobra.Command {
	to := allowFlags{trusts: true}
	var groups []string
	var readOnly bool
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Speak MCP on standard input and output",
		Long: "Speaks MCP on standard input and output, as an agent of the gateway. glovebox mcp install tells clients\n" +
			"how to start it. Where no gateway is running it starts\n" +
			"one in the background, which ends ten minutes after its last session. Approvals are answered elsewhere:\n" +
			"glovebox approvals watch.",
		Example: "  claude mcp add glovebox -- glovebox mcp --allow example.com,*.example.org\n  glovebox mcp --config ./glovebox.yaml\n  glovebox mcp --tools +debug\n  glovebox mcp install --client cursor --allow example.com",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			to.implyPrivate()
			return relay.Run(c.Context(), relay.Options{
				Gateway: cmd.gateways(to), Tools: groups, ReadOnly: readOnly, In: cmd.io.In, Out: cmd.io.Out,
			})
		},
	}
	to.flags(c)
	c.Flags().StringSliceVar(&groups, "tools", nil, "groups of tools, with commas between them: core (always), act, read, session (the usual ones); debug, many, alias; all. +debug adds to the usual ones")
	c.Flags().BoolVar(&readOnly, "read-only", false, "sessions only read: no request that may change something leaves them, and nobody is asked")
	c.AddCommand(mcpCommands(cmd).install())
	return c
}

// gateways returns a function that returns a client of the gateway. Where none runs
// it starts one, if start says so: a person may have ended another on purpose. unmet
// are the hosts that one which ran before does not allow.
func (cmd gatewayCommands) gateways(to allowFlags) func(ctx context.Context, start bool) (gateway *client.Client, unmet []string, err error) {
	told := false
	return func(ctx context.Context, start bool) (gateway *client.Client, unmet []string, err error) {
		if !start {
			gateway, err = cmd.client(agentToken)
			return gateway, nil, err
		}
		gateway, started, err := cmd.readyClient(ctx, agentToken, to)
		if err != nil || started || told {
			return gateway, nil, err
		}
		told = true
		if unmet = to.unmet(ctx, gateway); len(unmet) > 0 {
			fmt.Fprintf(cmd.io.Err, "%s a gateway is running already, and does not allow %s: end it, or allow them in its configuration\n",
				cmd.style.warn("note:"), strings.Join(unmet, ", "))
		}
		return gateway, unmet, nil
	}
}

// unmet returns the hosts of --allow and --allow-private that a gateway does not allow;
// none if it does not say what it allows.
func (t allowFlags) unmet(ctx context.Context, gateway *client.Client) (hosts []string) {
	result, err := gateway.Call(ctx, action.Call{Verb: action.VerbPolicyShow.Name, Args: &action.None{}, Surface: "mcp"})
	policy, ok := result.Data.(*action.PolicyView)
	if err != nil || !ok {
		return nil
	}
	for _, host := range slices.Concat(t.allow, t.private) {
		allowed := slices.ContainsFunc(policy.Allowed, func(entry string) bool {
			return action.HostCovers(strings.ToLower(entry), strings.ToLower(host))
		})
		if !allowed {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

func (cmd gatewayCommands) doctor() *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Check everything a session needs, and say what repairs it",
		Example: "  glovebox doctor --json",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := cmd.load()
			if err != nil {
				return err
			}
			checks := cmd.deps.Doctor(c.Context(), conf)
			broken := 0
			for _, check := range checks {
				if !check.OK {
					broken++
				}
			}
			if cmd.json {
				if err := cmd.print(action.Result{Data: checks}, nil); err != nil {
					return err
				}
			} else {
				cmd.showChecks(checks)
			}
			if broken > 0 {
				return fault.New(fault.SandboxRuntimeRequired, "%d of %d checks failed", broken, len(checks)).
					Hinted("repair them in the order shown; no session starts before")
			}
			return nil
		},
	}
}

func (cmd gatewayCommands) showChecks(checks []Check) {
	for _, check := range checks {
		mark := cmd.style.good("ok  ")
		if !check.OK {
			mark = cmd.style.bad("FAIL")
		}
		cmd.printf("%s  %-10s %s\n", mark, check.Name, clean(check.Detail))
		if !check.OK && check.Repair != "" {
			cmd.printf("      %-10s repair: %s\n", "", check.Repair)
		}
	}
}
