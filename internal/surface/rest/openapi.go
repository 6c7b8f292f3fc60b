package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// inSession is the suffix of the ids of operations below
// /v1/sessions/{session}.
const inSession = "-in-session"

// needsBody reports whether a call of a verb must have a body.
func needsBody(v *action.Verb) bool {
	return slices.ContainsFunc(action.Fields(reflect.TypeOf(v.NewArgs())), func(f action.Field) bool {
		return f.Required() && f.Tag.Get("path") == ""
	})
}

// operationOf describes a verb at one of its paths.
func (d *document) operationOf(v *action.Verb, path string) *operation {
	id := strings.ReplaceAll(v.Name, ".", "-")
	if strings.Contains(path, "{session}") && actsOnSession(v) {
		id += inSession
	}
	op := &operation{
		Method: v.Method, Path: path, OperationID: id, Summary: v.Summary,
		Description: paragraph(v),
		Tags:        []string{tagOf(v)},
		Parameters:  d.parameters(v, path),
		Responses:   d.responses(v),
	}
	if !inQuery(v) {
		op.RequestBody = &requestBody{
			Description: "The verb's arguments", Required: needsBody(v), Content: jsonOf(d.arguments(v), exampleArguments(v)),
		}
	}
	return op
}

func (d *document) parameters(v *action.Verb, path string) []*parameter {
	text := action.Schema{"type": "string", "maxLength": 64, "examples": []any{"invoices"}}
	var all []*parameter
	if strings.Contains(path, "{session}") {
		all = append(all, &parameter{Name: "session", In: "path", Required: true, Schema: text, Description: "Id or name of the session"})
	} else if actsOnSession(v) {
		all = append(all,
			&parameter{Name: sessionHeader, In: "header", Schema: text, Description: "Id or name of the session; the caller's own open one that was used last when absent"},
			&parameter{Name: "session", In: "query", Schema: text, Description: "The same"})
	}
	if offersChanges(v) {
		all = append(all, &parameter{Name: changesParameter, In: "query", Schema: action.Schema{"type": "boolean"},
			Description: "true: the answer lists, in changes, what changed on the page since the caller last saw it"})
	}
	for _, f := range action.Fields(reflect.TypeOf(v.NewArgs())) {
		if name := f.Tag.Get("path"); name != "" {
			all = append(all, &parameter{Name: name, In: "path", Required: true, Schema: d.types.Field(f), Description: "Id, as listed"})
		} else if name := f.Tag.Get("query"); name != "" && inQuery(v) {
			all = append(all, &parameter{Name: name, In: "query", Schema: d.types.Field(f), Description: f.Tag.Get("doc")})
		}
	}
	if v.Name == action.VerbEventsFollow.Name {
		all = append(all, &parameter{Name: lastEventID, In: "header", Schema: action.Schema{"type": "string", "pattern": "^[0-9]+$"}, Description: "The same as after, as a client sends it that lost its stream of events"})
	}
	return append(all, &parameter{
		Name: "Prefer", In: "header", Schema: action.Schema{"type": "string"}, Example: "wait=10",
		Description: "wait=N: longest time in seconds to wait for a person's answer before 202 (RFC 7240); 55 when absent",
	})
}

// arguments returns the schema of a verb's arguments. Fields that are in the
// path are not required in the body. Defaults are written as x-default, because
// generators of clients require a field that has a default.
func (d *document) arguments(v *action.Verb) action.Schema {
	t := reflect.TypeOf(v.NewArgs()).Elem()
	name := t.Name() + "Args"
	if _, known := d.Components.Schemas[name]; known {
		return d.types.Reference(name)
	}
	schema := d.types.Object(t)
	required, _ := schema["required"].([]string)
	properties, _ := schema["properties"].(action.Schema)
	for _, f := range action.Fields(t) {
		if f.Tag.Get("path") != "" {
			required = slices.DeleteFunc(required, func(name string) bool { return name == f.Name })
		}
		property, _ := properties[f.Name].(action.Schema)
		if value, has := property["default"]; has {
			property["x-default"] = value
			delete(property, "default")
		}
	}
	if schema["required"] = required; len(required) == 0 {
		delete(schema, "required")
	}
	d.Components.Schemas[name] = schema
	return d.types.Reference(name)
}

func (d *document) responses(v *action.Verb) map[string]*response {
	ok := &response{Description: "Done"}
	switch v.NewData().(type) {
	case *action.Screenshot:
		ok.Content = binary("image/png", "image/jpeg", "image/webp")
	case *action.PDF:
		ok.Content = binary("application/pdf")
	case *action.HAR:
		ok.Content = jsonOf(action.Schema{"type": "object", "description": "A network log (HAR 1.2)"}, exampleHAR)
	case *action.AuditFile:
		ok.Content = binary("application/x-ndjson", "text/csv")
	case *action.File:
		ok.Content = binary(slices.Concat(displayable, []string{unknownBytes})...)
	default:
		ok.Content = jsonOf(d.withExtras(reflect.TypeOf(v.NewData()).Elem()), exampleOf(reflect.TypeOf(v.NewData())))
	}
	if v.Name == action.VerbPageCrawl.Name {
		ok.Content["text/event-stream"] = eventStream("Where it is accepted: events page, progress, and last done or error; see the page on crawls", "event: progress\ndata: {\"pages\":1,\"queued\":3,\"url\":\"https://example.com/\"}\n\n")
	}
	if v.Name == action.VerbEventsFollow.Name {
		ok.Content["text/event-stream"] = eventStream("Where it is accepted: each event with its number as id, its kind as event, and itself as data; a comment every 10 seconds. It ends after 5 minutes: come again with Last-Event-ID", "id: 7\nevent: session\ndata: {\"id\":7,\"kind\":\"session\",\"record\":{}}\n\n")
	}
	if v.Name == action.VerbRunStart.Name {
		ok.Content["text/event-stream"] = eventStream("Where it is accepted: events step, state, and last done or error; see the page on runs", "event: step\ndata: {\"action\":\"navigate\",\"timestamp\":\"2026-11-20T12:00:00Z\",\"success\":true,\"details\":\"https://example.com/ (200)\"}\n\n")
	}
	d.actionResultContent(v, ok)
	ok.Headers = map[string]*parameter{sessionHeader: {Description: "Id of the session", Schema: action.Schema{"type": "string"}}}
	if _, picture := v.NewData().(*action.Screenshot); picture {
		ok.Headers[cutHeader] = &parameter{Description: "A part of what was asked for is not on the picture: it was too large, or what it scrolls in hides it", Schema: action.Schema{"type": "string", "enum": []string{"true"}}}
	}
	all := d.refusals(v, map[string]*response{strconv.Itoa(successOf(v)): ok, "202": d.shared("Waiting")})
	if v.Name == action.VerbRunStart.Name {
		all["202"] = &response{
			Description: "The run is under way, or a person is asked about its hosts", Content: ok.Content,
			Headers: map[string]*parameter{"Location": {Description: "Where it is shown", Schema: action.Schema{"type": "string"}}},
		}
	}
	if v.Name == action.VerbDesktopWatch.Name {
		all["101"] = &response{Description: "The live picture: Neko's signaling, to a request for a WebSocket; a client that can send no header gives its token as ?access_token="}
	}
	if v.Name == action.VerbCDPAttach.Name {
		all["101"] = &response{Description: "The browser's protocol, to a request for a WebSocket; a client that can send no header gives its token as ?access_token="}
	}
	return all
}

// refusals adds the fault responses of an operation, with the codes that its
// verb can have; v is nil for an operation of any verb.
func (d *document) refusals(v *action.Verb, all map[string]*response) map[string]*response {
	kind := faultsOf(v)
	all["4XX"], all["5XX"] = d.shared("Refused"+kind.name), d.shared("Failed"+kind.name)
	return all
}

// shared returns a reference to a response that many operations have. It adds
// the response to the description if necessary.
func (d *document) shared(name string) *response {
	all := d.Components.Responses
	if len(all) == 0 {
		all["Waiting"] = &response{
			Description: "A person has not answered yet and nothing was done; the same call made again picks the answer up",
			Headers:     map[string]*parameter{"Location": {Description: "Where to ask whether it was answered", Schema: action.Schema{"type": "string"}}},
			Content:     jsonOf(d.types.Type(reflect.TypeFor[waiting]()), exampleOf(reflect.TypeFor[waiting]())),
		}
		d.problems()
	}
	return &response{Ref: "#/components/responses/" + name}
}

// withExtras returns the schema of a verb's object with the extras.
func (d *document) withExtras(t reflect.Type) action.Schema {
	name := t.Name() + "Answer"
	if _, known := d.Components.Schemas[name]; known {
		return d.types.Reference(name)
	}
	schema := d.types.Object(t)
	properties, _ := schema["properties"].(action.Schema)
	for _, f := range action.Fields(reflect.TypeFor[extras]()) {
		if _, has := properties[f.Name]; !has {
			properties[f.Name] = d.types.Field(f)
		}
	}
	d.Components.Schemas[name] = schema
	return d.types.Reference(name)
}

func (d *document) genericOperation() *operation {
	var names []string
	for _, v := range action.Offered() {
		names = append(names, v.Name)
	}
	result := jsonOf(d.types.Type(reflect.TypeFor[action.Result]()), exampleResult)
	told := maps.Clone(result)
	told["text/event-stream"] = eventStream("Where it is accepted and there is something to tell: phase, what the call is at; question, that a person is asked; what the verb's own route tells; and last done or error", "event: phase\ndata: {\"phase\":\"making the box\"}\n\n")
	return &operation{
		Method: http.MethodPost, Path: "/v1/verbs/{verb}", OperationID: "verb", Tags: []string{"verbs"},
		Summary:     "Make a call by the verb's name, and get the whole result",
		Description: "Any verb of the table, with its arguments as an object. It is judged, recorded and asked about as the verb's own route is.",
		Parameters:  []*parameter{{Name: "verb", In: "path", Required: true, Description: "Name of the verb", Schema: action.Schema{"type": "string", "enum": names, "examples": []any{action.VerbPageClick.Name}}}},
		RequestBody: &requestBody{Description: "Session and arguments", Content: jsonOf(d.types.Type(reflect.TypeFor[generic]()), exampleGeneric)},
		Responses: d.refusals(nil, map[string]*response{
			"200": {Description: "Done", Content: told},
			"202": {Description: "A person has not answered yet; see pending", Content: result},
		}),
	}
}

func (d *document) healthOperation() *operation {
	return &operation{
		Method: http.MethodGet, Path: healthPath, OperationID: "health", Tags: []string{"health"},
		Summary: "Say that the gateway runs", Description: "Needs no token, and tells a stranger nothing else.", Security: []map[string][]string{{}},
		Responses: d.refusals(nil, map[string]*response{
			"200": {Description: "It runs", Content: jsonOf(d.types.Type(reflect.TypeFor[health]()), health{OK: true})},
		}),
	}
}

func (d *document) livenessOperation() *operation {
	op := d.healthOperation()
	op.Path, op.OperationID, op.Summary = livenessPath, "liveness", "Say that the process answers"
	op.Description = "For liveness probes of orchestrators. Needs no token, and any Host is accepted."
	op.Responses["200"].Description = "It answers"
	return op
}

func (d *document) readinessOperation() *operation {
	op, body := d.livenessOperation(), d.types.Type(reflect.TypeFor[readiness]())
	op.Path, op.OperationID, op.Summary = readinessPath, "readiness", "Say whether sessions can start"
	op.Description = "For readiness probes of orchestrators. Needs no token, and any Host is accepted. The answer is at most 2 seconds old."
	op.Responses["200"] = &response{Description: "They can", Content: jsonOf(body, readiness{OK: true})}
	op.Responses["503"] = &response{Description: "They cannot", Content: jsonOf(body, readiness{Missing: []string{"engine"}})}
	return op
}

// exampleHAR is a minimal HTTP archive.
var exampleHAR = map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]any{"name": "Glovebox", "version": "1"}, "pages": []any{}, "entries": []any{}}}

func jsonOf(schema action.Schema, example any) map[string]*mediaType {
	return map[string]*mediaType{"application/json": {Schema: schema, Example: example}}
}

func eventStream(about, example string) *mediaType {
	return &mediaType{Schema: action.Schema{"type": "string", "description": about}, Example: example}
}

func binary(mediaTypes ...string) map[string]*mediaType {
	content := map[string]*mediaType{}
	for _, name := range mediaTypes {
		name, _, _ := strings.Cut(name, ";")
		content[name] = &mediaType{Schema: action.Schema{"type": "string", "format": "binary", "contentMediaType": unknownBytes}}
	}
	return content
}
