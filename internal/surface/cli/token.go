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

func (r *root) tokenCommands() []*cobra.Command {
	group := &cobra.Command{
		Use: "token", Short: "Make, list and revoke tokens to call with", Args: between(0, 0), RunE: help,
		Long: "Makes, lists and revokes tokens to call with: through the gateway, at once, or, where none runs, in its\n" +
			"state directory. A token is shown once, when it is made; what is kept of it is a hash.",
	}
	group.AddCommand(r.tokenCreate(), r.tokenList(), r.tokenRevoke())
	return []*cobra.Command{group, r.whoami()}
}

func (r *root) tokenCreate() *cobra.Command {
	var call action.TokenCreate
	var role string
	var expires time.Duration
	c := verb("token.create", "create", "glovebox token create --name ci --role agent --expires 720h\nglovebox token create --name ann --role operator --scope team-a --json")
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
		return r.tokens(c.Context(), "token.create", &call, func(result action.Result) {
			if made, ok := result.Data.(*action.TokenMade); ok {
				r.printf("%s token %s: %s %s of scope %s, expires %s. It is shown this once:\n%s\n",
					r.style.good("ok"), made.ID, made.Role, made.Name, made.Scope, when(made.Expires), made.Secret)
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

func (r *root) tokenList() *cobra.Command {
	var call action.TokenList
	c := verb("token.list", "list", "glovebox token list\nglovebox token list --all --json")
	c.Args = between(0, 0)
	c.Flags().BoolVar(&call.All, "all", false, "those of every scope")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.tokens(c.Context(), "token.list", &call, func(result action.Result) {
			if got, ok := result.Data.(*action.TokenListing); ok {
				table(r, "no tokens", "TOKEN\tNAME\tROLE\tSCOPE\tFROM\tEXPIRES\tLAST USED", got.Tokens, func(t action.Token) []any {
					return []any{first(short(t.ID, 40), "-"), short(t.Name, 64), t.Role, short(t.Scope, 64), t.Source, when(t.Expires), when(t.Used)}
				})
			}
		})
	}
	return c
}

func (r *root) tokenRevoke() *cobra.Command {
	var call action.TokenRevoke
	c := verb("token.revoke", "revoke <name>|<id>", "glovebox token revoke ci\nglovebox token revoke tok_0123456789abcdef")
	c.Args = between(1, 1)
	f := c.Flags()
	f.StringVar(&call.Scope, "scope", "", "the scope the name is of (default: your own)")
	f.BoolVar(&call.Force, "force", false, "also where it is the last operator's token of its scope")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.ID = args[0]
		return r.tokens(c.Context(), "token.revoke", &call, func(result action.Result) {
			if gone, ok := result.Data.(*action.TokenRevoked); ok {
				r.printf("%s token of %s revoked; what was open in its name has ended\n", r.style.good("ok"), gone.Name)
			}
		})
	}
	return c
}

// tokens makes a call about tokens: through the gateway or, where this machine
// should have one and none runs, on the state directory. Who can read that
// needs no token.
func (r *root) tokens(ctx context.Context, verb string, args any, show func(action.Result)) error {
	result, err := r.either(ctx, action.Call{Verb: verb, Args: args})
	if err != nil {
		return err
	}
	return r.print(result, show)
}

// either makes a call through the gateway or, where this machine should have
// one and none runs, on the state directory.
func (r *root) either(ctx context.Context, call action.Call) (action.Result, error) {
	conf, err := r.load()
	if err != nil {
		return action.Result{}, err
	}
	given, _ := r.env("GLOVEBOX_TOKEN")
	if r.parts.Offline != nil && r.url == "" && r.token == "" && given == "" {
		gateway, err := r.connect(conf, "")
		if err != nil {
			return action.Result{}, err
		}
		defer gateway.Close()
		if errors.Is(gateway.Health(ctx), syscall.ECONNREFUSED) { // what listens is to say what is wrong
			if err := action.Check(call.Args); err != nil {
				return action.Result{}, err
			}
			return r.parts.Offline(ctx, conf, call)
		}
	}
	door, err := r.door(operatorToken)
	if err != nil {
		return action.Result{}, err
	}
	call.Session = r.target
	return r.send(ctx, door, call)
}

func (r *root) whoami() *cobra.Command {
	c := verb("token.whoami", "whoami", "glovebox whoami\nglovebox whoami --token \"$TOKEN\" --json")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "token.whoami", &action.None{}, func(result action.Result) {
			me, ok := result.Data.(*action.Whoami)
			if !ok {
				return
			}
			r.facts(func(row func(name, value string)) {
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
