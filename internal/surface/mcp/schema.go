package mcp

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// described is the tool as the protocol lists it. Its schema is brief: what is left
// out is checked all the same, and every byte is paid for by each conversation.
func (t tool) described() *mcp.Tool {
	hints := &mcp.ToolAnnotations{Title: title(t.name), ReadOnlyHint: t.effect == reads} // by default, what does not only read destroys, in an open world
	if t.effect == changes {
		hints.DestructiveHint = new(false)
	}
	return &mcp.Tool{Name: t.name, Description: t.about, InputSchema: schemas.Object(reflect.TypeOf(t.input())), Annotations: hints}
}

var schemas = action.Describer{Brief: true, Other: map[reflect.Type]action.Schema{
	reflect.TypeFor[json.RawMessage]():  {"type": "object"},
	reflect.TypeFor[action.RunAction](): runActionSchema(),
}}

// title is a tool's name for people: "Navigate back".
func title(name string) string {
	words := strings.ReplaceAll(strings.TrimPrefix(name, "browser_"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
