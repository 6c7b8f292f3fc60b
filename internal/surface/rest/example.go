package rest

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const exampleID = "req-4f1c8a2e9b7d6035c1e2a4b8"

var (
	exampleTime    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	exampleGeneric = map[string]any{"session": "invoices", "args": map[string]any{"ref": "e12"}, "waitSeconds": 30}
	exampleResult  = action.Result{
		Session: "s3f9c1d2e4b5a6978", Data: map[string]any{"ok": true},
		Page: &action.Page{URL: "https://example.com/", Title: "Example Domain"},
	}
)

// commonExamples are examples for fields that have the same meaning in all
// types, and no example of their own.
var commonExamples = map[string]any{
	"url": "https://example.com/", "title": "Example Domain", "ok": true, "html": "<h1>Example Domain</h1>",
	"markdown": "# Example Domain", "href": "https://example.com/more", "text": "Example Domain", "mode": "text",
	"id": "7c2e9b0d4a6f8135e7c9b1d3f5a70264", "session": "s3f9c1d2e4b5a6978", "name": "invoices", "scope": "default",
	"actor": "agent", "provider": "sandbox", "state": "open", "role": "button", "tag": "button", "verb": action.VerbPageClick.Name,
	"width": 1280, "height": 720, "dpi": 96, "actions": 3, "status": 200, "found": true, "x": 0, "y": 640, "active": true,
	"level": "error", "method": "GET", "mimeType": "text/html", "mediaType": "image/png", "responseSize": 1256,
	"duration": 41.7, "value": "dark", "domain": ".example.com", "path": "/", "expires": -1, "sameSite": "Lax",
	"deleted": 1, "size": 18432, "sizeBytes": 18432, "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"result": "Example Domain", "type": "string", "rule": "words.high", "why": "the name says delete",
	"approvalId": "q5d8e1f4a7b0c3926d8e1f4a7", "seq": 42, "last": 42, "records": 42, "event_type": "outcome",
	"correlation_id": exampleID, "hash": "c1a5298f939e87e8f962a5edfc206918a7c5a1b9c4a3d2e1f0b9a8c7d6e5f403",
	"head":  "c1a5298f939e87e8f962a5edfc206918a7c5a1b9c4a3d2e1f0b9a8c7d6e5f403",
	"allow": []string{"*.example.com"}, "approve": true, "accept": true,
}

// exampleArguments returns a body for a valid call of a verb: the required
// fields, the fields with an example in their tags, and the reference of a
// locator.
func exampleArguments(v *action.Verb) map[string]any {
	t := reflect.TypeOf(v.NewArgs()).Elem()
	example := map[string]any{}
	for _, f := range action.Fields(t) {
		_, told := f.Tag.Lookup("example")
		located := len(f.Index) > 1 && t.Field(f.Index[0]).Type == reflect.TypeFor[action.Locator]()
		if f.Tag.Get("path") == "" && (f.Required() || told) && (!located || f.Name == "ref") {
			example[f.Name] = exampleField(f)
		}
	}
	return example
}

// exampleOf returns an example of a type: the required fields, and those that
// have an example.
func exampleOf(t reflect.Type) any {
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		return exampleOf(t.Elem())
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		return exampleTime
	case reflect.TypeFor[action.Risk]():
		return action.High.String()
	case reflect.TypeFor[[]byte]():
		return []byte("Example Domain")
	}
	switch t.Kind() {
	case reflect.Struct:
		example := map[string]any{}
		for _, f := range action.Fields(t) {
			if _, told := f.Tag.Lookup("example"); told || f.Required() {
				example[f.Name] = exampleField(f)
			}
		}
		return example
	case reflect.Slice:
		return []any{exampleOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"title": exampleOf(t.Elem())}
	case reflect.String:
		return "Example Domain"
	}
	return reflect.Zero(t).Interface()
}

// exampleField returns the example in a field's tag, or the common example of
// its name if the type fits, or one made from its type.
func exampleField(f action.Field) any {
	if text, told := f.Tag.Lookup("example"); told {
		value := reflect.New(f.Type)
		if json.Unmarshal([]byte(text), value.Interface()) == nil {
			return value.Interface()
		}
		return text
	}
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if words := strings.Split(f.Tag.Get("enum"), ","); t.Kind() == reflect.String && words[0] != "" {
		return words[0]
	}
	known, found := commonExamples[f.Name]
	if found && (t.Kind() == reflect.Interface || fits(known, t)) {
		return known
	}
	return exampleOf(f.Type)
}

// fits reports whether a common example has the type of a field.
func fits(example any, t reflect.Type) bool {
	from := reflect.TypeOf(example)
	if from.Kind() == reflect.String || t.Kind() == reflect.String || t.Kind() == reflect.Struct {
		return from.Kind() == t.Kind()
	}
	return from.ConvertibleTo(t)
}

var (
	refusedExample = problemOf(fault.New(fault.NotActive, "no session is open").Hinted("start one: POST /v1/sessions"))
	failedExample  = problemOf(fault.New(fault.SandboxRuntimeRequired, "no container engine answers").Hinted("start Docker, and see glovebox doctor"))
)

func problemOf(f *fault.Fault) problem { return shown(f, f.Code.Info().Status, exampleID) }
