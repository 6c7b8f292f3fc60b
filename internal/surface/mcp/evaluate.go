package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

type evaluateIn struct {
	Function string `json:"function" minLength:"1" maxLength:"1000000" doc:"() => { ... }, or an expression"`
	in
}

var callable = regexp.MustCompile(`^\s*(?:async\b\s*)?(?:function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)`)

// evaluate runs a script in the page. A person approves the script first.
func evaluate(ctx context.Context, t *turn, in *evaluateIn) error {
	script := in.Function
	if callable.MatchString(script) {
		script = "(" + script + ")()"
	}
	result, err := t.call(ctx, action.VerbPageExecute.Name, &action.Execute{Expression: script, AwaitPromise: true})
	if err != nil {
		return err
	}
	got, ok := result.Data.(*action.Executed)
	if !ok {
		return nil
	}
	text, err := json.Marshal(got.Result)
	if err != nil {
		return fmt.Errorf("cannot write the value: %w", err)
	}
	at := ""
	if t.reply.page != nil {
		at = t.reply.page.URL
	}
	t.reply.did = append(t.reply.did, "It gave a value of type "+untrusted.ToolLine(got.Type, 40)+".")
	t.reply.heading, t.reply.text = "Value", marked(string(text), at, actSnapshot)
	return nil
}

type resizeIn struct {
	Width  int `json:"width" minimum:"100" maximum:"3840"`
	Height int `json:"height" minimum:"100" maximum:"2160"`
	in
}

func (in *resizeIn) steps() []action.Step {
	return step(action.VerbPageResize.Name, &action.Resize{Width: in.Width, Height: in.Height})
}

func resize(ctx context.Context, t *turn, in *resizeIn) error {
	result, err := t.act(ctx, action.VerbPageResize.Name, &action.Resize{Width: in.Width, Height: in.Height})
	if got, ok := result.Data.(*action.Resized); ok && err == nil {
		t.reply.data = got
		t.reply.did = append(t.reply.did, fmt.Sprintf("The viewport is %d by %d CSS pixels.", got.Width, got.Height))
	}
	return err
}
