package audit

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// row is a record as it is in the table.
type row struct {
	seq                         int64
	scope, session, actor, verb string
	text, hash                  string
}

// verifyWalk verifies record after record until one is wrong.
type verifyWalk struct {
	e       *evidence
	points  []Checkpoint // of records that follow
	end     chainHead    // the last record that is right
	at      time.Time    // of that record
	what    string       // its kind and verb
	first   int64        // the first record that is there
	records int64
	matched int64 // checkpoints that the trail matches
	signed  int64 // the record of the last of them
	cut     int64 // the last record that retention says it removed
	broken  int64
	problem string
}

// all walks up to a record, or until one is wrong.
func (w *verifyWalk) all(ctx context.Context, from *sql.DB, upTo int64) error {
	rows, err := from.QueryContext(ctx, `SELECT seq, scope, session, actor, verb, record, hash FROM audit WHERE seq <= ? ORDER BY seq`, upTo)
	if err != nil {
		return fmt.Errorf("cannot read the records: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.scope, &r.session, &r.actor, &r.verb, &r.text, &r.hash); err != nil {
			return fmt.Errorf("cannot read the record after %d: %w", w.end.seq, err)
		}
		if w.first == 0 {
			w.begin(r)
		}
		if w.step(r); w.problem != "" {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("cannot read the records after %d: %w", w.end.seq, err)
	}
	return nil
}

// fail stores the first problem, and the record that has it.
func (w *verifyWalk) fail(seq int64, format string, args ...any) {
	if w.problem == "" {
		w.broken, w.problem = seq, fmt.Sprintf(format, args...)
	}
}

// begin starts at the first record that is there. After a retention that is the record
// after a checkpoint.
func (w *verifyWalk) begin(r row) {
	w.first = r.seq
	for r.seq > 1 && len(w.points) > 0 && w.points[0].Seq < r.seq {
		c := w.points[0]
		if w.points = w.points[1:]; c.Seq == r.seq-1 {
			w.end.seq = c.Seq
			w.end.hash, _ = parseHash(c.Hash)
			w.at, w.what = c.Time, "a checkpoint"
		}
	}
}

// step verifies the next record.
func (w *verifyWalk) step(r row) {
	if r.seq != w.end.seq+1 {
		w.fail(w.end.seq+1, "record %d is missing: %d follows %s", w.end.seq+1, r.seq, w.last())
		return
	}
	sum := link(w.end.hash, []byte(r.text))
	stored, ok := parseHash(r.hash)
	var content action.Record
	err := json.Unmarshal([]byte(r.text), &content)
	switch {
	case !ok || stored != sum:
		w.fail(r.seq, "record %d does not fit its hash and the record before it, which is %s", r.seq, w.last())
	case err != nil:
		w.fail(r.seq, "record %d, after %s, cannot be read", r.seq, w.last())
	case content.Seq != r.seq || content.Scope != r.scope || content.SessionID != r.session ||
		content.Actor != r.actor || content.Action != r.verb:
		w.fail(r.seq, "record %d of %s is filed under something else than it says", r.seq, clock(content.Timestamp))
	case r.seq == w.e.known.seq && sum != w.e.known.hash:
		w.fail(r.seq, "record %d of %s is not the one this gateway stored", r.seq, clock(content.Timestamp))
	}
	if w.problem != "" {
		return
	}
	w.end, w.at, w.what = chainHead{seq: r.seq, hash: sum}, content.Timestamp, content.EventType+" "+content.Action
	w.records++
	if n, isCut := cutOf(content); isCut {
		w.cut = n
	}
	w.checkCheckpoint()
}

// checkCheckpoint compares the record with its checkpoint, if it has one.
func (w *verifyWalk) checkCheckpoint() {
	if len(w.points) == 0 || w.points[0].Seq != w.end.seq {
		return
	}
	c := w.points[0]
	w.points = w.points[1:]
	if c.Hash != hex.EncodeToString(w.end.hash[:]) {
		w.fail(w.signed+1, "the trail was rewritten somewhere in records %d to %d: %s is not the one that was signed at %s",
			w.signed+1, c.Seq, w.last(), clock(c.Time))
		return
	}
	w.matched, w.signed = w.matched+1, c.Seq
}

// finish verifies the end of the trail, what retention removed, and the checkpoints
// themselves.
func (w *verifyWalk) finish() {
	switch {
	case w.first > 1 && w.cut != w.first-1:
		w.fail(w.first-1, "records before %d are missing, and no record of retention says that it removed them", w.first)
	case w.first <= 1 && w.cut > 0:
		w.fail(1, "records 1 to %d are there, but a record of retention says that it removed them", w.cut)
	case w.end.seq < w.e.known.seq:
		w.fail(w.end.seq+1, "the trail ends at %s, but this gateway has stored %d records", w.last(), w.e.known.seq)
	case len(w.points) > 0:
		c := w.points[len(w.points)-1]
		w.fail(w.end.seq+1, "the trail was cut: it ends at %s, but record %d was signed at %s", w.last(), c.Seq, clock(c.Time))
	case w.e.public != nil:
		if problem := w.e.checkpointProblem(); problem != "" {
			w.fail(w.signed+1, "%s", problem)
		}
	}
}

// last describes the last record that is right.
func (w *verifyWalk) last() string {
	if w.end.seq == 0 {
		return "the beginning"
	}
	return fmt.Sprintf("record %d (%s, %s)", w.end.seq, w.what, clock(w.at))
}
