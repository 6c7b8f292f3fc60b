package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// tokenCommands create, list and revoke tokens.
type tokenCommands struct{ *environment }

func (cmd tokenCommands) commands() []*cobra.Command {
	group := &cobra.Command{
		Use: "token", Short: "Make, list and revoke tokens to call with", Args: between(0, 0), RunE: help,
		Long: "Makes, lists and revokes tokens to call with: through the gateway, at once, or, where none runs, in its\n" +
			"state directory. A token is shown once, when it is made; what is kept of it is a hash.",
	}
	group.AddCommand(cmd.create(), cmd.list(), cmd.revoke())
	return []*cobra.Command{group, cmd.whoami()}
}

func (cmd tokenCommands) create() *cobra.Command {
	var call action.TokenCreate
	var role string
	var expires time.Duration
	c := verb(action.VerbTokenCreate.Name, "create", "glovebox token create --name ci --role agent --expires 720h\nglovebox token create --name ann --role operator --scope team-a --json")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&call.Name, "name", "", "who calls with it, for the audit; unique in the scope")
	f.StringVar(&role, "role", "", "agent, viewer or operator")
	f.StringVar(&call.Scope, "scope", "", "the user or tenant it acts for (default: your own)")
	f.DurationVar(&expires, "expires", 0, "how long it is valid, 720h for example (0: for ever)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if expires < 0 || expires%time.Second != 0 {
			return usage(errors.New("--expires must be whole seconds"))
		}
		call.Role, call.ExpiresIn = action.Role(role), int(expires/time.Second)
		return cmd.manage(c.Context(), action.VerbTokenCreate.Name, &call, func(result action.Result) {
			if made, ok := result.Data.(*action.TokenMade); ok {
				cmd.printf("%s token %s: %s %s of scope %s, expires %s. It is shown this once:\n%s\n",
					cmd.style.good("ok"), made.ID, made.Role, made.Name, made.Scope, when(made.Expires), made.Secret)
			}
		})
	}
	return c
}

func when(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Local().Format(time.DateTime)
}

func (cmd tokenCommands) list() *cobra.Command {
	var call action.TokenList
	c := verb(action.VerbTokenList.Name, "list", "glovebox token list\nglovebox token list --all --json")
	c.Args = between(0, 0)
	c.Flags().BoolVar(&call.All, "all", false, "those of every scope")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.manage(c.Context(), action.VerbTokenList.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.TokenListing); ok {
				table(cmd.environment, "no tokens", "TOKEN\tNAME\tROLE\tSCOPE\tFROM\tEXPIRES\tLAST USED", got.Tokens, func(t action.Token) []any {
					return []any{first(short(t.ID, 40), "-"), short(t.Name, 64), t.Role, short(t.Scope, 64), t.Source, when(t.Expires), when(t.Used)}
				})
			}
		})
	}
	return c
}

func (cmd tokenCommands) revoke() *cobra.Command {
	var call action.TokenRevoke
	c := verb(action.VerbTokenRevoke.Name, "revoke <name>|<id>", "glovebox token revoke ci\nglovebox token revoke tok_0123456789abcdef")
	c.Args = between(1, 1)
	f := c.Flags()
	f.StringVar(&call.Scope, "scope", "", "the scope the name is of (default: your own)")
	f.BoolVar(&call.Force, "force", false, "also where it is the last operator's token of its scope")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.ID = args[0]
		return cmd.manage(c.Context(), action.VerbTokenRevoke.Name, &call, func(result action.Result) {
			if gone, ok := result.Data.(*action.TokenRevoked); ok {
				cmd.printf("%s token of %s revoked; what was open in its name has ended\n", cmd.style.good("ok"), gone.Name)
			}
		})
	}
	return c
}

// manage makes a call about tokens by callEither.
func (cmd tokenCommands) manage(ctx context.Context, verb string, args any, show func(action.Result)) error {
	result, err := cmd.callEither(ctx, action.Call{Verb: verb, Args: args})
	if err != nil {
		return err
	}
	return cmd.print(result, show)
}

// callEither makes a call to the gateway or, where this machine's gateway does not
// run, on its state directory. Who can read that needs no token.
func (cmd tokenCommands) callEither(ctx context.Context, call action.Call) (action.Result, error) {
	conf, err := cmd.load()
	if err != nil {
		return action.Result{}, err
	}
	given, _ := cmd.vars("GLOVEBOX_TOKEN")
	if cmd.deps.Offline != nil && cmd.url == "" && cmd.token == "" && given == "" {
		gateway, err := cmd.connect(conf, "")
		if err != nil {
			return action.Result{}, err
		}
		defer gateway.Close()
		if errors.Is(gateway.Health(ctx), syscall.ECONNREFUSED) { // something else listens there, and says what is wrong
			if err := action.Check(call.Args); err != nil {
				return action.Result{}, err
			}
			return cmd.deps.Offline(ctx, conf, call)
		}
	}
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return action.Result{}, err
	}
	call.Session = cmd.target
	return cmd.send(ctx, gateway, call)
}

func (cmd tokenCommands) whoami() *cobra.Command {
	c := verb(action.VerbTokenWhoami.Name, "whoami", "glovebox whoami\nglovebox whoami --token \"$TOKEN\" --json")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbTokenWhoami.Name, &action.None{}, func(result action.Result) {
			me, ok := result.Data.(*action.Whoami)
			if !ok {
				return
			}
			cmd.facts(func(row func(name, value string)) {
				row("actor", me.Actor)
				row("role", string(me.Role))
				row("scope", me.Scope)
				row("token from", me.Source)
				row("expires", when(me.Expires))
				if me.Rate != nil {
					row("rate", perSecond(*me.Rate))
				}
			})
		})
	}
	return c
}

func perSecond(rate action.Rate) string {
	return fmt.Sprintf("%g requests a second, %d at once", rate.PerSecond, rate.Burst)
}
