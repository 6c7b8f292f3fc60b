package audit_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

// schema describes a record as it is exported.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[action.Record](nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "A record of Glovebox's audit trail"
	for _, event := range audit.Events {
		s.Properties["event_type"].Enum = append(s.Properties["event_type"].Enum, event)
	}
	s.Properties["timestamp"].Format = "date-time"
	s.Properties["hash"].Pattern = "^[0-9a-f]{64}$"
	return s
}

func TestRecordSchemaInTheReferenceIsUpToDate(t *testing.T) {
	want, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/reference/audit-record.schema.json", string(want)+"\n")
}

func TestRecordsFollowTheirSchema(t *testing.T) {
	resolved, err := schema(t).Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(export(t, mixed(t), action.AuditExport{}, "acme")), "\n") {
		var value any
		if err := json.Unmarshal([]byte(line), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if resolved.Validate(map[string]any{"seq": 1, "event_type": "no such", "correlation_id": "", "timestamp": "", "hash": ""}) == nil {
		t.Error("the schema takes anything")
	}
}

func TestEveryKindOfRecordIsListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "log.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kind, n := regexp.MustCompile(`^"[a-z]+"$`), 0
	ast.Inspect(file, func(node ast.Node) bool {
		if d, is := node.(*ast.GenDecl); is && d.Tok != token.CONST || isFunc(node) {
			return false
		}
		if text, ok := node.(*ast.BasicLit); ok && kind.MatchString(text.Value) {
			n++
		}
		return true
	})
	if n != len(audit.Events) {
		t.Errorf("%d kinds, %d listed", n, len(audit.Events))
	}
}

func isFunc(node ast.Node) bool {
	_, is := node.(*ast.FuncDecl)
	return is
}
