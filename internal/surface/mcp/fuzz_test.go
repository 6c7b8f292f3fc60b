package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// strict is a gate that keeps the calls it receives and refuses them.
type strict struct{ calls []action.Call }

func (d *strict) Call(_ context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil { // as the gate does
		return action.Result{}, err
	}
	d.calls = append(d.calls, c)
	return action.Result{}, fault.New(fault.NotActive, "nothing is open").Hinted("start a session")
}

func (d *strict) Refuse(context.Context, action.Call, error) {}

// FuzzArguments calls every tool with arbitrary bytes. The model always gets a
// readable answer, nothing panics, and all calls that reach the gate are valid
// JSON.
func FuzzArguments(f *testing.F) {
	for i, seed := range []string{
		"", "{}", "null", `{"target":"e1"}`, `{"target":"a[["}`, `{"url":"https://a.example"}`, `{"action":"start","name":"n"}`, `{"fields":[{"name":"a","value":"b"}]}`,
		`{"session":"../x"}`, `{"x":` + strings.Repeat("[", 200), "{\"a\":\"\xff\"}", `{"index":-1}`, `{"key":"Enter","time":1e308}`,
	} {
		for tool := range 4 {
			f.Add(byte(i*4+tool), []byte(seed))
		}
	}
	log, d := &bytes.Buffer{}, &strict{}
	agent := &client{caller: action.Caller{Actor: "agent", Scope: "default", Role: action.Agent}, recorded: func() {}}
	s, err := New(Options{Gate: d, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which byte, raw []byte) {
		log.Reset()
		d.calls = nil
		tool := tools[int(which)%len(tools)]
		result, err := s.handler(tool)(context.WithValue(t.Context(), clientKey{}, agent), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool.name, Arguments: json.RawMessage(raw)}})
		if err != nil || result == nil || len(result.Content) == 0 {
			t.Fatalf("%s %q: %+v, %v", tool.name, raw, result, err)
		}
		if strings.Contains(log.String(), "panic") {
			t.Fatalf("%s %q: %s", tool.name, raw, log)
		}
		if valid := json.Valid(raw) || len(strings.TrimSpace(string(raw))) == 0; !valid && (!result.IsError || len(d.calls) > 0) {
			t.Errorf("%s took %q", tool.name, raw)
		}
		for _, c := range d.calls {
			if _, known := action.Lookup(c.Verb); !known {
				t.Errorf("%s %q: %s %+v came through", tool.name, raw, c.Verb, c.Args)
			}
		}
	})
}
