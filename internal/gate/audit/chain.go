package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// chainHead is the end of the chain: the newest record's number and hash. The zero
// head is the beginning of an empty trail.
type chainHead struct {
	seq  int64
	hash [sha256.Size]byte
}

// canonical is the JSON of a record without its hash: the fields in the order
// of action.Record, empty ones left out.
func canonical(r action.Record) ([]byte, error) {
	text, err := json.Marshal(struct {
		action.Record
		Hash *struct{} `json:"hash,omitempty"` // hides Record.Hash
	}{Record: r})
	if err != nil {
		return nil, fmt.Errorf("cannot encode a record: %w", err)
	}
	return text, nil
}

// link is the hash of a record that follows prev.
func link(prev [sha256.Size]byte, record []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(prev[:])
	h.Write(record)
	return [sha256.Size]byte(h.Sum(nil))
}

// parseHash reads a hash as the table holds it.
func parseHash(text string) (sum [sha256.Size]byte, ok bool) {
	n, err := hex.Decode(sum[:], []byte(text[:min(len(text), 2*sha256.Size)]))
	// Hex has two spellings of the digits above nine; the table has one.
	return sum, err == nil && n == len(sum) && hex.EncodeToString(sum[:]) == text
}
