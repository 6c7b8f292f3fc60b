package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (cmd profileCommands) export() *cobra.Command {
	var out string
	c := verb(action.VerbProfileExport.Name, "export <profile>",
		"glovebox profile export work -o state.json\nglovebox profile export work | jq -r '.cookies[].domain'")
	c.Args = between(1, 1)
	c.Long = c.Short + `.

Cookies, and the localStorage of the origins that sessions with the profile
showed pages of. The file opens the accounts that it holds: it is written for
its owner alone (mode 0600). Playwright reads it as storageState, and glovebox
profile import as it is. Credentials that came from the vault are left out.

A session that uses the profile goes on meanwhile; where there is none, one is
started for the time it takes.`
	outputFlag(c, &out, toStandardOutput)
	c.RunE = func(c *cobra.Command, args []string) error {
		if out == "" && cmd.io.Terminal {
			return usage(errors.New("the login would be shown on the terminal: name a file with --output, or - to have it shown"))
		}
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		// not by send, which removes control characters: the values must stay as they
		// are
		result, err := gateway.Call(c.Context(), action.Call{Verb: action.VerbProfileExport.Name, Args: &action.ByID{ID: args[0]}, Surface: "cli"})
		if err != nil {
			return err
		}
		state, ok := result.Data.(*action.StorageState)
		if !ok {
			return fault.New(fault.Internal, "the gateway sent no storage state")
		}
		return cmd.writeState(out, *state)
	}
	return c
}

// writeState writes a login state and says what is in it, on standard error
// where the state itself is on standard output.
func (cmd profileCommands) writeState(out string, state action.StorageState) error {
	left := state.Left
	state.Left = nil
	if out == "" || out == "-" {
		if err := encode(cmd.io.Out, state); err != nil {
			return err
		}
		cmd.io.Out, cmd.json = cmd.io.Err, false
		cmd.showLeft(left)
		return nil
	}
	text, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(out, append(text, '\n'), 0o600); err != nil {
		return fault.New(fault.InvalidRequest, "cannot write %s", out).Hinted("give another file with --output").Because(err)
	}
	items := 0
	for _, o := range state.Origins {
		items += len(o.LocalStorage)
	}
	told := map[string]any{"file": out, "cookies": len(state.Cookies), "origins": len(state.Origins), "localStorage": items}
	if len(left) > 0 {
		told["left"] = left
	}
	return cmd.print(action.Result{Data: told}, func(action.Result) {
		cmd.printf("%s %s in %s\n", cmd.style.good("exported:"), loginOf(len(state.Cookies), items, len(state.Origins)), clean(out))
		cmd.showLeft(left)
	})
}

const shownLeft = 20 // rows of what was left out; --json prints all

func (cmd profileCommands) showLeft(left []action.LeftOut) {
	for i, l := range left {
		if i == shownLeft {
			cmd.printf("%s %d more hosts; --json lists them\n", cmd.style.dim("left out:"), len(left)-shownLeft)
			return
		}
		var what []string
		if l.Cookies > 0 {
			what = append(what, plural(l.Cookies, "cookie", "cookies"))
		}
		if l.LocalStorage > 0 {
			what = append(what, plural(l.LocalStorage, "entry", "entries")+" of localStorage")
		}
		cmd.printf("%s %s: %s\n", cmd.style.dim("left out:"), clean(strings.TrimSpace(strings.Join(what, " and ")+" of "+l.Host)), clean(l.Why))
	}
}

// loginOf says how much a login state holds.
func loginOf(cookies, items, origins int) string {
	return fmt.Sprintf("%s and %s of localStorage (%s)",
		plural(cookies, "cookie", "cookies"), plural(items, "entry", "entries"), plural(origins, "origin", "origins"))
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// sources are the names of the file formats, for people.
var sources = []string{"auto", "playwright", "netscape", "json"}

func (cmd profileCommands) importLogin() *cobra.Command {
	var call action.ProfileImport
	c := verb(action.VerbProfileImport.Name, "import <profile> <file>",
		"glovebox profile import work state.json\nglovebox profile import work cookies.txt --allow example.com,app.example.com\npass show cookies | glovebox profile import work - --from netscape")
	c.Args = between(2, 2)
	c.Long = c.Short + `.

The file, or standard input for -, is one of
  playwright  storageState of Playwright, and what glovebox profile export writes
  netscape    cookies.txt, as curl, yt-dlp and browser extensions write it
  json        an array of cookies, as Cookie-Editor, EditThisCookie and the like write it

All of it is imported or nothing: a bad entry is named by its line or its place,
and changes nothing. Cookies that have expired, and hosts that sessions may not
open, are left out, and said. What is in the profile stays, but for what has the
same name. No session may use the profile meanwhile.

What was imported is a secret of the profile's sessions from then on: agents get
no scripts, cookies or HTML in them, and values are taken out of what they read.`
	f := c.Flags()
	f.StringVar(&call.Format, "from", "auto", "what the file is: "+strings.Join(sources, ", "))
	f.StringSliceVar(&call.Allow, "allow", nil, "hosts to take, in place of those that are configured")
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(sources, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(c *cobra.Command, args []string) error {
		call.ID = args[0]
		var err error
		if call.File, err = cmd.stateFile(args[1]); err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbProfileImport.Name, &call, cmd.showImported)
	}
	return c
}

// stateFile reads a file, or standard input.
func (cmd profileCommands) stateFile(path string) ([]byte, error) {
	from := cmd.io.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "cannot read %s", path).Hinted("name the file, or - for standard input").Because(err)
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, action.MostStateFile+1))
	switch {
	case err != nil:
		return nil, fault.New(fault.InvalidRequest, "cannot read %s", path).Because(err)
	case len(text) > action.MostStateFile:
		return nil, fault.New(fault.LimitReached, "%s is larger than %d MiB", path, action.MostStateFile>>20).
			Hinted("export the sites that are needed, instead of all")
	}
	return text, nil
}

func (cmd profileCommands) showImported(result action.Result) {
	got, ok := result.Data.(*action.ProfileImported)
	if !ok {
		return
	}
	cmd.printf("%s %s, of %s\n", cmd.style.good("imported:"), loginOf(got.Cookies, got.LocalStorage, got.Origins), short(strings.Join(got.Hosts, ", "), 300))
	cmd.showLeft(got.Left)
}
