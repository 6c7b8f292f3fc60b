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
	value, err := plainly(action.RunOutputSchema())
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

// misshapen says what of a run that has ended is not as its schema says.
func (r *Runs) misshapen(run action.Run) error {
	value, err := plainly(run)
	if err != nil {
		return err
	}
	return r.output.Validate(value)
}

// plainly is a value as its JSON reads.
func plainly(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot encode: %w", err)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
