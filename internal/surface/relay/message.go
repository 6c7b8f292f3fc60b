package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of JSON-RPC errors (https://www.jsonrpc.org/specification#error_object).
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// message is what the relay reads of a message: who answers it, and to what.
type message struct {
	id        json.RawMessage // empty for a notification
	method    string          // empty for an answer
	cancelled json.RawMessage // the id of the request that it cancels
}

// key returns the identity of an id, however it is written; empty for none.
func key(id json.RawMessage) string {
	var value any
	if json.Unmarshal(id, &value) != nil {
		return ""
	}
	switch v := value.(type) {
	case string:
		return "text " + v
	case float64:
		return fmt.Sprintf("number %d", int64(v)) // as the protocol's library reads it
	}
	return ""
}

// refusal is a JSON-RPC error of the relay itself.
type refusal struct {
	id   json.RawMessage
	code int
	text string
}

// parse reads a line of the client: one message, or a batch of them. A line that
// the gateway could not read is refused.
func parse(line []byte) (all []message, wrong *refusal) {
	if !utf8.Valid(line) || !json.Valid(line) {
		return nil, &refusal{code: codeParse, text: "the line is not JSON: send one message a line, in UTF-8"}
	}
	if line[0] != '[' {
		m, wrong := parseOne(line)
		return []message{m}, wrong
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return nil, &refusal{code: codeInvalid, text: "the batch is empty"}
	}
	for _, part := range batch {
		m, wrong := parseOne(part)
		if wrong != nil {
			return nil, wrong
		}
		all = append(all, m)
	}
	return all, nil
}

func parseOne(text []byte) (message, *refusal) {
	var sent struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(text, &sent) // what has no id is refused without one
	if key(sent.ID) == "" {
		sent.ID = nil
	}
	invalid := &refusal{id: sent.ID, code: codeInvalid, text: "the line is not a JSON-RPC 2.0 message"}
	read, err := jsonrpc.DecodeMessage(text) // as the gateway reads it
	if err != nil {
		return message{}, invalid
	}
	switch read := read.(type) {
	case *jsonrpc.Request:
		if read.Method == "" {
			return message{}, invalid
		}
		m := message{method: read.Method}
		if read.IsCall() {
			m.id = rawID(read.ID)
		}
		if m.method == "notifications/cancelled" {
			var params struct {
				ID json.RawMessage `json:"requestId"`
			}
			_ = json.Unmarshal(read.Params, &params) // the gateway refuses what has none
			m.cancelled = params.ID
		}
		return m, nil
	case *jsonrpc.Response:
		if read.ID.IsValid() && (read.Result != nil || read.Error != nil) {
			return message{id: rawID(read.ID)}, nil
		}
	}
	return message{}, invalid
}

func rawID(id jsonrpc.ID) json.RawMessage {
	text, _ := json.Marshal(id.Raw()) // a text or a whole number
	return text
}

// peek reads a message of the gateway no further than it must: an answer may be
// large, and its id comes first.
func peek(text []byte) (m message) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return message{}
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return m
		}
		switch name {
		case "id":
			err = d.Decode(&m.id)
		case "method":
			err = d.Decode(&m.method)
		case "result", "error":
			if m.id != nil {
				return m
			}
			fallthrough
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil || m.id != nil && m.method != "" {
			return m
		}
	}
	return m
}

// peekAll reads one message of the gateway, or a batch.
func peekAll(text []byte) []message {
	var batch []json.RawMessage
	if len(text) == 0 || text[0] != '[' || json.Unmarshal(text, &batch) != nil {
		return []message{peek(text)}
	}
	all := make([]message, 0, len(batch))
	for _, part := range batch {
		all = append(all, peek(part))
	}
	return all
}

// withID returns a message with another id.
func withID(text []byte, id string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("cannot read the message: %w", err)
	}
	fields["id"], _ = json.Marshal(id)
	out, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("cannot write the message: %w", err)
	}
	return out, nil
}
