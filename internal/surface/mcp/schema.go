package mcp

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// described returns the tool as the protocol lists it. Its schema is short,
// because every conversation pays for its tokens. What the schema omits is
// checked all the same.
func (t tool) described() *mcp.Tool {
	hints := &mcp.ToolAnnotations{Title: title(t.name), ReadOnlyHint: t.effect == reads} // the protocol's defaults: a tool that is not read-only is destructive, in an open world
	if t.effect == changes {
		hints.DestructiveHint = new(false)
	}
	return &mcp.Tool{Name: t.name, Description: t.about, InputSchema: schemas.Object(reflect.TypeOf(t.input())), Annotations: hints}
}

var schemas = action.Describer{Brief: true, Other: map[reflect.Type]action.Schema{
	reflect.TypeFor[json.RawMessage]():  {"type": "object"},
	reflect.TypeFor[action.RunAction](): runActionSchema(),
}}

// title returns a tool's name for people: "Navigate back".
func title(name string) string {
	words := strings.ReplaceAll(strings.TrimPrefix(name, "browser_"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
