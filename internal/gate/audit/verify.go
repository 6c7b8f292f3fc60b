package audit

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// unreadable is the fault of a trail that cannot be read.
func unreadable(err error) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "the audit trail cannot be read").
		Hinted("check the gateway's disk and state folder, then try again").Because(err)
}

// Verify reads the whole trail and reports the first record that was changed, or before
// which records are missing or out of order. With the signed checkpoints it also reports
// which part was rewritten, and whether the tail was cut. Fault: audit_unavailable, when the
// trail cannot be read at all.
func (l *Log) Verify(ctx context.Context) (action.AuditVerdict, error) {
	e, err := l.evidence(ctx)
	if err != nil {
		return action.AuditVerdict{}, unreadable(err)
	}
	return e.verify(ctx, l.db.Reader)
}

// evidence returns what this gateway knows of its trail. It reads the table's state first:
// a checkpoint that is signed meanwhile would otherwise seem to be missing.
func (l *Log) evidence(ctx context.Context) (e evidence, err error) {
	if e.kept, err = readState(ctx, l.db.Reader); err != nil {
		return e, err
	}
	e.known = l.end()
	if l.signer != nil {
		err = l.signer.checkpoints(&e)
	}
	return e, err
}

// checkpoints adds the checkpoints, also the newest where it is not yet in the second
// place. It keeps others from signing meanwhile.
func (s *signer) checkpoints(e *evidence) (err error) {
	s.signing.Lock()
	defer s.signing.Unlock()
	e.public, _ = s.key.Public().(ed25519.PublicKey)
	e.points, e.problem, err = readCheckpoints(s.path, e.public)
	if s.waiting != nil {
		e.points = append(e.points, s.newest)
	}
	e.newest = s.newest.Seq
	return err
}

// Inspect verifies the trail of a state directory, or of a copy of one, without a gateway:
// with its file, a folder of checkpoints and a public key. Fault: audit_unavailable, when
// the trail cannot be read at all.
func Inspect(ctx context.Context, file, folder string, public ed25519.PublicKey) (action.AuditVerdict, error) {
	db, err := store.Look(file)
	if err != nil {
		return action.AuditVerdict{}, unreadable(err)
	}
	defer func() { _ = db.Close() }()
	return inspect(ctx, db, folder, public)
}

func inspect(ctx context.Context, db *sql.DB, folder string, public ed25519.PublicKey) (v action.AuditVerdict, err error) {
	e := evidence{public: public}
	if e.kept, err = readState(ctx, db); err != nil {
		return v, unreadable(err)
	}
	if e.points, e.problem, err = readCheckpoints(filepath.Join(folder, FileName(public)), public); err != nil {
		return v, unreadable(err)
	}
	return e.verify(ctx, db)
}

// evidence is what a trail is compared with.
type evidence struct {
	public  ed25519.PublicKey // nil when nothing is signed
	points  []Checkpoint      // in order, with valid signatures
	problem string            // of the file of checkpoints
	kept    state             // as in the table
	known   chainHead         // the newest record that a running gateway stored
	newest  int64             // the newest record that it signed
}

// verify compares a trail with the evidence.
func (e *evidence) verify(ctx context.Context, from *sql.DB) (action.AuditVerdict, error) {
	w := &verifyWalk{e: e, points: e.points}
	if err := w.all(ctx, from, math.MaxInt64); err != nil {
		return action.AuditVerdict{}, unreadable(err)
	}
	if w.problem == "" {
		w.finish()
	}
	v := action.AuditVerdict{
		OK: w.problem == "", Records: w.records, First: w.first, Checkpoints: w.matched, Signed: w.signed,
		Broken: w.broken, Problem: w.problem,
	}
	if w.end.seq > 0 {
		v.Head = hex.EncodeToString(w.end.hash[:])
	}
	if e.public != nil {
		v.Key = KeyID(e.public)
	}
	return v, nil
}

// checkpointProblem says what is wrong with the checkpoints themselves; empty for nothing.
func (e *evidence) checkpointProblem() string {
	last := Checkpoint{}
	if len(e.points) > 0 {
		last = e.points[len(e.points)-1]
	}
	switch c, err := readCheckpoint([]byte(e.kept.checkpoint), e.public); {
	case e.problem != "":
		return e.problem
	case last.Seq < e.newest:
		return fmt.Sprintf("the checkpoint of record %d is missing: the last one is of record %d", e.newest, last.Seq)
	case e.kept.checkpoint == "" && last.Seq == 0: // nothing was signed yet
		return ""
	case e.kept.checkpoint == "":
		return fmt.Sprintf("the trail knows of no checkpoint, but there is one of record %d of %s", last.Seq, clock(last.Time))
	case err != nil:
		return fmt.Sprintf("the newest checkpoint as the trail has it %s", err)
	case last.Seq < c.Seq:
		return fmt.Sprintf("the checkpoint of record %d of %s is missing in the second place; a gateway that was killed while it wrote it adds it when it starts", c.Seq, clock(c.Time))
	}
	return ""
}
