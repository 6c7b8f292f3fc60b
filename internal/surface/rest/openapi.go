package rest

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// describe begins the description: OpenAPI 3.1.
func describe(version string) *huma.OpenAPI {
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Glovebox", Version: version,
			Description: "A governed web browser for AI agents. Every call is judged, recorded and, where a person must agree, asked about.",
		},
		Components: &huma.Components{
			Schemas:         huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}},
		},
		Security: []map[string][]string{{"token": {}}},
	}
}

// operation describes a verb at one of its paths.
func operation(doc *huma.OpenAPI, v *action.Verb, path string) *huma.Operation {
	id := strings.ReplaceAll(v.Name, ".", "-")
	if strings.Contains(path, "{session}") && ofPage(v) {
		id += "-in-session"
	}
	op := &huma.Operation{
		Method: v.Method, Path: path, OperationID: id, Summary: v.Summary,
		Description: "Verb `" + v.Name + "`, class " + v.Class.String() + ".",
		Tags:        []string{strings.Split(v.Name, ".")[0]},
		Parameters:  parameters(doc, v, path),
		Responses:   responses(doc, v),
	}
	if !inQuery(v) {
		op.RequestBody = &huma.RequestBody{Content: jsonOf(arguments(doc, v))}
	}
	return op
}

func parameters(doc *huma.OpenAPI, v *action.Verb, path string) []*huma.Param {
	text := &huma.Schema{Type: "string", MaxLength: new(64)}
	var all []*huma.Param
	if strings.Contains(path, "{session}") {
		all = append(all, &huma.Param{Name: "session", In: "path", Required: true, Schema: text, Description: "Id or name"})
	} else if ofPage(v) {
		all = append(all,
			&huma.Param{Name: sessionHeader, In: "header", Schema: text, Description: "Id or name of the session; the most recently used open one when absent"},
			&huma.Param{Name: "session", In: "query", Schema: text, Description: "The same"})
	}
	for _, f := range action.Fields(reflect.TypeOf(v.NewArgs())) {
		schema := huma.SchemaFromField(doc.Components.Schemas, structField(f), "")
		if name := f.Tag.Get("path"); name != "" {
			all = append(all, &huma.Param{Name: name, In: "path", Required: true, Schema: schema})
		} else if name := f.Tag.Get("query"); name != "" && inQuery(v) {
			all = append(all, &huma.Param{Name: name, In: "query", Schema: schema, Description: f.Tag.Get("doc")})
		}
	}
	return append(all, &huma.Param{
		Name: "Prefer", In: "header", Schema: &huma.Schema{Type: "string"}, Example: "wait=10",
		Description: "wait=N: longest time in seconds to wait for a person's answer before 202 (RFC 7240); 55 when absent",
	})
}

// arguments adds the schema of a verb's arguments, built field by field as
// they are decoded.
func arguments(doc *huma.OpenAPI, v *action.Verb) *huma.Schema {
	t := reflect.TypeOf(v.NewArgs()).Elem()
	name := t.Name() + "Args"
	ref := &huma.Schema{Ref: "#/components/schemas/" + name}
	if _, known := doc.Components.Schemas.Map()[name]; known {
		return ref
	}
	schema := &huma.Schema{Type: "object", Properties: map[string]*huma.Schema{}, AdditionalProperties: false}
	for _, f := range action.Fields(t) {
		schema.Properties[f.Name] = huma.SchemaFromField(doc.Components.Schemas, structField(f), t.Name()+f.Name)
		if f.Required() && f.Tag.Get("path") == "" {
			schema.Required = append(schema.Required, f.Name)
		}
	}
	doc.Components.Schemas.Map()[name] = schema
	return ref
}

func structField(f action.Field) reflect.StructField {
	return reflect.StructField{Name: exported(f.Name), Type: f.Type, Tag: f.Tag}
}

func exported(name string) string {
	return string(unicode.ToUpper(rune(name[0]))) + name[1:]
}

func responses(doc *huma.OpenAPI, v *action.Verb) map[string]*huma.Response {
	registry := doc.Components.Schemas
	ok := &huma.Response{Description: "Done"}
	switch v.NewData().(type) {
	case *action.Screenshot:
		ok.Content = binary("image/png", "image/jpeg", "image/webp")
	case *action.PDF:
		ok.Content = binary("application/pdf")
	case *action.File:
		ok.Content = binary("application/octet-stream")
	default:
		ok.Content = jsonOf(withExtras(doc, reflect.TypeOf(v.NewData()).Elem()))
	}
	ok.Headers = map[string]*huma.Param{sessionHeader: {Description: "Id of the session", Schema: &huma.Schema{Type: "string"}}}
	return map[string]*huma.Response{
		strconv.Itoa(successOf(v)): ok,

		"202":     {Description: "A person has not answered yet and nothing was done; the same call made again picks the answer up", Content: jsonOf(registry.Schema(reflect.TypeFor[waiting](), true, ""))},
		"default": {Description: "A fault (RFC 9457)", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: registry.Schema(reflect.TypeFor[problem](), true, "")}}},
	}
}

// withExtras adds the schema of a verb's object with the extras beside its
// fields.
func withExtras(doc *huma.OpenAPI, t reflect.Type) *huma.Schema {
	registry, name := doc.Components.Schemas, t.Name()+"Answer"
	ref := &huma.Schema{Ref: "#/components/schemas/" + name}
	if _, known := registry.Map()[name]; known {
		return ref
	}
	schema := huma.SchemaFromType(registry, t)
	for _, f := range action.Fields(reflect.TypeFor[extras]()) {
		if _, has := schema.Properties[f.Name]; !has {
			schema.Properties[f.Name] = huma.SchemaFromField(registry, structField(f), f.Name)
		}
	}
	registry.Map()[name] = schema
	return ref
}

func genericOperation(doc *huma.OpenAPI) *huma.Operation {
	var names []any
	for _, v := range action.Verbs {
		names = append(names, v.Name)
	}
	registry := doc.Components.Schemas
	result := jsonOf(registry.Schema(reflect.TypeFor[action.Result](), true, ""))
	return &huma.Operation{
		Method: http.MethodPost, Path: "/v1/verbs/{verb}", OperationID: "verb", Tags: []string{"verbs"},
		Summary:     "Make a call by the verb's name, and get the whole result",
		Parameters:  []*huma.Param{{Name: "verb", In: "path", Required: true, Schema: &huma.Schema{Type: "string", Enum: names}}},
		RequestBody: &huma.RequestBody{Content: jsonOf(registry.Schema(reflect.TypeFor[generic](), true, ""))},
		Responses: map[string]*huma.Response{
			"200":     {Description: "Done", Content: result},
			"202":     {Description: "A person has not answered yet; see pending", Content: result},
			"default": {Description: "A fault (RFC 9457)", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: registry.Schema(reflect.TypeFor[problem](), true, "")}}},
		},
	}
}

func healthOperation(doc *huma.OpenAPI) *huma.Operation {
	return &huma.Operation{
		Method: http.MethodGet, Path: healthPath, OperationID: "health", Tags: []string{"health"},
		Summary: "Say that the gateway runs; needs no token", Security: []map[string][]string{{}},
		Responses: map[string]*huma.Response{
			"200": {Description: "It runs", Content: jsonOf(doc.Components.Schemas.Schema(reflect.TypeFor[health](), true, ""))},
		},
	}
}

// offerDescription serves the description as JSON and as a page without
// script. Both are written when first asked for, which is after the last
// operation was added.
func (s *surface) offerDescription(api huma.API) {
	serve := func(path, mediaType string, write func() ([]byte, error)) {
		once := sync.OnceValues(write)
		api.Adapter().Handle(&huma.Operation{Method: http.MethodGet, Path: path}, func(hc huma.Context) {
			r, w := humago.Unwrap(hc)
			body, err := once()
			if err != nil {
				fail(w, r, err)
				return
			}
			writeRaw(w, http.StatusOK, mediaType, body)
		})
	}
	serve("/openapi.json", "application/openapi+json", func() ([]byte, error) { return json.Marshal(api.OpenAPI()) })
	serve("/docs", "text/html; charset=utf-8", func() ([]byte, error) {
		var page bytes.Buffer
		err := docsPage.Execute(&page, action.Verbs)
		return page.Bytes(), err
	})
}

func jsonOf(schema *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema}}
}

func binary(mediaTypes ...string) map[string]*huma.MediaType {
	content := map[string]*huma.MediaType{}
	for _, mediaType := range mediaTypes {
		content[mediaType] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	}
	return content
}

var docsPage = template.Must(template.New("docs").Funcs(template.FuncMap{
	"fields": func(v action.Verb) []action.Field { return action.Fields(reflect.TypeOf(v.NewArgs())) },
	"doc":    func(f action.Field) string { return f.Tag.Get("doc") },
}).Parse(docsText))
