package action

import (
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Decode reads one JSON object into the struct that into points to, strictly:
// names are case-sensitive, known and given once, text is UTF-8, nothing
// follows. Absent or empty raw is the empty object. Anything else is a fault
// invalid_request that names the field and never repeats a value, since a
// value may be a secret.
func Decode(raw []byte, into any) error {
	if len(strings.TrimSpace(string(raw))) == 0 {
		return nil
	}
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err != nil {
		return decodeFault(err, into)
	}
	if s, two := into.(interface{ settle() error }); two { // there are two ways to say the same
		return s.settle()
	}
	return nil
}

func decodeFault(err error, into any) *fault.Fault {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		field := fieldOf(semantic.JSONPointer)
		var odd *misfit
		switch {
		case errors.As(err, &odd):
			return invalid(strings.TrimSuffix(field+"."+odd.field, "."), odd.problem).Hinted("%s", odd.hint)
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

// fieldOf turns a JSON pointer into "a.b", cut short: a name comes from the
// caller too.
func fieldOf(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, untrusted.Field(token))
	}
	return clip(strings.Join(parts, "."), 64)
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
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
