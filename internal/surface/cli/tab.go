package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/spf13/cobra"
)

// tabCommands list tabs, and what their pages logged and requested.
type tabCommands struct{ *environment }

func (cmd tabCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "tabs", Short: "List, open, activate and close tabs", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.list(), cmd.open(), cmd.one(action.VerbTabActivate.Name, "activate"), cmd.one(action.VerbTabClose.Name, "close"))
	return []*cobra.Command{group, cmd.console(), cmd.network(), pageCommands(cmd).har()}
}

func (cmd tabCommands) list() *cobra.Command {
	c := verb(action.VerbTabList.Name, "list", "glovebox tabs list")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbTabList.Name, &action.None{}, func(result action.Result) {
			if listing, ok := result.Data.(*action.TabListing); ok {
				for _, tab := range listing.Tabs {
					cmd.show(tab)
				}
			}
		})
	}
	return c
}

func (cmd tabCommands) show(tab action.Tab) {
	mark := " "
	if tab.Active {
		mark = cmd.style.good("*")
	}
	cmd.printf("%s %s  %s %s\n", mark, tab.ID, cmd.style.bold(short(tab.Title, 60)), short(tab.URL, 200))
}

func (cmd tabCommands) open() *cobra.Command {
	c := verb(action.VerbTabOpen.Name, "open [<url>]", "glovebox tabs open example.com")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbTabOpen.Name, &action.OpenTab{URL: first(args...)}, cmd.showResult)
	}
	return c
}

func (cmd tabCommands) one(name, word string) *cobra.Command {
	c := verb(name, word+" <id>", "glovebox tabs "+word+" 5B1B0A3E6E0D4D0C8F3A2B1C0D9E8F70")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), name, &action.ByID{ID: args[0]}, cmd.showResult)
	}
	return c
}

func (cmd tabCommands) showResult(result action.Result) {
	if tab, ok := result.Data.(*action.Tab); ok {
		cmd.show(*tab)
		return
	}
	cmd.printf("%s\n", cmd.style.good("ok"))
	pageCommands(cmd).showPage(result)
}

func (cmd tabCommands) console() *cobra.Command {
	var call action.ReadConsole
	c := verb(action.VerbPageConsole.Name, "console", "glovebox console\nglovebox console --level error --clear")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&call.Level, "level", "", "only log, warn, error, info or debug")
	f.IntVarP(&call.Limit, "lines", "n", 0, "how many of the newest messages (default 100)")
	f.BoolVar(&call.Clear, "clear", false, "forget every message afterwards")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbPageConsole.Name, &call, func(result action.Result) {
			if listing, ok := result.Data.(*action.ConsoleListing); ok {
				for _, m := range listing.Messages {
					cmd.message(m)
				}
			}
		})
	}
	return c
}

// message prints one message. Its further lines are indented, so that a page cannot
// write lines that look like other messages.
func (cmd tabCommands) message(m action.ConsoleMessage) {
	paint := map[string]func(string) string{"error": cmd.style.bad, "warn": cmd.style.warn}[m.Level]
	if paint == nil {
		paint = cmd.style.dim
	}
	from := ""
	if m.URL != "" {
		from = cmd.style.dim(fmt.Sprintf("  %s:%d", short(m.URL, 120), m.Line))
	}
	text := strings.ReplaceAll(clean(m.Text), "\n", "\n    ")
	cmd.printf("%s %s %s%s\n", cmd.style.dim(m.Timestamp.Local().Format("15:04:05.000")), paint(fmt.Sprintf("%-5s", m.Level)), text, from)
}

func (cmd tabCommands) network() *cobra.Command {
	var call action.ReadNetwork
	c := verb(action.VerbPageNetwork.Name, "network [<pattern>]", "glovebox network\nglovebox network '/api/' -n 20\nglovebox network --headers -n 1")
	c.Args = between(0, 1)
	c.Flags().IntVarP(&call.Limit, "lines", "n", 0, "how many of the newest requests (default 100)")
	c.Flags().BoolVar(&call.Headers, "headers", false, "with headers, credentials masked; for operators")
	c.Flags().BoolVar(&call.Clear, "clear", false, "forget every request that is over afterwards")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Pattern = first(args...)
		return cmd.call(c.Context(), action.VerbPageNetwork.Name, &call, func(result action.Result) {
			if listing, ok := result.Data.(*action.NetworkListing); ok {
				for _, q := range listing.Requests {
					cmd.request(q)
				}
			}
		})
	}
	return c
}

func (cmd tabCommands) request(q action.NetworkRequest) {
	outcome := fmt.Sprint(q.Status)
	switch {
	case q.Error != "":
		outcome = cmd.style.bad(short(q.Error, 80))
	case q.Pending:
		outcome = cmd.style.dim("pending")
	}
	cmd.printf("%s %s %s %s  %s %d B %.0f ms\n", cmd.style.dim(q.Timestamp.Local().Format("15:04:05.000")), outcome, short(q.Method, 10),
		short(q.URL, 200), short(q.MimeType, 40), q.ResponseSize, q.Duration)
	if q.Headers != nil {
		cmd.headers(">", q.Headers.Request)
		cmd.headers("<", q.Headers.Response)
	}
}

// headers prints the headers of a request or an answer, indented.
func (cmd tabCommands) headers(to string, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		cmd.printf("    %s %s: %s\n", to, cmd.style.dim(short(name, 80)), short(headers[name], 200))
	}
}
