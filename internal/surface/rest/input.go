package rest

import (
	"bytes"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const sessionHeader = "Glovebox-Session"

// sessionOf returns the session that a request names in its path, header or
// query. A request that names two is refused.
func sessionOf(r *http.Request, v *action.Verb) (string, error) {
	named := []string{r.PathValue("session")}
	if actsOnSession(v) {
		named = append(named, r.Header.Values(sessionHeader)...)
		named = append(named, r.URL.Query()["session"]...)
	}
	found := ""
	for _, name := range named {
		if name == "" || name == found {
			continue
		}
		if found != "" {
			return "", fault.New(fault.InvalidRequest, "session is named twice, differently").
				Hinted("name it by path, by header %s or by ?session=", sessionHeader).With("field", "session")
		}
		found = name
	}
	return found, goodSession(found)
}

func goodSession(name string) error {
	if name == "" || plainToken.MatchString(name) {
		return nil
	}
	return fault.New(fault.InvalidRequest, "session is no id or name of a session").
		Hinted("an id or name has letters, digits, dots, dashes and underscores, 64 at most").With("field", "session")
}

// inQuery reports whether a verb's arguments are in the query.
func inQuery(v *action.Verb) bool {
	return v.Method == http.MethodGet || v.Method == http.MethodDelete
}

// fromQuery sets the fields of args that have a query tag. Unknown and repeated
// parameters are refused.
func fromQuery(r *http.Request, v *action.Verb, args any) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badQuery()
	}
	if actsOnSession(v) {
		query.Del("session")
	}
	if offersChanges(v) {
		query.Del(changesParameter)
	}
	value := reflect.ValueOf(args).Elem()
	for _, f := range action.Fields(value.Type()) {
		name := f.Tag.Get("query")
		given, found := query[name]
		if name == "" || !found || !inQuery(v) {
			continue
		}
		query.Del(name)
		if strings.ContainsRune(given[0], 0) || !utf8.ValidString(given[0]) {
			return badQuery()
		}
		if len(given) > 1 || !set(value.FieldByIndex(f.Index), given[0]) {
			return wrongParameter(name, f)
		}
	}
	return unknownParameters(query)
}

func badQuery() error {
	return fault.New(fault.InvalidRequest, "the query is not well formed").Hinted("percent-encode its values, which are UTF-8 without NUL")
}

func wrongParameter(name string, f action.Field) error {
	return fault.New(fault.InvalidRequest, "%s must be one %s", name, f.Type.Kind()).
		Hinted("%s: %s", name, f.Tag.Get("doc")).With("field", name)
}

// noQuery refuses any query.
func noQuery(r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badQuery()
	}
	return unknownParameters(query)
}

func unknownParameters(query url.Values) error {
	if len(query) == 0 {
		return nil
	}
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	return fault.New(fault.InvalidRequest, "%s is no parameter of this call", untrusted.Parameter(slices.Min(names))).
		Hinted("see /openapi.json for the parameters it takes")
}

// set parses text into a field of a type that query parameters have.
func set(field reflect.Value, text string) bool {
	switch field.Kind() {
	case reflect.Pointer: // of what is absent or given, also as the empty text
		field.Set(reflect.New(field.Type().Elem()))
		return set(field.Elem(), text)
	case reflect.String:
		field.SetString(text)
		return true
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		field.SetBool(b)
		return err == nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		field.SetInt(n)
		return err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		field.SetFloat(f)
		return err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return false
}

// fromBody decodes the JSON body; no body is the empty object.
func fromBody(r *http.Request, into any) error {
	if r.Body == nil {
		return action.Decode(nil, into)
	}
	body, err := io.ReadAll(r.Body) // the guard has bounded and buffered it
	if err != nil {
		return fault.New(fault.InvalidRequest, "the body did not arrive whole").Because(err)
	}
	if len(body) == 0 {
		return action.Decode(nil, into)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return fault.New(fault.InvalidRequest, "the body is blank").Hinted("send a JSON object, or no body where none is needed")
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || kind != "application/json" || (charset != "" && charset != "utf-8" && charset != "UTF-8") {
		return fault.New(fault.InvalidRequest, "the body's Content-Type is not application/json").
			Hinted("send JSON in UTF-8 with Content-Type: application/json")
	}
	if r.Header.Get("Content-Encoding") != "" {
		return fault.New(fault.InvalidRequest, "the body is encoded").Hinted("send it without Content-Encoding")
	}
	return action.Decode(body, into)
}

// noBody refuses a body where the arguments are in the query. If the body were
// ignored, the call could do more than the caller wanted.
func noBody(r *http.Request, _ any) error {
	if !hasBody(r) || r.ContentLength == 0 {
		return nil
	}
	return fault.New(fault.InvalidRequest, "a %s takes no body", r.Method).Hinted("give the arguments in the query")
}

// fromPath sets the fields of args that have a path tag, and calls take for the
// others. A body may repeat the values of the path but not contradict them.
func fromPath(r *http.Request, args any, take func(*http.Request, any) error) error {
	value := reflect.ValueOf(args).Elem()
	fields := slices.DeleteFunc(slices.Clone(action.Fields(value.Type())), func(f action.Field) bool { return f.Tag.Get("path") == "" })
	for _, f := range fields {
		text := r.PathValue(f.Tag.Get("path"))
		if !plainToken.MatchString(text) {
			return fault.New(fault.NotFound, "nothing has that id").Hinted("list what there is first")
		}
		value.FieldByIndex(f.Index).SetString(text)
	}
	if err := take(r, args); err != nil {
		return err
	}
	for _, f := range fields {
		if value.FieldByIndex(f.Index).String() != r.PathValue(f.Tag.Get("path")) {
			return fault.New(fault.InvalidRequest, "%s differs between path and body", f.Name).
				Hinted("leave it out of the body").With("field", f.Name)
		}
	}
	return nil
}
