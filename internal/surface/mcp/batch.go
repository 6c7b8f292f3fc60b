package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

type batchIn struct {
	Steps []batchStep `json:"steps" minItems:"1" maxItems:"50"`
	in
}

type batchStep struct {
	Tool      string          `json:"tool" minLength:"1" maxLength:"64" doc:"As browser_click"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"That tool's"`
}

// errHalted ends a turn that did only a part of its work. The reply is still
// sent, together with the fault.
type errHalted struct{ *fault.Fault }

// halfDone returns the result for what was done, with the reason why the rest
// was not.
func halfDone(did, failed *mcp.CallToolResult) *mcp.CallToolResult {
	did.IsError = true
	said, is := did.Content[0].(*mcp.TextContent)
	why, too := failed.Content[0].(*mcp.TextContent)
	if is && too {
		said.Text += why.Text
	}
	all, is := did.StructuredContent.(map[string]any)
	if of, too := failed.StructuredContent.(map[string]any); is && too {
		maps.Copy(all, of)
	}
	return did
}

// batch makes the steps of other tools in one request. All arguments are read
// before the first step is made.
func batch(ctx context.Context, t *turn, in *batchIn) error {
	var steps []action.Step
	var owner []int
	for i, s := range in.Steps {
		own, err := t.stepsOf(s)
		if err != nil {
			return atStep(err, i)
		}
		for range own {
			owner = append(owner, i)
		}
		steps = append(steps, own...)
	}
	return t.batch(ctx, steps, part{"step", len(in.Steps), func(i int) int { return owner[min(i, len(owner)-1)] }})
}

// stepsOf reads the arguments of a step as its tool does.
func (t *turn) stepsOf(s batchStep) ([]action.Step, error) {
	name := "browser_" + strings.TrimPrefix(s.Tool, "browser_")
	tool, _ := toolNamed(name)
	if tool.steps == nil {
		if use, known := instead[name]; known {
			return nil, fault.New(fault.InvalidRequest, "tool is none that there is here").Hinted("%s", use).With("field", "tool")
		}
		return nil, fault.New(fault.InvalidRequest, "tool is none that a step can be").
			Hinted("use %s", strings.Join(stepTools(), ", ")).With("field", "tool")
	}
	in := tool.input()
	if err := decode(s.Arguments, in); err != nil {
		return nil, action.Within("arguments", err)
	}
	if named := sessionOf(in); named != "" && named != t.session {
		return nil, fault.New(fault.InvalidRequest, "arguments.session is not the batch's").Hinted("give session once, beside steps").With("field", "arguments.session")
	}
	if whole, is := in.(interface{ sound() error }); is {
		if err := whole.sound(); err != nil {
			return nil, action.Within("arguments", err)
		}
	}
	return tool.steps(in), nil
}

func atStep(err error, i int) error { return action.Within(fmt.Sprintf("steps.%d", i), err) }

var stepped = regexp.MustCompile(`^step \d+ of \d+: `)

// batch makes calls in one request and reports the outcome of each in the words
// of the tool.
func (t *turn) batch(ctx context.Context, steps []action.Step, p part) error {
	result, err := t.act(ctx, action.VerbPageBatch.Name, &action.Batch{Steps: steps})
	if errors.Is(err, errPending) && t.reply.pending != nil {
		t.reply.did = append(t.reply.did, p.at(0)+" waits for a person. Nothing was done.")
	}
	if err != nil {
		return p.say(err)
	}
	done, ok := result.Data.(*action.Batched)
	if !ok {
		return nil
	}
	t.reply.data = done
	for i, s := range done.Steps {
		switch s.State {
		case action.StepDone:
			t.reply.did = append(t.reply.did, "- "+p.at(i)+" done: "+untrusted.ToolLine(s.Said, 200))
		case action.StepLeft:
			t.reply.did = append(t.reply.did, "- "+p.at(i)+" not done: "+untrusted.ToolLine(s.Verb, 40))
		}
	}
	if done.Pending != nil {
		t.reply.pending = done.Pending
		t.reply.did = append(t.reply.did, "- "+p.at(done.Done)+" waits for a person.")
		return errPending
	}
	if done.State == action.StepFailed {
		return errHalted{p.fault(done)}
	}
	return nil
}

// say describes a fault of the first step in the words of the tool.
func (p part) say(err error) error {
	if errors.Is(err, errPending) || errors.Is(err, context.Canceled) {
		return err
	}
	f := *fault.From(err)
	if i, is := stepOf(f.Details["step"]); is {
		f.Message = stepped.ReplaceAllString(f.Message, p.at(i)+": ")
		return &f
	}
	return err
}

// stepOf reads a number that may have come as JSON.
func stepOf(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

// fault returns why a batch stopped.
func (p part) fault(done *action.Batched) *fault.Fault {
	e := done.Steps[done.Done].Error
	if e == nil {
		return fault.New(fault.Internal, "%s went wrong", p.at(done.Done)).Hinted("take a browser_snapshot and see what was done")
	}
	message := stepped.ReplaceAllString(e.Message, p.at(done.Done)+": ")
	return fault.New(e.Code, "%s (the %d before it are done)", message, p.of(done.Done)).
		Hinted("%s", e.Hint).With(p.name, p.of(done.Done))
}
