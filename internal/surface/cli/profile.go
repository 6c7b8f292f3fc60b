package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// profileCommands list, create, export and import profiles.
type profileCommands struct{ *environment }

func (cmd profileCommands) commands() []*cobra.Command {
	group := &cobra.Command{
		Use: "profile", Aliases: []string{"contexts"}, Short: "List, create and delete saved user data of browsers, and move logins in and out",
		Args: between(0, 0), RunE: help,
	}
	group.AddCommand(cmd.list(), cmd.create(), cmd.delete(), cmd.export(), cmd.importLogin())
	return []*cobra.Command{group}
}

func (cmd profileCommands) list() *cobra.Command {
	c := verb(action.VerbProfileList.Name, "list", "glovebox profile list")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbProfileList.Name, &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.ProfileListing); ok {
				table(cmd.environment, "no profiles", "PROFILE\tNAME\tBYTES\tSAVED\tIN USE BY", got.Contexts, func(p action.Profile) []any {
					return []any{short(p.ID, 32), short(p.Name, 64), p.Size, savedAt(p), short(p.Session, 40)}
				})
			}
		})
	}
	return c
}

func savedAt(p action.Profile) string {
	if p.Saved == nil {
		return "never"
	}
	return p.Saved.Local().Format(time.DateTime)
}

func (cmd profileCommands) create() *cobra.Command {
	var keep bool
	c := verb(action.VerbProfileCreate.Name, "create <name>", "glovebox profile create work\nglovebox session start --profile work --open https://app.example.com/")
	c.Args = between(1, 1)
	c.Flags().BoolVar(&keep, "keep-credentials", false, "save stored credentials that its sessions got, too")
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbProfileCreate.Name, &action.ProfileCreate{Name: args[0], KeepCredentials: keep}, func(result action.Result) {
			if p, ok := result.Data.(*action.Profile); ok {
				cmd.printf("%s profile %s %s\n", cmd.style.good("ok"), clean(p.Name), clean(p.ID))
			}
		})
	}
	return c
}

func (cmd profileCommands) delete() *cobra.Command {
	c := verb(action.VerbProfileDelete.Name, "delete <profile>", "glovebox profile delete work\nglovebox profile delete 0123456789abcdef0123456789abcdef")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbProfileDelete.Name, &action.ByID{ID: args[0]}, func(action.Result) {
			cmd.printf("%s profile deleted\n", cmd.style.good("ok"))
		})
	}
	return c
}
