package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const defaultLimit = 100 // records of a page; action.AuditQuery.Limit

// Query reads the records of a scope that q asks for, in order: the newest
// ones, or those that follow q.After. An empty scope has no records.
func (l *Log) Query(ctx context.Context, q action.AuditQuery, scope string) (action.AuditPage, error) {
	page := action.AuditPage{Records: []action.Record{}}
	end, err := readHead(ctx, l.db.Reader)
	if err != nil {
		return page, unreadable(err)
	}
	page.Last = end.seq
	if scope == "" {
		return page, nil
	}
	query, args := selection(q, scope)
	records, err := l.read(ctx, query, args...)
	if err != nil {
		return page, err
	}
	page.Records = append(page.Records, records...)
	if q.After == 0 {
		slices.Reverse(page.Records)
	}
	return page, nil
}

// ofScope is what a scope may see: its own records, and which configuration was
// in force, which holds for all. Quotation marks in a record's texts are
// escaped, so that only the field itself reads so.
const ofScope = `(scope = ? OR scope = '' AND record LIKE '%"event_type":"` + Config + `"%')`

// selection is the statement for q.
func selection(q action.AuditQuery, scope string) (string, []any) {
	where, args := []string{ofScope}, []any{scope}
	for _, filter := range []struct{ column, value string }{
		{"session", q.Session}, {"actor", q.Actor}, {"verb", q.Verb},
	} {
		if filter.value != "" {
			where, args = append(where, filter.column+" = ?"), append(args, filter.value)
		}
	}
	order := "DESC"
	if q.After > 0 {
		where, args = append(where, "seq > ?"), append(args, q.After)
		order = "ASC"
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	text := fmt.Sprintf("SELECT seq, record, hash FROM audit WHERE %s ORDER BY seq %s LIMIT ?", strings.Join(where, " AND "), order)
	return text, append(args, limit)
}

// read returns the records of a statement that selects number, record and hash.
func (l *Log) read(ctx context.Context, query string, args ...any) ([]action.Record, error) {
	rows, err := l.db.Reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	var records []action.Record
	for rows.Next() {
		var seq int64
		var text, hash string
		if err := rows.Scan(&seq, &text, &hash); err != nil {
			return nil, unreadable(err)
		}
		records = append(records, decode(seq, text, hash))
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	return records, nil
}

// decode turns a row into a record. A row that cannot be decoded was tampered
// with: it is shown as such, so that a query does not hide it.
func decode(seq int64, text, hash string) action.Record {
	var r action.Record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		r = action.Record{Error: "this record cannot be read", Detail: "run an audit verification"}
	}
	r.Seq, r.Hash = seq, hash // where it is in the trail, whatever it says
	return r
}
