package cdpproxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is one message of a client.
type call struct {
	id      int64
	session string // empty: the client's first session
	root    bool   // of the browser, not of a target
	method  string
	params  jsontext.Value // an object; may be empty
}

// methodPattern matches the names of methods.
var methodPattern = regexp.MustCompile(`^[A-Z][A-Za-z]{0,39}\.[a-z][A-Za-z0-9]{0,79}$`)

var errMalformed = errors.New("the message is no call of the protocol")

// parse parses a message strictly: one JSON object (RFC 8259) in UTF-8, without
// duplicate names at any depth, with id, method, params and sessionId only. A
// message that two parsers could read differently is refused.
func parse(message []byte) (call, error) {
	var raw struct {
		ID      int64          `json:"id"`
		Session string         `json:"sessionId"`
		Method  string         `json:"method"`
		Params  jsontext.Value `json:"params"`
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(message))
	if err := json.UnmarshalDecode(decoder, &raw, json.RejectUnknownMembers(true)); err != nil {
		return call{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return call{}, fmt.Errorf("%w: something follows it", errMalformed)
	}
	c := call{id: raw.ID, session: raw.Session, method: raw.Method, params: raw.Params}
	switch {
	case raw.ID < 0 || raw.ID > 1<<31-1: // Chromium's ids have 31 bits
		return call{}, fmt.Errorf("%w: id is not between 0 and 2147483647", errMalformed)
	case !methodPattern.MatchString(raw.Method):
		return c, fmt.Errorf("%w: method is not Domain.method", errMalformed)
	case len(raw.Params) > 0 && raw.Params.Kind() == 'n':
		c.params = nil
	case len(raw.Params) > 0 && raw.Params.Kind() != '{':
		return c, fmt.Errorf("%w: params is no object", errMalformed)
	}
	return c, nil
}

// params are the parameters of a call, for rules that read or set some of them.
type params map[string]jsontext.Value

func (c *call) decode() (params, error) {
	if len(c.params) == 0 {
		return params{}, nil
	}
	var p params
	if err := json.Unmarshal(c.params, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return p, nil
}

// read decodes a parameter. If it is absent, the result is the zero value.
func read[T any](p params, name string) (T, error) {
	var value T
	raw, given := p[name]
	if !given || raw.Kind() == 'n' {
		return value, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, refusal(name + " is of the wrong type")
	}
	return value, nil
}

// set sets a parameter.
func (p params) set(name string, value any) {
	raw, err := json.Marshal(value)
	if err == nil {
		p[name] = raw
	}
}

func (p params) encode() (jsontext.Value, error) {
	raw, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("cannot encode parameters: %w", err)
	}
	return raw, nil
}
