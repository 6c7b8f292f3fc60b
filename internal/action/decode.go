package action

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Decode reads one JSON object into the struct that into points to. It is
// strict: names are case-sensitive, known and given once, required fields are
// given, text is UTF-8, and nothing follows the object. Absent or empty raw is
// the empty object. Fields that are already set count as given. A fault names
// the field and never repeats a value, which may be a secret. Faults:
// invalid_request, missing_url.
func Decode(raw []byte, into any) error {
	if err := DecodePart(raw, into); err != nil {
		return err
	}
	return lacking(raw, into)
}

// DecodePart is Decode for the arguments of a call that is not made: required
// fields may be missing.
func DecodePart(raw []byte, into any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true)); err != nil {
		return decodeFault(err, into)
	}
	if s, two := into.(interface{ settle() error }); two { // there are two ways to say the same
		return s.settle()
	}
	return nil
}

// lacking returns the fault of the first required field that raw does not give and
// that is not set.
func lacking(raw []byte, into any) error {
	all := unset(reflect.ValueOf(into).Elem(), nil)
	if len(all) == 0 {
		return nil
	}
	var object any
	_ = json.Unmarshal(raw, &object) // it was decoded before; nothing is the empty object
	for _, u := range all {
		value, given := memberOf(object, slices.Concat(u.within, []string{u.field.Name}))
		if empty := given && u.field.Type == reflect.TypeFor[[]byte](); value == nil && !empty { // as Go writes no bytes
			return Within(strings.Join(u.within, "."), u.field.missing())
		}
	}
	return nil
}

// unsetField is a required field with the zero value, and the path of names to
// its struct.
type unsetField struct {
	within []string
	field  Field
}

var ownUnmarshal = reflect.TypeFor[json.UnmarshalerFrom]()

// unset lists the required fields of a struct, and of the structs in it, that
// have the zero value. Types with their own decoder are left out.
func unset(v reflect.Value, within []string) (all []unsetField) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			all = append(all, unset(v.Index(i), slices.Concat(within, []string{strconv.Itoa(i)}))...)
		}
	case v.Kind() == reflect.Struct && !reflect.PointerTo(v.Type()).Implements(ownUnmarshal):
		for _, f := range Fields(v.Type()) {
			at := v.FieldByIndex(f.Index)
			if f.Required() && at.IsZero() && at.Kind() != reflect.Struct {
				all = append(all, unsetField{within, f})
				continue
			}
			all = append(all, unset(at, slices.Concat(within, []string{f.Name}))...)
		}
	}
	return all
}

// memberOf returns the value at a path of names and indexes.
func memberOf(value any, path []string) (member any, given bool) {
	for _, name := range path {
		switch v := value.(type) {
		case map[string]any:
			value, given = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if given = err == nil && i < len(v); given {
				value = v[i]
			}
		default:
			given = false
		}
		if !given {
			return nil, false
		}
	}
	return value, given
}

func decodeFault(err error, into any) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		field := fieldOf(semantic.JSONPointer)
		var own *fault.Fault // of a type that reads itself
		switch {
		case errors.As(err, &own):
			return Within(field, own)
		case errors.Is(err, json.ErrUnknownName):
			return invalid(field, "is not known here").Hinted("%s", takes(into))
		case field == "":
			return fault.New(fault.InvalidRequest, "the body must be a JSON object").Hinted("%s", takes(into))
		default:
			return invalid(field, "must be "+kindName(semantic.GoType)).Hinted("%s", takes(into))
		}
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName) {
		return invalid(fieldOf(syntax.JSONPointer), "is given twice").Hinted("give each field once")
	}
	message := "the body is not valid JSON"
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		message = "the body ends in the middle of a JSON value"
	}
	return fault.New(fault.InvalidRequest, "%s", message).Hinted("send one JSON object in UTF-8; %s", takes(into))
}

// fieldOf converts a JSON pointer to the form "a.b". It shortens the result,
// because names come from the caller too.
func fieldOf(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, untrusted.Field(token))
	}
	return untrusted.Shorten(strings.Join(parts, "."), 64)
}

var kindNames = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Int64: "a whole number",
	reflect.Float64: "a number", reflect.Slice: "a list", reflect.Struct: "an object", reflect.Map: "an object",
}

func kindName(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "of another type"
	}
	if name, ok := kindNames[t.Kind()]; ok {
		return name
	}
	return "of another type"
}

// takes lists the fields of a struct, for hints.
func takes(into any) string {
	var names []string
	for _, f := range Fields(reflect.TypeOf(into)) {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return "it takes no fields"
	}
	return "it takes " + strings.Join(names, ", ")
}

func invalid(field, problem string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "%s %s", field, problem).With("field", field)
}
