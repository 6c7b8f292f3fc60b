package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// apiVersion is the version of the interface, with which its paths begin. It is
// not the version of the program: the description changes only when the
// interface does.
const apiVersion = "1"

// describe starts the description, in OpenAPI 3.1.
func describe() *document {
	schemas := map[string]action.Schema{}
	return &document{
		OpenAPI: "3.1.0",
		Info: info{
			Title: "Glovebox", Version: apiVersion,
			Description: "A governed web browser for AI agents. Every call is judged, recorded and, where a person must agree, asked about.",
			Contact:     contact{Name: "Glovebox", URL: "https://github.com/gloveboxhq/glovebox"},
			License:     license{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []server{{URL: "http://127.0.0.1:2468", Description: "Where a gateway listens by default"}},
		Paths:   map[string]map[string]*operation{},
		Components: components{
			Schemas:   schemas,
			Responses: map[string]*response{},
			SecuritySchemes: map[string]securityScheme{"token": {
				Type: "http", Scheme: "bearer", Description: "A token of an agent, a viewer or an operator: what it may do is its role's",
			}},
		},
		Security: []map[string][]string{{"token": {}}},
		types:    &action.Describer{Refer: "#/components/schemas/", Named: schemas},
	}
}

// tags say what each group of operations is about.
var tags = map[string]string{
	"session":    "Browsers in boxes of their own, from start to archive",
	"browser":    "The browser of a session as a whole",
	"page":       "What is done on a page, and what is read from it",
	"credential": "What sessions are logged in with, and where it comes from; never a value",
	"cookie":     "The cookies of a session; operators only",
	"tab":        "The tabs of a session; verbs act on the active one",
	"download":   "Files that pages offered",
	"token":      "Who may call",
	"profile":    "User data kept from one session to the next",
	"desktop":    "The session as people see it: live view and control",
	"cdp":        "The browser's own protocol, for other programs",
	"run":        "Contract runs: batches of actions, each in a browser of its own",
	"artifact":   "Files that sessions left",
	"approval":   "Questions that wait for a person, and their answers",
	"grant":      "What people allowed for the rest of a session",
	"policy":     "What is allowed, asked and denied, and why",
	"events":     "What happens, as it happens",
	"audit":      "The record of every call",
	"capability": "The contract that runs keep",
	"verbs":      "Any verb by its name",
	"health":     "Whether the gateway runs",
}

// finish adds the groups of operations, in the order of the table.
func (d *document) finish() {
	for _, op := range d.operations {
		for _, name := range op.Tags {
			if !slices.ContainsFunc(d.Tags, func(t tag) bool { return t.Name == name }) {
				d.Tags = append(d.Tags, tag{Name: name, Description: tags[name]})
			}
		}
	}
}

// tagOf returns the group of a verb: its noun.
func tagOf(v *action.Verb) string {
	noun, _, _ := strings.Cut(v.Name, ".")
	return noun
}

var classTexts = map[action.Class]string{
	action.Read:  "it changes nothing",
	action.Write: "it changes the page or the web",
	action.Raw:   "it gives unmediated access, which agents have only where policy grants it",
	action.Admin: "it is the operator's",
}

// paragraph describes a verb: its class, and its names on other surfaces.
func paragraph(v *action.Verb) string {
	text := "Verb `" + v.Name + "`, class " + v.Class.String() + ": " + classTexts[v.Class] + ". Its risk is " + v.Risk.String() + " unless the page says otherwise."
	if v.Tool != "" {
		text += " MCP tool: `" + v.Tool + "`."
	}
	if v.Command != "" {
		text += " Command: `glovebox " + v.Command + "`."
	}
	return text
}

// offline returns the description without serving anything.
func offline() *document { return (&surface{mux: http.NewServeMux()}).offerAll() }

// Description returns the OpenAPI 3.1 description of every route as indented
// JSON with sorted names. It is the same for every gateway with this version of
// the interface.
func Description() ([]byte, error) {
	return written(offline())
}

func written(doc *document) ([]byte, error) {
	flat, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, flat, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
