package action

import (
	"encoding/json"
	"fmt"
	"time"
)

// ReplaySeal is the gateway's signature of a part of a replay.
type ReplaySeal struct {
	Statement string `json:"statement" doc:"What is signed: JSON with type \"glovebox replay\", the cursor of the part, the time, the id of the key, and the SHA-256 of each field, as the exported file has it"`
	Signature string `json:"signature" doc:"Ed25519 over the statement with the key of the audit trail; base64"`
	PublicKey string `json:"public_key" doc:"Verifies it; base64"`
}

// ReplayStatement is what a seal signs.
type ReplayStatement struct {
	Type   string            `json:"type"` // ReplayType
	Cursor string            `json:"cursor"`
	Time   time.Time         `json:"time"`
	Key    string            `json:"key"`
	Fields map[string]string `json:"fields"` // hex SHA-256 of each text of Replay.Fields
}

// ReplayType is the type of a ReplayStatement. The key signs other things too, and each
// begins with another type.
const ReplayType = "glovebox replay"

// sealedRecord is a record as it was hashed, or without its line as it is shown.
type sealedRecord struct {
	Line     string  `json:"line,omitempty"`
	Record   *Record `json:"record,omitempty"`
	Hash     string  `json:"hash"`
	Previous string  `json:"previous"`
}

// Fields returns the JSON of each field of a part, without the seal. The texts are the
// same before the part was sent and after. No text has a character that ends an
// element of HTML.
func (r *Replay) Fields() (map[string]string, error) {
	failed := func(err error) error { return fmt.Errorf("cannot encode the replay: %w", err) }
	sent, err := json.Marshal(r)
	if err != nil {
		return nil, failed(err)
	}
	var received Replay // bytes that are no UTF-8, for one, are lost on the way
	if err := json.Unmarshal(sent, &received); err != nil {
		return nil, failed(err)
	}
	shown := struct {
		Replay
		Records []sealedRecord `json:"records"`
		Seal    *ReplaySeal    `json:"seal,omitempty"`
	}{Replay: received, Records: make([]sealedRecord, len(received.Records))}
	for i := range received.Records {
		record := &received.Records[i]
		shown.Records[i] = sealedRecord{Line: record.Line, Hash: record.Hash, Previous: record.Previous}
		if record.Line == "" {
			shown.Records[i].Record = &record.Record
		}
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return nil, failed(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, failed(err)
	}
	texts := make(map[string]string, len(fields))
	for name, field := range fields {
		texts[name] = string(field)
	}
	return texts, nil
}
