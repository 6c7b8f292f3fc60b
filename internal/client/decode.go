package client

import (
	"encoding/json"
	"mime"
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// decode reads a result whose data is of the verb's own type.
func decode(verb *action.Verb, raw []byte) (action.Result, error) {
	var wire struct {
		action.Result
		Data json.RawMessage `json:"data"` // takes the place of Result.Data
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return action.Result{}, stranger().Because(err)
	}
	result := wire.Result
	if len(wire.Data) == 0 || string(wire.Data) == "null" {
		return result, nil
	}
	result.Data = verb.NewData()
	if err := json.Unmarshal(wire.Data, result.Data); err != nil {
		return action.Result{}, fault.New(fault.Internal, "the gateway's answer to %s has another shape than expected", verb.Name).
			Hinted("use the same version of glovebox for gateway and client").Because(err)
	}
	return result, nil
}

// problem is an answer of media type application/problem+json (RFC 9457).
type problem struct {
	Detail        string         `json:"detail"`
	Code          fault.Code     `json:"code"`
	Hint          string         `json:"hint"`
	Retryable     bool           `json:"retryable"`
	Details       map[string]any `json:"details"`
	CorrelationID string         `json:"correlationId"`
}

// problemFault turns an answer of status 300 or above into a fault. An answer that
// is no problem document is not from a gateway.
func problemFault(res *http.Response, raw []byte) error {
	var p problem
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind != "application/problem+json" || json.Unmarshal(raw, &p) != nil || p.Code == "" {
		return stranger().With("status", res.StatusCode)
	}
	return p.fault()
}

// fault is the fault that a problem document holds.
func (p problem) fault() *fault.Fault {
	f := &fault.Fault{Code: p.Code, Message: p.Detail, Hint: p.Hint, Details: p.Details}
	if p.CorrelationID != "" {
		f = f.With("correlationId", p.CorrelationID)
	}
	if !p.Retryable {
		f = f.Final()
	}
	return f
}
