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

const exportPage = 500 // records that an export reads at a time and keeps in memory

// Export returns the records of a scope that match a filter, up to the newest record now,
// as a file that is read from the trail while it is sent. Faults: invalid_request, and
// while it is sent audit_unavailable.
func (l *Log) Export(e action.AuditExport, scope string) (*action.AuditFile, error) {
	if _, err := selectionOf(e.AuditFilter, scope); err != nil {
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

// rowWriter writes rows; nil is the end of a page.
type rowWriter func(r *row) error

func (l *Log) export(ctx context.Context, f action.AuditFilter, scope string, upTo int64, write rowWriter) error {
	if scope == "" {
		return nil
	}
	for after := int64(0); ; {
		s, err := selectionOf(f, scope)
		if err != nil {
			return err
		}
		s.and("seq > ?", after)
		s.and("seq <= ?", upTo)
		n, last, err := l.page(ctx, s, write)
		if err != nil || n < exportPage {
			return err
		}
		after = last
	}
}

// page writes the next rows.
func (l *Log) page(ctx context.Context, s *selection, write rowWriter) (n int, last int64, err error) {
	rows, err := l.db.Reader.QueryContext(ctx, s.statement("ASC"), append(s.args, exportPage)...)
	if err != nil {
		return 0, 0, unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	page := make([]row, 0, exportPage)
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.seq, &r.text, &r.hash); err != nil {
			return 0, 0, unreadable(err)
		}
		page = append(page, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // a reader that is slow must not keep the write-ahead log from being truncated
		return 0, 0, unreadable(err)
	}
	for i := range page {
		if err := write(&page[i]); err != nil {
			return 0, 0, err
		}
		last = page[i].seq
	}
	return len(page), last, write(nil)
}

// writeJSON writes each record byte for byte as it is stored, and adds its hash as the
// last member. Without that member it is what was hashed.
func writeJSON(to io.Writer) rowWriter {
	return func(r *row) error {
		if r == nil {
			return nil
		}
		_, err := fmt.Fprintf(to, "%s,\"hash\":%q}\n", strings.TrimSuffix(r.text, "}"), r.hash)
		return err
	}
}

// writeCSV writes a table with a column for each field of a record (RFC 4180).
func writeCSV(to io.Writer) rowWriter {
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
