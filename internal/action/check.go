package action

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Field is one argument of a verb, as its struct tags describe it.
type Field struct {
	Name  string // in JSON
	Index []int  // for reflect's FieldByIndex
	Tag   reflect.StructTag
	Type  reflect.Type
}

// Required reports whether a call must give f: it has no omitempty.
func (f Field) Required() bool { return !strings.Contains(f.Tag.Get("json"), ",omitempty") }

// Fields lists the JSON fields of a struct type, or a pointer to one, embedded
// structs included; of two with the same name the outer one counts.
//
// The list is shared: do not change it.
func Fields(t reflect.Type) []Field {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if known, ok := fields.Load(t); ok {
		return known.([]Field)
	}
	known, _ := fields.LoadOrStore(t, fieldsOf(t))
	return known.([]Field)
}

var fields sync.Map // reflect.Type → []Field: every call is checked against them

func fieldsOf(t reflect.Type) []Field {
	var fields []Field
	for _, sf := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || !sf.IsExported() || name == "" || name == "-" {
			continue
		}
		f := Field{Name: name, Index: sf.Index, Tag: sf.Tag, Type: sf.Type}
		at := slices.IndexFunc(fields, func(other Field) bool { return other.Name == name })
		switch {
		case at < 0:
			fields = append(fields, f)
		case len(f.Index) < len(fields[at].Index):
			fields[at] = f
		}
	}
	return fields
}

// Check holds args, a pointer to a struct of this room, against the bounds its
// tags state (maxLength, minLength, minimum, maximum, minItems, maxItems,
// enum, pattern), and refuses text that holds NUL or is not UTF-8. A breach is
// a fault invalid_request that names the field and never repeats its value.
func Check(args any) error {
	v := reflect.ValueOf(args)
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return fault.New(fault.InvalidRequest, "the call has no arguments")
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return fault.New(fault.InvalidRequest, "the arguments are not an object")
	}
	for _, f := range Fields(v.Type()) {
		if err := present(f, v.FieldByIndex(f.Index)); err != nil {
			return err
		}
		if problem := check(v.FieldByIndex(f.Index), f.Tag); problem != "" {
			return invalid(f.Name, problem).Hinted("%s", meaning(f))
		}
		if err := checkItems(f, v.FieldByIndex(f.Index)); err != nil {
			return err
		}
		if inner := v.FieldByIndex(f.Index); inner.Kind() == reflect.Struct && inner.CanAddr() {
			if err := checkInner(f.Name, inner); err != nil {
				return err
			}
		}
	}
	if w, is := args.(interface{ whole() error }); is { // what tags cannot say
		return w.whole()
	}
	return nil
}

// meaning says what a field is for, or at least that it must be corrected.
func meaning(f Field) string {
	if doc := f.Tag.Get("doc"); doc != "" {
		return f.Name + ": " + doc
	}
	return "correct " + f.Name + " and call again"
}

// checkInner holds an object that is a field against the bounds of its own
// fields.
func checkInner(name string, v reflect.Value) error {
	err := Check(v.Addr().Interface())
	if err == nil {
		return nil
	}
	out := fault.From(err)
	inner, _ := out.Details["field"].(string)
	field := name + "." + inner
	out.Message = field + strings.TrimPrefix(out.Message, inner)
	return out.With("field", field)
}

// checkItems holds the objects of a list against the bounds of their own
// fields.
func checkItems(f Field, list reflect.Value) error {
	if list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.Struct {
		return nil
	}
	for i := range list.Len() {
		if err := checkInner(fmt.Sprintf("%s.%d", f.Name, i), list.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// present refuses required text that is empty. The text to type may be: with
// clear it empties a field.
func present(f Field, v reflect.Value) error {
	if v.Kind() != reflect.String || v.Len() > 0 || !f.Required() || f.Name == "text" {
		return nil
	}
	out := invalid(f.Name, "is missing")
	if f.Name == "url" {
		out.Code = fault.MissingURL
	}
	return out.Hinted("give %s: %s", f.Name, f.Tag.Get("doc"))
}

// check returns what is wrong with a value, or nothing.
func check(v reflect.Value, tag reflect.StructTag) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return check(v.Elem(), tag)
	case reflect.String:
		return checkText(v.String(), tag)
	case reflect.Int, reflect.Int64:
		return checkNumber(float64(v.Int()), tag)
	case reflect.Float64:
		return checkNumber(v.Float(), tag)
	case reflect.Slice:
		return checkList(v, tag)
	case reflect.Map:
		return checkMap(v, tag)
	}
	return ""
}

func checkText(s string, tag reflect.StructTag) string {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return "must be text without NUL characters"
	}
	length := utf8.RuneCountInString(s)
	if most, ok := number(tag, "maxLength"); ok && float64(length) > most {
		return fmt.Sprintf("must have at most %v characters", most)
	}
	if least, ok := number(tag, "minLength"); ok && float64(length) < least {
		return fmt.Sprintf("must have at least %v characters", least)
	}
	if enum := tag.Get("enum"); enum != "" && s != "" && !slices.Contains(strings.Split(enum, ","), s) {
		return "must be one of " + strings.ReplaceAll(enum, ",", ", ")
	}
	if pattern := tag.Get("pattern"); pattern != "" && s != "" && !compiled(pattern).MatchString(s) {
		return "must match " + pattern
	}
	return ""
}

func checkNumber(n float64, tag reflect.StructTag) string {
	if least, ok := number(tag, "minimum"); ok && n < least {
		return fmt.Sprintf("must be at least %v", least)
	}
	if most, ok := number(tag, "maximum"); ok && n > most {
		return fmt.Sprintf("must be at most %v", most)
	}
	return ""
}

func checkLength(v reflect.Value, tag reflect.StructTag) string {
	if most, ok := number(tag, "maxItems"); ok && float64(v.Len()) > most {
		return fmt.Sprintf("must have at most %v items", most)
	}
	if least, ok := number(tag, "minItems"); ok && float64(v.Len()) < least {
		return fmt.Sprintf("must have at least %v items", least)
	}
	return ""
}

// checkMap holds a map of texts against the bounds; neither names nor values
// are repeated.
func checkMap(v reflect.Value, tag reflect.StructTag) string {
	if problem := checkLength(v, tag); problem != "" {
		return problem
	}
	for names := v.MapRange(); names.Next(); {
		if problem := checkText(names.Key().String(), `maxLength:"256" minLength:"1"`); problem != "" {
			return "has a name that " + problem
		}
		if problem := checkText(names.Value().String(), `maxLength:"4096" minLength:"1"`); problem != "" {
			return "has a value that " + problem
		}
	}
	return ""
}

func checkList(v reflect.Value, tag reflect.StructTag) string {
	if problem := checkLength(v, tag); problem != "" {
		return problem
	}
	if v.Type().Elem().Kind() != reflect.String {
		return ""
	}
	for i := range v.Len() {
		if problem := checkText(v.Index(i).String(), `maxLength:"8192"`); problem != "" {
			return fmt.Sprintf("item %d %s", i, problem)
		}
	}
	return ""
}

func number(tag reflect.StructTag, key string) (float64, bool) {
	n, err := strconv.ParseFloat(tag.Get(key), 64)
	return n, err == nil
}

var patterns sync.Map // string → *regexp.Regexp

func compiled(pattern string) *regexp.Regexp {
	if re, ok := patterns.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := patterns.LoadOrStore(pattern, regexp.MustCompile(pattern)) // patterns are our own tags; a test compiles them all
	return re.(*regexp.Regexp)
}
