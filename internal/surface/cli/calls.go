package cli

import (
	"context"
	"os"
	"reflect"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// caller makes calls to a gateway.
type caller interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
}

// nothing makes the exit status say that a call found nothing, or not what it waited
// for. The answer was printed.
func nothing(err error, found bool) error {
	if err == nil && !found {
		return exitStatus(fault.NotFound.Info().Exit)
	}
	return err
}

// call makes a call as the operator and prints its answer with show, or as
// JSON.
func (env *environment) call(ctx context.Context, verb string, args any, show func(action.Result)) error {
	return env.callThen(ctx, verb, args, nil, show)
}

// callThen is call that calls look with the answer first, also where the answer is
// printed as JSON.
func (env *environment) callThen(ctx context.Context, verb string, args any, look, show func(action.Result)) error {
	gateway, err := env.client(operatorToken)
	if err != nil {
		return err
	}
	result, err := env.send(ctx, gateway, action.Call{Verb: verb, Session: env.target, Args: args, Changes: env.wantsChanges(verb)})
	if err != nil {
		return err
	}
	if look != nil && result.Pending == nil {
		look(result)
	}
	return env.print(result, show)
}

// send makes a call. For people it removes control characters from every text of the
// answer, so that no command can forget to; JSON is escaped when it is written.
func (env *environment) send(ctx context.Context, gateway caller, c action.Call) (action.Result, error) {
	c.Surface = "cli"
	result, err := gateway.Call(ctx, c)
	if err != nil || env.json {
		return result, err
	}
	sanitize(reflect.ValueOf(&result))
	return result, nil
}

// tryCall makes a call for a completion. It returns nil when the call fails.
func (env *environment) tryCall(ctx context.Context, call action.Call) any {
	gateway, err := env.client(operatorToken)
	if err != nil {
		return nil
	}
	result, err := env.send(ctx, gateway, call)
	if err != nil {
		return nil
	}
	return result.Data
}

func (env *environment) print(result action.Result, show func(action.Result)) error {
	if env.json {
		return encode(env.io.Out, result)
	}
	if result.Pending != nil {
		waits := "waits for a person"
		if result.Pending.Done {
			waits = "done, and what it would send waits for a person"
		}
		env.printf("%s: approval %s, until %s\n", waits, result.Pending.Approval, result.Pending.Expires.Local().Format("15:04:05"))
		return nil
	}
	if show != nil {
		show(result)
	}
	env.showChanges(result.Changes)
	for _, e := range result.Effects {
		env.printf("%s %s\n", env.style.dim("effect:"), clean(e.String()))
	}
	for _, note := range result.Notes {
		env.printf("%s %s\n", env.style.dim("note:"), clean(note))
	}
	if result.Modal != nil {
		env.printf("%s a %s is open: %s (answer with: glovebox dialog accept|dismiss)\n", env.style.warn("dialog:"), result.Modal.Kind, clean(result.Modal.Message))
	}
	return nil
}

// wantsChanges reports whether a call of a verb asks for what it changed.
func (env *environment) wantsChanges(verb string) bool {
	row, known := action.Lookup(verb)
	return known && row.Tells() && !env.quiet
}

// showChanges prints what changed on the page since it was last shown to this caller.
// For another document the line that says where the page is suffices.
func (env *environment) showChanges(c *action.Changes) {
	if c == nil {
		return
	}
	for line := range strings.Lines(c.Text) {
		env.printf("%s\n", env.coloured(clean(strings.TrimRight(line, "\n"))))
	}
	if c.Snapshot != nil {
		env.printf("%s %s: glovebox snapshot shows it\n", env.style.dim("page:"), c.Why)
	}
	for _, e := range c.Errors {
		env.printf("%s %s\n", env.style.warn("console error:"), clean(e))
	}
	if c.Earlier {
		env.printf("%s some of it changed before this call\n", env.style.dim("note:"))
	}
	switch {
	case c.Outcome != "":
		env.printf("%s %s\n", env.style.dim("note:"), unworded[c.Outcome])
	case c.Late && c.Snapshot != nil:
		env.printf("%s the page is still loading\n", env.style.dim("note:"))
	case c.Late:
		env.printf("%s the page was still changing\n", env.style.dim("note:"))
	}
}

// coloured colours a line of changes.
func (env *environment) coloured(line string) string {
	switch line[:min(1, len(line))] {
	case "+":
		return env.style.good(line)
	case "-":
		return env.style.bad(line)
	case "~":
		return env.style.warn(line)
	}
	return env.style.dim(line)
}

// What a file is named where --output is not given.
const (
	ownName          = "its own name, in this folder, if no file has it"
	toStandardOutput = "standard output"
)

// outputFlag adds --output to a command that writes a file.
func outputFlag(c *cobra.Command, path *string, otherwise string) {
	c.Flags().StringVarP(path, "output", "o", "", "file to write, - for standard output (default: "+otherwise+")")
}

// renamed accepts flags by their former names.
func renamed(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "out" {
		name = "output"
	}
	return pflag.NormalizedName(name)
}

// save makes a call whose answer is a file, and writes the file. file returns the
// path, the content, and words about it; an empty path writes nothing, and - is
// standard output. With --json the answer is printed and no file is written.
func (env *environment) save(ctx context.Context, verb string, args any, file func(action.Result) (path string, data []byte, about string)) error {
	var failed error
	err := env.call(ctx, verb, args, func(result action.Result) {
		switch path, data, about := file(result); path {
		case "":
		case "-":
			_, failed = env.io.Out.Write(data)
			env.io.Out = env.io.Err // other output must not be in the file
		default:
			if err := os.WriteFile(path, data, 0o644); err != nil {
				failed = fault.New(fault.InvalidRequest, "%s cannot be written", path).Hinted("give another file with --output").Because(err)
				return
			}
			env.printf("%s %s%d bytes\n", clean(path), about, len(data))
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// unworded are the outcomes of acts that changed no words.
var unworded = map[string]string{
	action.NothingChanged: "nothing on the page changed",
	action.StillMoving:    "nothing changed yet: something still moves or loads",
	action.Drawn:          "a canvas or video may show something else now: glovebox screenshot shows it",
	action.LooksChanged:   "only the look of the page changed: glovebox screenshot shows it",
}
