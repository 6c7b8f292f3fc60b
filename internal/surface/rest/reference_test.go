package rest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// known describes an operation of the browser interface that existing clients
// use: what they send, the defaults they rely on, and what they read.
type known struct {
	call     string         // method and path below /v1
	sends    []string       // parameters of a GET or DELETE, fields of a POST
	defaults map[string]any // of what is left out
	status   int            // of success; 200 when 0
	reads    []string       // fields of the answer; a media type where it is bytes
	pending  string         // the verb that will bring it; none when it is here
}

// reference lists all 37 operations on 33 paths.
var reference = []known{
	{call: "POST /browser/start", sends: []string{"width", "height", "dpi", "url", "headless", "contextId", "streamVideoCodec", "streamAudioCodec", "streamFrameRate", "webrtcPortRange", "recordingFps"}, defaults: map[string]any{"width": 1280.0, "height": 720.0, "dpi": 96.0}, reads: started},
	{call: "POST /browser/stop", reads: []string{"state"}},
	{call: "GET /browser/status", reads: started},
	{call: "GET /browser/cdp", status: 101},

	{call: "POST /browser/navigate", sends: []string{"url", "waitUntil"}, defaults: map[string]any{"waitUntil": "load"}, reads: []string{"url", "title", "status"}},
	{call: "POST /browser/back", reads: []string{"url", "title"}},
	{call: "POST /browser/forward", reads: []string{"url", "title"}},
	{call: "POST /browser/reload", sends: []string{"ignoreCache"}, reads: []string{"url", "title"}},
	{call: "POST /browser/wait", sends: []string{"selector", "timeout", "state"}, defaults: map[string]any{"timeout": 5000.0, "state": "attached"}, reads: []string{"found"}},

	{call: "GET /browser/tabs", reads: []string{"tabs"}},
	{call: "POST /browser/tabs", sends: []string{"url"}, status: 201, reads: []string{"id", "url", "title"}},
	{call: "POST /browser/tabs/{id}/activate", reads: []string{"id", "url", "title"}},
	{call: "DELETE /browser/tabs/{id}", reads: []string{"ok"}},

	{call: "GET /browser/screenshot", sends: []string{"format", "quality", "fullPage", "selector"}, defaults: map[string]any{"format": "png"}, reads: []string{"image/png", "image/jpeg", "image/webp"}},
	{call: "GET /browser/pdf", sends: []string{"format", "landscape", "printBackground", "scale"}, reads: []string{"application/pdf"}},
	{call: "GET /browser/content", sends: []string{"selector"}, reads: []string{"html", "url", "title"}},
	{call: "GET /browser/markdown", reads: []string{"markdown", "url", "title"}},
	{call: "POST /browser/scrape", sends: []string{"selectors", "url"}, reads: []string{"data", "url", "title"}},
	{call: "GET /browser/links", reads: []string{"links", "url"}},
	{call: "POST /browser/execute", sends: []string{"expression", "awaitPromise"}, reads: []string{"result", "type"}},
	{call: "GET /browser/snapshot", reads: []string{"snapshot", "url", "title"}},

	{call: "POST /browser/click", sends: []string{"selector", "button", "clickCount", "timeout"}, defaults: map[string]any{"button": "left", "clickCount": 1.0}, reads: []string{"ok"}},
	{call: "POST /browser/type", sends: []string{"selector", "text", "delay", "clear"}, reads: []string{"ok"}},
	{call: "POST /browser/select", sends: []string{"selector", "value"}, reads: []string{"ok"}},
	{call: "POST /browser/hover", sends: []string{"selector"}, reads: []string{"ok"}},
	{call: "POST /browser/scroll", sends: []string{"selector", "x", "y"}, reads: []string{"ok"}},
	{call: "POST /browser/upload", sends: []string{"selector", "path"}, reads: []string{"ok"}},
	{call: "POST /browser/dialog", sends: []string{"accept", "text"}, reads: []string{"ok"}},

	{call: "GET /browser/console", sends: []string{"level", "limit"}, defaults: map[string]any{"limit": 100.0}, reads: []string{"messages"}},
	{call: "GET /browser/network", sends: []string{"limit", "urlPattern"}, reads: []string{"requests"}},

	{call: "POST /browser/crawl", sends: []string{"url", "maxPages", "maxDepth", "allowedDomains", "extract"}, defaults: map[string]any{"maxPages": 10.0, "maxDepth": 2.0}, reads: []string{"pages", "totalPages", "truncated"}},

	{call: "GET /browser/contexts", reads: []string{"contexts"}},
	{call: "POST /browser/contexts", sends: []string{"name"}, status: 201, reads: []string{"id", "name", "createdAt"}},
	{call: "DELETE /browser/contexts/{id}"},

	{call: "GET /browser/cookies", sends: []string{"url"}, reads: []string{"cookies"}},
	{call: "POST /browser/cookies", sends: []string{"cookies"}, reads: []string{"ok"}},
	{call: "DELETE /browser/cookies", sends: []string{"name", "domain"}},
}

var started = []string{"state", "display", "resolution", "startedAt", "cdpUrl", "url", "missingDependencies", "installCommand", "processes", "lastError"}

// property is the part of a schema about a field.
type property struct {
	Ref        string `json:"$ref"`
	Default    any
	XDefault   any `json:"x-default"`
	Properties map[string]property
}

// offered is an operation in the description.
type offered struct {
	Parameters []struct {
		Name, In string
		Schema   property
	}
	RequestBody struct {
		Content map[string]struct{ Schema property }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema property }
	}
}

type offer struct {
	Paths      map[string]map[string]offered
	Components struct{ Schemas map[string]property }
}

func (o offer) resolve(p property) property {
	if name, is := strings.CutPrefix(p.Ref, "#/components/schemas/"); is {
		return o.Components.Schemas[name]
	}
	return p
}

func TestReferenceIsWholeAndOffered(t *testing.T) {
	paths := map[string]bool{}
	for _, k := range reference {
		_, path, _ := strings.Cut(k.call, " ")
		paths[path] = true
	}
	if len(reference) != 37 || len(paths) != 33 {
		t.Errorf("%d operations on %d paths", len(reference), len(paths))
	}
	text, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	var doc offer
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, k := range reference {
		method, path, _ := strings.Cut(k.call, " ")
		for _, at := range []string{"/v1" + path, "/v1/sessions/{session}" + path} {
			op, here := doc.Paths[at][strings.ToLower(method)]
			switch {
			case here && k.pending != "":
				t.Errorf("%s has come: it is pending no longer", k.pending)
			case !here && k.pending == "":
				t.Errorf("%s %s is not offered", method, at)
			case here:
				doc.hold(t, method+" "+at, op, k)
			}
		}
	}
}

// hold compares one operation with what clients expect of it.
func (o offer) hold(t *testing.T, what string, op offered, k known) {
	t.Helper()
	takes := map[string]property{}
	for _, p := range op.Parameters {
		if p.In == "query" {
			takes[p.Name] = p.Schema
		}
	}
	maps.Copy(takes, o.resolve(op.RequestBody.Content["application/json"].Schema).Properties)
	for _, name := range k.sends {
		if _, found := takes[name]; !found {
			t.Errorf("%s does not take %s", what, name)
		}
	}
	for name, want := range k.defaults {
		if got := cmp.Or(takes[name].Default, takes[name].XDefault); got != want {
			t.Errorf("%s: %s is %v by default, want %v", what, name, got, want)
		}
	}
	response, found := op.Responses[fmt.Sprint(cmp.Or(k.status, 200))]
	if !found {
		t.Errorf("%s does not answer %d", what, cmp.Or(k.status, 200))
	}
	kinds := slices.Collect(maps.Keys(response.Content))
	fields := o.resolve(response.Content["application/json"].Schema).Properties
	for _, name := range k.reads {
		if _, has := fields[name]; !has && !slices.Contains(kinds, name) {
			t.Errorf("%s does not answer %s", what, name)
		}
	}
}
