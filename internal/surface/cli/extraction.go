package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) content() *cobra.Command {
	c := verb("page.content", "content [<selector>]", "glovebox content\nglovebox content main")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return r.call(c.Context(), "page.content", &action.Content{Selector: first(args...)}, func(result action.Result) {
			if got, ok := result.Data.(*action.HTML); ok {
				r.printf("%s\n", clean(got.HTML))
			}
		})
	}
	return c
}

func (r *root) markdown() *cobra.Command {
	var call action.Markdown
	c := verb("page.markdown", "markdown", "glovebox markdown\nglovebox markdown --full --images > page.md\nglovebox markdown --max-tokens 4000 --offset 12000")
	c.Args = between(0, 0)
	pagingFlags(c, &call.Paging)
	c.Flags().BoolVar(&call.Full, "full", false, "all of the page: navigation, header, footer, asides, and what stands around an article")
	c.Flags().BoolVar(&call.Images, "images", false, "addresses of images too")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "page.markdown", &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Marked); ok {
				r.printf("%s\n", clean(got.Markdown))
			}
		})
	}
	return c
}

func (r *root) links() *cobra.Command {
	c := verb("page.links", "links", "glovebox links\nglovebox links --json")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "page.links", &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.LinkListing); ok {
				for _, l := range got.Links {
					r.printf("%s\t%s\n", clean(l.Href), short(l.Text, 80))
				}
			}
		})
	}
	return c
}

func (r *root) scrape() *cobra.Command {
	var url string
	var limit time.Duration
	c := verb("page.scrape", "scrape <name>=<selector>…", "glovebox scrape title=h1 'prices=.price'\nglovebox scrape 'pictures=img@src' --from example.com --json")
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
		return r.call(c.Context(), "page.scrape", call, r.showScraped)
	}
	return c
}

func (r *root) showScraped(result action.Result) {
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
		r.printf("%s\n", r.style.bold(clean(name)))
		for _, value := range got.Data[name] {
			r.printf("  %s\n", strings.ReplaceAll(clean(value), "\n", "\n  "))
		}
	}
}

func (r *root) execute() *cobra.Command {
	var call action.Execute
	var limit time.Duration
	c := verb("page.execute", "execute <script>", "glovebox execute 'document.title'\nglovebox execute --await 'fetch(\"/api\").then(r => r.json())'")
	c.Args = between(1, 1)
	c.Flags().BoolVar(&call.AwaitPromise, "await", false, "wait for the promise that it returns")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Expression, call.Timing = args[0], timing(limit)
		return r.call(c.Context(), "page.execute", &call, func(result action.Result) {
			got, ok := result.Data.(*action.Executed)
			if !ok {
				return
			}
			text, err := json.MarshalIndent(got.Result, "", "  ")
			if err != nil || got.Type == "undefined" {
				text = []byte(got.Type)
			}
			r.printf("%s\n", clean(string(text)))
		})
	}
	return c
}

func (r *root) pdf() *cobra.Command {
	var call action.PrintPDF
	var out string
	c := verb("page.pdf", "pdf", "glovebox pdf -o page.pdf\nglovebox pdf --format letter --landscape --print-background")
	c.Args = between(0, 0)
	f := c.Flags()
	outputFlag(c, &out, "page.pdf")
	f.StringVar(&call.Format, "format", "", "a4, letter or legal (default a4)")
	f.BoolVar(&call.Landscape, "landscape", false, "on its side")
	f.BoolVar(&call.PrintBackground, "print-background", false, "backgrounds too")
	f.Float64Var(&call.Scale, "scale", 0, "0.1 to 2 (default 1)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.save(c.Context(), "page.pdf", &call, func(result action.Result) (string, []byte, string) {
			got, ok := result.Data.(*action.PDF)
			if !ok {
				return "", nil, ""
			}
			return first(out, "page.pdf"), got.Bytes, ""
		})
	}
	return c
}
