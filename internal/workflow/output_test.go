package workflow_test

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// checkOutputs validates each ended run against the schema of its output.
func (h *harness) checkOutputs() {
	h.t.Helper()
	schema := h.outputSchema()
	rows, err := h.db.Reader.Query(`SELECT id, run FROM runs WHERE state = ?`, action.RunEnded)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, run string
		if err := rows.Scan(&id, &run); err != nil {
			h.t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(run))
		if err != nil {
			h.t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			h.t.Errorf("run %s does not match its schema: %v\n%s", id, err, run)
		}
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) outputSchema() *jsonschema.Schema {
	h.t.Helper()
	const at = "run-output.schema.json"
	text, err := json.Marshal(action.RunOutputSchema())
	if err != nil {
		h.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		h.t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(at, value); err != nil {
		h.t.Fatal(err)
	}
	schema, err := compiler.Compile(at)
	if err != nil {
		h.t.Fatal(err)
	}
	return schema
}
