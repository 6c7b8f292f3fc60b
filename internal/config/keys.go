package config

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/spelling"
)

// Key is one leaf of the configuration.
type Key struct {
	Path string // "browser.sandbox.warm_pool"
	Env  string // "GLOVEBOX_BROWSER_SANDBOX_WARM_POOL"; empty for lists of tokens
	Doc  string
	at   []int
}

// Keys lists every key, in the order of the file.
func Keys() []Key { return slices.Collect(walk(reflect.TypeFor[Config](), "", nil)) }

func walk(t reflect.Type, prefix string, at []int) iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for i := range t.NumField() {
			field := t.Field(i)
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
			if field.Type != reflect.TypeFor[[]Token]() {
				key.Env = "GLOVEBOX_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
			}
			if !yield(key) {
				return
			}
		}
	}
}

// checkKeys refuses keys that are not known, naming the nearest that is.
func checkKeys(tree map[string]any) error {
	known := map[string]bool{}
	var leaves []string
	for _, key := range Keys() {
		leaves = append(leaves, key.Path)
		known[key.Path] = true
	}
	for path, value := range flatten(tree, "") {
		if value == nil {
			return fmt.Errorf("%s: has no value; leave the key out for its default", path)
		}
		if known[path] {
			continue
		}
		if slices.ContainsFunc(leaves, func(leaf string) bool { return strings.HasPrefix(leaf, path+".") }) {
			return fmt.Errorf("%s: wants keys below it, not a value", path)
		}
		return fmt.Errorf("unknown key %q; the nearest known one is %q", path, spelling.Nearest(path, leaves))
	}
	return nil
}

func flatten(tree map[string]any, prefix string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for name, value := range tree {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			below, isMap := value.(map[string]any)
			if !isMap {
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
