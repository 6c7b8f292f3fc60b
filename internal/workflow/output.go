package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// compileOutput compiles the description of a run's output.
func compileOutput() (*jsonschema.Schema, error) {
	value, err := asJSON(action.RunOutputSchema())
	if err != nil {
		return nil, err
	}
	const at = "run-output.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(at, value); err != nil {
		return nil, fmt.Errorf("cannot read the schema of runs: %w", err)
	}
	schema, err := compiler.Compile(at)
	if err != nil {
		return nil, fmt.Errorf("cannot compile the schema of runs: %w", err)
	}
	return schema, nil
}

// checkOutput says what of a run that has ended is not as its schema says.
func (r *Runs) checkOutput(run action.Run) error {
	value, err := asJSON(run)
	if err != nil {
		return err
	}
	return r.output.Validate(value)
}

// asJSON is a value as its JSON reads.
func asJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot encode: %w", err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
