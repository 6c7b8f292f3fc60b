package audit

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const exported = 500 // records read at a time, which bounds what an export keeps in memory

// Export returns the records of a scope that a filter lets through, up to the
// newest there is now, as a file that is read from the trail while it is sent.
// Faults: invalid_request, and of sending audit_unavailable.
func (l *Log) Export(e action.AuditExport, scope string) (*action.AuditFile, error) {
	if _, err := selected(e.AuditFilter, scope); err != nil {
		return nil, err
	}
	file := &action.AuditFile{Name: "audit.jsonl", MediaType: "application/x-ndjson"}
	lines := writeJSON
	if e.Format == "csv" {
		file.Name, file.MediaType, lines = "audit.csv", "text/csv", writeCSV
	}
	upTo := l.end().seq
	file.Send = func(ctx context.Context, to io.Writer) error {
		return l.export(ctx, e.AuditFilter, scope, upTo, lines(to))
	}
	return file, nil
}

// sink takes rows as they are stored; nil is the end of a page.
type sink func(r *row) error

func (l *Log) export(ctx context.Context, f action.AuditFilter, scope string, upTo int64, take sink) error {
	if scope == "" {
		return nil
	}
	for after := int64(0); ; {
		s, err := selected(f, scope)
		if err != nil {
			return err
		}
		s.and("seq > ?", after)
		s.and("seq <= ?", upTo)
		n, last, err := l.page(ctx, s, take)
		if err != nil || n < exported {
			return err
		}
		after = last
	}
}

// page hands over the next rows.
func (l *Log) page(ctx context.Context, s *selection, take sink) (n int, last int64, err error) {
	rows, err := l.db.Reader.QueryContext(ctx, s.statement("ASC"), append(s.args, exported)...)
	if err != nil {
		return 0, 0, unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	page := make([]row, 0, exported)
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.text, &r.hash); err != nil {
			return 0, 0, unreadable(err)
		}
		page = append(page, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // a slow reader must not keep the table from shrinking
		return 0, 0, unreadable(err)
	}
	for i := range page {
		if err := take(&page[i]); err != nil {
			return 0, 0, err
		}
		last = page[i].seq
	}
	return len(page), last, take(nil)
}

// writeJSON writes each record as it is stored, to the byte, with its hash
// behind: who takes that away again has what was hashed.
func writeJSON(to io.Writer) sink {
	return func(r *row) error {
		if r == nil {
			return nil
		}
		_, err := fmt.Fprintf(to, "%s,\"hash\":%q}\n", strings.TrimSuffix(r.text, "}"), r.hash)
		return err
	}
}

// writeCSV writes a table with a column for each field of a record (RFC 4180).
func writeCSV(to io.Writer) sink {
	out := csv.NewWriter(to)
	kind := reflect.TypeFor[action.Record]()
	names := make([]string, kind.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(kind.Field(i).Tag.Get("json"), ",")
	}
	begun := false
	return func(r *row) error {
		if !begun {
			begun = true
			if err := out.Write(names); err != nil {
				return err
			}
		}
		if r == nil {
			out.Flush()
			return out.Error()
		}
		return out.Write(cells(decode(r.seq, r.text, r.hash)))
	}
}

func cells(r action.Record) []string {
	v := reflect.ValueOf(r)
	cells := make([]string, v.NumField())
	for i := range cells {
		switch value := v.Field(i).Interface().(type) {
		case time.Time:
			cells[i] = clock(value)
		default:
			cells[i] = untrusted.Cell(fmt.Sprint(value))
		}
	}
	return cells
}
