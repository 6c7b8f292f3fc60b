package cli

import (
	"errors"
	"fmt"
	"mime"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) pageCommands() []*cobra.Command {
	return []*cobra.Command{
		r.goTo(), r.plain("back", "page.back"), r.plain("forward", "page.forward"), r.reload(),
		r.click(), r.typeText(), r.press(), r.choose(), r.hover(), r.drag(), r.fillSecret(), r.scroll(), r.resize(), r.dialog(),
		r.wait(), r.extract(), r.snapshot(), r.find(), r.screenshot(),
		r.content(), r.markdown(), r.links(), r.scrape(), r.execute(), r.pdf(), r.crawl(), r.batch(),
	}
}

// verb makes a command of a row of the table: its summary is the help.
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

func (r *root) plain(name, verbName string) *cobra.Command {
	c := verb(verbName, name, "glovebox "+name)
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), verbName, &action.None{}, r.showPage)
	}
	return c
}

func (r *root) showPage(result action.Result) {
	if result.Page != nil {
		r.printf("%s %s\n", r.style.bold(short(result.Page.Title, 80)), clean(result.Page.URL))
	}
}

func (r *root) goTo() *cobra.Command {
	var until, domain string
	var limit time.Duration
	c := verb("page.goto", "goto <url>", "glovebox goto example.com\nglovebox goto https://example.com/ --wait-until networkidle")
	c.Args = between(1, 1)
	c.Flags().StringVar(&until, "wait-until", "", "load, domcontentloaded or networkidle (default load)")
	c.Flags().StringVar(&domain, "domain-hint", "", "domain whose stored credentials the session gets first")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		return r.call(c.Context(), "page.goto", &action.Goto{URL: args[0], WaitUntil: until, DomainHint: domain, Timing: timing(limit)}, func(result action.Result) {
			if at, ok := result.Data.(*action.Navigated); ok {
				r.printf("%d %s %s\n", at.Status, r.style.bold(short(at.Title, 80)), clean(at.URL))
			}
		})
	}
	return c
}

func (r *root) reload() *cobra.Command {
	var fresh bool
	c := verb("page.reload", "reload", "glovebox reload --ignore-cache")
	c.Args = between(0, 0)
	c.Flags().BoolVar(&fresh, "ignore-cache", false, "fetch everything anew")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.call(c.Context(), "page.reload", &action.Reload{IgnoreCache: fresh}, r.showPage)
	}
	return c
}

// act makes a command that acts on an element. build makes the arguments from
// the locator, the words that are left and the time limit.
func (r *root) act(name, use, example string, low, high int, build func(action.Locator, []string, action.Timing) (any, error)) *cobra.Command {
	var w where
	var limit time.Duration
	c := verb(name, use, example)
	c.Args = between(low, high)
	w.flags(c)
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		locator, rest, err := w.take(args)
		if err != nil {
			return err
		}
		call, err := build(locator, rest, timing(limit))
		if err != nil {
			return usage(err)
		}
		return r.call(c.Context(), name, call, r.showActed)
	}
	return c
}

func (r *root) showActed(result action.Result) {
	done := "done"
	if filled, ok := result.Data.(*action.Filled); ok {
		done = fmt.Sprintf("%s of %s typed", clean(filled.Secret), clean(filled.Domain))
	}
	if acted, ok := result.Data.(*action.Acted); ok {
		if e := acted.Element; e != nil {
			done = fmt.Sprintf("%s %q", e.Role, short(e.Name, 60))
		}
		if acted.Matches > 1 {
			done += fmt.Sprintf(" (first of %d that match)", acted.Matches)
		}
		if len(acted.Labels) > 0 {
			done += ": " + clean(strings.Join(acted.Labels, ", "))
		}
	}
	r.printf("%s %s\n", r.style.good("ok"), done)
	r.showPage(result)
}

func (r *root) click() *cobra.Command {
	var button string
	var count int
	var check, uncheck bool
	var modifiers []string
	c := r.act("page.click", "click [<element>]",
		"glovebox click e12\nglovebox click '#save'\nglovebox click --at 320,200\nglovebox click --role button --name Save\nglovebox click --text 'Read more'\nglovebox click --role checkbox --name Terms --check", 0, 1,
		func(l action.Locator, _ []string, t action.Timing) (any, error) {
			call := &action.Click{Locator: l, Button: button, ClickCount: count, Modifiers: modifiers, Timing: t}
			if check || uncheck {
				call.Checked = &check
			}
			return call, nil
		})
	c.Flags().StringVar(&button, "button", "", "left, right or middle")
	c.Flags().IntVar(&count, "count", 0, "2 is a double click")
	c.Flags().StringSliceVar(&modifiers, "modifier", nil, "Alt, Control, Meta or Shift")
	c.Flags().BoolVar(&check, "check", false, "only make it checked: a checkbox, radio button or switch that is so is left")
	c.Flags().BoolVar(&uncheck, "uncheck", false, "only make it unchecked")
	c.MarkFlagsMutuallyExclusive("check", "uncheck")
	return c
}

func (r *root) typeText() *cobra.Command {
	var clearFirst, submit, ask bool
	var delay time.Duration
	c := r.act("page.type", "type [<element>] <text>",
		"glovebox type e4 'hello' --submit\nglovebox type --role textbox --name Email a@b.example --clear\nglovebox type e5 --ask", 0, 2,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if l.Text != "" { // the call's text is what is typed
				return nil, errors.New("want a field by reference, selector, point, or --role and --name: visible text does not name one here")
			}
			if ask && len(rest) == 0 {
				text, err := r.asker()("text")
				if err != nil {
					return nil, err
				}
				rest = []string{text}
			}
			if len(rest) != 1 {
				return nil, fmt.Errorf("want an element and a text, or an element and --ask")
			}
			return &action.Type{Locator: l, Input: rest[0], Clear: clearFirst, Submit: submit, Delay: int(delay.Milliseconds()), Timing: t}, nil
		})
	c.Flags().BoolVar(&clearFirst, "clear", false, "empty the field first")
	c.Flags().BoolVar(&submit, "submit", false, "press Enter afterwards")
	c.Flags().BoolVar(&ask, "ask", false, "ask for the text without showing it, or read a line of standard input: others can read the command line")
	c.Flags().DurationVar(&delay, "delay", 0, "time between keys, at most 1s")
	return c
}

func (r *root) press() *cobra.Command {
	var w where
	c := verb("page.press", "press <key> [<element>]", "glovebox press Enter\nglovebox press Control+a e4")
	c.Args = between(1, 2)
	w.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		locator, _, err := w.take(args[1:])
		if err != nil {
			return err
		}
		return r.call(c.Context(), "page.press", &action.Press{Locator: locator, Key: args[0]}, r.showActed)
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

func (r *root) choose() *cobra.Command {
	return r.act("page.select", "select [<element>] <value>…", "glovebox select e7 Germany\nglovebox select '#colours' red green", 1, -1,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if len(rest) == 0 {
				return nil, fmt.Errorf("want an element and at least one value")
			}
			return &action.Select{Locator: l, Values: rest, Timing: t}, nil
		})
}

func (r *root) hover() *cobra.Command {
	return r.act("page.hover", "hover [<element>]", "glovebox hover e3", 0, 1,
		func(l action.Locator, _ []string, t action.Timing) (any, error) {
			return &action.Hover{Locator: l, Timing: t}, nil
		})
}

func (r *root) scroll() *cobra.Command {
	var x, y float64
	c := r.act("page.scroll", "scroll [<element>]", "glovebox scroll --y 600\nglovebox scroll e40", 0, 1,
		func(l action.Locator, _ []string, t action.Timing) (any, error) {
			s := &action.Scroll{Locator: l, X: x, Y: y, AtX: l.X, AtY: l.Y, Timing: t}
			s.Locator.X, s.Locator.Y = nil, nil
			return s, nil
		})
	c.Flags().Float64Var(&x, "x", 0, "CSS pixels to the right")
	c.Flags().Float64Var(&y, "y", 0, "CSS pixels down")
	return c
}

func (r *root) dialog() *cobra.Command {
	var text string
	c := verb("page.dialog", "dialog accept|dismiss [<text>]", "glovebox dialog accept\nglovebox dialog accept 'Ada'")
	c.Long = c.Short + ".\n\n<text> is the answer to a prompt."
	c.Args = between(1, 2)
	c.ValidArgs = []string{"accept", "dismiss"}
	c.Flags().StringVar(&text, "text", "", "answer to a prompt")
	_ = c.Flags().MarkHidden("text") // of other commands it is the visible text of an element
	c.RunE = func(c *cobra.Command, args []string) error {
		if args[0] != "accept" && args[0] != "dismiss" {
			return usage(fmt.Errorf("want accept or dismiss, not %q", args[0]))
		}
		if len(args) == 2 {
			if text != "" || args[0] == "dismiss" {
				return usage(errors.New("one text answers a prompt that is accepted"))
			}
			text = args[1]
		}
		return r.call(c.Context(), "page.dialog", &action.AnswerDialog{Accept: args[0] == "accept", Prompt: text}, r.showActed)
	}
	return c
}

func (r *root) wait() *cobra.Command {
	var w where
	var call action.WaitFor
	limit := 5 * time.Second
	c := verb("page.wait_for", "wait [<element>]", "glovebox wait '#done' --state visible\nglovebox wait --text 'Saved'\nglovebox wait --url /done\nglovebox wait --networkidle --timeout 20s")
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
		err = r.calling(c.Context(), "page.wait_for", &call, func(result action.Result) {
			if found, ok := result.Data.(*action.Waited); ok {
				came = found.Found
			}
		}, func(action.Result) { r.printf("found: %t\n", came) })
		return nothing(err, came)
	}
	return c
}

func (r *root) extract() *cobra.Command {
	c := verb("page.extract", "extract [text|title]", "glovebox extract title")
	c.Args = between(0, 1)
	c.ValidArgs = []string{"text", "title"}
	var call action.Extract
	pagingFlags(c, &call.Paging)
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Mode = first(append(args, "")...)
		return r.call(c.Context(), "page.extract", &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Extracted); ok {
				r.printf("%s\n", clean(got.Text))
			}
		})
	}
	return c
}

// pagingFlags has a command take which part of a text it wants.
func pagingFlags(c *cobra.Command, p *action.Paging) {
	c.Flags().IntVar(&p.MaxTokens, "max-tokens", 0, "most tokens of the answer, 500 to 24000 (default all)")
	c.Flags().IntVar(&p.Offset, "offset", 0, "where to go on, as the answer before says")
}

func (r *root) snapshot() *cobra.Command {
	var call action.TakeSnapshot
	c := verb("page.snapshot", "snapshot [<ref>]", "glovebox snapshot\nglovebox snapshot e12 --urls\nglovebox snapshot --interactive --max-tokens 2000\nglovebox snapshot --format tree --json")
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
			r.json = true
		}
		if len(args) == 1 {
			if call.Ref != "" || !refPattern.MatchString(args[0]) {
				return usage(fmt.Errorf("want one reference of a snapshot, such as e12, not %q", args[0]))
			}
			call.Ref = args[0]
		}
		return r.call(c.Context(), "page.snapshot", &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Snapshot); ok {
				r.printf("%s\n", strings.TrimRight(clean(got.Text), "\n"))
			}
		})
	}
	return c
}

func (r *root) screenshot() *cobra.Command {
	var call action.TakeScreenshot
	var out string
	c := verb("page.screenshot", "screenshot [<ref>|<selector>]", "glovebox screenshot -o page.png\nglovebox screenshot e12\nglovebox screenshot --full-page --format jpeg -o page.jpg\nglovebox screenshot --labels -o page.png")
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
		return r.save(c.Context(), "page.screenshot", &call, func(result action.Result) (string, []byte, string) {
			shot, ok := result.Data.(*action.Screenshot)
			if !ok {
				return "", nil, ""
			}
			return first(out, "screenshot."+shot.Format), shot.Bytes, fmt.Sprintf("%d × %d, ", shot.Width, shot.Height)
		})
	}
	return c
}

// pictured reads the element that a picture is to show.
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
