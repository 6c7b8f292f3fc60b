package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// schema describes a struct of arguments from its tags. Bounds on lengths, and
// that nothing else may be given, are left out: they are checked all the same,
// and every byte here is paid for by each conversation.
func schema(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range action.Fields(t) {
		if f.Tag.Get("listed") == "no" { // another name for what is listed
			continue
		}
		property := kind(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			property["description"] = doc
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			property["enum"] = strings.Split(enum, ",")
		}
		if most, err := strconv.Atoi(f.Tag.Get("maximum")); err == nil && f.Type.Kind() == reflect.Float64 {
			property["maximum"] = most
		}
		properties[f.Name] = property
		if f.Required() {
			required = append(required, f.Name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func kind(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[json.RawMessage]() {
		return map[string]any{"type": "object"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kind(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string"} // base64, as JSON has bytes
		}
		return map[string]any{"type": "array", "items": kind(t.Elem())}
	case reflect.Struct:
		if t == reflect.TypeFor[action.RunAction]() {
			return runActionSchema()
		}
		return schema(t)
	}
	return map[string]any{"type": "string"}
}

// described is the tool as the protocol lists it.
func (t tool) described() *mcp.Tool {
	hints := &mcp.ToolAnnotations{Title: title(t.name), ReadOnlyHint: t.effect == reads} // by default, what does not only read destroys, in an open world
	if t.effect == changes {
		hints.DestructiveHint = new(false)
	}
	return &mcp.Tool{Name: t.name, Description: t.about, InputSchema: schema(reflect.TypeOf(t.input()).Elem()), Annotations: hints}
}

// title is a tool's name for people: "Navigate back".
func title(name string) string {
	words := strings.ReplaceAll(strings.TrimPrefix(name, "browser_"), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
