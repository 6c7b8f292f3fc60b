package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// crawlCommands read many pages.
type crawlCommands struct{ *environment }

func (cmd crawlCommands) crawl() *cobra.Command {
	var call action.Crawl
	var depth, delay int
	var limit time.Duration
	var out string
	c := verb(action.VerbPageCrawl.Name, "crawl <url>", "glovebox crawl https://docs.example.com/ --max-pages 50 -o docs\nglovebox crawl example.com --allow '*.example.com' --extract text --json")
	c.Args = between(1, 1)
	f := c.Flags()
	f.IntVar(&call.MaxPages, "max-pages", 0, "pages at most (default 10)")
	f.IntVar(&depth, "max-depth", 2, "links away from the first page at most")
	f.StringSliceVar(&call.AllowedDomains, "allow", nil, "hosts to stay on (default: the first page's)")
	f.StringVar(&call.Extract, "extract", "", "markdown, text, html or links (default markdown)")
	f.StringVar(&call.Render, "render", "", "always, or auto: fetch pages without scripts without the browser (default always)")
	f.BoolVar(&call.Sitemap, "sitemap", false, "begin with the pages of the sitemaps too")
	f.StringVar(&call.Effects, "effects", "", "none: nothing but what reads may leave its pages (default: as the session has it)")
	f.BoolVar(&call.IgnoreRobots, "ignore-robots", false, "do not ask robots.txt")
	f.BoolVar(&call.Resources, "resources", false, "load images, fonts and media too")
	f.IntVar(&delay, "delay", action.CrawlDelay, "milliseconds between pages of a host")
	f.IntVar(&call.Parallel, "parallel", 0, "tabs at most (default 4)")
	f.IntVar(&call.PerDomain, "per-domain", 0, "pages of one host at a time (default 1)")
	f.IntVar(&call.MaxBytes, "max-bytes", 0, "of content in total (default 8 MiB)")
	f.StringVarP(&out, "output", "o", "", "write each page to a file in this folder")
	f.DurationVar(&limit, "timeout", 0, "longest time of the whole crawl (default 2m)")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.URL, call.Timeout = args[0], int(limit.Milliseconds())
		call.MaxDepth, call.Delay = &depth, &delay
		return cmd.run(c, &call, out)
	}
	return c
}

// run crawls and prints the pages that it got, also when it is interrupted.
func (cmd crawlCommands) run(c *cobra.Command, args *action.Crawl, out string) error {
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return err
	}
	watch := &action.CrawlWatch{Progress: cmd.progress(args.MaxPages)}
	result, err := cmd.send(c.Context(), gateway, action.Call{Verb: action.VerbPageCrawl.Name, Session: cmd.target, Args: args, Crawl: watch})
	if cmd.io.Terminal && !cmd.json {
		fmt.Fprint(cmd.io.Err, "\r\x1b[K")
	}
	crawled, ok := result.Data.(*action.Crawled)
	if err != nil && (!ok || c.Context().Err() == nil) {
		return err
	}
	if ok && out != "" {
		if wrong := writePages(out, crawled.Pages, extension(args.Extract)); wrong != nil {
			return errors.Join(wrong, err)
		}
	}
	if wrong := cmd.print(result, func(action.Result) { cmd.show(crawled, ok && out == "") }); wrong != nil {
		return wrong
	}
	return err
}

// progress draws one line on a terminal, again and again.
func (cmd crawlCommands) progress(most int) func(action.CrawlProgress) {
	if !cmd.io.Terminal || cmd.json {
		return nil
	}
	if most == 0 {
		most = 10 // the verb's default
	}
	return func(p action.CrawlProgress) {
		const width = 24
		full := min(width, p.Pages*width/most)
		fmt.Fprintf(cmd.io.Err, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("#", full), strings.Repeat(".", width-full), p.Pages, most, short(p.URL, 60))
	}
}

func (cmd crawlCommands) show(c *action.Crawled, content bool) {
	if c == nil {
		return
	}
	for _, p := range c.Pages {
		status := fmt.Sprint(p.Status)
		if p.Error != "" {
			status = cmd.style.bad(clean(p.Error))
		}
		cmd.printf("%s %s %s\n", cmd.style.bold(clean(p.URL)), status, short(p.Title, 80))
		if content && p.Content != "" {
			cmd.printf("\n%s\n\n", clean(p.Content))
		}
	}
	cmd.printf("%d pages, %s", c.TotalPages, c.Stopped)
	for reason, n := range c.Skipped {
		cmd.printf(", %s %d", clean(reason), n)
	}
	cmd.printf("\n")
}

// extension is the file name extension for a form of extraction.
func extension(extract string) string {
	switch extract {
	case "html":
		return ".html"
	case "text", "links":
		return ".txt"
	}
	return ".md"
}

// writePages writes each page to a file of its own. A name is a number and the
// letters and digits of the address, so that no address leads out of the folder. It
// does not overwrite files.
func writePages(folder string, pages []action.CrawledPage, extension string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return unwritten(folder, err)
	}
	for i, p := range pages {
		if p.Content == "" {
			continue
		}
		name := filepath.Join(folder, fmt.Sprintf("%04d-%s%s", i+1, plainName(p.URL), extension))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return unwritten(name, err)
		}
		_, err = f.WriteString(p.Content)
		if err = errors.Join(err, f.Close()); err != nil {
			return unwritten(name, err)
		}
	}
	return nil
}

func unwritten(name string, err error) error {
	return fault.New(fault.InvalidRequest, "%s cannot be written", name).
		Hinted("give --output a folder that is new or empty, and that can be written").Because(err)
}

func plainName(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '_'
	}, rest), "._-")
	return name[:min(len(name), 80)]
}
