package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// inSession ends the ids of operations below /v1/sessions/{session}.
const inSession = "-in-session"

// needsBody reports whether a call of a verb must have a body.
func needsBody(v *action.Verb) bool {
	return slices.ContainsFunc(action.Fields(reflect.TypeOf(v.NewArgs())), func(f action.Field) bool {
		return f.Required() && f.Tag.Get("path") == ""
	})
}

// operation describes a verb at one of its paths.
func operation(doc *huma.OpenAPI, v *action.Verb, path string) *huma.Operation {
	id := strings.ReplaceAll(v.Name, ".", "-")
	if strings.Contains(path, "{session}") && actsOnSession(v) {
		id += inSession
	}
	op := &huma.Operation{
		Method: v.Method, Path: path, OperationID: id, Summary: v.Summary,
		Description: paragraph(v),
		Tags:        []string{tagOf(v)},
		Parameters:  parameters(doc, v, path),
		Responses:   responses(doc, v),
	}
	if !inQuery(v) {
		op.RequestBody = &huma.RequestBody{
			Description: "The verb's arguments", Required: needsBody(v), Content: jsonOf(arguments(doc, v), exampleArguments(v)),
		}
	}
	return op
}

func parameters(doc *huma.OpenAPI, v *action.Verb, path string) []*huma.Param {
	text := &huma.Schema{Type: "string", MaxLength: new(64), Examples: []any{"invoices"}}
	var all []*huma.Param
	if strings.Contains(path, "{session}") {
		all = append(all, &huma.Param{Name: "session", In: "path", Required: true, Schema: text, Description: "Id or name of the session"})
	} else if actsOnSession(v) {
		all = append(all,
			&huma.Param{Name: sessionHeader, In: "header", Schema: text, Description: "Id or name of the session; the caller's own open one that was used last when absent"},
			&huma.Param{Name: "session", In: "query", Schema: text, Description: "The same"})
	}
	if offersChanges(v) {
		all = append(all, &huma.Param{Name: changesParameter, In: "query", Schema: &huma.Schema{Type: "boolean"},
			Description: "true: the answer says, as changes, what is otherwise on the page than the caller was last shown"})
	}
	for _, f := range action.Fields(reflect.TypeOf(v.NewArgs())) {
		schema := huma.SchemaFromField(doc.Components.Schemas, structField(f), "")
		if name := f.Tag.Get("path"); name != "" {
			all = append(all, &huma.Param{Name: name, In: "path", Required: true, Schema: schema, Description: "Id, as listed"})
		} else if name := f.Tag.Get("query"); name != "" && inQuery(v) {
			all = append(all, &huma.Param{Name: name, In: "query", Schema: schema, Description: f.Tag.Get("doc")})
		}
	}
	if v.Name == action.VerbEventsFollow.Name {
		all = append(all, &huma.Param{Name: lastEventID, In: "header", Schema: &huma.Schema{Type: "string", Pattern: "^[0-9]+$"}, Description: "The same as after, as a client sends it that lost its stream of events"})
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
		schema.Properties[f.Name] = optional(huma.SchemaFromField(doc.Components.Schemas, structField(f), t.Name()+f.Name))
		if f.Required() && f.Tag.Get("path") == "" {
			schema.Required = append(schema.Required, f.Name)
		}
	}
	doc.Components.Schemas.Map()[name] = schema
	return ref
}

// optional moves the default of an argument to x-default: generators of clients
// take a field with a default for one that is always there, and demand it.
func optional(schema *huma.Schema) *huma.Schema {
	if schema.Default != nil {
		schema.Extensions = map[string]any{"x-default": schema.Default}
		schema.Default = nil
	}
	return schema
}

func structField(f action.Field) reflect.StructField {
	return reflect.StructField{Name: exported(f.Name), Type: f.Type, Tag: f.Tag}
}

func exported(name string) string {
	return string(unicode.ToUpper(rune(name[0]))) + name[1:]
}

func responses(doc *huma.OpenAPI, v *action.Verb) map[string]*huma.Response {
	ok := &huma.Response{Description: "Done"}
	switch v.NewData().(type) {
	case *action.Screenshot:
		ok.Content = binary("image/png", "image/jpeg", "image/webp")
	case *action.PDF:
		ok.Content = binary("application/pdf")
	case *action.HAR:
		ok.Content = jsonOf(&huma.Schema{Type: "object", Description: "A network log (HAR 1.2)"}, exampleHAR)
	case *action.AuditFile:
		ok.Content = binary("application/x-ndjson", "text/csv")
	case *action.File:
		ok.Content = binary(slices.Concat(displayable, []string{unknownBytes})...)
	default:
		ok.Content = jsonOf(withExtras(doc, reflect.TypeOf(v.NewData()).Elem()), exampleOf(reflect.TypeOf(v.NewData())))
	}
	if v.Name == action.VerbPageCrawl.Name {
		ok.Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{
			Type: "string", Description: "Where it is accepted: events page, progress, and last done or error; see the page on crawls",
		}, Example: "event: progress\ndata: {\"pages\":1,\"queued\":3,\"url\":\"https://example.com/\"}\n\n"}
	}
	if v.Name == action.VerbEventsFollow.Name {
		ok.Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{
			Type: "string", Description: "Where it is accepted: each event with its number as id, its kind as event, and itself as data; a comment every 10 seconds. It ends after 5 minutes: come again with Last-Event-ID",
		}, Example: "id: 7\nevent: session\ndata: {\"id\":7,\"kind\":\"session\",\"record\":{}}\n\n"}
	}
	if v.Name == action.VerbRunStart.Name {
		ok.Content["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{
			Type: "string", Description: "Where it is accepted: events step, state, and last done or error; see the page on runs",
		}, Example: "event: step\ndata: {\"action\":\"navigate\",\"timestamp\":\"2026-11-20T12:00:00Z\",\"success\":true,\"details\":\"https://example.com/ (200)\"}\n\n"}
	}
	actionResultContent(doc, v, ok)
	ok.Headers = map[string]*huma.Param{sessionHeader: {Description: "Id of the session", Schema: &huma.Schema{Type: "string"}}}
	if _, picture := v.NewData().(*action.Screenshot); picture {
		ok.Headers[cutHeader] = &huma.Param{Description: "A part of what was asked for is not on the picture: it was too large, or what it scrolls in hides it", Schema: &huma.Schema{Type: "string", Enum: []any{"true"}}}
	}
	all := refusals(doc, v, map[string]*huma.Response{strconv.Itoa(successOf(v)): ok, "202": shared(doc, "Waiting")})
	if v.Name == action.VerbRunStart.Name {
		all["202"] = &huma.Response{
			Description: "The run is under way, or a person is asked about its hosts", Content: ok.Content,
			Headers: map[string]*huma.Param{"Location": {Description: "Where it is shown", Schema: &huma.Schema{Type: "string"}}},
		}
	}
	if v.Name == action.VerbCDPAttach.Name {
		all["101"] = &huma.Response{Description: "The browser's protocol, to a request for a WebSocket; a client that can send no header gives its token as ?access_token="}
	}
	return all
}

// refusals adds what every operation may answer with: faults, of the codes that
// its verb can have; v is nil for an operation of any verb.
func refusals(doc *huma.OpenAPI, v *action.Verb, all map[string]*huma.Response) map[string]*huma.Response {
	kind := faultsOf(v)
	all["4XX"], all["5XX"] = shared(doc, "Refused"+kind.name), shared(doc, "Failed"+kind.name)
	return all
}

// shared returns a reference to a response that many operations have. It adds the
// response to the description.
func shared(doc *huma.OpenAPI, name string) *huma.Response {
	all := doc.Components.Responses
	if len(all) == 0 {
		registry := doc.Components.Schemas
		all["Waiting"] = &huma.Response{
			Description: "A person has not answered yet and nothing was done; the same call made again picks the answer up",
			Headers:     map[string]*huma.Param{"Location": {Description: "Where to ask whether it was answered", Schema: &huma.Schema{Type: "string"}}},
			Content:     jsonOf(registry.Schema(reflect.TypeFor[waiting](), true, ""), exampleOf(reflect.TypeFor[waiting]())),
		}
		problems(doc)
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
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
	for _, v := range action.Offered() {
		names = append(names, v.Name)
	}
	registry := doc.Components.Schemas
	result := jsonOf(registry.Schema(reflect.TypeFor[action.Result](), true, ""), exampleResult)
	told := maps.Clone(result)
	told["text/event-stream"] = &huma.MediaType{Schema: &huma.Schema{
		Type: "string", Description: "Where it is accepted and there is something to tell: phase, what the call is at; question, that a person is asked; what the verb's own route tells; and last done or error",
	}, Example: "event: phase\ndata: {\"phase\":\"making the box\"}\n\n"}
	return &huma.Operation{
		Method: http.MethodPost, Path: "/v1/verbs/{verb}", OperationID: "verb", Tags: []string{"verbs"},
		Summary:     "Make a call by the verb's name, and get the whole result",
		Description: "Any verb of the table, with its arguments as an object. It is judged, recorded and asked about as the verb's own route is.",
		Parameters:  []*huma.Param{{Name: "verb", In: "path", Required: true, Description: "Name of the verb", Schema: &huma.Schema{Type: "string", Enum: names, Examples: []any{action.VerbPageClick.Name}}}},
		RequestBody: &huma.RequestBody{Description: "Session and arguments", Content: jsonOf(registry.Schema(reflect.TypeFor[generic](), true, ""), exampleGeneric)},
		Responses: refusals(doc, nil, map[string]*huma.Response{
			"200": {Description: "Done", Content: told},
			"202": {Description: "A person has not answered yet; see pending", Content: result},
		}),
	}
}

func healthOperation(doc *huma.OpenAPI) *huma.Operation {
	registry := doc.Components.Schemas
	return &huma.Operation{
		Method: http.MethodGet, Path: healthPath, OperationID: "health", Tags: []string{"health"},
		Summary: "Say that the gateway runs", Description: "Needs no token, and tells a stranger nothing else.", Security: []map[string][]string{{}},
		Responses: refusals(doc, nil, map[string]*huma.Response{
			"200": {Description: "It runs", Content: jsonOf(registry.Schema(reflect.TypeFor[health](), true, ""), health{OK: true})},
		}),
	}
}

// exampleHAR is the smallest archive there is.
var exampleHAR = map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]any{"name": "Glovebox", "version": "1"}, "pages": []any{}, "entries": []any{}}}

func jsonOf(schema *huma.Schema, example any) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema, Example: example}}
}

func binary(mediaTypes ...string) map[string]*huma.MediaType {
	content := map[string]*huma.MediaType{}
	for _, mediaType := range mediaTypes {
		mediaType, _, _ = strings.Cut(mediaType, ";")
		content[mediaType] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	}
	return content
}
