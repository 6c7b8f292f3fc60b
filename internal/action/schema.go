package action

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Schema describes a JSON object as JSON Schema 2020-12 has it, from the same
// tags that Check reads.
type Schema = map[string]any

const dialect = "https://json-schema.org/draft/2020-12/schema"

// RunInputSchema describes what run.start takes.
func RunInputSchema() Schema {
	s := object(reflect.TypeFor[RunStart]())
	s["$schema"], s["title"] = dialect, "Contract run: input"
	return s
}

// RunOutputSchema describes a run that has ended.
func RunOutputSchema() Schema {
	s := object(reflect.TypeFor[Run]())
	s["$schema"], s["title"] = dialect, "Contract run: output"
	required, _ := s["required"].([]string)
	s["required"] = append(required, "final_status", "reason")
	return s
}

// RunActionSchema describes one action: one of its types, each with the fields
// that go with it.
func RunActionSchema() Schema {
	var all []any
	for i := range RunKinds {
		all = append(all, RunKinds[i].schema())
	}
	return Schema{"oneOf": all}
}

func (k *RunKind) schema() Schema {
	properties := Schema{}
	for _, f := range k.Fields() {
		properties[f.Name] = property(f)
	}
	properties["type"] = Schema{"const": k.Type}
	s := Schema{
		"type": "object", "title": k.Type, "description": k.Summary, "properties": properties,
		"required": append([]string{"type"}, k.Needs...), "additionalProperties": false,
	}
	one := alternatives(k.OneOf, "oneOf")
	if !k.Element {
		maps.Copy(s, one)
		return s
	}
	s["allOf"] = []any{Schema{"anyOf": []any{needs("ref"), needs("selector"), needs("role"), needs("text"), needs("x", "y")}}}
	if len(one) > 0 {
		s["allOf"] = append(s["allOf"].([]any), one)
	}
	return s
}

func alternatives(fields []string, how string) Schema {
	if len(fields) == 0 {
		return nil
	}
	var all []any
	for _, field := range fields {
		all = append(all, needs(field))
	}
	return Schema{how: all}
}

func needs(fields ...string) Schema { return Schema{"required": fields} }

// object describes a struct.
func object(t reflect.Type) Schema {
	properties, required := Schema{}, []string{}
	for _, f := range Fields(t) {
		properties[f.Name] = property(f)
		if f.Required() {
			required = append(required, f.Name)
		}
	}
	slices.Sort(required)
	return Schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// property describes a field: its type, and what its tags say of it.
func property(f Field) Schema {
	s := shape(f.Type)
	for _, bound := range []string{"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"} {
		if n, given := number(f.Tag, bound); given {
			s[bound] = n
		}
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		s["pattern"] = pattern
	}
	if pattern := f.Tag.Get("itemPattern"); pattern != "" {
		s["items"] = Schema{"type": "string", "pattern": pattern}
	}
	if words := f.Tag.Get("enum"); words != "" {
		s["enum"] = strings.Split(words, ",")
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	if text := f.Tag.Get("default"); text != "" {
		s["default"] = text
		if n, err := strconv.Atoi(text); err == nil {
			s["default"] = n
		}
	}
	return s
}

// shape describes a type by itself.
func shape(t reflect.Type) Schema {
	switch t {
	case reflect.TypeFor[RunAction]():
		return RunActionSchema()
	case reflect.TypeFor[time.Time]():
		return Schema{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem())
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Slice:
		return Schema{"type": "array", "items": shape(t.Elem())}
	case reflect.Struct:
		return object(t)
	}
	return Schema{"type": "string"}
}
