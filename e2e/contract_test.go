package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// document is the part of the OpenAPI description that requests and answers are
// checked against.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Responses map[string]described }
}

type operation struct {
	OperationID string `json:"operationId"`
	Parameters  []struct{ Name, In string }
	RequestBody described
	Responses   map[string]described
}

// described is a body by media type, or a reference to a shared one.
type described struct {
	Ref     string                     `json:"$ref"`
	Content map[string]json.RawMessage `json:"content"`
}

// unlisted are paths that are not in the description: another protocol, and the
// description itself.
var unlisted = []string{"/mcp", "/openapi.json", "/docs"}

// contract checks all requests and answers against the description printed by the
// program under test, and counts which operations were done.
type contract struct {
	document
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema // by place in the document
	done     map[string]int                // answers of success, by operation
	faults   map[fault.Code]int            // answers of failure
}

// readContract asks the program under test for its description.
func readContract() (*contract, error) {
	text, err := exec.Command(binary, "openapi").Output()
	if err != nil {
		return nil, fmt.Errorf("glovebox openapi: %w", err)
	}
	c := &contract{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}, done: map[string]int{}, faults: map[fault.Code]int{}}
	c.compiler.AssertFormat()
	if err := json.Unmarshal(text, &c.document); err != nil {
		return nil, err
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return c, c.compiler.AddResource("openapi.json", whole)
}

// exchange is one request and what came back.
type exchange struct {
	request *http.Request
	sent    string
	status  int
	header  http.Header
	body    []byte
}

// judge returns how an exchange violates the description.
func (c *contract) judge(x exchange) error {
	if slices.Contains(unlisted, x.request.URL.Path) {
		return nil
	}
	c.note(x)
	path, op := c.find(x.request.Method, x.request.URL.EscapedPath())
	if op == nil { // no such route: any fault, in the shape of all faults
		if x.status < 400 {
			return fmt.Errorf("an operation that is not described answered with %d", x.status)
		}
		return c.body(c.Components.Responses["Refused"], place("components", "responses", "Refused"), x)
	}
	at := place("paths", path, strings.ToLower(x.request.Method))
	if x.status < 300 {
		if err := c.asked(op, at, x); err != nil {
			return fmt.Errorf("%s took what is not described: %w", op.OperationID, err)
		}
		c.mu.Lock()
		c.done[op.OperationID]++
		c.mu.Unlock()
	}
	status := strconv.Itoa(x.status)
	if _, listed := op.Responses[status]; !listed {
		status = status[:1] + "XX"
	}
	response, listed := op.Responses[status]
	if !listed {
		return fmt.Errorf("%s: status %d is not described", op.OperationID, x.status)
	}
	at += place("responses", status)
	if name, shared := strings.CutPrefix(response.Ref, "#/components/responses/"); shared {
		response, at = c.Components.Responses[name], place("components", "responses", name)
	}
	return c.body(response, at, x)
}

// note counts the code of a fault.
func (c *contract) note(x exchange) {
	var f struct{ Code fault.Code }
	if x.status < 400 || json.Unmarshal(x.body, &f) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults[f.Code]++
}

// find returns the operation of a request; of several paths that match, the
// one with the fewest variables.
func (c *contract) find(method, path string) (string, *operation) {
	paths := slices.SortedFunc(maps.Keys(c.Paths), func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
	for _, template := range paths {
		if !matches(template, path) {
			continue
		}
		if op, ok := c.Paths[template][strings.ToLower(method)]; ok {
			return template, &op
		}
	}
	return "", nil
}

func matches(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

// asked checks an accepted request against the description.
func (c *contract) asked(op *operation, at string, x exchange) error {
	for name := range x.request.URL.Query() {
		known := func(p struct{ Name, In string }) bool { return p.In == "query" && p.Name == name }
		if !slices.ContainsFunc(op.Parameters, known) {
			return fmt.Errorf("the parameter %s", name)
		}
	}
	if x.sent == "" {
		return nil
	}
	return c.valid(op.RequestBody, at+place("requestBody"), x.request.Header.Get("Content-Type"), []byte(x.sent))
}

func (c *contract) body(response described, at string, x exchange) error {
	return c.valid(response, at, x.header.Get("Content-Type"), x.body)
}

// valid checks a body against the description of its media type.
func (c *contract) valid(d described, at, contentType string, body []byte) error {
	kind, _, err := mime.ParseMediaType(contentType)
	if _, listed := d.Content[kind]; err != nil || !listed {
		return fmt.Errorf("%s: the media type %q is not described", at, contentType)
	}
	if !strings.HasSuffix(kind, "json") {
		if len(body) == 0 {
			return fmt.Errorf("%s: an empty %s", at, kind)
		}
		return nil
	}
	schema, err := c.schema(at + place("content", kind, "schema"))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return schema.Validate(value)
}

// schema compiles the schema at a place of the document, once.
func (c *contract) schema(at string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.schemas[at]; known != nil {
		return known, nil
	}
	schema, err := c.compiler.Compile("openapi.json#" + at)
	c.schemas[at] = schema
	return schema, err
}

// place is a JSON pointer (RFC 6901), fit for the fragment of a URI.
func place(names ...string) string {
	var at strings.Builder
	for _, name := range names {
		at.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
	}
	return at.String()
}

// undone lists the operations that never succeeded, except those with a reason,
// and reasons that no longer apply.
func (c *contract) undone(reasons map[string]string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	described := map[string]bool{}
	for _, methods := range c.Paths {
		for _, op := range methods {
			described[op.OperationID] = true
			_, excused := reasons[op.OperationID]
			switch {
			case c.done[op.OperationID] == 0 && !excused:
				missing = append(missing, op.OperationID+" was never done: give it an example in operations_test.go")
			case c.done[op.OperationID] > 0 && excused:
				missing = append(missing, op.OperationID+" is excused and was done: strike it out")
			}
		}
	}
	for id := range reasons {
		if !described[id] {
			missing = append(missing, id+" is excused and does not exist: strike it out")
		}
	}
	slices.Sort(missing)
	return missing
}

// unmet lists the fault codes that no answer had, except those with a reason, and
// reasons that no longer apply.
func (c *contract) unmet(reasons map[fault.Code]string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []string
	codes := fault.Codes()
	for _, code := range codes {
		_, excused := reasons[code]
		switch {
		case c.faults[code] == 0 && !excused:
			missing = append(missing, string(code)+" was never answered: bring it about in fault_test.go")
		case c.faults[code] > 0 && excused:
			missing = append(missing, string(code)+" is excused and was answered: strike it out")
		}
	}
	for code := range reasons {
		if !slices.Contains(codes, code) {
			missing = append(missing, string(code)+" is excused and does not exist: strike it out")
		}
	}
	slices.Sort(missing)
	return missing
}

// operations counts the described operations and those that were done.
func (c *contract) operations() (all, done int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, methods := range c.Paths {
		all += len(methods)
	}
	return all, len(c.done)
}
