package action

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
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

// Fields lists the JSON fields of a struct type, or of a pointer to one,
// including embedded structs. Of two fields with the same name the outer one
// counts.
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

// Check checks the arguments of a call, or of another request: the limits that their
// tags state (minLength, maxLength, minimum, maximum, minItems, maxItems, enum,
// pattern, itemPattern), that nothing required is missing, and that texts are UTF-8
// without control characters. Line breaks and tabs are allowed but in texts of one
// line; a tag controls:"any" allows the others too. Structs in args are checked alike.
//
// Then it asks args what tags cannot say: Sound refuses what contradicts itself or
// would be ignored, Required refuses arguments that name nothing to act on.
//
// A fault names the field and what is allowed, and never repeats a value, which may
// be a secret. Faults: invalid_request, missing_url, missing_selector.
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
		if err := f.check(v.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	if a, is := args.(interface{ Sound() error }); is {
		if err := a.Sound(); err != nil {
			return err
		}
	}
	if a, is := args.(interface{ Required() error }); is {
		return a.Required()
	}
	return nil
}

// check checks the value of a field.
func (f Field) check(v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() && f.Required() {
			return f.missing()
		}
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	problem := ""
	switch v.Kind() {
	case reflect.String:
		if f.lacksText(v.String()) {
			return f.missing()
		}
		problem = f.checkText(v.String(), f.Tag)
	case reflect.Int, reflect.Int64:
		problem = checkNumber(float64(v.Int()), f.Tag)
	case reflect.Float64:
		problem = checkNumber(v.Float(), f.Tag)
	case reflect.Slice, reflect.Map:
		if v.IsNil() && f.Required() && v.Type() != reflect.TypeFor[[]byte]() { // of which none are an empty file
			return f.missing()
		}
		return f.checkItems(v)
	case reflect.Struct:
		return Within(f.Name, checkStruct(v))
	}
	return f.fault(problem)
}

// lacksText reports whether a required text is missing: it is empty although it
// may not be, or it is a blank address.
func (f Field) lacksText(s string) bool {
	least, given := number(f.Tag, "minLength")
	return f.Required() && given && least > 0 && (s == "" || f.Name == "url" && strings.TrimSpace(s) == "")
}

// missing returns the fault for a required field that was not given.
func (f Field) missing() error {
	out := invalid(f.Name, "is missing")
	if f.Name == "url" {
		out.Code = fault.MissingURL
	}
	if doc := cmp.Or(f.Tag.Get("doc"), f.Tag.Get("example")); doc != "" {
		return out.Hinted("give %s: %s", f.Name, doc)
	}
	return out.Hinted("give %s", f.Name)
}

const holdsControls = "holds control characters"

// fault returns the fault for a problem with the field; nil for an empty
// problem.
func (f Field) fault(problem string) error {
	switch {
	case problem == "":
		return nil
	case strings.HasSuffix(problem, holdsControls):
		return invalid(f.Name, problem).Hinted("leave them out; keys such as Escape are pressed with page.press")
	case f.Tag.Get("doc") == "":
		return invalid(f.Name, problem).Hinted("correct %s and call again", f.Name)
	}
	return invalid(f.Name, problem).Hinted("%s: %s", f.Name, f.Tag.Get("doc"))
}

// Within adds the name of a part of the arguments to a fault: it is put before
// the name of the fault's field.
func Within(part string, err error) error {
	if err == nil || part == "" {
		return err
	}
	f := *fault.From(err)
	inner, _ := f.Details["field"].(string)
	rest, named := strings.CutPrefix(f.Message, inner)
	switch {
	case inner == "":
		rest = " " + f.Message
	case !named:
		rest = ": " + f.Message
	}
	field := strings.TrimSuffix(part+"."+inner, ".")
	f.Message = field + rest
	return f.With("field", field)
}

func checkStruct(v reflect.Value) error {
	if !v.CanAddr() {
		return nil
	}
	return Check(v.Addr().Interface())
}

// checkItems checks a list or a map and its items.
func (f Field) checkItems(v reflect.Value) error {
	if most, ok := number(f.Tag, "maxItems"); ok && float64(v.Len()) > most {
		return f.fault(fmt.Sprintf("must have at most %v items", most))
	}
	if least, ok := number(f.Tag, "minItems"); ok && float64(v.Len()) < least {
		return f.fault(fmt.Sprintf("must have at least %v items", least))
	}
	switch {
	case v.Kind() == reflect.Map:
		return f.fault(f.checkMap(v))
	case v.Type().Elem().Kind() == reflect.String:
		return f.fault(f.checkTexts(v))
	case v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			if err := checkStruct(v.Index(i)); err != nil {
				return Within(fmt.Sprintf("%s.%d", f.Name, i), err)
			}
		}
	}
	return nil
}

// checkTexts checks the texts of a list.
func (f Field) checkTexts(v reflect.Value) string {
	for i := range v.Len() {
		problem := f.checkText(v.Index(i).String(), `maxLength:"8192"`)
		if pattern := f.Tag.Get("itemPattern"); problem == "" && pattern != "" && !compiled(pattern).MatchString(v.Index(i).String()) {
			problem = "must match " + pattern
		}
		if problem != "" {
			return fmt.Sprintf("item %d %s", i, problem)
		}
	}
	return ""
}

// checkMap checks a map of texts. The problem that it returns repeats neither
// names nor values.
func (f Field) checkMap(v reflect.Value) string {
	for entries := v.MapRange(); entries.Next(); {
		if problem := f.checkText(entries.Key().String(), `maxLength:"256" minLength:"1"`); problem != "" {
			return "has a name that " + problem
		}
		if problem := f.checkText(entries.Value().String(), `maxLength:"4096" minLength:"1"`); problem != "" {
			return "has a value that " + problem
		}
	}
	return ""
}

// checkText returns what is wrong with a text of the field, by the limits in
// tag.
func (f Field) checkText(s string, tag reflect.StructTag) string {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return "must be text without NUL characters"
	}
	if f.Tag.Get("controls") != "any" && strings.ContainsFunc(s, f.refuses) {
		return holdsControls
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

// oneLine lists fields whose texts have only one line.
var oneLine = []string{"url", "id", "ref", "role"}

// refuses reports whether a text of the field must not contain a character.
func (f Field) refuses(r rune) bool {
	layout := r == '\t' || r == '\n' || r == '\r'
	return unicode.IsControl(r) && (!layout || slices.Contains(oneLine, f.Name))
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

// Without refuses arguments that would be ignored because of another argument,
// and names them.
func Without(args any, because string, fields ...string) error {
	for _, field := range given(args) {
		if slices.Contains(fields, field) {
			return invalid(field, "does not go with "+because).Hinted("leave %s out: it would be ignored", field)
		}
	}
	return nil
}

// given lists the fields of the arguments that are set.
func given(args any) []string {
	var names []string
	v := reflect.ValueOf(args).Elem()
	for _, f := range Fields(v.Type()) {
		if !v.FieldByIndex(f.Index).IsZero() {
			names = append(names, f.Name)
		}
	}
	return names
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
