package rest

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// document is a description of the interface, with the parts of OpenAPI 3.1
// that it uses. The fields of each type are in alphabetical order, because they
// are written in this order.
type document struct {
	Components components                       `json:"components"`
	Info       info                             `json:"info"`
	OpenAPI    string                           `json:"openapi"`
	Paths      map[string]map[string]*operation `json:"paths"`
	Security   []map[string][]string            `json:"security"`
	Servers    []server                         `json:"servers"`
	Tags       []tag                            `json:"tags"`

	types      *action.Describer // writes Components.Schemas
	operations []*operation      // as they were added
}

type components struct {
	Responses       map[string]*response      `json:"responses"`
	Schemas         map[string]action.Schema  `json:"schemas"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

type securityScheme struct {
	Description string `json:"description"`
	Scheme      string `json:"scheme"`
	Type        string `json:"type"`
}

type info struct {
	Contact     contact `json:"contact"`
	Description string  `json:"description"`
	License     license `json:"license"`
	Title       string  `json:"title"`
	Version     string  `json:"version"`
}

type contact struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type license struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
}

type server struct {
	Description string `json:"description"`
	URL         string `json:"url"`
}

type tag struct {
	Description string `json:"description"`
	Name        string `json:"name"`
}

// operation is one method of one path.
type operation struct {
	Method string `json:"-"`
	Path   string `json:"-"`

	Description string                `json:"description"`
	OperationID string                `json:"operationId"`
	Parameters  []*parameter          `json:"parameters,omitempty"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]*response  `json:"responses"`
	Security    []map[string][]string `json:"security,omitempty"`
	Summary     string                `json:"summary"`
	Tags        []string              `json:"tags"`
}

// parameter is a parameter of a path, query or header. As a header of an answer
// it has no name.
type parameter struct {
	Description string        `json:"description,omitempty"`
	Example     any           `json:"example,omitempty"`
	In          string        `json:"in,omitempty"`
	Name        string        `json:"name,omitempty"`
	Required    bool          `json:"required,omitempty"`
	Schema      action.Schema `json:"schema"`
}

type requestBody struct {
	Content     map[string]*mediaType `json:"content"`
	Description string                `json:"description"`
	Required    bool                  `json:"required,omitempty"`
}

type response struct {
	Ref         string                `json:"$ref,omitempty"`
	Content     map[string]*mediaType `json:"content,omitempty"`
	Description string                `json:"description,omitempty"`
	Headers     map[string]*parameter `json:"headers,omitempty"`
}

type mediaType struct {
	Example any           `json:"example,omitempty"`
	Schema  action.Schema `json:"schema"`
}

func (d *document) add(op *operation) {
	if d.Paths[op.Path] == nil {
		d.Paths[op.Path] = map[string]*operation{}
	}
	d.Paths[op.Path][strings.ToLower(op.Method)] = op
	d.operations = append(d.operations, op)
}
