package config

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/spelling"
)

// Key is one leaf of the configuration.
type Key struct {
	Path string // "browser.sandbox.warm_pool"
	Env  string // "GLOVEBOX_BROWSER_SANDBOX_WARM_POOL"; empty for lists of objects
	Doc  string
	at   []int
}

// Keys lists every key, in the order of the file.
func Keys() []Key { return slices.Collect(walk(reflect.TypeFor[Config](), "", nil)) }

func walk(t reflect.Type, prefix string, at []int) iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for i := range t.NumField() {
			field := t.Field(i)
			if field.Tag.Get("yaml") == "-" {
				continue
			}
			path := strings.TrimPrefix(prefix+"."+field.Tag.Get("yaml"), ".")
			where := append(slices.Clone(at), i)
			if field.Type.Kind() == reflect.Struct {
				for key := range walk(field.Type, path, where) {
					if !yield(key) {
						return
					}
				}
				continue
			}
			key := Key{Path: path, Doc: field.Tag.Get("doc"), at: where}
			if !holdsObjects(field.Type) {
				key.Env = "GLOVEBOX_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
			}
			if !yield(key) {
				return
			}
		}
	}
}

func holdsObjects(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// checkKeys reports every unknown key, with the nearest known one, and every key
// without a value.
func checkKeys(tree map[string]any) (problems Problems) {
	known := map[string]Key{}
	var leaves []string
	for _, key := range Keys() {
		leaves = append(leaves, key.Path)
		known[key.Path] = key
	}
	for path, value := range flatten(tree, "") {
		key, isKnown := known[path]
		switch {
		case value == nil:
			problems = append(problems, Problem{Path: path, Message: "has no value; leave the key out for its default"})
		case isKnown:
			problems = append(problems, checkObjects(path, value, reflect.TypeFor[Config]().FieldByIndex(key.at).Type)...)
		case slices.ContainsFunc(leaves, func(leaf string) bool { return strings.HasPrefix(leaf, path+".") }):
			if empty, is := value.(map[string]any); is && len(empty) == 0 {
				continue
			}
			problems = append(problems, Problem{Path: path, Message: "wants keys below it, not a value"})
		default:
			problems = append(problems, unknownKey(path, spelling.Nearest(path, leaves)))
		}
	}
	return problems
}

// checkObjects does the same for the objects of a list.
func checkObjects(path string, value any, t reflect.Type) (problems Problems) {
	list, isList := value.([]any)
	if !isList || !holdsObjects(t) {
		return nil
	}
	fields := map[string]reflect.Type{}
	for i := range t.Elem().NumField() {
		name, _, _ := strings.Cut(t.Elem().Field(i).Tag.Get("yaml"), ",")
		fields[name] = t.Elem().Field(i).Type
	}
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		object, isObject := item.(map[string]any)
		if !isObject {
			problems = append(problems, Problem{Path: at, Message: "wants keys below it, not a value"})
		}
		for name, value := range object {
			inner, isKnown := fields[name]
			switch {
			case value == nil:
				problems = append(problems, Problem{Path: at + "." + name, Message: "has no value; leave the key out"})
			case inner == reflect.TypeFor[*Scalar]() && !isScalar(value):
				problems = append(problems, Problem{Path: at + "." + name, Message: "wants a text, a number, true or false"})
			case isKnown:
				problems = append(problems, checkObjects(at+"."+name, value, inner)...)
			default:
				problems = append(problems, unknownKey(at+"."+name, at+"."+spelling.Nearest(name, slices.Sorted(maps.Keys(fields)))))
			}
		}
	}
	return problems
}

func isScalar(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}

func unknownKey(path, nearest string) Problem {
	return Problem{Path: path, Message: fmt.Sprintf("unknown key %q; the nearest known one is %q", path, nearest), unknown: true}
}

func flatten(tree map[string]any, prefix string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for name, value := range tree {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			below, isMap := value.(map[string]any)
			if !isMap || len(below) == 0 {
				if !yield(path, value) {
					return
				}
				continue
			}
			for leaf, value := range flatten(below, path) {
				if !yield(leaf, value) {
					return
				}
			}
		}
	}
}

func fromEnv(c *Config, env Env) error {
	root := reflect.ValueOf(c).Elem()
	for _, key := range Keys() {
		if key.Env == "" {
			continue
		}
		text, set := env(key.Env)
		if !set {
			continue
		}
		if err := assign(root.FieldByIndex(key.at), text); err != nil {
			return fmt.Errorf("%s: %w", key.Env, err)
		}
	}
	return nil
}

func assign(field reflect.Value, text string) error {
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		field.SetBool(v)
	case int, int64:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number")
		}
		field.SetInt(v)
	case float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("want a number")
		}
		field.SetFloat(v)
	case []string:
		field.Set(reflect.ValueOf(list(text)))
	case []int:
		var numbers []int
		for _, item := range list(text) {
			v, err := strconv.Atoi(item)
			if err != nil {
				return fmt.Errorf("want whole numbers with commas between them")
			}
			numbers = append(numbers, v)
		}
		field.Set(reflect.ValueOf(numbers))
	default:
		return fmt.Errorf("cannot be set by the environment")
	}
	return nil
}

func list(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
