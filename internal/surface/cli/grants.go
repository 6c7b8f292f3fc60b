package cli

import (
	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) grantCommands() []*cobra.Command {
	list := verb("grant.list", "grants", "glovebox approvals grants -s invoices")
	list.Args = between(0, 0)
	list.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "grant.list", &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.GrantListing); ok {
				table(r, "no grants", "APPROVAL\tVERB\tHOST\tBY\tSINCE\tREASON", got.Grants, func(g action.Grant) []any {
					return []any{g.ID, g.Verb, short(g.Host, 40), short(g.GrantedBy, 20), g.Granted.Local().Format("15:04:05"), short(g.Reason, 40)}
				})
			}
		})
	}
	revoke := verb("grant.revoke", "revoke <approval>", "glovebox approvals revoke 7c1e… -s invoices")
	revoke.Args = between(1, 1)
	revoke.RunE = func(c *cobra.Command, args []string) error {
		return r.call(c.Context(), "grant.revoke", &action.ByID{ID: args[0]}, func(action.Result) {
			r.printf("%s\n", r.style.good("revoked: such calls ask again"))
		})
	}
	return []*cobra.Command{list, revoke}
}
