package engine

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	resultLimit = 1 << 20                // bytes of a script's result
	scriptSpare = 300 * time.Millisecond // for the answer of a script that used up its time
	keptStack   = 4000                   // characters of a stack
)

// plainly converts any value to JSON, with words for values that JSON does not have.
// It runs in the page's own world, where the value is.
//
//go:embed plainly.js
var plainly string

// scriptValue is a value of a page as the protocol describes it
// (Runtime.RemoteObject).
type scriptValue struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Value       json.RawMessage `json:"value"`
	Special     string          `json:"unserializableValue"` // 1n, NaN, -0, Infinity
	Description string          `json:"description"`
	Object      string          `json:"objectId"`
}

type thrown struct {
	Text      string       `json:"text"`
	Line      int          `json:"lineNumber"`
	Column    int          `json:"columnNumber"`
	Exception *scriptValue `json:"exception"`
}

type evaluated struct {
	Result    scriptValue `json:"result"`
	Exception *thrown     `json:"exceptionDetails"`
}

// execute runs a script in the main frame's own world, in the document that was
// judged. Faults: invalid_request for a script that throws, with its stack;
// page_changed; browser_action_timeout.
func (ct *contents) execute(ctx context.Context, t *tab, a *action.Execute, pin action.Pin) (any, error) {
	root, err := ct.main(ctx, t)
	if err != nil {
		return nil, err
	}
	if pin.Tab != t.id || root.document != pin.Document {
		return nil, errChanged
	}
	limit := ct.within(a.Limit(0))
	params := map[string]any{
		"expression": a.Expression, "awaitPromise": a.AwaitPromise, "objectGroup": "execute",
		"timeout": max(limit-scriptSpare, limit/2).Milliseconds(),
	}
	defer t.main.session.Send("Runtime.releaseObjectGroup", map[string]string{"objectGroup": "execute"})
	var got evaluated
	script, title := t.main.session.Send("Runtime.evaluate", params), startRoundTrip(root, readTitle)
	if err := script.Wait(ctx, &got); err != nil {
		return nil, terminated(err, limit)
	}
	bounded, stop := context.WithTimeout(ctx, titleLimit)
	defer stop()
	_ = ct.effects.finishRoundTrip(bounded, t, root, readTitle, title) // a script may have led away from the document
	if got.Exception != nil {
		return nil, got.Exception.fault()
	}
	out := &action.Executed{Type: got.Result.Type}
	if got.Result.Object == "" {
		out.Result = ct.primitive(got.Result)
		return out, nil
	}
	value, err := ct.written(ctx, t, got.Result.Object, limit)
	out.Result = value
	return out, err
}

// terminated returns a time-out for a script that ran too long.
func terminated(err error, limit time.Duration) error {
	if strings.Contains(err.Error(), "terminated") {
		return timedOut("execute", limit).Because(err)
	}
	return err
}

// primitive returns a value that is part of the protocol's answer.
func (ct *contents) primitive(r scriptValue) any {
	if r.Special != "" {
		return strings.TrimSuffix(r.Special, "n")
	}
	if r.Type == "symbol" {
		return r.Description
	}
	if len(r.Value) == 0 {
		return nil
	}
	if r.Type != "string" {
		return r.Value
	}
	var text string // the browser escapes what is not ASCII, and lone surrogates
	if json.Unmarshal(r.Value, &text) != nil || len(text) <= resultLimit {
		return text
	}
	ct.notes.add("the result was cut at 1 MiB")
	return strings.ToValidUTF8(text[:resultLimit], "")
}

// written converts an object to JSON in the page.
func (ct *contents) written(ctx context.Context, t *tab, object string, limit time.Duration) (any, error) {
	params := map[string]any{
		"objectId": object, "functionDeclaration": plainly, "returnByValue": true,
		"arguments": []map[string]any{{"objectId": object}, {"value": resultLimit}},
	}
	var got evaluated
	if err := t.main.session.Call(ctx, "Runtime.callFunctionOn", params, &got); err != nil {
		if ctx.Err() != nil { // a getter that does not end: this call takes no time-out of its own
			t.main.session.Send("Runtime.terminateExecution", nil)
		}
		return nil, terminated(err, limit)
	}
	if got.Exception != nil {
		return nil, got.Exception.fault()
	}
	var packed string
	if err := json.Unmarshal(got.Result.Value, &packed); err != nil || packed == "" {
		return nil, unwritten(err)
	}
	if packed[0] == '-' {
		ct.notes.add("the result was cut at 1 MiB")
	}
	value := json.RawMessage(packed[1:])
	if !json.Valid(value) || len(value) > 8*resultLimit {
		return nil, unwritten(nil)
	}
	return value, nil
}

func unwritten(cause error) error {
	return fault.New(fault.InvalidRequest, "the result cannot be written as JSON").
		Hinted("return plain data, such as a string or an object of strings").Because(cause)
}

// fault returns the fault for a script's exception.
func (e *thrown) fault() error {
	said, stack := e.Text, ""
	if x := e.Exception; x != nil {
		switch {
		case x.Subtype == "error" && x.Description != "":
			stack = x.Description
			said, _, _ = strings.Cut(stack, "\n    at ")
		case x.Description != "":
			said = x.Description
		case len(x.Value) > 0:
			said = string(x.Value)
		case x.Special != "" || x.Type != "":
			said = x.Special + x.Type
		}
	}
	f := fault.New(fault.InvalidRequest, "the script threw: %s", pagetext.Cut(said)).
		Hinted("mend the script; its line and stack are in the details").
		With("exception", pagetext.Cut(said)).With("line", e.Line+1).With("column", e.Column+1)
	if stack != "" {
		f = f.With("stack", stack[:min(len(stack), keptStack)])
	}
	return f
}
