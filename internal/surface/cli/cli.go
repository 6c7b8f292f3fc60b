// Package cli is the command line: it translates words into calls of a gateway
// over REST, and answers into text or JSON. What only the gateway's own
// process can do (serve, guest, doctor) is handed in.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Stdio is where a command reads and writes.
type Stdio struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Out is a terminal: colour and progress are welcome
}

// Parts are the commands that need more of the house than this room may enter.
type Parts struct {
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
	// Problems lists what the rest of the house finds wrong with a
	// configuration; nil where there is none to ask.
	Problems func(c config.Config) []config.Problem
	// Explain says what the policy of a configuration would do with a call.
	Explain func(c config.Config, q action.PolicyQuery) (action.PolicyExplanation, error)
	Version string
	Trail   Trail
}

// ServeOptions are what serve is told beyond the configuration.
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

type root struct {
	parts  Parts
	io     Stdio
	env    config.Env
	config string
	url    string // of the gateway
	token  string
	ca     string
	target string // session id or name
	json   bool
	quiet  bool // acts do not say what they changed
	style  style
}

// Run runs one command and returns its exit status (SPEC section 11).
func Run(ctx context.Context, parts Parts, args []string, env config.Env, stdio Stdio) int {
	r := &root{parts: parts, io: stdio, env: env, style: newStyle(stdio, env)}
	command := r.command()
	command.SetArgs(args)
	command.SetIn(stdio.In)
	command.SetOut(stdio.Out)
	command.SetErr(stdio.Err)
	err := command.ExecuteContext(ctx)
	var status ended
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status): // what there is to say was said
		return int(status)
	case ctx.Err() != nil:
		return interrupted(ctx)
	}
	return r.fail(err)
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

func (r *root) command() *cobra.Command {
	c := &cobra.Command{
		Version: r.parts.Version,
		Use:     "glovebox",
		Short:   "A governed web browser for AI agents",
		Long: "Glovebox gives an AI agent a real browser in a sealed box: it cannot leave the allowed\n" +
			"domains, a person is asked before it deletes, sends or pays, and every step is recorded.",
		Example:       "  glovebox doctor\n  glovebox image build\n  glovebox serve --allow example.com\n  glovebox smoke https://example.com/",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	flags := c.PersistentFlags()
	flags.StringVar(&r.config, "config", "", "configuration file")
	flags.StringVar(&r.url, "gateway", "", "address of the gateway (default: server.listen of the configuration)")
	flags.StringVar(&r.url, "url", "", "the same as --gateway, where a command has no --url of its own")
	_ = flags.MarkHidden("url")
	flags.StringVar(&r.token, "token", "", "token to call with (default: $GLOVEBOX_TOKEN, or the operator's in the state directory)")
	flags.StringVar(&r.ca, "ca", "", "PEM file of certificates to know the gateway by, over https (default: $GLOVEBOX_CA, and the machine's)")
	flags.StringVarP(&r.target, "session", "s", "", "session id or name (default: your own that was used last)")
	flags.BoolVar(&r.json, "json", false, "print JSON")
	flags.BoolVarP(&r.quiet, "quiet", "q", false, "do not say what an act changed on the page")
	c.SetGlobalNormalizationFunc(renamed)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	for _, group := range [][]*cobra.Command{
		r.gatewayCommands(),
		r.sessionCommands(),
		r.pageCommands(),
		r.tabCommands(),
		r.fileCommands(),
		r.cookieCommands(),
		r.cdpCommands(),
		r.profileCommands(),
		r.browserCommands(),
		r.approvalCommands(),
		r.eventCommands(),
		r.policyCommands(),
		r.auditCommands(),
		r.runCommands(),
		r.tokenCommands(),
		r.vaultCommands(),
		r.houseCommands(),
		r.installCommands(),
	} {
		c.AddCommand(group...)
	}
	r.completing(c)
	_ = c.RegisterFlagCompletionFunc("session", r.offered(sessionNames, -1))
	return c
}

// usage makes a mistake on the command line a fault of its own code.
func usage(err error) error {
	return fault.New(fault.InvalidRequest, "%s", err.Error()).Hinted("add --help for what the command takes")
}

// exactly is cobra.ExactArgs with a fault.
func between(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= low && (high < 0 || len(args) <= high) {
			return nil
		}
		return usage(fmt.Errorf("%s: wrong number of arguments; usage: %s", c.CommandPath(), c.UseLine()))
	}
}

func (r *root) fail(err error) int {
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.InvalidRequest, "%s", err.Error())
	}
	if f.Hint != "" {
		f = f.Hinted("%s", action.ForPeople(f.Hint))
	}
	if r.json {
		_ = encode(r.io.Out, map[string]any{"error": f})
	} else {
		fmt.Fprintf(r.io.Err, "%s %s\n", r.style.bad("error:"), clean(f.Message))
		if f.Hint != "" {
			fmt.Fprintf(r.io.Err, "%s %s\n", r.style.dim(" hint:"), clean(f.Hint))
		}
	}
	return f.Code.Info().Exit
}

func (r *root) load() (config.Config, error) {
	c, _, err := config.Load(r.config, r.env)
	if err != nil {
		return c, fault.New(fault.InvalidRequest, "%s", err.Error()).Hinted("glovebox config check says whether it is right")
	}
	return c, nil
}

// door returns a client of the gateway. name is the file of the token in the
// state directory, used where no other token was given.
func (r *root) door(name string) (*client.Client, error) {
	c, err := r.load()
	if err != nil {
		return nil, err
	}
	token, err := r.secret(c, name)
	if err != nil {
		return nil, err
	}
	return r.connect(c, token)
}

// connect returns a client of the gateway with a token, or with none.
func (r *root) connect(c config.Config, token string) (*client.Client, error) {
	authorities, err := r.authorities(c)
	if err != nil {
		return nil, err
	}
	return client.New(first(r.url, c.Server.URL()), token, authorities...)
}

// authorities are the certificates to know the gateway by beside the
// machine's: those that were given, and this machine's gateway's own.
func (r *root) authorities(c config.Config) ([][]byte, error) {
	given, _ := r.env("GLOVEBOX_CA")
	file := first(r.ca, given)
	if file == "" && r.url == "" {
		file = c.Server.TLS.Cert
	}
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the certificates in %s cannot be read", file).Hinted("give a PEM file: --ca, or $GLOVEBOX_CA").Because(err)
	}
	return [][]byte{pem}, nil
}

func (r *root) secret(c config.Config, name string) (string, error) {
	if r.token != "" {
		return r.token, nil
	}
	if token, _ := r.env("GLOVEBOX_TOKEN"); token != "" {
		return token, nil
	}
	data, err := os.ReadFile(c.Server.StateDir + "/" + name)
	if err != nil {
		return "", fault.New(fault.Unauthenticated, "no token: %s cannot be read", name).
			Hinted("start the gateway first (glovebox serve), or give --token or $GLOVEBOX_TOKEN").Because(err)
	}
	return strings.TrimSpace(string(data)), nil
}

const (
	operatorToken = "operator.token"
	agentToken    = "agent.token"
)

// nothing is the end of a command whose call was done and found nothing, or not
// what it waited for: the answer was printed, and the exit status says so.
func nothing(err error, found bool) error {
	if err == nil && !found {
		return ended(fault.NotFound.Info().Exit)
	}
	return err
}

// call makes a call as the operator and prints its answer with show, or as
// JSON.
func (r *root) call(ctx context.Context, verb string, args any, show func(action.Result)) error {
	return r.calling(ctx, verb, args, nil, show)
}

// calling is call that hands the answer to look first, also where it is printed
// as JSON.
func (r *root) calling(ctx context.Context, verb string, args any, look, show func(action.Result)) error {
	door, err := r.door(operatorToken)
	if err != nil {
		return err
	}
	result, err := r.send(ctx, door, action.Call{Verb: verb, Session: r.target, Args: args, Changes: r.tells(verb)})
	if err != nil {
		return err
	}
	if look != nil && result.Pending == nil {
		look(result)
	}
	return r.print(result, show)
}

func (r *root) print(result action.Result, show func(action.Result)) error {
	if r.json {
		return encode(r.io.Out, result)
	}
	if result.Pending != nil {
		waits := "waits for a person"
		if result.Pending.Done {
			waits = "done, and what it would send waits for a person"
		}
		r.printf("%s: approval %s, until %s\n", waits, result.Pending.Approval, result.Pending.Expires.Local().Format("15:04:05"))
		return nil
	}
	if show != nil {
		show(result)
	}
	r.showChanges(result.Changes)
	for _, e := range result.Effects {
		r.printf("%s %s\n", r.style.dim("effect:"), clean(e.String()))
	}
	for _, note := range result.Notes {
		r.printf("%s %s\n", r.style.dim("note:"), clean(note))
	}
	if result.Modal != nil {
		r.printf("%s a %s is open: %s (answer with: glovebox dialog accept|dismiss)\n", r.style.warn("dialog:"), result.Modal.Kind, clean(result.Modal.Message))
	}
	return nil
}

func (r *root) printf(format string, args ...any) { fmt.Fprintf(r.io.Out, format, args...) }
