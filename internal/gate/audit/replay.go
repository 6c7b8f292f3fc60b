package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// firstPrevious is what the hash of the first record of a trail begins with.
var firstPrevious = strings.Repeat("0", 2*sha256.Size)

// SessionTrail describes all records that a session of a scope has now. Fault:
// audit_unavailable.
func (l *Log) SessionTrail(ctx context.Context, scope, session string) (*action.ReplayTrail, error) {
	t := &action.ReplayTrail{Events: map[string]int64{}, Results: map[string]int64{}}
	digest := sha256.New()
	err := l.each(ctx, func(rows *sql.Rows) error {
		var event, result sql.NullString
		if err := rows.Scan(&t.Seq, &t.Hash, &event, &result); err != nil {
			return err
		}
		sum, _ := parseHash(t.Hash) // a hash that cannot be read was tampered with, and fits no digest
		digest.Write(sum[:])
		t.Count++
		t.Events[event.String]++
		if event.String == action.EventOutcome {
			t.Results[result.String]++
		}
		return nil
	}, `SELECT seq, hash, event, result FROM audit WHERE scope = ? AND session = ? ORDER BY seq`, scope, session)
	t.Digest = hex.EncodeToString(digest.Sum(nil))
	return t, err
}

// SessionRecords returns the next records of a session of a scope, at most limit,
// whose numbers are above after and at most upTo. Fault: audit_unavailable.
func (l *Log) SessionRecords(ctx context.Context, scope, session string, after, upTo int64, limit int) ([]action.ReplayRecord, error) {
	records := []action.ReplayRecord{}
	err := l.each(ctx, func(rows *sql.Rows) error {
		var seq int64
		var text, hash, previous string
		if err := rows.Scan(&seq, &text, &hash, &previous); err != nil {
			return err
		}
		if seq == 1 {
			previous = firstPrevious
		}
		records = append(records, action.ReplayRecord{Record: decode(seq, text, hash), Previous: previous, Line: text})
		return nil
	}, `SELECT seq, record, hash, coalesce((SELECT hash FROM audit AS p WHERE p.seq = audit.seq - 1), '') FROM audit
		WHERE scope = ? AND session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`, scope, session, after, upTo, limit)
	return records, err
}

// SealReplay signs a part of a replay, as it will be sent, and the cursor that it was
// asked for with. Without a key it does nothing.
func (l *Log) SealReplay(part *action.Replay, cursor string) error {
	if l.signer == nil {
		return nil
	}
	fields, err := part.Fields()
	if err != nil {
		return err
	}
	public, _ := l.signer.key.Public().(ed25519.PublicKey)
	s := action.ReplayStatement{Type: action.ReplayType, Cursor: cursor, Time: l.now().UTC(), Key: KeyID(public), Fields: map[string]string{}}
	for name, text := range fields {
		sum := sha256.Sum256([]byte(text))
		s.Fields[name] = hex.EncodeToString(sum[:])
	}
	statement, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("cannot encode what is signed of a replay: %w", err)
	}
	part.Seal = &action.ReplaySeal{
		Statement: string(statement), PublicKey: base64.StdEncoding.EncodeToString(public),
		Signature: base64.StdEncoding.EncodeToString(ed25519.Sign(l.signer.key, statement)),
	}
	return nil
}
