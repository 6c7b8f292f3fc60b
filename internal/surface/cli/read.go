package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/spf13/cobra"
)

func (cmd pageCommands) content() *cobra.Command {
	c := verb(action.VerbPageContent.Name, "content [<selector>]", "glovebox content\nglovebox content main")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbPageContent.Name, &action.Content{Selector: first(args...)}, func(result action.Result) {
			if got, ok := result.Data.(*action.HTML); ok {
				cmd.printf("%s\n", clean(got.HTML))
			}
		})
	}
	return c
}

func (cmd pageCommands) markdown() *cobra.Command {
	var call action.Markdown
	c := verb(action.VerbPageMarkdown.Name, "markdown", "glovebox markdown\nglovebox markdown --full --images > page.md\nglovebox markdown --max-tokens 4000 --offset 12000")
	c.Args = between(0, 0)
	pagingFlags(c, &call.Paging)
	c.Flags().BoolVar(&call.Full, "full", false, "all of the page: navigation, header, footer, asides, and what stands around an article")
	c.Flags().BoolVar(&call.Images, "images", false, "addresses of images too")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbPageMarkdown.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Marked); ok {
				cmd.printf("%s\n", clean(got.Markdown))
			}
		})
	}
	return c
}

func (cmd pageCommands) links() *cobra.Command {
	c := verb(action.VerbPageLinks.Name, "links", "glovebox links\nglovebox links --json")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbPageLinks.Name, &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.LinkListing); ok {
				for _, l := range got.Links {
					cmd.printf("%s\t%s\n", clean(l.Href), short(l.Text, 80))
				}
			}
		})
	}
	return c
}

func (cmd pageCommands) scrape() *cobra.Command {
	var url string
	var limit time.Duration
	c := verb(action.VerbPageScrape.Name, "scrape <name>=<selector>…", "glovebox scrape title=h1 'prices=.price'\nglovebox scrape 'pictures=img@src' --from example.com --json")
	c.Args = between(1, -1)
	c.Flags().StringVar(&url, "from", "", "navigate to this URL first")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		call := &action.Scrape{Selectors: map[string]string{}, URL: url, Timing: timing(limit)}
		for _, arg := range args {
			name, selector, found := strings.Cut(arg, "=")
			if _, twice := call.Selectors[name]; !found || twice || name == "" {
				return usage(fmt.Errorf("want name=selector, each name once, not %q", arg))
			}
			call.Selectors[name] = selector
		}
		return cmd.call(c.Context(), action.VerbPageScrape.Name, call, cmd.showScraped)
	}
	return c
}

func (cmd pageCommands) showScraped(result action.Result) {
	got, ok := result.Data.(*action.Scraped)
	if !ok {
		return
	}
	var names []string
	for name := range got.Data {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		cmd.printf("%s\n", cmd.style.bold(clean(name)))
		for _, value := range got.Data[name] {
			cmd.printf("  %s\n", strings.ReplaceAll(clean(value), "\n", "\n  "))
		}
	}
}

func (cmd pageCommands) execute() *cobra.Command {
	var call action.Execute
	var limit time.Duration
	c := verb(action.VerbPageExecute.Name, "execute <script>", "glovebox execute 'document.title'\nglovebox execute --await 'fetch(\"/api\").then(r => r.json())'")
	c.Args = between(1, 1)
	c.Flags().BoolVar(&call.AwaitPromise, "await", false, "wait for the promise that it returns")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Expression, call.Timing = args[0], timing(limit)
		return cmd.call(c.Context(), action.VerbPageExecute.Name, &call, func(result action.Result) {
			got, ok := result.Data.(*action.Executed)
			if !ok {
				return
			}
			text, err := json.MarshalIndent(got.Result, "", "  ")
			if err != nil || got.Type == "undefined" {
				text = []byte(got.Type)
			}
			cmd.printf("%s\n", clean(string(text)))
		})
	}
	return c
}

func (cmd pageCommands) pdf() *cobra.Command {
	var call action.PrintPDF
	var out string
	c := verb(action.VerbPagePDF.Name, "pdf", "glovebox pdf -o page.pdf\nglovebox pdf --format letter --landscape --print-background")
	c.Args = between(0, 0)
	f := c.Flags()
	outputFlag(c, &out, "page.pdf")
	f.StringVar(&call.Format, "format", "", "a4, letter or legal (default a4)")
	f.BoolVar(&call.Landscape, "landscape", false, "on its side")
	f.BoolVar(&call.PrintBackground, "print-background", false, "backgrounds too")
	f.Float64Var(&call.Scale, "scale", 0, "0.1 to 2 (default 1)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.save(c.Context(), action.VerbPagePDF.Name, &call, func(result action.Result) (string, []byte, string) {
			got, ok := result.Data.(*action.PDF)
			if !ok {
				return "", nil, ""
			}
			return first(out, "page.pdf"), got.Bytes, ""
		})
	}
	return c
}

func (cmd pageCommands) find() *cobra.Command {
	var call action.Find
	c := verb(action.VerbPageFind.Name, "find [<text>]", "glovebox find invoice\nglovebox find --role button --name Save\nglovebox find --regex '[0-9]+ EUR' --in main")
	c.Long = c.Short + ".\n\nThe exit status is 5 where nothing was found."
	c.Args = between(0, 1)
	f := c.Flags()
	f.StringVar(&call.Text, "text", "", "text to look for")
	f.StringVar(&call.Regex, "regex", "", "regular expression (RE2) to look for")
	f.StringVar(&call.Role, "role", "", "only elements of this ARIA role")
	f.StringVar(&call.Name, "name", "", "only what has this in its accessible name")
	f.StringVar(&call.Selector, "in", "", "only inside the first element that this CSS selector matches")
	f.IntVarP(&call.Limit, "limit", "n", 0, "how many of the first matches (default 20)")
	f.IntVar(&call.Context, "context", 0, "characters shown on each side of a match (default 60)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && call.Text != "" {
			return usage(errors.New("one text says what to look for: <text> or --text"))
		}
		call.Text = first(append(args, call.Text)...)
		there := true
		err := cmd.callThen(c.Context(), action.VerbPageFind.Name, &call, func(result action.Result) {
			if found, ok := result.Data.(*action.Matches); ok {
				there = found.Total > 0
			}
		}, cmd.showMatches)
		return nothing(err, there)
	}
	return c
}

func (cmd pageCommands) showMatches(result action.Result) {
	found, ok := result.Data.(*action.Matches)
	if !ok {
		return
	}
	for _, m := range found.Matches {
		ref := m.Ref
		if ref == "" {
			ref = "-"
		}
		cmd.printf("%-6s %s %s\n", cmd.style.good(clean(ref)), short(m.Role, 20), cmd.style.bold(short(m.Name, 80)))
		if m.Text != "" && m.Text != m.Name {
			cmd.printf("       %s\n", short(m.Text, 1200))
		}
		if len(m.Path) > 0 {
			cmd.printf("       %s\n", cmd.style.dim(short(strings.Join(m.Path, " > "), 300)))
		}
	}
	cmd.printf("%s\n", cmd.style.dim(counted(len(found.Matches), found.Total)))
}

func counted(shown, total int) string {
	if shown < total {
		return fmt.Sprintf("%d of %d", shown, total)
	}
	return fmt.Sprintf("%d found", total)
}

func (cmd pageCommands) extract() *cobra.Command {
	c := verb(action.VerbPageExtract.Name, "extract [text|title]", "glovebox extract title")
	c.Args = between(0, 1)
	c.ValidArgs = []string{"text", "title"}
	var call action.Extract
	pagingFlags(c, &call.Paging)
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Mode = first(append(args, "")...)
		return cmd.call(c.Context(), action.VerbPageExtract.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Extracted); ok {
				cmd.printf("%s\n", clean(got.Text))
			}
		})
	}
	return c
}

// pagingFlags adds the flags that choose a part of a text.
func pagingFlags(c *cobra.Command, p *action.Paging) {
	c.Flags().IntVar(&p.MaxTokens, "max-tokens", 0, "most tokens of the answer, 500 to 24000 (default all)")
	c.Flags().IntVar(&p.Offset, "offset", 0, "where to go on, as the answer before says")
}

func (cmd pageCommands) snapshot() *cobra.Command {
	var call action.TakeSnapshot
	c := verb(action.VerbPageSnapshot.Name, "snapshot [<ref>]", "glovebox snapshot\nglovebox snapshot e12 --urls\nglovebox snapshot --interactive --max-tokens 2000\nglovebox snapshot --format tree --json")
	c.Args = between(0, 1)
	f := c.Flags()
	f.StringVar(&call.Format, "format", "", "text, markdown or tree (tree prints JSON)")
	f.StringVar(&call.Ref, "ref", "", "only what is below this element")
	f.IntVar(&call.Depth, "depth", 0, "deepest level")
	f.IntVar(&call.MaxTokens, "max-tokens", 0, "most tokens of the answer, 500 to 24000 (default 6000)")
	f.IntVar(&call.Offset, "offset", 0, "where to go on, as the answer before says")
	f.BoolVar(&call.Interactive, "interactive", false, "only what can be acted on, with the headings around it")
	f.BoolVar(&call.Viewport, "viewport", false, "only what lies in the visible part of the page")
	f.BoolVar(&call.URLs, "urls", false, "show where links lead")
	c.RunE = func(c *cobra.Command, args []string) error {
		if call.Format == "tree" {
			cmd.json = true
		}
		if len(args) == 1 {
			if call.Ref != "" || !refPattern.MatchString(args[0]) {
				return usage(fmt.Errorf("want one reference of a snapshot, such as e12, not %q", args[0]))
			}
			call.Ref = args[0]
		}
		return cmd.call(c.Context(), action.VerbPageSnapshot.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Snapshot); ok {
				cmd.printf("%s\n", strings.TrimRight(clean(got.Text), "\n"))
			}
		})
	}
	return c
}

func (cmd pageCommands) screenshot() *cobra.Command {
	var call action.TakeScreenshot
	var out string
	c := verb(action.VerbPageScreenshot.Name, "screenshot [<ref>|<selector>]", "glovebox screenshot -o page.png\nglovebox screenshot e12\nglovebox screenshot --full-page --format jpeg -o page.jpg\nglovebox screenshot --labels -o page.png")
	c.Args = between(0, 1)
	f := c.Flags()
	f.StringVar(&call.Format, "format", "", "png, jpeg or webp (default png)")
	f.IntVar(&call.Quality, "quality", 0, "of jpeg and webp, 1 to 100 (default 80)")
	f.BoolVar(&call.FullPage, "full-page", false, "the whole scrollable page")
	f.StringVar(&call.Selector, "selector", "", "only this element")
	f.StringVar(&call.Ref, "ref", "", "only this element")
	outputFlag(c, &out, "screenshot.png, or as the format has it")
	f.BoolVar(&call.Labels, "labels", false, "draw the reference of each element that can be acted on (png, jpeg)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := pictured(&call, args); err != nil {
			return err
		}
		return cmd.save(c.Context(), action.VerbPageScreenshot.Name, &call, func(result action.Result) (string, []byte, string) {
			shot, ok := result.Data.(*action.Screenshot)
			if !ok {
				return "", nil, ""
			}
			return first(out, "screenshot."+shot.Format), shot.Bytes, fmt.Sprintf("%d × %d, ", shot.Width, shot.Height)
		})
	}
	return c
}

// pictured reads which element a screenshot is to show.
func pictured(call *action.TakeScreenshot, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if mime.TypeByExtension(filepath.Ext(args[0])) != "" {
		return usage(fmt.Errorf("the file is given with -o %s", args[0]))
	}
	at := locatorOf(args[0])
	if at.Ref == "" && at.Selector == "" || call.Ref != "" || call.Selector != "" {
		return usage(fmt.Errorf("want one reference or selector of an element, not %q", args[0]))
	}
	call.Ref, call.Selector = at.Ref, at.Selector
	return nil
}

func (cmd pageCommands) har() *cobra.Command {
	var call action.ExportHAR
	var path string
	c := verb(action.VerbPageHAR.Name, "har", "glovebox har\nglovebox har -o requests.har --headers")
	c.Args = between(0, 0)
	outputFlag(c, &path, "session.har")
	c.Flags().BoolVar(&call.Headers, "headers", false, "with headers, credentials masked; for operators")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.save(c.Context(), action.VerbPageHAR.Name, &call, func(result action.Result) (string, []byte, string) {
			got, ok := result.Data.(*action.HAR)
			if !ok {
				return "", nil, ""
			}
			return first(path, "session.har"), got.Bytes, fmt.Sprintf("%d requests, ", got.Entries)
		})
	}
	return c
}
