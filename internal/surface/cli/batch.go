package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (r *root) resize() *cobra.Command {
	c := verb("page.resize", "resize <width> <height>", "glovebox resize 390 844")
	c.Long = c.Short + ", in CSS pixels, for the tabs there are and those to come."
	c.Args = between(2, 2)
	c.RunE = func(c *cobra.Command, args []string) error {
		width, err := strconv.Atoi(args[0])
		if err != nil {
			return usage(fmt.Errorf("want a width in CSS pixels, not %q", args[0]))
		}
		height, err := strconv.Atoi(args[1])
		if err != nil {
			return usage(fmt.Errorf("want a height in CSS pixels, not %q", args[1]))
		}
		return r.call(c.Context(), "page.resize", &action.Resize{Width: width, Height: height}, func(action.Result) { r.printf("done\n") })
	}
	return c
}

func (r *root) batch() *cobra.Command {
	c := verb("page.batch", "batch <file.yaml|file.json>", "glovebox batch steps.yaml\nglovebox batch - --json < steps.json")
	c.Long = "Makes the calls of a file in one request: {steps: [{verb: page.click, args: {ref: e4}}, ...]}, as JSON or YAML\n" +
		"(docs/mcp.md). All is checked before anything is done; each step is judged alone; it ends with the first that\n" +
		"fails, whose fault is the exit status, or waits for a person: then run it again, and it goes on there."
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := r.input(args[0], "a batch", "docs/mcp.md")
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
		door, err := r.door(operatorToken)
		if err != nil {
			return err
		}
		result, err := r.send(c.Context(), door, action.Call{Verb: "page.batch", Session: r.target, Args: call})
		if err != nil {
			return err
		}
		if err := r.print(result, r.showBatch); err != nil {
			return err
		}
		done, _ := result.Data.(*action.Batched)
		return stoppedBy(done)
	}
	return c
}

func (r *root) showBatch(result action.Result) {
	done, ok := result.Data.(*action.Batched)
	if !ok {
		return
	}
	for i, s := range done.Steps {
		r.printf("%2d  %-16s %-8s %s\n", i+1, s.Verb, s.State, short(s.Said, 100))
	}
	if p := done.Pending; p != nil {
		r.printf("step %d waits for a person: approval %s, until %s\n", done.Done+1, clean(p.Approval), p.Expires.Local().Format("15:04:05"))
	}
	r.showPage(result)
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
