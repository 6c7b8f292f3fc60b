package action_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

func TestSchemasInTheReferenceAreUpToDate(t *testing.T) {
	for name, schema := range map[string]action.Schema{"input": action.RunInputSchema(), "output": action.RunOutputSchema()} {
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, "../../docs/reference/run-"+name+".schema.json", string(text)+"\n")
	}
}

// compiledSchema compiles a published schema with an independent library.
func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile("../../docs/reference/run-" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inputs contains runs, and whether they are valid as far as a schema can
// express it.
var inputs = map[string]bool{
	`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"read_page"}]}`:                                                                                                                 true,
	`{"url":"https://a.example/","domain_allowlist":["*.a.example","localhost:3000"],"actions":[{"type":"go_back"}],"timeout":120000,"screenshot_dir":"./shots/","archetype":"Builder","phase":"Build","actor":"x"}`: true,
	`{"url":"https://a.example/","domain_allowlist":["a.example"]}`:                                                                                                                                                  false,
	`{"url":"https://a.example/","domain_allowlist":[],"actions":[{"type":"read_page"}]}`:                                                                                                                            false,
	`{"url":"https://a.example/","domain_allowlist":["*"],"actions":[{"type":"read_page"}]}`:                                                                                                                         false,
	`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[]}`:                                                                                                                                     false,
	`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"read_page"}],"timeout":0}`:                                                                                                     false,
	`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"read_page"}],"timeout":120001}`:                                                                                                false,
	`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"read_page"}],"retries":1}`:                                                                                                     false,
}

// actions contains actions, and whether they are valid.
var actions = map[string]bool{
	`{"type":"navigate","url":"https://a.example/","wait_until":"networkidle","timeout":1000}`: true,
	`{"type":"navigate"}`: false,
	`{"type":"navigate","url":"https://a.example/","selector":"a"}`: false,
	`{"type":"navigate","url":"https://a.example/","amount":0}`:     false,
	`{"type":"screenshot"}`:                               true,
	`{"type":"screenshot","name":"end","full_page":true}`: true,
	`{"type":"screenshot","full_page":"yes"}`:             false,
	`{"type":"read_page"}`:                                true,
	`{"type":"read_page","selector":"main"}`:              false,
	`{"type":"form_input","selector":"#q","value":""}`:    true,
	`{"type":"form_input","role":"textbox","name":"E-mail","value":"a","append":true,"submit":false}`: true,
	`{"type":"form_input","selector":"#q","options":["Red"]}`:                                         true,
	`{"type":"form_input","selector":"#q"}`:                                                           false,
	`{"type":"form_input","value":"a"}`:                                                               false,
	`{"type":"form_input","selector":"#q","value":"a","options":["Red"]}`:                             false,
	`{"type":"form_input","selector":"#q","value":7}`:                                                 false,
	`{"type":"left_click","x":1,"y":2}`:                                                               true,
	`{"type":"left_click","text":"Save","index":1,"strict":true,"timeout":100}`:                       true,
	`{"type":"left_click"}`:                                                                           false,
	`{"type":"left_click","name":"Save"}`:                                                             false,
	`{"type":"left_click","selector":"a","value":"x"}`:                                                false,
	`{"type":"scroll_down"}`:                                                                          true,
	`{"type":"scroll_up","amount":100,"selector":"main"}`:                                             true,
	`{"type":"scroll_up","amount":0}`:                                                                 false,
	`{"type":"scroll_down","x":1}`:                                                                    false,
	`{"type":"search_text","text":"a"}`:                                                               true,
	`{"type":"search_text"}`:                                                                          false,
	`{"type":"wait","ms":0}`:                                                                          true,
	`{"type":"wait","selector":"#a","timeout":100}`:                                                   true,
	`{"type":"wait"}`:                                                                                 false,
	`{"type":"wait","ms":5,"text":"a"}`:                                                               false,
	`{"type":"wait","ms":120001}`:                                                                     false,
	`{"type":"go_back"}`:                                                                              true,
	`{"type":"go_back","ms":null}`:                                                                    false,
	`{"type":"download"}`:                                                                             false,
	`{"type":7}`:                                                                                      false,
	`{"ref":"e1"}`:                                                                                    false,
	`{}`:                                                                                              false,
	`null`:                                                                                            false,
	`"go_back"`:                                                                                       false,
}

// TestTheSchemaSaysWhatIsTaken checks the same values with the program and with
// its schema.
func TestTheSchemaSaysWhatIsTaken(t *testing.T) {
	schema := compiledSchema(t, "input")
	all := map[string]bool{}
	for text, good := range inputs {
		all[text] = good
	}
	for text, good := range actions {
		all[`{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"go_back"},`+text+`]}`] = good
	}
	for text, good := range all {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != good {
			t.Errorf("the schema says of %s: %v", text, err)
		}
		args := new(action.RunStart)
		if err = action.Decode([]byte(text), args); err == nil {
			err = action.Check(args)
		}
		patterns := text == `{"url":"https://a.example/","domain_allowlist":["*"],"actions":[{"type":"read_page"}]}` // whose hosts are judged later
		if (err == nil) != good && !patterns {
			t.Errorf("%s: %v", text, err)
		}
		if f := fault.From(err); f != nil && (f.Code.Info().Status != 400 || f.Hint == "") {
			t.Errorf("%s: %+v", text, f)
		}
	}
}
