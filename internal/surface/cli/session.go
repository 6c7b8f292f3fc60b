package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// sessionCommands start, list, pause and close sessions.
type sessionCommands struct{ *environment }

func (cmd sessionCommands) commands() []*cobra.Command {
	sessions := &cobra.Command{Use: "session", Short: "Start, list, hold and end sessions", Args: between(0, 0), RunE: help}
	sessions.AddCommand(cmd.start(), cmd.list(),
		cmd.verb("show", action.VerbSessionShow.Name), cmd.close(), cmd.verb("archive", action.VerbSessionArchive.Name),
		cmd.replay(), cmd.export(), cmd.watch())
	sessions.AddCommand(cmd.control()...)
	artifacts := &cobra.Command{Use: "artifacts", Short: "List and fetch the files sessions left", Args: between(0, 0), RunE: help}
	artifacts.AddCommand(cmd.artifacts(), cmd.artifact())
	return []*cobra.Command{sessions, artifacts}
}

// help is what a group of commands does by itself: its list command, where it has
// one.
func help(c *cobra.Command, _ []string) error {
	for _, each := range c.Commands() {
		if each.Name() == "list" {
			each.SetContext(c.Context())
			return each.RunE(each, nil)
		}
	}
	return c.Help()
}

func (cmd sessionCommands) start() *cobra.Command {
	var call action.SessionStart
	var idle time.Duration
	c := verb(action.VerbSessionStart.Name, "start", "glovebox session start --name invoices --allow '*.example.com' --open https://app.example.com/")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&call.Name, "name", "", "a name to address it by")
	f.StringVar(&call.Provider, "provider", "", "sandbox")
	f.StringVar(&call.URL, "open", "", "URL to navigate to first")
	f.IntVar(&call.Width, "width", 0, "pixels (default 1280)")
	f.IntVar(&call.Height, "height", 0, "pixels (default 720)")
	f.IntVar(&call.DPI, "dpi", 0, "dots per inch (default 96)")
	f.BoolVar(&call.Headless, "headless", false, "no display")
	f.DurationVar(&idle, "timeout", 0, "time without a call after which it is closed, as 60s (default: security.session_timeout)")
	f.StringVar(&call.Profile, "profile", "", "saved user data to use, by id or name")
	f.StringSliceVar(&call.Credentials, "credentials", nil, "domains whose stored credentials it gets, with commas between them")
	f.StringSliceVar(&call.Allow, "allow", nil, "hosts documents may come from, with commas between them")
	f.StringVar(&call.Proxy, "proxy", "", "name of the upstream proxy that it goes out by, as security.network.upstream_proxies has it (default: its scope's)")
	emulate := emulationFlags(f)
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		call.Timeout = int(idle.Milliseconds())
		if call.Emulate, err = emulate(); err != nil {
			return err
		}
		if cmd.io.Terminal && !cmd.json { // a cold box takes a second or two
			fmt.Fprintln(cmd.io.Err, cmd.style.dim("starting a session…"))
		}
		return cmd.call(c.Context(), action.VerbSessionStart.Name, &call, cmd.showSession)
	}
	return c
}

// frozen returns a state, marked where the box is frozen.
func frozen(state string, still bool) string {
	if still {
		return state + " (frozen)"
	}
	return state
}

func (cmd sessionCommands) showSession(result action.Result) {
	s, ok := result.Data.(*action.Session)
	if !ok {
		return
	}
	cmd.facts(func(row func(name, value string)) {
		row("session", s.ID)
		row("name", s.Name)
		row("state", frozen(s.State, s.Frozen))
		row("held", held(s.Hold))
		row("reason", s.Reason)
		row("box", s.Box)
		row("egress", s.Egress)
		row("scope", s.Scope)
		row("created", s.Created.Local().Format(time.DateTime))
		row("actions", fmt.Sprint(s.Actions))
		row("display", fmt.Sprintf("%d × %d at %d dpi", s.Width, s.Height, s.DPI))
		row("allowed", strings.Join(s.Allow, ", "))
		row("credentials", strings.Join(s.Credentialed, ", "))
		row("profile", s.Profile)
		if s.Page != nil {
			row("page", s.Page.URL)
		}
	})
}

func (cmd sessionCommands) list() *cobra.Command {
	var call action.SessionList
	c := verb(action.VerbSessionList.Name, "list", "glovebox session list --archived")
	c.Args = between(0, 0)
	c.Flags().BoolVar(&call.IncludeArchived, "archived", false, "also archived ones")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbSessionList.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.SessionListing); ok {
				table(cmd.environment, "no sessions", "SESSION\tNAME\tSTATE\tACTIONS\tCREATED\tPAGE", got.Sessions, func(s action.Session) []any {
					page := ""
					if s.Page != nil {
						page = short(s.Page.URL, 50)
					}
					return []any{s.ID, s.Name, frozen(s.State, s.Frozen), s.Actions, s.Created.Local().Format(time.DateTime), page}
				})
			}
		})
	}
	return c
}

// verb makes a command for one session: that of the argument, of --session, or the
// one that was used last.
func (cmd sessionCommands) verb(name, verbName string) *cobra.Command {
	c := verb(verbName, name+" [<session>]", "glovebox session "+name+" invoices")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		cmd.target = first(append(args, cmd.target)...)
		return cmd.call(c.Context(), verbName, &action.None{}, cmd.showSession)
	}
	return c
}

// close closes a session, or with --all every open one.
func (cmd sessionCommands) close() *cobra.Command {
	var all bool
	c := cmd.verb("close", action.VerbSessionClose.Name)
	c.Example += "\n  glovebox session close --all"
	c.Flags().BoolVar(&all, "all", false, "every open session of the scope")
	one := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if !all {
			return one(c, args)
		}
		if len(args) > 0 || cmd.target != "" {
			return usage(errors.New("--all closes every session: name none"))
		}
		return cmd.closeAll(c.Context())
	}
	return c
}

// closeAll closes all open sessions, one after another. It goes on after one that
// cannot be closed.
func (cmd sessionCommands) closeAll(ctx context.Context) error {
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return err
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbSessionList.Name, Args: &action.SessionList{}})
	if err != nil {
		return err
	}
	listing, _ := result.Data.(*action.SessionListing)
	closed := action.SessionListing{Sessions: []action.Session{}}
	var failed error
	for _, s := range listing.Sessions {
		if s.Closed != nil {
			continue
		}
		result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbSessionClose.Name, Session: s.ID, Args: &action.None{}})
		if one, ok := result.Data.(*action.Session); ok && err == nil {
			closed.Sessions = append(closed.Sessions, *one)
		}
		failed = cmp.Or(failed, err)
	}
	if err := cmd.print(action.Result{Data: &closed}, func(action.Result) {
		cmd.printf("%s closed %s\n", cmd.style.good("ok"), count(len(closed.Sessions), "session"))
	}); err != nil {
		return err
	}
	return failed
}

func (cmd sessionCommands) artifacts() *cobra.Command {
	c := verb(action.VerbArtifactList.Name, "list [<session>]", "glovebox artifacts list invoices")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		cmd.target = first(append(args, cmd.target)...)
		return cmd.call(c.Context(), action.VerbArtifactList.Name, &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.ArtifactListing); ok {
				table(cmd.environment, "no artifacts", "ARTIFACT\tNAME\tTYPE\tBYTES\tCREATED", got.Artifacts, func(a action.Artifact) []any {
					return []any{a.ID, short(a.Name, 40), a.MediaType, a.Size, a.Created.Local().Format(time.DateTime)}
				})
			}
		})
	}
	return c
}

func (cmd sessionCommands) artifact() *cobra.Command {
	var out string
	c := verb(action.VerbArtifactGet.Name, "get <artifact>", "glovebox artifacts get 5f2a…\nglovebox artifacts get 5f2a… -o page.png")
	c.Args = between(1, 1)
	outputFlag(c, &out, ownName)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.save(c.Context(), action.VerbArtifactGet.Name, &action.ByID{ID: args[0]}, func(result action.Result) (string, []byte, string) {
			file, ok := result.Data.(*action.File)
			if !ok {
				return "", nil, ""
			}
			return first(out, unused(filepath.Base(file.Name))), file.Bytes, ""
		})
	}
	return c
}

// control returns the commands that keep agents from a session and hand it back.
func (cmd sessionCommands) control() []*cobra.Command {
	return []*cobra.Command{
		cmd.pause("pause", action.VerbSessionPause.Name, "looking at the form"), cmd.pause("take", action.VerbSessionTake.Name, "signing in"),
		cmd.allow(), cmd.handBack("resume", action.VerbSessionResume.Name), cmd.handBack("hand-back", action.VerbSessionHandBack.Name),
	}
}

func (cmd sessionCommands) pause(name, verbName, why string) *cobra.Command {
	var call action.Hands
	c := verb(verbName, name+" [<session>]", fmt.Sprintf("glovebox session %s invoices --reason '%s'", name, why))
	c.Args = between(0, 1)
	c.Flags().StringVar(&call.Reason, "reason", "", "why; its agents are told")
	c.RunE = func(c *cobra.Command, args []string) error {
		cmd.target = first(append(args, cmd.target)...)
		return cmd.call(c.Context(), verbName, &call, cmd.showSession)
	}
	return c
}

func (cmd sessionCommands) handBack(name, verbName string) *cobra.Command {
	var call action.HandBack
	c := verb(verbName, name+" [<session>]", fmt.Sprintf("glovebox session %s invoices --note 'I signed in for you'", name))
	c.Args = between(0, 1)
	c.Flags().StringVar(&call.Note, "note", "", "what the agent is told")
	c.RunE = func(c *cobra.Command, args []string) error {
		cmd.target = first(append(args, cmd.target)...)
		return cmd.call(c.Context(), verbName, &call, cmd.showSession)
	}
	return c
}

func (cmd sessionCommands) allow() *cobra.Command {
	var call action.AllowHost
	c := verb(action.VerbSessionAllow.Name, "allow <host> [<session>]", "glovebox session allow docs.example.com invoices\nglovebox session allow cdn.example.net --for resource")
	c.Args = between(1, 2)
	c.Flags().StringVar(&call.For, "for", "", "page or resource (default page)")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Host = args[0]
		cmd.target = first(append(args[1:], cmd.target)...)
		return cmd.call(c.Context(), action.VerbSessionAllow.Name, &call, cmd.showSession)
	}
	return c
}

// held says who has paused a session; empty when nobody has.
func held(hold *action.Hold) string {
	if hold == nil {
		return ""
	}
	return fmt.Sprintf("by %s since %s: %s", hold.By, hold.Since.Local().Format(time.TimeOnly), hold.Why)
}
