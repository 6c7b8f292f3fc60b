package rest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
)

//go:embed docs.html
var docsText string

var docsPage = template.Must(template.New("docs").Funcs(template.FuncMap{"coded": codeHTML}).Parse(docsText))

// codeHTML writes text between backquotes as code, as CommonMark does, and
// escapes everything else.
func codeHTML(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		out.WriteString(part)
	}
	return template.HTML(out.String())
}

// docGroup is a group of operations on the documentation page.
type docGroup struct {
	Name, About string
	Entries     []docOperation
}

// docOperation is an operation on the documentation page.
type docOperation struct {
	*operation
	Anchor string
	Fields []fieldRow // of the body
	Curl   string
	Status string // of success
	Answer string // of success, by example
}

// fieldRow is a field of a body.
type fieldRow struct {
	Name, Type, Meaning string
	Required            bool
}

// Documentation returns the description as an HTML page without scripts. A
// gateway serves the same page at /docs.
func Documentation() ([]byte, error) {
	return documentation(offline())
}

func documentation(doc *document) ([]byte, error) {
	var chapters []docGroup
	for _, tag := range doc.Tags {
		c := docGroup{Name: tag.Name, About: tag.Description}
		for _, op := range doc.operations {
			if op.Tags[0] == tag.Name && !strings.HasSuffix(op.OperationID, inSession) {
				c.Entries = append(c.Entries, docOf(doc, op))
			}
		}
		chapters = append(chapters, c)
	}
	var page bytes.Buffer
	err := docsPage.Execute(&page, chapters)
	return page.Bytes(), err
}

func docOf(doc *document, op *operation) docOperation {
	e := docOperation{operation: op, Anchor: op.OperationID, Curl: curlOf(doc, op)}
	if op.RequestBody != nil {
		e.Fields = rowsOf(doc.resolve(op.RequestBody.Content["application/json"].Schema))
	}
	for _, status := range []string{"200", "201"} {
		if r := op.Responses[status]; r != nil {
			e.Status, e.Answer = status, answerOf(r)
		}
	}
	return e
}

// resolve returns the schema that another refers to.
func (d *document) resolve(schema action.Schema) action.Schema {
	ref, _ := schema["$ref"].(string)
	return d.Components.Schemas[strings.TrimPrefix(ref, d.types.Refer)]
}

func rowsOf(schema action.Schema) []fieldRow {
	var rows []fieldRow
	properties, _ := schema["properties"].(action.Schema)
	required, _ := schema["required"].([]string)
	for name, property := range properties {
		s, _ := property.(action.Schema)
		kind, _ := s["type"].(string)
		if words, is := s["enum"].([]string); is {
			kind = strings.Join(words, " ")
		}
		about, _ := s["description"].(string)
		rows = append(rows, fieldRow{Name: name, Type: kind, Meaning: about, Required: slices.Contains(required, name)})
	}
	slices.SortFunc(rows, func(a, b fieldRow) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rows
}

func answerOf(r *response) string {
	kinds := slices.Sorted(maps.Keys(r.Content)) // JSON comes before event streams
	for _, kind := range kinds {
		if example := r.Content[kind].Example; example != nil {
			return pretty(example)
		}
	}
	return "the bytes, as " + strings.Join(kinds, " or ")
}

// curlOf returns the curl command for the example of an operation.
func curlOf(doc *document, op *operation) string {
	path := op.Path
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.Replace(path, "{"+p.Name+"}", sample(p), 1)
		}
	}
	command := "curl -s"
	if len(op.Security) == 0 {
		command += ` -H "Authorization: Bearer $T"`
	}
	if op.Method != http.MethodGet && op.Method != http.MethodPost || op.Method == http.MethodPost && op.RequestBody == nil {
		command += " -X " + op.Method
	}
	if op.RequestBody != nil {
		body := inline(op.RequestBody.Content["application/json"].Example)
		command += " \\\n  -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(body, "'", `'\''`) + "'"
	}
	return command + " \\\n  " + doc.Servers[0].URL + path
}

func sample(p *parameter) string {
	if examples, _ := p.Schema["examples"].([]any); len(examples) > 0 {
		if text, ok := examples[0].(string); ok {
			return text
		}
	}
	return commonExamples["id"].(string)
}

func inline(v any) string {
	text, _ := json.Marshal(v) // examples are ours; a test writes them all
	return string(text)
}

func pretty(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ") // as above
	return string(text)
}

// offerDescription serves the description as JSON and as a page. Each is
// written when it is first asked for.
func (s *surface) offerDescription(doc *document) {
	serve := func(path, mediaType string, write func(*document) ([]byte, error)) {
		once := sync.OnceValues(func() ([]byte, error) { return write(doc) })
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			body, err := once()
			if err != nil {
				fail(w, r, err)
				return
			}
			writeRaw(w, http.StatusOK, mediaType, body)
		})
	}
	serve("/openapi.json", "application/openapi+json", written)
	serve("/docs", "text/html; charset=utf-8", documentation)
}
