package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/spf13/cobra"
)

// act makes a command that acts on an element. build makes the arguments of the
// call from the locator, the other arguments of the command and the time limit.
func (cmd pageCommands) act(name, use, example string, low, high int, build func(action.Locator, []string, action.Timing) (any, error)) *cobra.Command {
	var w locatorFlags
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
		return cmd.call(c.Context(), name, call, cmd.showActed)
	}
	return c
}

func (cmd pageCommands) showActed(result action.Result) {
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
	cmd.printf("%s %s\n", cmd.style.good("ok"), done)
	cmd.showPage(result)
}

func (cmd pageCommands) click() *cobra.Command {
	var button string
	var count int
	var check, uncheck bool
	var modifiers []string
	c := cmd.act(action.VerbPageClick.Name, "click [<element>]",
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

func (cmd pageCommands) typeText() *cobra.Command {
	var clearFirst, submit, ask bool
	var delay time.Duration
	c := cmd.act(action.VerbPageType.Name, "type [<element>] <text>",
		"glovebox type e4 'hello' --submit\nglovebox type --role textbox --name Email a@b.example --clear\nglovebox type e5 --ask", 0, 2,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if l.Text != "" { // the call's text is what is typed
				return nil, errors.New("want a field by reference, selector, point, or --role and --name: visible text does not name one here")
			}
			if ask && len(rest) == 0 {
				text, err := vaultCommands(cmd).asker()("text")
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

func (cmd pageCommands) press() *cobra.Command {
	var w locatorFlags
	c := verb(action.VerbPagePress.Name, "press <key> [<element>]", "glovebox press Enter\nglovebox press Control+a e4")
	c.Args = between(1, 2)
	w.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		locator, _, err := w.take(args[1:])
		if err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbPagePress.Name, &action.Press{Locator: locator, Key: args[0]}, cmd.showActed)
	}
	return c
}

func (cmd pageCommands) choose() *cobra.Command {
	return cmd.act(action.VerbPageSelect.Name, "select [<element>] <value>…", "glovebox select e7 Germany\nglovebox select '#colours' red green", 1, -1,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if len(rest) == 0 {
				return nil, fmt.Errorf("want an element and at least one value")
			}
			return &action.Select{Locator: l, Values: rest, Timing: t}, nil
		})
}

// defined makes the commands of the verbs that act on one element and whose tool
// and command follow from their definitions.
func (cmd pageCommands) defined() (all []*cobra.Command) {
	for _, v := range action.Offered() {
		if v.Done != "" {
			all = append(all, cmd.acting(v))
		}
	}
	return all
}

// flagName is the name of a field's flag: ignore-cache for ignoreCache.
func flagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// acting makes the command of such a verb: an element, and a flag for each of the
// verb's own arguments, which may be a truth, a number or a text.
func (cmd pageCommands) acting(v *action.Verb) *cobra.Command {
	given := map[string]func() any{} // by field
	c := cmd.act(v.Name, v.Command+" [<element>]", "glovebox "+v.Command+" e3", 0, 1,
		func(l action.Locator, _ []string, t action.Timing) (any, error) {
			args := v.NewArgs()
			to := reflect.ValueOf(args).Elem()
			to.FieldByName("Locator").Set(reflect.ValueOf(l))
			to.FieldByName("Timing").Set(reflect.ValueOf(t))
			for field, value := range given {
				if value := reflect.ValueOf(value()); value.IsValid() {
					to.FieldByName(field).Set(value)
				}
			}
			return args, nil
		})
	for _, f := range v.Own() {
		name, about := flagName(f), f.Tag.Get("doc")
		switch f.Type {
		case reflect.TypeFor[*bool]():
			value := c.Flags().Bool(name, true, about)
			given[f.Name] = func() any {
				if c.Flags().Changed(name) {
					return value
				}
				return nil
			}
		case reflect.TypeFor[bool]():
			value := c.Flags().Bool(name, false, about)
			given[f.Name] = func() any { return *value }
		case reflect.TypeFor[int]():
			value := c.Flags().Int(name, 0, about)
			given[f.Name] = func() any { return *value }
		case reflect.TypeFor[string]():
			value := c.Flags().String(name, "", about)
			given[f.Name] = func() any { return *value }
		default:
			panic(v.Name + ": no flag for " + f.Name)
		}
	}
	return c
}

func (cmd pageCommands) scroll() *cobra.Command {
	var x, y float64
	c := cmd.act(action.VerbPageScroll.Name, "scroll [<element>]", "glovebox scroll --y 600\nglovebox scroll e40", 0, 1,
		func(l action.Locator, _ []string, t action.Timing) (any, error) {
			s := &action.Scroll{Locator: l, X: x, Y: y, AtX: l.X, AtY: l.Y, Timing: t}
			s.Locator.X, s.Locator.Y = nil, nil
			return s, nil
		})
	c.Flags().Float64Var(&x, "x", 0, "CSS pixels to the right")
	c.Flags().Float64Var(&y, "y", 0, "CSS pixels down")
	return c
}

func (cmd pageCommands) dialog() *cobra.Command {
	var text string
	c := verb(action.VerbPageDialog.Name, "dialog accept|dismiss [<text>]", "glovebox dialog accept\nglovebox dialog accept 'Ada'")
	c.Long = c.Short + ".\n\n<text> is the answer to a prompt."
	c.Args = between(1, 2)
	c.ValidArgs = []string{"accept", "dismiss"}
	c.Flags().StringVar(&text, "text", "", "answer to a prompt")
	_ = c.Flags().MarkHidden("text") // for other commands it is the visible text of an element
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
		return cmd.call(c.Context(), action.VerbPageDialog.Name, &action.AnswerDialog{Accept: args[0] == "accept", Prompt: text}, cmd.showActed)
	}
	return c
}

func (cmd pageCommands) drag() *cobra.Command {
	var drop string
	var limit time.Duration
	c := verb(action.VerbPageDrag.Name, "drag <from> <to>", "glovebox drag e4 e9\nglovebox drag '#card' '#done' --drop-at 20,10\nglovebox drag 'text=First task' 100,340")
	c.Long = c.Short + ".\n\nEach end is a reference of a snapshot (e12), a CSS selector, text=… for visible text, or x,y for a point of the viewport."
	c.Args = between(2, 2)
	c.Flags().StringVar(&drop, "drop-at", "", "where on the target to drop, in CSS pixels from its top left: x,y")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		call := &action.Drag{From: locatorOf(args[0]), To: locatorOf(args[1]), Timing: timing(limit)}
		if drop != "" {
			at, ok := pointOf(drop)
			if !ok {
				return usage(fmt.Errorf("want --drop-at x,y in CSS pixels, not %q", drop))
			}
			call.X, call.Y = at.X, at.Y
		}
		return cmd.call(c.Context(), action.VerbPageDrag.Name, call, cmd.showActed)
	}
	return c
}

func (cmd pageCommands) fillSecret() *cobra.Command {
	var domain string
	c := cmd.act(action.VerbPageFillSecret.Name, "fill-secret [<element>] <secret>",
		"glovebox fill-secret e4 password\nglovebox fill-secret '#code' totp\nglovebox fill-secret --role textbox --name User username --domain example.com", 1, 2,
		func(l action.Locator, rest []string, t action.Timing) (any, error) {
			if len(rest) != 1 {
				return nil, fmt.Errorf("want an element and the name of a secret")
			}
			return &action.FillSecret{Locator: l, Secret: rest[0], Domain: domain, Timing: t}, nil
		})
	c.Long = c.Short + ".\n\n" + elements + "\n\nThe secret is named, as username, password or totp, and never printed. It goes into a field for secrets\n" +
		"on a page of its own origin, and nowhere else."
	c.Flags().StringVar(&domain, "domain", "", "whose credentials (default: the page's host)")
	return c
}

func (cmd pageCommands) batch() *cobra.Command {
	c := verb(action.VerbPageBatch.Name, "batch <file.yaml|file.json>", "glovebox batch steps.yaml\nglovebox batch - --json < steps.json")
	c.Long = "Makes the calls of a file in one request: {steps: [{verb: page.click, args: {ref: e4}}, ...]}, as JSON or YAML\n" +
		"(docs/mcp.md). All is checked before anything is done; each step is judged alone; it ends with the first that\n" +
		"fails, whose fault is the exit status, or waits for a person: then run it again, and it goes on there."
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := runCommands(cmd).input(args[0], "a batch", "docs/mcp.md")
		if err != nil {
			return err
		}
		call := new(action.Batch)
		if err := action.Decode(text, call); err != nil {
			return err
		}
		if err := action.Check(call); err != nil {
			return err
		}
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		result, err := cmd.send(c.Context(), gateway, action.Call{Verb: action.VerbPageBatch.Name, Session: cmd.target, Args: call})
		if err != nil {
			return err
		}
		if err := cmd.print(result, cmd.showBatch); err != nil {
			return err
		}
		done, _ := result.Data.(*action.Batched)
		return stoppedBy(done)
	}
	return c
}

func (cmd pageCommands) showBatch(result action.Result) {
	done, ok := result.Data.(*action.Batched)
	if !ok {
		return
	}
	for i, s := range done.Steps {
		cmd.printf("%2d  %-16s %-8s %s\n", i+1, s.Verb, s.State, short(s.Said, 100))
	}
	if p := done.Pending; p != nil {
		cmd.printf("step %d waits for a person: approval %s, until %s\n", done.Done+1, clean(p.Approval), p.Expires.Local().Format("15:04:05"))
	}
	cmd.showPage(result)
}

// stoppedBy is the fault of the step that failed.
func stoppedBy(done *action.Batched) error {
	if done == nil || done.State != action.StepFailed {
		return nil
	}
	if e := done.Steps[done.Done].Error; e != nil {
		return fault.New(e.Code, "%s", e.Message).Hinted("%s", e.Hint)
	}
	return fault.New(fault.Internal, "step %d went wrong", done.Done+1).Hinted("see what was done: glovebox snapshot")
}
