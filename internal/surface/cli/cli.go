// Package cli is the command line: it translates commands into calls of a gateway
// over REST, and answers into text or JSON. Each family of commands is a type that
// embeds the environment all commands share. What only the gateway's own process can
// do (serve, guest, doctor) comes in by Deps.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Deps are the functions that need packages which this one may not import.
type Deps struct {
	Serve  func(ctx context.Context, c config.Config, s ServeOptions) error
	Guest  func(ctx context.Context, args []string) error
	Doctor func(ctx context.Context, c config.Config) []Check
	Image  func(c config.Config) string // the image's tag

	// Offline makes a call about tokens on the state directory, while no
	// gateway uses it.
	Offline func(ctx context.Context, c config.Config, call action.Call) (action.Result, error)
	// Vault opens where the credentials of a configuration come from.
	Vault func(c config.Config) (*source.Vault, error)

	// Seccomp returns the seccomp profile of boxes, as JSON.
	Seccomp func() (string, error)
	// Describe returns the description of the REST interface: OpenAPI, or a
	// page of HTML.
	Describe func(page bool) ([]byte, error)
	// Problems lists what other packages find wrong with a configuration. It may
	// be nil.
	Problems func(c config.Config) []config.Problem
	// Explain says what the policy of a configuration would do with a call.
	Explain func(c config.Config, q action.PolicyQuery) (action.PolicyExplanation, error)
	Version string
	Trail   Trail
}

// ServeOptions are the options of serve that are not in the configuration.
type ServeOptions struct {
	IdleExit int       // seconds without sessions and calls after which it ends; 0: never
	Out      io.Writer // what people read: address, tokens' files, how to connect
	Terminal bool      // Out is a terminal: the agent's token may be shown
	LogJSON  bool
	Err      io.Writer // the log

	// Reload reads the configuration again, as serve was told to.
	Reload func() (config.Config, error)
}

// Check is one line of doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Repair string `json:"repair,omitempty"` // the command that repairs it
}

// Run runs one command and returns its exit status.
func Run(ctx context.Context, deps Deps, args []string, env config.Env, stdio Stdio) int {
	e := &environment{deps: deps, io: stdio, vars: env, style: newStyle(stdio, env)}
	command := e.rootCommand()
	command.SetArgs(args)
	command.SetIn(stdio.In)
	command.SetOut(stdio.Out)
	command.SetErr(stdio.Err)
	err := command.ExecuteContext(ctx)
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status): // the answer was printed
		return int(status)
	case ctx.Err() != nil:
		return interrupted(ctx)
	}
	return e.fail(err)
}

// Interrupted is the cause of a context that a signal ended.
type Interrupted struct{ Signal syscall.Signal }

// Error names the signal.
func (i Interrupted) Error() string { return i.Signal.String() }

// interrupted is the exit status of a command that a signal cut short, as
// shells have it: 130 for Ctrl-C.
func interrupted(ctx context.Context) int {
	cause := Interrupted{syscall.SIGINT}
	_ = errors.As(context.Cause(ctx), &cause)
	return 128 + int(cause.Signal)
}

func (env *environment) rootCommand() *cobra.Command {
	c := &cobra.Command{
		Version: env.deps.Version,
		Use:     "glovebox",
		Short:   "A governed web browser for AI agents",
		Long: "Glovebox gives an AI agent a real browser in a sealed box: it cannot leave the allowed\n" +
			"domains, a person is asked before it deletes, sends or pays, and every step is recorded.",
		Example:       "  glovebox doctor\n  glovebox image build\n  glovebox serve --allow example.com\n  glovebox smoke https://example.com/",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	flags := c.PersistentFlags()
	flags.StringVar(&env.config, "config", "", "configuration file")
	flags.StringVar(&env.url, "gateway", "", "address of the gateway (default: server.listen of the configuration)")
	flags.StringVar(&env.url, "url", "", "the same as --gateway, where a command has no --url of its own")
	_ = flags.MarkHidden("url")
	flags.StringVar(&env.token, "token", "", "token to call with (default: $GLOVEBOX_TOKEN, or the operator's in the state directory)")
	flags.StringVar(&env.ca, "ca", "", "PEM file of certificates to know the gateway by, over https (default: $GLOVEBOX_CA, and the machine's)")
	flags.StringVarP(&env.target, "session", "s", "", "session id or name (default: your own that was used last)")
	flags.BoolVar(&env.json, "json", false, "print JSON")
	flags.BoolVarP(&env.quiet, "quiet", "q", false, "do not say what an act changed on the page")
	c.SetGlobalNormalizationFunc(renamed)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	for _, group := range [][]*cobra.Command{
		gatewayCommands{env}.commands(),
		sessionCommands{env}.commands(),
		pageCommands{env}.commands(),
		tabCommands{env}.commands(),
		desktopCommands{env}.commands(),
		fileCommands{env}.commands(),
		cookieCommands{env}.commands(),
		cdpCommands{env}.commands(),
		profileCommands{env}.commands(),
		browserCommands{env}.commands(),
		approvalCommands{env}.commands(),
		eventCommands{env}.commands(),
		policyCommands{env}.commands(),
		auditCommands{env}.commands(),
		runCommands{env}.commands(),
		tokenCommands{env}.commands(),
		vaultCommands{env}.commands(),
		setupCommands{env}.commands(),
		setupCommands{env}.installCommands(),
	} {
		c.AddCommand(group...)
	}
	env.addCompletions(c)
	_ = c.RegisterFlagCompletionFunc("session", env.complete(sessionNames, -1))
	return c
}

// usage makes a fault of a mistake on the command line.
func usage(err error) error {
	return fault.New(fault.InvalidRequest, "%s", err.Error()).Hinted("add --help for what the command takes")
}

// between accepts low to high arguments, any number from low where high is negative.
func between(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= low && (high < 0 || len(args) <= high) {
			return nil
		}
		return usage(fmt.Errorf("%s: wrong number of arguments; usage: %s", c.CommandPath(), c.UseLine()))
	}
}

func (env *environment) fail(err error) int {
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.InvalidRequest, "%s", err.Error())
	}
	if f.Hint != "" {
		f = f.Hinted("%s", action.ForPeople(f.Hint))
	}
	if env.json {
		_ = encode(env.io.Out, map[string]any{"error": f})
	} else {
		fmt.Fprintf(env.io.Err, "%s %s\n", env.style.bad("error:"), clean(f.Message))
		if f.Hint != "" {
			fmt.Fprintf(env.io.Err, "%s %s\n", env.style.dim(" hint:"), clean(f.Hint))
		}
	}
	return f.Code.Info().Exit
}

// Stdio is where a command reads and writes.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Out is a terminal: colour and progress are welcome
}
