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

// document is the credentials of a domain as a source keeps them.
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

// cookie is as browsers' extensions and drivers export it.
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

// Parse reads the document that was found under a folded domain, and checks all
// of it. Fault: credentials_unavailable, which names the field and never what
// is in it.
func Parse(domain string, text []byte) (credentials.Set, error) {
	var d document
	if err := read(domain, text, &d); err != nil {
		return credentials.Set{}, err
	}
	if given, has := d.Login["totp"]; has {
		d.Login["totp"] = seed(given)
	}
	set := credentials.Set{
		Domain: domain, Origin: d.Origin, Required: d.Required == nil || *d.Required, FillUnasked: d.Fill == "allow",
		LocalStorage: kept(d.LocalStorage), SessionStorage: kept(d.SessionStorage), Headers: kept(d.Headers), Login: kept(d.Login),
		HTTPAuth: kept(d.HTTPAuth),
	}
	for _, c := range d.Cookies {
		set.Cookies = append(set.Cookies, c.kept(domain))
	}
	if f := d.flaw(domain); f != nil {
		return credentials.Set{}, f.fault(domain)
	}
	set.Origin = origin(d.Origin)
	return set, nil
}

// read fills d from a text, strictly.
func read(domain string, text []byte, d *document) error {
	if len(text) > mostDocument {
		return flaw{"", "are longer than 1 MiB"}.fault(domain)
	}
	if field, found := firstNull(text); found {
		return flaw{field, "has no value"}.fault(domain)
	}
	if err := json.Unmarshal(text, d, json.RejectUnknownMembers(true)); err != nil {
		return misread(err).fault(domain)
	}
	return nil
}

// kept makes secrets of the values of a map.
func kept(values map[string]string) map[string]credentials.Secret {
	if len(values) == 0 {
		return nil
	}
	secrets := make(map[string]credentials.Secret, len(values))
	for name, value := range values {
		secrets[name] = credentials.Keep(value)
	}
	return secrets
}

// seed is a TOTP seed without what sites write it with, for people to read; an
// address stays as it is.
func seed(text string) string {
	if strings.Contains(text, ":") {
		return strings.TrimSpace(text)
	}
	return strings.ToUpper(strings.TrimRight(strings.NewReplacer(" ", "", "-", "").Replace(text), "="))
}

// kept is a cookie of a set. It was not checked.
func (c cookie) kept(domain string) credentials.Cookie {
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
	if c.Expires != nil && *c.Expires != withSession {
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
			return "", false // the decoder says what is wrong
		}
		if token.Kind() == 'n' {
			return fieldAt(d.StackPointer()), true
		}
	}
}

// misread is what was wrong with a text that is no document.
func misread(err error) flaw {
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return unknown(semantic.JSONPointer)
	case errors.As(err, &semantic):
		field := fieldAt(semantic.JSONPointer)
		if field == "" {
			return flaw{"", "are no object"}
		}
		return flaw{field, "must be " + kindOf(semantic.GoType)}
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return flaw{fieldAt(syntax.JSONPointer), "is given twice"}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return flaw{"", "end in the middle"}
	}
	return flaw{"", "are no JSON in UTF-8"}
}

// unknown names the known field that is nearest to one that is not known. That
// one is not repeated: it may be a value in the wrong place.
func unknown(at jsontext.Pointer) flaw {
	in, known := "", fieldsOf(reflect.TypeFor[document]())
	if parent := fieldAt(at.Parent()); parent != "" {
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

// fieldAt is a place in a document as people write it, cookies[2].value: what
// the schema names, and of the rest only what cannot be a value.
func fieldAt(at jsontext.Pointer) string {
	parts := slices.Collect(at.Tokens())
	if len(parts) == 0 || !slices.Contains(fieldsOf(reflect.TypeFor[document]()), parts[0]) {
		return ""
	}
	field := parts[0]
	if len(parts) == 1 {
		return field
	}
	if field != "cookies" {
		return entry(field, parts[1])
	}
	field += "[" + parts[1] + "]"
	if len(parts) > 2 && slices.Contains(fieldsOf(reflect.TypeFor[cookie]()), parts[2]) {
		field += "." + parts[2]
	}
	return field
}

// entry names one entry of a field. Its name is left out where it looks like a
// value that got into the wrong place.
func entry(field, name string) string {
	if !telling.MatchString(name) {
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

// flaw is what is wrong with a document, and where: a field, or the whole.
type flaw struct{ field, problem string }

// fault never has a value.
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

// sorted are the names of a map, so that the first flaw is always the same.
func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
