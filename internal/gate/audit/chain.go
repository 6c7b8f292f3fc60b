package audit

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// parseHash reads a hash as it is in the table.
func parseHash(text string) (sum [sha256.Size]byte, ok bool) {
	n, err := hex.Decode(sum[:], []byte(text[:min(len(text), 2*sha256.Size)]))
	// Hex has two spellings of the digits above nine; the table has one.
	return sum, err == nil && n == len(sum) && hex.EncodeToString(sum[:]) == text
}

// state is the row of the table audit_state.
type state struct {
	cut        int64  // the last record that retention removed
	checkpoint string // the line of the newest checkpoint
}

// readState reads the state. Without the row it is the zero state, with which
// verification fails.
func readState(ctx context.Context, from *sql.DB) (state, error) {
	var s state
	err := from.QueryRowContext(ctx, `SELECT cut, checkpoint FROM audit_state`).Scan(&s.cut, &s.checkpoint)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("cannot read the state of the trail: %w", err)
	}
	return s, nil
}
