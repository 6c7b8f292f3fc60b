package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const defaultLimit = 100 // records of a page; action.AuditQuery.Limit

// Query returns records of a scope, in order: the newest, those before q.Before, or those
// after q.After. An empty scope has no records. Faults: invalid_request,
// audit_unavailable.
func (l *Log) Query(ctx context.Context, q action.AuditQuery, scope string) (action.AuditPage, error) {
	page := action.AuditPage{Records: []action.Record{}}
	s, err := selectionOf(q.AuditFilter, scope)
	if err != nil {
		return page, err
	}
	end, err := readChainHead(ctx, l.db.Reader)
	if err != nil {
		return page, unreadable(err)
	}
	page.Last = end.seq
	if scope == "" {
		return page, nil
	}
	order := "DESC"
	if q.Before > 0 {
		s.and("seq < ?", q.Before)
	}
	if q.After > 0 {
		s.and("seq > ?", q.After)
		order = "ASC"
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	records, err := l.read(ctx, s.statement(order), append(s.args, q.Limit)...)
	if err != nil {
		return page, err
	}
	page.Records = append(page.Records, records...)
	if order == "DESC" {
		slices.Reverse(page.Records)
	}
	return page, nil
}

// scopeCondition selects what a scope may see: its own records, and those of loaded
// configurations, which are of all scopes.
const scopeCondition = `(scope = ? OR scope = '' AND event = '` + action.EventConfig + `')`

// selection is the condition of a statement, with its arguments.
type selection struct {
	where []string
	args  []any
}

func (s *selection) and(condition string, value any) {
	s.where, s.args = append(s.where, condition), append(s.args, value)
}

func (s *selection) statement(order string) string {
	return fmt.Sprintf("SELECT seq, record, hash FROM audit WHERE %s ORDER BY seq %s LIMIT ?", strings.Join(s.where, " AND "), order)
}

// selectionOf is the selection of a filter among the records of a scope.
func selectionOf(f action.AuditFilter, scope string) (*selection, error) {
	if f.Unscoped {
		scope = ""
	}
	s := &selection{}
	s.and(scopeCondition, scope)
	for _, filter := range []struct{ column, value string }{
		{"session", f.Session}, {"actor", f.Actor}, {"verb", f.Verb}, {"event", f.Event},
		{"domain", f.Domain}, {"risk", f.Risk}, {"decision", f.Decision}, {"result", f.Result},
	} {
		if filter.value != "" {
			s.and(filter.column+" = ?", filter.value)
		}
	}
	for _, bound := range []struct{ name, condition, value string }{
		{"from", "at >= ?", f.From}, {"to", "at < ?", f.To},
	} {
		if bound.value == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, bound.value)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "%s is no time", bound.name).
				Hinted("write one like 2026-11-21T08:00:00Z").With("field", bound.name)
		}
		s.and(bound.condition, t.UnixMilli())
	}
	return s, nil
}

// read returns the records of a statement that selects seq, record and hash.
func (l *Log) read(ctx context.Context, query string, args ...any) (records []action.Record, err error) {
	err = l.each(ctx, func(rows *sql.Rows) error {
		var seq int64
		var text, hash string
		if err := rows.Scan(&seq, &text, &hash); err != nil {
			return err
		}
		records = append(records, decode(seq, text, hash))
		return nil
	}, query, args...)
	return records, err
}

// each calls do with each row of a statement.
func (l *Log) each(ctx context.Context, do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := l.db.Reader.QueryContext(ctx, query, args...)
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := do(rows); err != nil {
			return unreadable(err)
		}
	}
	if err := rows.Err(); err != nil {
		return unreadable(err)
	}
	return nil
}

// decode turns a row into a record. A row that cannot be decoded was tampered with: the
// record says so, and a query shows it.
func decode(seq int64, text, hash string) action.Record {
	var r action.Record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		r = action.Record{Error: "this record cannot be read", Detail: "run an audit verification"}
	}
	r.Seq, r.Hash = seq, hash // its place in the trail, whatever the record says
	return r
}
