package audit

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// unreadable is the fault of a trail that cannot be read.
func unreadable(err error) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "the audit trail cannot be read").
		Hinted("check the gateway's disk and state folder, then try again").Because(err)
}

// row is a record as the table holds it.
type row struct {
	seq                         int64
	scope, session, actor, verb string
	text, hash                  string
}

// Verify walks the whole trail and says which record is the first that was
// changed, or before which one records are missing or out of order. It also
// finds a tail that was cut since this log was opened. The fault is
// audit_unavailable, when the trail cannot be read at all.
func (l *Log) Verify(ctx context.Context) (action.AuditVerdict, error) {
	known := l.end()
	rows, err := l.db.Reader.QueryContext(ctx, `SELECT seq, scope, session, actor, verb, record, hash FROM audit ORDER BY seq`)
	if err != nil {
		return action.AuditVerdict{}, unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	end, verdict, err := walk(rows, known)
	if err != nil {
		return action.AuditVerdict{}, unreadable(err)
	}
	if verdict.Problem == "" && end.seq < known.seq {
		verdict.Broken = end.seq + 1
		verdict.Problem = fmt.Sprintf("the trail ends at record %d, but this gateway has stored %d", end.seq, known.seq)
	}
	verdict.OK = verdict.Problem == ""
	if end.seq > 0 {
		verdict.Head = hex.EncodeToString(end.hash[:])
	}
	return verdict, nil
}

// walk checks row after row until one is wrong.
func walk(rows *sql.Rows, known head) (head, action.AuditVerdict, error) {
	var end head
	var verdict action.AuditVerdict
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.scope, &r.session, &r.actor, &r.verb, &r.text, &r.hash); err != nil {
			return end, verdict, fmt.Errorf("cannot read the record after %d: %w", end.seq, err)
		}
		next, problem := check(r, end)
		if problem == "" && next.seq == known.seq && next.hash != known.hash {
			problem = fmt.Sprintf("record %d is not the one this gateway stored", r.seq)
		}
		if problem != "" {
			verdict.Broken, verdict.Problem = end.seq+1, problem
			return end, verdict, nil
		}
		verdict.Records++
		end = next
	}
	return end, verdict, rows.Err()
}

// check says what is wrong with a row that should follow end; nothing when it
// is right.
func check(r row, end head) (next head, problem string) {
	if r.seq != end.seq+1 {
		return end, fmt.Sprintf("record %d is missing: %d follows %d", end.seq+1, r.seq, end.seq)
	}
	sum := link(end.hash, []byte(r.text))
	stored, ok := parseHash(r.hash)
	if !ok || stored != sum {
		return end, fmt.Sprintf("record %d does not fit its hash and the record before it", r.seq)
	}
	var content action.Record
	if err := json.Unmarshal([]byte(r.text), &content); err != nil {
		return end, fmt.Sprintf("record %d cannot be read", r.seq)
	}
	if content.Seq != r.seq || content.Scope != r.scope || content.SessionID != r.session ||
		content.Actor != r.actor || content.Action != r.verb {
		return end, fmt.Sprintf("record %d is filed under something else than it says", r.seq)
	}
	return head{seq: r.seq, hash: sum}, ""
}
