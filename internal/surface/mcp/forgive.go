package mcp

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// otherNames lists, for each argument, other names that models often use for
// it. A tool with an argument of such a name keeps that argument.
var otherNames = map[string][]string{
	"url":          {"uri", "href", "link", "address"},
	"target":       {"locator", "elementRef", "uid"},
	"text":         {"value", "query", "content", "input"},
	"value":        {"text", "content"},
	"values":       {"value", "option", "options", "label"},
	"key":          {"keys"},
	"function":     {"script", "code", "expression", "js"},
	"clear_first":  {"clear"},
	"promptText":   {"prompt", "text"},
	"paths":        {"path", "file"},
	"textGone":     {"textHidden"},
	"filter":       {"urlPattern", "pattern"},
	"wait_for":     {"waitUntil"},
	"session":      {"sessionId"},
	"approval_id":  {"id"},
	"startTarget":  {"start", "source", "from"},
	"endTarget":    {"end", "destination", "to"},
	"doubleClick":  {"double"},
	"fields":       {"field"},
	"arguments":    {"args", "params", "input"},
	"tool":         {"name", "action"},
	"steps":        {"calls", "actions"},
	"y":            {"deltaY"},
	"x":            {"deltaX"},
	"index":        {"tabIndex", "tab"},
	"full":         {"all"},
	"max_tokens":   {"maxChars"},
	"submit":       {"pressEnter"},
	"modifiers":    {"modifier"},
	"accept":       {"confirm"},
	"state":        {"visibility"},
	"domain_hint":  {"domain"},
	"interactive":  {"interactiveOnly"},
	"startElement": {"startDescription"},
	"endElement":   {"endDescription"},
}

// spoken lists arguments that only describe a call, or that tell another server
// where to put a file. Tools ignore them.
var spoken = []string{"element", "description", "intent", "reason", "thought", "purpose", "filename", "boxes", "static", "raw"}

// decode reads and checks the arguments of a tool.
func decode(raw json.RawMessage, in any) error {
	err := readArguments(raw, in)
	if err == nil {
		err = action.Check(in)
	}
	if shown, has := in.(interface{ example() string }); has && err != nil {
		f := fault.From(err)
		return f.Hinted("%s; for example %s", f.Hint, shown.example())
	}
	return err
}

// readArguments reads the arguments of a tool strictly. Arguments that are
// refused are read once more after forgiven has corrected them.
func readArguments(raw json.RawMessage, in any) error {
	strict := action.Decode(raw, in)
	if strict == nil {
		return nil
	}
	var given map[string]any
	if jsonv2.Unmarshal(raw, &given) != nil { // no object, or a name given twice
		return strict
	}
	reflect.ValueOf(in).Elem().SetZero()
	mended, err := json.Marshal(forgiven(given, reflect.TypeOf(in).Elem()))
	if err != nil {
		return strict
	}
	return action.Decode(mended, in)
}

// forgiven returns an object with the names and types of t, where what was
// given can have only one meaning. Unknown fields stay, and are refused later.
func forgiven(given map[string]any, t reflect.Type) map[string]any {
	fields := action.Fields(t)
	out := map[string]any{}
	var left []string
	for name, value := range given {
		if f, known := fieldNamed(fields, name); known && value != nil {
			out[f.Name] = of(f, value)
		} else if value != nil {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	for _, name := range left {
		f, meant := fieldMeant(fields, name, out)
		switch {
		case meant:
			out[f.Name] = of(f, given[name])
		case !slices.Contains(spoken, name):
			out[name] = given[name]
		}
	}
	return out
}

// fieldNamed returns the field of a name.
func fieldNamed(fields []action.Field, name string) (action.Field, bool) {
	at := slices.IndexFunc(fields, func(f action.Field) bool { return f.Name == name })
	if at < 0 {
		return action.Field{}, false
	}
	return fields[at], true
}

// fieldMeant returns the field that is meant by another spelling of its name,
// or by a name that models often use, if the field was not given itself.
func fieldMeant(fields []action.Field, name string, given map[string]any) (action.Field, bool) {
	for _, f := range fields {
		if camel(f.Name) == camel(name) && given[f.Name] == nil {
			return f, true
		}
	}
	for _, f := range fields {
		if f.Name == "text" && !f.Required() && name != "query" {
			continue // it names an element there
		}
		named := slices.ContainsFunc(otherNames[f.Name], func(other string) bool { return camel(other) == camel(name) })
		if named && given[f.Name] == nil {
			return f, true
		}
	}
	return action.Field{}, false
}

var snake = regexp.MustCompile(`[_-][a-z]`)

// camel returns a name in camelCase for one that may be in snake_case.
func camel(name string) string {
	return snake.ReplaceAllStringFunc(name, func(found string) string { return strings.ToUpper(found[1:]) })
}

// written lists text arguments for which a number can be given.
var written = []string{"text", "value", "values", "name", "key", "promptText"}

// of converts a value to the type of a field.
func of(f action.Field, value any) any {
	if slices.Contains(written, f.Name) {
		value = asText(value)
	}
	return as(value, f.Type)
}

// as converts a value to a type, if the value can have only one meaning. Any
// other value is returned unchanged.
func as(value any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	text, isText := value.(string)
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Struct:
		return asObject(value, t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return asList(value, t.Elem())
	case t.Kind() == reflect.Bool && (text == "true" || text == "false"):
		return text == "true"
	case (t.Kind() == reflect.Int || t.Kind() == reflect.Float64) && isText:
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return n
		}
	}
	return value
}

// asText converts a number or boolean to text, and in a list each of them.
func asText(value any) any {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		out := make([]any, len(v))
		for i, each := range v {
			out[i] = asText(each)
		}
		return out
	}
	return value
}

// asObject parses an object that was given as JSON in a string.
func asObject(value any, t reflect.Type) any {
	if text, is := value.(string); is {
		var object map[string]any
		if jsonv2.Unmarshal([]byte(text), &object) != nil {
			return value
		}
		value = object
	}
	if object, is := value.(map[string]any); is && t.Kind() == reflect.Struct {
		return forgiven(object, t)
	}
	return value
}

// asList wraps a single value in a list, parses a list that was given as JSON
// in a string, and converts the items.
func asList(value any, of reflect.Type) any {
	var list []any
	switch v := value.(type) {
	case []any:
		list = v
	case string:
		if jsonv2.Unmarshal([]byte(v), &list) != nil {
			list = []any{v}
		}
	default:
		list = []any{v}
	}
	out := make([]any, len(list))
	for i, each := range list {
		out[i] = as(each, of)
	}
	return out
}
