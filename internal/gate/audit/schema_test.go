package audit_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

// schema describes a record as it is exported.
func schema() action.Schema {
	s := new(action.Describer).Object(reflect.TypeFor[action.Record]())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "A record of Glovebox's audit trail"
	property := func(name string) action.Schema { return s["properties"].(action.Schema)[name].(action.Schema) }
	property("event_type")["enum"] = action.AuditEvents
	property("hash")["pattern"] = "^[0-9a-f]{64}$"
	return s
}

func TestRecordSchemaInTheReferenceIsUpToDate(t *testing.T) {
	want, err := json.MarshalIndent(schema(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/reference/audit-record.schema.json", string(want)+"\n")
}

func TestRecordsFollowTheirSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	compiled, err := c.Compile("../../../docs/reference/audit-record.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(export(t, mixed(t), action.AuditExport{}, "acme")), "\n") {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if compiled.Validate(map[string]any{"seq": 1, "event_type": "no such", "correlation_id": "", "timestamp": "", "hash": ""}) == nil {
		t.Error("the schema takes anything")
	}
}
