package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// vaultCommands keep the credentials of sites.
type vaultCommands struct{ *environment }

const defaultScope = "default" // of the tokens a gateway makes at its first start

func (cmd vaultCommands) commands() []*cobra.Command {
	group := &cobra.Command{
		Use: "vault", Short: "Keep and check credentials that sessions are logged in with", Args: between(0, 0), RunE: help,
		Long: "Keeps credentials of domains, which sessions get when they visit them, and checks what a domain would get.\n" +
			"By default they lie in one encrypted file of the state directory; security.credentials in the configuration\n" +
			"names other places. No value is ever printed.",
	}
	group.AddCommand(cmd.set(), cmd.list(), cmd.remove(), cmd.check(), cmd.capture())
	return []*cobra.Command{group}
}

func scopeFlag(c *cobra.Command, scope *string) {
	c.Flags().StringVar(scope, "scope", defaultScope, "whose, where security.credentials.vault_path has {scope}")
}

func (cmd vaultCommands) list() *cobra.Command {
	var scope string
	c := &cobra.Command{
		Use: "list", Short: "List the domains there are credentials for: kinds and numbers, never a value", Args: between(0, 0),
		Example: "  glovebox vault list\n  glovebox vault list --scope team-a --json",
	}
	scopeFlag(c, &scope)
	c.RunE = func(c *cobra.Command, _ []string) error {
		v, err := cmd.openVault()
		if err != nil {
			return err
		}
		defer v.Close(c.Context())
		kept, err := v.List(c.Context(), scope)
		if err != nil {
			return err
		}
		listing := map[string]any{"source": v.Source(), "domains": append([]source.Report{}, kept...)}
		return cmd.print(action.Result{Data: listing}, func(action.Result) {
			table(cmd.environment, v.Source()+" has no credentials", "DOMAIN\tHAS\tCHANGED\tPROBLEM", kept, func(k source.Report) []any {
				return []any{short(k.Domain, 60), amounts(action.CredentialCounts(k.Counts)), changedAt(&k.Changed), short(first(k.Problem, "-"), 120)}
			})
		})
	}
	return c
}

// amounts says how many credentials there are of each kind.
func amounts(n action.CredentialCounts) string {
	var parts []string
	for _, kind := range []struct {
		n         int
		one, more string
	}{
		{n.Cookies, "cookie", "cookies"}, {n.LocalStorage, "entry of localStorage", "entries of localStorage"},
		{n.SessionStorage, "entry of sessionStorage", "entries of sessionStorage"}, {n.Headers, "header", "headers"},
		{n.Login, "text to fill in", "texts to fill in"}, {n.HTTPAuth, "user name and password for HTTP authentication", ""},
	} {
		if kind.n == 1 {
			parts = append(parts, "1 "+kind.one)
		} else if kind.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", kind.n, kind.more))
		}
	}
	return first(strings.Join(parts, ", "), "nothing")
}

func changedAt(at *time.Time) string {
	if at == nil || at.IsZero() {
		return ""
	}
	return at.Local().Format(time.DateTime)
}

func (cmd vaultCommands) remove() *cobra.Command {
	var scope string
	c := &cobra.Command{
		Use: "remove <domain>", Short: "Remove the credentials of a domain", Args: between(1, 1),
		Long:    "Removes the credentials of a domain. Sessions that are logged in stay so until they end.",
		Example: "  glovebox vault remove github.com",
	}
	scopeFlag(c, &scope)
	c.RunE = func(c *cobra.Command, args []string) error {
		v, err := cmd.openVault()
		if err != nil {
			return err
		}
		defer v.Close(c.Context())
		if err := v.Remove(c.Context(), scope, args[0]); err != nil {
			return err
		}
		return cmd.print(action.Result{Data: map[string]string{"domain": args[0]}}, func(action.Result) {
			cmd.printf("%s credentials of %s removed from %s\n", cmd.style.good("ok"), clean(args[0]), v.Source())
		})
	}
	return c
}

func (cmd vaultCommands) check() *cobra.Command {
	var scope string
	c := verb(action.VerbCredentialCheck.Name, "check <domain>", "glovebox vault check app.example.com\nglovebox vault check github.com --json")
	c.Args = between(1, 1)
	c.Long = "Says what a page of a host would get from the vault: where it was found, and how much of each kind. Asks the\n" +
		"gateway or, where none runs, the vault itself. Exits with 5 where there is nothing."
	c.Flags().StringVar(&scope, "scope", defaultScope, "whose, where no gateway runs; a gateway takes the caller's own")
	c.RunE = func(c *cobra.Command, args []string) error {
		result, err := tokenCommands(cmd).callEither(c.Context(), action.Call{
			Verb: action.VerbCredentialCheck.Name, Args: &action.CredentialQuery{Domain: args[0]}, Caller: action.Caller{Scope: scope},
		})
		if err != nil {
			return err
		}
		check, ok := result.Data.(*action.CredentialCheck)
		err = cmd.print(result, func(action.Result) {
			if ok {
				cmd.showCheck(*check)
			}
		})
		if err == nil && ok && !check.Found {
			err = exitStatus(fault.NotFound.Info().Exit)
		}
		return err
	}
	return c
}

func (cmd vaultCommands) showCheck(c action.CredentialCheck) {
	if !c.Found {
		cmd.printf("%s has no credentials for %s; looked at %s\n", c.Source, clean(c.Host), first(strings.Join(c.Looked, ", "), "nothing"))
		return
	}
	cmd.facts(func(row func(name, value string)) {
		row("host", c.Host)
		row("found under", c.Domain)
		row("in", c.Source+", "+c.Path)
		row("changed", changedAt(c.Changed))
		row("has", amounts(c.CredentialCounts))
		row("for origin", c.Origin)
		row("login names", strings.Join(c.Names, ", "))
		if c.Expired > 0 {
			row("left out", amounts(action.CredentialCounts{Cookies: c.Expired})+" that expired")
		}
		row("sessions", whenInjected(c))
		if c.Ask {
			row("filling", "a person is asked each time")
		}
	})
}

// whenInjected says which sessions get the credentials.
func whenInjected(c action.CredentialCheck) string {
	switch {
	case c.Cookies+c.LocalStorage+c.SessionStorage+c.Headers+c.HTTPAuth == 0:
		return "get nothing by themselves: it is for filling in only"
	case !c.AutoInject:
		return "get it where a call names the domain: security.credentials.auto_inject is off"
	case !c.Required:
		return "get it, or go on without"
	}
	return "get it, or do not go there"
}

// capture saves what a session is logged in with.
func (cmd vaultCommands) capture() *cobra.Command {
	var call action.Capture
	var without []string
	var merge bool
	c := verb(action.VerbCredentialCapture.Name, "capture <domain>",
		"glovebox vault capture example.com\nglovebox vault capture example.com --session signup --only sessionid,csrftoken\nglovebox vault capture example.com --without localStorage --merge")
	c.Long = c.Short + ".\n\nLog in first: glovebox session take, then the commands of a page. Kinds and numbers are printed, never a value."
	c.Args = between(1, 1)
	flags := c.Flags()
	flags.StringSliceVar(&call.Only, "only", nil, "names of the cookies and storage entries to take (default: all)")
	flags.StringSliceVar(&without, "without", nil, "kinds to leave out: cookies, localStorage, sessionStorage")
	flags.BoolVar(&merge, "merge", false, "add to what is kept of the domain, instead of taking its place")
	flags.StringVar(&call.Expires, "expires", "", "latest end of what is taken, as 2030-01-31T00:00:00Z")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Domain = args[0]
		if merge {
			call.Mode = "merge"
		}
		if err := leaveOut(&call, without); err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbCredentialCapture.Name, &call, cmd.showCaptured)
	}
	return c
}

func (cmd vaultCommands) showCaptured(result action.Result) {
	got, ok := result.Data.(*action.Captured)
	if !ok {
		return
	}
	of := ""
	if got.Origin != "" {
		of = " of " + clean(got.Origin)
	}
	cmd.printf("%s %s: %s\n", cmd.style.good("saved"), cmd.style.bold(clean(got.Domain)), strings.Join([]string{
		fmt.Sprintf("%d cookies", got.Cookies), fmt.Sprintf("%d local and %d session storage entries%s", got.LocalStorage, got.SessionStorage, of),
	}, ", "))
	for _, left := range got.Left {
		cmd.printf("%s %s\n", cmd.style.dim("left out:"), clean(left))
	}
}

func leaveOut(call *action.Capture, kinds []string) error {
	places := map[string]**bool{"cookies": &call.Cookies, "localStorage": &call.LocalStorage, "sessionStorage": &call.SessionStorage}
	for _, kind := range kinds {
		place, known := places[kind]
		if !known {
			return usage(fmt.Errorf("want --without cookies, localStorage or sessionStorage, not %q", kind))
		}
		*place = new(false)
	}
	return nil
}
