package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) profileCommands() []*cobra.Command {
	group := &cobra.Command{
		Use: "profile", Aliases: []string{"contexts"}, Short: "List, create and delete saved user data of browsers, and move logins in and out",
		Args: between(0, 0), RunE: help,
	}
	group.AddCommand(r.profileList(), r.profileCreate(), r.profileDelete(), r.profileExport(), r.profileImport())
	return []*cobra.Command{group}
}

func (r *root) profileList() *cobra.Command {
	c := verb("profile.list", "list", "glovebox profile list")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "profile.list", &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.ProfileListing); ok {
				table(r, "no profiles", "PROFILE\tNAME\tBYTES\tSAVED\tIN USE BY", got.Contexts, func(p action.Profile) []any {
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

func (r *root) profileCreate() *cobra.Command {
	var keep bool
	c := verb("profile.create", "create <name>", "glovebox profile create work\nglovebox session start --profile work --open https://app.example.com/")
	c.Args = between(1, 1)
	c.Flags().BoolVar(&keep, "keep-credentials", false, "save stored credentials that its sessions got, too")
	c.RunE = func(c *cobra.Command, args []string) error {
		return r.call(c.Context(), "profile.create", &action.ProfileCreate{Name: args[0], KeepCredentials: keep}, func(result action.Result) {
			if p, ok := result.Data.(*action.Profile); ok {
				r.printf("%s profile %s %s\n", r.style.good("ok"), clean(p.Name), clean(p.ID))
			}
		})
	}
	return c
}

func (r *root) profileDelete() *cobra.Command {
	c := verb("profile.delete", "delete <profile>", "glovebox profile delete work\nglovebox profile delete 0123456789abcdef0123456789abcdef")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return r.call(c.Context(), "profile.delete", &action.ByID{ID: args[0]}, func(action.Result) {
			r.printf("%s profile deleted\n", r.style.good("ok"))
		})
	}
	return c
}

func (r *root) browserCommands() []*cobra.Command {
	group := &cobra.Command{Use: "browser", Short: "Start, stop and describe the browser", Args: between(0, 0), RunE: help}
	group.AddCommand(r.browserStart(),
		r.browserVerb("stop", "browser.stop", "browser stop"), r.browserVerb("status", "browser.status", "browser status"))
	return []*cobra.Command{group, r.browserVerb("status", "browser.status", "status")}
}

func (r *root) browserStart() *cobra.Command {
	var call action.BrowserStart
	var headless bool
	c := verb("browser.start", "start", "glovebox browser start --profile work --open https://app.example.com/")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&call.URL, "open", "", "URL to navigate to first")
	f.IntVar(&call.Width, "width", 0, "pixels (default 1280)")
	f.IntVar(&call.Height, "height", 0, "pixels (default 720)")
	f.IntVar(&call.DPI, "dpi", 0, "dots per inch (default 96)")
	f.BoolVar(&headless, "headless", false, "no display")
	f.StringVar(&call.Context, "profile", "", "profile to use, by id or name")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("headless") {
			call.Headless = &headless
		}
		return r.call(c.Context(), "browser.start", &call, r.showBrowser)
	}
	return c
}

func (r *root) browserVerb(use, name, command string) *cobra.Command {
	c := verb(name, use+" [<session>]", "glovebox "+command+"\nglovebox "+command+" invoices --json")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		r.target = first(append(args, r.target)...)
		return r.call(c.Context(), name, &action.None{}, r.showBrowser)
	}
	return c
}

func (r *root) showBrowser(result action.Result) {
	s, ok := result.Data.(*action.BrowserStatus)
	if !ok {
		return
	}
	r.facts(func(row func(name, value string)) {
		row("browser", frozen(s.State, s.Frozen))
		row("session", s.Session)
		row("profile", s.Context)
		row("page", s.URL)
		row("protocol", s.CDPURL)
		if s.Resolution != nil {
			row("display", strings.TrimSpace(fmt.Sprintf("%s %d × %d at %d dpi", s.Display, s.Resolution.Width, s.Resolution.Height, s.Resolution.DPI)))
		}
		for _, p := range s.Processes {
			state := "ended"
			if p.Running {
				state = fmt.Sprintf("runs as %d", p.PID)
			}
			row(clean(p.Name), state)
		}
		if s.LastError != nil {
			row("error", s.LastError.Code+": "+s.LastError.Message)
		}
		row("missing", strings.Join(s.Missing, ", "))
		row("repair", s.InstallCommand)
	})
}
