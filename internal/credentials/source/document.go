package source

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/spelling"
)

// document is the credentials of a domain in a source.
type document struct {
	Domain         string            `json:"domain"`
	Origin         string            `json:"origin,omitzero"`
	Required       *bool             `json:"required,omitzero"` // true when absent
	Fill           string            `json:"fill,omitzero"`     // ask or allow; ask when empty
	Cookies        []cookie          `json:"cookies,omitempty"`
	LocalStorage   map[string]string `json:"localStorage,omitempty"`
	SessionStorage map[string]string `json:"sessionStorage,omitempty"`
	Headers        map[string]string `json:"headers,omitempty"`
	Login          map[string]string `json:"login,omitempty"`
	HTTPAuth       map[string]string `json:"httpAuth,omitempty"`
}

// cookie has the fields that browser extensions and drivers export.
type cookie struct {
	Name     string   `json:"name"`
	Value    *string  `json:"value"`
	Domain   string   `json:"domain,omitzero"`  // the document's when empty; with a leading dot sub-domains get it too
	Path     string   `json:"path,omitzero"`    // "/" when empty
	Expires  *float64 `json:"expires,omitzero"` // seconds since 1970; absent or -1: with the session
	HTTPOnly bool     `json:"httpOnly,omitzero"`
	Secure   bool     `json:"secure,omitzero"`
	SameSite string   `json:"sameSite,omitzero"` // Strict, Lax or None
}

// Parse reads and checks the document that a source has for a folded domain. Fault:
// credentials_unavailable, which names the field and never its value.
func Parse(domain string, text []byte) (credentials.Set, error) {
	var d document
	if err := read(domain, text, &d); err != nil {
		return credentials.Set{}, err
	}
	if given, has := d.Login["totp"]; has {
		d.Login["totp"] = normalizeSeed(given)
	}
	set := credentials.Set{
		Domain: domain, Origin: d.Origin, Required: d.Required == nil || *d.Required, FillUnasked: d.Fill == "allow",
		LocalStorage: secretValues(d.LocalStorage), SessionStorage: secretValues(d.SessionStorage), Headers: secretValues(d.Headers), Login: secretValues(d.Login),
		HTTPAuth: secretValues(d.HTTPAuth),
	}
	for _, c := range d.Cookies {
		set.Cookies = append(set.Cookies, c.credential(domain))
	}
	if f := d.check(domain); f != nil {
		return credentials.Set{}, f.fault(domain)
	}
	set.Origin = canonicalOrigin(d.Origin)
	return set, nil
}

// read decodes a text into d, strictly.
func read(domain string, text []byte, d *document) error {
	if len(text) > maxDocument {
		return flaw{"", "are longer than 1 MiB"}.fault(domain)
	}
	if field, found := firstNull(text); found {
		return flaw{field, "has no value"}.fault(domain)
	}
	if err := json.Unmarshal(text, d, json.RejectUnknownMembers(true)); err != nil {
		return decodeFlaw(err).fault(domain)
	}
	return nil
}

// secretValues makes secrets of the values of a map.
func secretValues(values map[string]string) map[string]credentials.Secret {
	if len(values) == 0 {
		return nil
	}
	secrets := make(map[string]credentials.Secret, len(values))
	for name, value := range values {
		secrets[name] = credentials.Keep(value)
	}
	return secrets
}

// normalizeSeed removes the blanks and hyphens with which sites show a TOTP seed to
// people. An otpauth address stays as it is.
func normalizeSeed(text string) string {
	if strings.Contains(text, ":") {
		return strings.TrimSpace(text)
	}
	return strings.ToUpper(strings.TrimRight(strings.NewReplacer(" ", "", "-", "").Replace(text), "="))
}

// credential is the cookie of a set. It is not checked.
func (c cookie) credential(domain string) credentials.Cookie {
	made := credentials.Cookie{
		Name: c.Name, Domain: strings.ToLower(c.Domain), Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure,
		SameSite: sameSites[strings.ToLower(c.SameSite)],
	}
	if made.Domain == "" {
		made.Domain = domain
	}
	if made.Path == "" {
		made.Path = "/"
	}
	if c.Value != nil {
		made.Value = credentials.Keep(*c.Value)
	}
	if c.Expires != nil && *c.Expires != sessionCookie {
		at := time.Unix(int64(min(*c.Expires, lastExpiry)), 0).UTC()
		made.Expires = &at
	}
	return made
}

// firstNull finds a null, which the decoder would take for an empty value.
func firstNull(text []byte) (field string, found bool) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return "", false // the decoder reports it
		}
		if token.Kind() == 'n' {
			return fieldPath(d.StackPointer()), true
		}
	}
}

// decodeFlaw is the flaw of a text that could not be decoded.
func decodeFlaw(err error) flaw {
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return unknownField(semantic.JSONPointer)
	case errors.As(err, &semantic):
		field := fieldPath(semantic.JSONPointer)
		if field == "" {
			return flaw{"", "are no object"}
		}
		return flaw{field, "must be " + kindOf(semantic.GoType)}
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return flaw{fieldPath(syntax.JSONPointer), "is given twice"}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return flaw{"", "end in the middle"}
	}
	return flaw{"", "are no JSON in UTF-8"}
}

// unknownField is the flaw of a field that is not known. It names the known field with
// the most similar name, and not the unknown one, which may be a value in the wrong
// place.
func unknownField(at jsontext.Pointer) flaw {
	in, known := "", fieldsOf(reflect.TypeFor[document]())
	if parent := fieldPath(at.Parent()); parent != "" {
		in, known = parent, fieldsOf(reflect.TypeFor[cookie]())
	}
	problem := `has an unknown field; the nearest known one is "` + spelling.Nearest(at.LastToken(), known) + `"`
	if in == "" {
		return flaw{"", strings.Replace(problem, "has", "have", 1)}
	}
	return flaw{in, problem}
}

func fieldsOf(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// fieldPath writes a JSON pointer as cookies[2].value. It contains the names of the
// schema, and other names only where they cannot be a value.
func fieldPath(at jsontext.Pointer) string {
	parts := slices.Collect(at.Tokens())
	if len(parts) == 0 || !slices.Contains(fieldsOf(reflect.TypeFor[document]()), parts[0]) {
		return ""
	}
	field := parts[0]
	if len(parts) == 1 {
		return field
	}
	if field != "cookies" {
		return entryPath(field, parts[1])
	}
	field += "[" + parts[1] + "]"
	if len(parts) > 2 && slices.Contains(fieldsOf(reflect.TypeFor[cookie]()), parts[2]) {
		field += "." + parts[2]
	}
	return field
}

// entryPath is the path of one entry of a field. The entry's name is left out where it
// looks like a value in the wrong place.
func entryPath(field, name string) string {
	if !printableName.MatchString(name) {
		return field
	}
	return field + "." + name
}

func kindOf(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Map, t.Kind() == reflect.Struct:
		return "an object"
	}
	return "of another type"
}

// flaw is a problem of a document, and the field that has it; empty for the whole.
type flaw struct{ field, problem string }

// fault is the fault for a flaw. It contains no value.
func (f flaw) fault(domain string) *fault.Fault {
	subject := "the credentials of " + domain + " " + f.problem
	if f.field != "" {
		subject = "the credentials of " + domain + ": " + f.field + " " + f.problem
	}
	made := fault.New(fault.CredentialsUnavailable, "%s", subject).
		Hinted("correct them where they are kept; glovebox vault check %s reads them again", domain)
	if f.field != "" {
		made = made.With("field", f.field)
	}
	return made
}

// sortedNames are the names of a map in order, so that the first flaw is always the
// same.
func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
