package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// pageCommands act on a page and read it.
type pageCommands struct{ *environment }

func (cmd pageCommands) commands() []*cobra.Command {
	return append(cmd.defined(), []*cobra.Command{
		cmd.goTo(), cmd.plain("back", action.VerbPageBack.Name), cmd.plain("forward", action.VerbPageForward.Name), cmd.reload(),
		cmd.click(), cmd.typeText(), cmd.press(), cmd.choose(), cmd.drag(), cmd.fillSecret(), cmd.scroll(), cmd.resize(), cmd.dialog(),
		cmd.wait(), cmd.extract(), cmd.snapshot(), cmd.find(), cmd.screenshot(),
		cmd.content(), cmd.markdown(), cmd.links(), cmd.scrape(), cmd.execute(), cmd.pdf(), crawlCommands(cmd).crawl(), cmd.batch(),
	}...)
}

// verb makes a command from a row of the table of verbs, whose summary is the help.
func verb(name, use, example string) *cobra.Command {
	row, _ := action.Lookup(name)
	c := &cobra.Command{Use: use, Short: row.Summary}
	for line := range strings.SplitSeq(example, "\n") {
		c.Example += "  " + line + "\n"
	}
	c.Example = strings.TrimSuffix(c.Example, "\n")
	return c
}

func timeoutFlag(c *cobra.Command, d *time.Duration) {
	c.Flags().DurationVar(d, "timeout", 0, "longest time to wait, at most 2m (default: browser.timeout_seconds)")
}

func timing(d time.Duration) action.Timing { return action.Timing{Timeout: int(d.Milliseconds())} }

func (cmd pageCommands) plain(name, verbName string) *cobra.Command {
	c := verb(verbName, name, "glovebox "+name)
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), verbName, &action.None{}, cmd.showPage)
	}
	return c
}

func (cmd pageCommands) showPage(result action.Result) {
	if result.Page != nil {
		cmd.printf("%s %s\n", cmd.style.bold(short(result.Page.Title, 80)), clean(result.Page.URL))
	}
}

func (cmd pageCommands) goTo() *cobra.Command {
	var until, domain string
	var limit time.Duration
	c := verb(action.VerbPageGoto.Name, "goto <url>", "glovebox goto example.com\nglovebox goto https://example.com/ --wait-until networkidle")
	c.Args = between(1, 1)
	c.Flags().StringVar(&until, "wait-until", "", "load, domcontentloaded or networkidle (default load)")
	c.Flags().StringVar(&domain, "domain-hint", "", "domain whose stored credentials the session gets first")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbPageGoto.Name, &action.Goto{URL: args[0], WaitUntil: until, DomainHint: domain, Timing: timing(limit)}, func(result action.Result) {
			if at, ok := result.Data.(*action.Navigated); ok {
				cmd.printf("%d %s %s\n", at.Status, cmd.style.bold(short(at.Title, 80)), clean(at.URL))
			}
		})
	}
	return c
}

func (cmd pageCommands) reload() *cobra.Command {
	var fresh bool
	c := verb(action.VerbPageReload.Name, "reload", "glovebox reload --ignore-cache")
	c.Args = between(0, 0)
	c.Flags().BoolVar(&fresh, "ignore-cache", false, "fetch everything anew")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbPageReload.Name, &action.Reload{IgnoreCache: fresh}, cmd.showPage)
	}
	return c
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func (cmd pageCommands) wait() *cobra.Command {
	var w locatorFlags
	var call action.WaitFor
	limit := 5 * time.Second
	c := verb(action.VerbPageWaitFor.Name, "wait [<element>]", "glovebox wait '#done' --state visible\nglovebox wait --text 'Saved'\nglovebox wait --url /done\nglovebox wait --networkidle --timeout 20s")
	c.Args = between(0, 1)
	w.flags(c)
	f := c.Flags()
	f.StringVar(&call.State, "state", "", "attached, detached, visible or hidden (default attached)")
	f.StringVar(&call.TextGone, "text-gone", "", "until this text is gone")
	f.StringVar(&call.URL, "url", "", "until the page's URL contains this")
	f.BoolVar(&call.NetworkIdle, "networkidle", false, "until the network is quiet")
	f.DurationVar(&limit, "timeout", limit, "longest time to wait, at most 2m")
	c.Long += ".\n\nThe exit status is 5 where it did not come in time."
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if call.Locator, _, err = w.take(args); err != nil {
			return err
		}
		ms := int(limit.Milliseconds())
		call.Timeout = &ms
		came := true
		err = cmd.callThen(c.Context(), action.VerbPageWaitFor.Name, &call, func(result action.Result) {
			if found, ok := result.Data.(*action.Waited); ok {
				came = found.Found
			}
		}, func(action.Result) { cmd.printf("found: %t\n", came) })
		return nothing(err, came)
	}
	return c
}
