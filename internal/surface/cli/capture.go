package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) fillSecret() *cobra.Command {
	var domain string
	c := r.act("page.fill_secret", "fill-secret [<element>] <secret>",
		"glovebox fill-secret e4 password\nglovebox fill-secret '#code' totp\nglovebox fill-secret --role textbox --name User username --domain example.com", 1, 2,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if len(rest) != 1 {
				return nil, fmt.Errorf("want an element and the name of a secret")
			}
			return &action.FillSecret{Locator: l, Secret: rest[0], Domain: domain, Timing: t}, nil
		})
	c.Long = c.Short + ".\n\n" + elements + "\n\nThe secret is named, as username, password or totp, and never printed. It goes into a field for secrets\n" +
		"on a page of its own origin, and nowhere else."
	c.Flags().StringVar(&domain, "domain", "", "whose credentials (default: the page's host)")
	return c
}

// vaultCapture saves what a session is logged in with.
func (r *root) vaultCapture() *cobra.Command {
	var call action.Capture
	var without []string
	var merge bool
	c := verb("credential.capture", "capture <domain>",
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
		return r.call(c.Context(), "credential.capture", &call, r.showCaptured)
	}
	return c
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

func (r *root) showCaptured(result action.Result) {
	got, ok := result.Data.(*action.Captured)
	if !ok {
		return
	}
	of := ""
	if got.Origin != "" {
		of = " of " + clean(got.Origin)
	}
	r.printf("%s %s: %s\n", r.style.good("saved"), r.style.bold(clean(got.Domain)), strings.Join([]string{
		fmt.Sprintf("%d cookies", got.Cookies), fmt.Sprintf("%d local and %d session storage entries%s", got.LocalStorage, got.SessionStorage, of),
	}, ", "))
	for _, left := range got.Left {
		r.printf("%s %s\n", r.style.dim("left out:"), clean(left))
	}
}
