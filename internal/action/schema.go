package action

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is a JSON Schema (2020-12) as JSON data.
type Schema = map[string]any

const dialect = "https://json-schema.org/draft/2020-12/schema"

// Describer writes the schemas of Go types, from the same names and tags that
// Decode and Check use. The zero Describer writes complete schemas, in which
// each struct is written where it is used.
type Describer struct {
	// Refer is the prefix of the addresses of named schemas, such as
	// "#/components/schemas/". If it is set, each struct is described once, in
	// Named.
	Refer string
	Named map[string]Schema
	// Brief omits what a model need not read before each conversation: limits,
	// defaults, examples, and arguments that are another name for a listed one.
	// Check still refuses the same arguments.
	Brief bool
	// Other contains the schemas of types that are described in another way.
	Other map[reflect.Type]Schema

	types map[string]reflect.Type // of Named
}

// Object describes a struct.
func (d *Describer) Object(t reflect.Type) Schema {
	properties, required := Schema{}, []string{}
	for _, f := range Fields(t) {
		if d.Brief && f.Tag.Get("listed") == "no" {
			continue
		}
		properties[f.Name] = d.Field(f)
		if f.Required() {
			required = append(required, f.Name)
		}
	}
	s := Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	if !d.Brief {
		s["additionalProperties"] = false
	}
	return s
}

// Field returns the schema of a field, from its type and its tags.
func (d *Describer) Field(f Field) Schema {
	s := d.Type(f.Type)
	if doc := f.Tag.Get("doc"); doc != "" {
		s["description"] = doc
	}
	if words := f.Tag.Get("enum"); words != "" {
		s["enum"] = strings.Split(words, ",")
	}
	for _, limit := range limits {
		n, given := number(f.Tag, limit)
		if given && (!d.Brief || limit == "maximum" && f.Type.Kind() == reflect.Float64) {
			s[nameOfLimit(limit, s)] = n
		}
	}
	if d.Brief {
		return s
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		s["pattern"] = pattern
	}
	if pattern := f.Tag.Get("itemPattern"); pattern != "" {
		s["items"] = Schema{"type": "string", "pattern": pattern}
	}
	if text, given := f.Tag.Lookup("default"); given {
		s["default"] = typed(text, f.Type)
	}
	if text, given := f.Tag.Lookup("example"); given {
		s["examples"] = []any{typed(text, f.Type)}
	}
	return s
}

// limits lists the tags that limit a length or a number.
var limits = []string{"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"}

// nameOfLimit returns the name of a limit in JSON Schema. For a map, the number
// of items is the number of properties.
func nameOfLimit(limit string, s Schema) string {
	if s["type"] == "object" {
		return strings.Replace(limit, "Items", "Properties", 1)
	}
	return limit
}

// typed returns the value in the text of a tag: the text itself for a type that
// is written as text, JSON for other types.
func typed(text string, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var value any
	if t.Kind() == reflect.String || json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// Type describes a type.
func (d *Describer) Type(t reflect.Type) Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, given := d.Other[t]; given {
		return maps.Clone(s)
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		return Schema{"type": "string", "format": "date-time"}
	case reflect.TypeFor[Risk]():
		return Schema{"type": "string", "enum": []string{Low.String(), Medium.String(), High.String(), Critical.String()}}
	case reflect.TypeFor[json.RawMessage]():
		return Schema{}
	}
	switch t.Kind() {
	case reflect.Interface:
		return Schema{}
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return d.formatted("integer", "format", "int64")
	case reflect.Float64:
		return d.formatted("number", "format", "double")
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // as JSON has bytes
			return d.formatted("string", "contentEncoding", "base64")
		}
		return Schema{"type": "array", "items": d.Type(t.Elem())}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": d.Type(t.Elem())}
	case reflect.Struct:
		return d.named(t)
	}
	return Schema{"type": "string"}
}

func (d *Describer) formatted(kind, keyword, value string) Schema {
	if d.Brief {
		return Schema{"type": kind}
	}
	return Schema{"type": kind, keyword: value}
}

// named describes a struct where it is used, or refers to its schema in Named.
// It panics if two types have the same name, because the second would be
// described as the first.
func (d *Describer) named(t reflect.Type) Schema {
	if d.Refer == "" {
		return d.whole(t)
	}
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if d.types == nil {
		d.types = map[string]reflect.Type{}
	}
	if other, known := d.types[name]; !known {
		d.types[name] = t
		d.Named[name] = d.whole(t) // which may refer to itself
	} else if other != t {
		panic(fmt.Sprintf("%s and %s have one name in the description", other, t))
	}
	return d.Reference(name)
}

// Reference returns a reference to a schema in Named.
func (d *Describer) Reference(name string) Schema { return Schema{"$ref": d.Refer + name} }

func (d *Describer) whole(t reflect.Type) Schema {
	if t == reflect.TypeFor[RunAction]() {
		return d.runAction()
	}
	return d.Object(t)
}

// RunInputSchema describes the arguments of run.start.
func RunInputSchema() Schema {
	s := new(Describer).Object(reflect.TypeFor[RunStart]())
	s["$schema"], s["title"] = dialect, "Contract run: input"
	return s
}

// RunOutputSchema describes a run that has ended.
func RunOutputSchema() Schema {
	s := new(Describer).Object(reflect.TypeFor[Run]())
	s["$schema"], s["title"] = dialect, "Contract run: output"
	required, _ := s["required"].([]string)
	s["required"] = append(required, "final_status", "reason")
	return s
}

// runAction describes one action: one of its types, each with its fields.
func (d *Describer) runAction() Schema {
	var all []any
	for i := range RunKinds {
		all = append(all, d.runKind(&RunKinds[i]))
	}
	return Schema{"oneOf": all}
}

func (d *Describer) runKind(k *RunKind) Schema {
	properties := Schema{}
	for _, f := range k.Fields() {
		properties[f.Name] = d.Field(f)
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
