package mcp

import (
	"cmp"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const slowKey = 50 // milliseconds between keys when typing slowly

// stepping is implemented by the arguments of tools that can be steps of a
// batch.
type stepping interface{ steps() []action.Step }

// stepTools returns the names of the tools that can be steps.
func stepTools() (names []string) {
	for _, t := range tools {
		if t.steps != nil {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	return names
}

func step(verb string, args any) []action.Step { return []action.Step{{Verb: verb, Args: args}} }

func (in *navigateIn) args() *action.Goto {
	return &action.Goto{URL: in.URL, WaitUntil: in.WaitFor, DomainHint: in.Domain}
}

func (in *clickIn) args() *action.Click {
	args := &action.Click{Locator: in.of(in.locator()), Button: in.Button, Modifiers: in.Modifiers}
	args.Text = cmp.Or(in.Text, args.Text)
	args.Locator = in.described(args.Locator)
	if in.DoubleClick {
		args.ClickCount = 2
	}
	return args
}

func (in *typeIn) args() *action.Type {
	args := &action.Type{Locator: in.of(in.locator()), Input: in.Text, Clear: in.Clear == nil || *in.Clear, Submit: in.Submit}
	args.Locator = in.field(args.Locator)
	if in.Slowly {
		args.Delay = slowKey
	}
	return args
}

func (in *fillSecretIn) args() *action.FillSecret {
	return &action.FillSecret{Locator: element{Target: in.Target}.field(element{Target: in.Target}.locator()), Secret: in.Secret, Domain: in.Domain}
}

func (in *selectIn) args() *action.Select {
	return &action.Select{Locator: in.field(in.locator()), Values: in.Values}
}

func (in *pressIn) args() *action.Press {
	return &action.Press{Locator: one(in.locator()), Key: in.Key}
}

func (in *scrollIn) args() *action.Scroll {
	return &action.Scroll{Locator: one(in.locator()), X: in.X, Y: in.Y}
}

func (in *dialogIn) args() *action.AnswerDialog {
	return &action.AnswerDialog{Accept: in.Accept, Prompt: in.Prompt}
}

func (in *waitIn) args() *action.WaitFor {
	args := &action.WaitFor{Locator: in.locator(), State: in.State, TextGone: in.TextGone, URL: in.URL}
	args.Text = cmp.Or(in.Text, args.Text)
	if in.Timeout > 0 {
		args.Timeout = new(int(in.Timeout * 1000))
	}
	return args
}

// sound refuses a step that waits for nothing, or only for a time.
func (in *waitIn) sound() error {
	if in.Time > 0 || in.args().Zero() && in.TextGone == "" && in.URL == "" {
		return fault.New(fault.InvalidRequest, "text, textGone, url or an element must say what to wait for").Hinted("give one of them, and no time")
	}
	return nil
}

func (in *navigateIn) steps() []action.Step   { return step(action.VerbPageGoto.Name, in.args()) }
func (in *clickIn) steps() []action.Step      { return step(action.VerbPageClick.Name, in.args()) }
func (in *typeIn) steps() []action.Step       { return step(action.VerbPageType.Name, in.args()) }
func (in *fillSecretIn) steps() []action.Step { return step(action.VerbPageFillSecret.Name, in.args()) }
func (in *selectIn) steps() []action.Step     { return step(action.VerbPageSelect.Name, in.args()) }
func (in *dragIn) steps() []action.Step       { return step(action.VerbPageDrag.Name, in.args()) }
func (in *pressIn) steps() []action.Step      { return step(action.VerbPagePress.Name, in.args()) }
func (in *scrollIn) steps() []action.Step     { return step(action.VerbPageScroll.Name, in.args()) }
func (in *dialogIn) steps() []action.Step     { return step(action.VerbPageDialog.Name, in.args()) }
func (in *waitIn) steps() []action.Step       { return step(action.VerbPageWaitFor.Name, in.args()) }
func (in *uploadIn) steps() []action.Step     { return step(action.VerbPageUpload.Name, in.args()) }
