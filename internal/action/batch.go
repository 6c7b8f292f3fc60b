package action

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The verbs of this file.
var (
	VerbPageBatch = Define[Batch, Batched](Verb{Name: "page.batch", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/browser/batch", Body: filesBody, Tool: "browser_batch", Command: "batch", Summary: "Make several calls in one request: checked whole, each judged alone, up to the first that fails or waits"})
)

// Batch is several calls in one request, in one session. All of them are
// checked before the first is made. Each step is then a call of its own
// (docs/mcp.md).
type Batch struct {
	Steps []Step `json:"steps" minItems:"1" maxItems:"50" doc:"Done in order, up to the first that fails or waits for a person" example:"[{\"verb\":\"page.click\",\"args\":{\"selector\":\"#save\"}}]"`
}

// Step is one call of a batch.
type Step struct {
	Verb string `json:"verb" minLength:"1" maxLength:"32" doc:"A verb of the page or its tabs" example:"page.click"`
	Args any    `json:"args,omitempty" doc:"The verb's arguments, as at its own route"` // pointer to its argument type
}

// Batched is the result of a batch of which at least a part was done.
type Batched struct {
	OK    bool        `json:"ok"`    // every step is done
	State string      `json:"state"` // done, failed or pending
	Done  int         `json:"done"`  // steps that are done, by former calls of the batch too
	Steps []BatchStep `json:"steps"` // each of the batch, in its order
	// Pending is the question for which the first step that is not done waits.
	// When the same batch is called again, it continues with that step.
	Pending *Pending `json:"pending,omitempty"`
	Resumed int      `json:"resumed,omitempty"` // of the steps done, those of former calls
}

// BatchStep is the result of one step.
type BatchStep struct {
	Verb  string     `json:"verb"`
	State string     `json:"state"`          // done, failed, pending or left
	Said  string     `json:"said,omitempty"` // what was done to what, in a line; never what was typed
	Data  any        `json:"data,omitempty"` // the verb's own result
	Error *StepFault `json:"error,omitempty"`
}

// StepFault is why a step failed.
type StepFault struct {
	Code      fault.Code `json:"code"`
	Message   string     `json:"message"`
	Hint      string     `json:"hint,omitempty"`
	Retryable bool       `json:"retryable,omitempty"`
}

// States of a batch and of its steps.
const (
	StepDone    = "done"
	StepFailed  = "failed"
	StepPending = "pending"
	StepLeft    = "left"
)

// Batches reports whether a verb may be a step of a batch: verbs of pages and
// tabs, except those that consist of many calls.
func (v *Verb) Batches() bool {
	own := strings.HasPrefix(v.Name, "page.") || strings.HasPrefix(v.Name, "tab.")
	return own && !v.Inner && v.Name != VerbPageCrawl.Name && v.Name != VerbPageBatch.Name
}

// stepVerbs lists the verbs of steps, for hints.
func stepVerbs() string {
	var names []string
	for _, v := range Verbs {
		if v.Batches() {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (s *Step) row() (*Verb, error) {
	if v, known := Lookup(s.Verb); known && v.Batches() {
		return v, nil
	}
	return nil, invalid("verb", "is no verb of a step").Hinted("use one of %s", stepVerbs())
}

// UnmarshalJSONFrom reads a step, with the arguments of its verb.
func (s *Step) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var plain struct {
		Verb string         `json:"verb"`
		Args jsontext.Value `json:"args"`
	}
	if err := json.Unmarshal(raw, &plain, json.RejectUnknownMembers(true)); err != nil {
		return decodeFault(err, s)
	}
	s.Verb = plain.Verb
	v, err := s.row()
	if err != nil {
		return err
	}
	s.Args = v.NewArgs()
	return Within("args", Decode(plain.Args, s.Args))
}

// Sound refuses a step whose arguments are not valid for its verb.
func (s *Step) Sound() error {
	v, err := s.row()
	if err != nil {
		return err
	}
	if s.Args == nil {
		s.Args = v.NewArgs()
	}
	if reflect.TypeOf(s.Args) != reflect.TypeOf(v.NewArgs()) || reflect.ValueOf(s.Args).IsNil() {
		return invalid("args", "are those of another verb").Hinted("%s", takes(v.NewArgs()))
	}
	return Within("args", Check(s.Args))
}
