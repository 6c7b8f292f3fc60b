package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// mixed is a trail of records that differ in every field that filters use.
func mixed(t testing.TB) *audit.Log {
	t.Helper()
	l := openLog(t, openStore(t))
	for i := range 12 {
		r := record(i)
		r.EventType = []string{action.EventIntent, action.EventOutcome, action.EventBlocked}[i%3]
		r.Domain = []string{"a.example", "b.example"}[i%2]
		r.Risk = []string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}[i%4]
		r.HITLDecision = []string{"auto_approved", "denied"}[i/6]
		r.Result = []string{"ok", "fault"}[i/3%2]
		r.Timestamp = time.Date(2026, 1, 1, i, 0, 0, 999_000, time.UTC)
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	l.Record(action.Record{EventType: action.EventBox, Detail: "of no scope"})
	return l
}

func TestQueryFiltersByEachField(t *testing.T) {
	l := mixed(t)
	for name, c := range map[string]struct {
		f    action.AuditFilter
		want []int64
	}{
		"event":    {action.AuditFilter{Event: action.EventBlocked}, []int64{3, 6, 9, 12}},
		"domain":   {action.AuditFilter{Domain: "b.example"}, []int64{2, 4, 6, 8, 10, 12}},
		"risk":     {action.AuditFilter{Risk: "CRITICAL"}, []int64{4, 8, 12}},
		"decision": {action.AuditFilter{Decision: "denied", Event: action.EventIntent}, []int64{7, 10}},
		"result":   {action.AuditFilter{Result: "fault", Risk: "HIGH"}, []int64{11}},
		"from":     {action.AuditFilter{From: "2026-01-01T09:00:00Z"}, []int64{10, 11, 12}},
		"to":       {action.AuditFilter{To: "2026-01-01T02:00:00Z"}, []int64{1, 2}},
		"zone":     {action.AuditFilter{From: "2026-01-01T11:00:00+02:00", To: "2026-01-01T12:00:00.5+02:00"}, []int64{10, 11}},
		"session":  {action.AuditFilter{Session: "s1", Domain: "a.example", Risk: "LOW"}, []int64{1, 5, 9}},
		"nothing":  {action.AuditFilter{Domain: "' OR 1=1 --"}, nil},
		"unscoped": {action.AuditFilter{Unscoped: true}, []int64{13}},
	} {
		page, err := l.Query(t.Context(), action.AuditQuery{AuditFilter: c.f}, "acme")
		if err != nil || !slices.Equal(numbers(page.Records), c.want) {
			t.Errorf("%s: %v, %v; want %v", name, numbers(page.Records), err, c.want)
		}
	}
	for _, f := range []action.AuditFilter{{From: "yesterday"}, {To: "2026-01-01"}} {
		if _, err := l.Query(t.Context(), action.AuditQuery{AuditFilter: f}, "acme"); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%+v: %v", f, err)
		}
		if _, err := l.Export(action.AuditExport{AuditFilter: f}, "acme"); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("export %+v: %v", f, err)
		}
	}
}

func TestPagesCanBeReadForwardsAndBackwards(t *testing.T) {
	l := mixed(t)
	var back, on []int64
	for before := int64(0); ; {
		page, err := l.Query(t.Context(), action.AuditQuery{Before: before, Limit: 5}, "acme")
		if err != nil || !slices.IsSorted(numbers(page.Records)) {
			t.Fatal(page, err)
		}
		if len(page.Records) == 0 {
			break
		}
		back, before = append(numbers(page.Records), back...), page.Records[0].Seq
	}
	for after := int64(1); ; {
		page, err := l.Query(t.Context(), action.AuditQuery{After: after, Limit: 5}, "acme")
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) == 0 {
			break
		}
		on, after = append(on, numbers(page.Records)...), page.Records[len(page.Records)-1].Seq
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(back, want) || !slices.Equal(on, want[1:]) {
		t.Errorf("back %v, on %v", back, on)
	}
}

func export(t *testing.T, l *audit.Log, e action.AuditExport, scope string) string {
	t.Helper()
	file, err := l.Export(e, scope)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := file.Send(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestAnExportCanBeVerifiedWithoutTheGateway chains the lines as docs/audit.md says.
func TestAnExportCanBeVerifiedWithoutTheGateway(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 600) // more than it reads at a time
	var last []byte
	hash := regexp.MustCompile(`,"hash":"([0-9a-f]{64})"}$`)
	lines := strings.Split(strings.TrimSuffix(export(t, l, action.AuditExport{}, "acme"), "\n"), "\n")
	for i, line := range lines {
		says := hash.FindStringSubmatch(line)
		if says == nil {
			t.Fatalf("line %d has no hash: %s", i+1, line)
		}
		sum := sha256.Sum256(append(slices.Concat(make([]byte, max(0, sha256.Size-len(last))), last), hash.ReplaceAllString(line, "}")...))
		if last = sum[:]; hex.EncodeToString(last) != says[1] {
			t.Fatalf("line %d does not follow the one before", i+1)
		}
		var r action.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Seq != int64(i+1) || r.Hash != says[1] {
			t.Fatalf("line %d: %+v, %v", i+1, r, err)
		}
	}
	if len(lines) != 1200 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestExportsHaveRecordsOfTheirScopeAndFilter(t *testing.T) {
	l := mixed(t)
	if got := strings.Count(export(t, l, action.AuditExport{AuditFilter: action.AuditFilter{Risk: "LOW"}}, "acme"), "\n"); got != 3 {
		t.Errorf("%d lines of one risk", got)
	}
	for _, scope := range []string{"other", ""} {
		if got := export(t, l, action.AuditExport{}, scope); got != "" {
			t.Errorf("scope %q sees %s", scope, got)
		}
	}
	if got := export(t, l, action.AuditExport{Format: "csv"}, "other"); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "seq,event_type,correlation_id,timestamp,") {
		t.Errorf("an empty table: %q", got)
	}
}

func TestCSVExportsHaveNoFormulas(t *testing.T) {
	l := openLog(t, openStore(t))
	hostile := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a,\"b\"\nc", "plain"}
	for _, text := range hostile {
		r := record(1)
		r.TargetElement, r.Actor = text, text
		if err := l.Begin(r); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(export(t, l, action.AuditExport{Format: "csv"}, "acme"))).ReadAll()
	if err != nil || len(rows) != len(hostile)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := slices.Index(rows[0], "target_element")
	for i, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
				t.Errorf("row %d holds %q", i, cell)
			}
		}
		if want := strings.TrimPrefix(row[at], "'"); want != hostile[i] {
			t.Errorf("row %d: %q, want %q", i, want, hostile[i])
		}
	}
}

// narrow accepts some bytes and then fails.
type narrow int

func (n *narrow) Write(b []byte) (int, error) {
	if *n -= narrow(len(b)); *n < 0 {
		return 0, errors.New("the reader has gone")
	}
	return len(b), nil
}

func TestAnExportEndsWhenItsReaderDoes(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 20)
	for _, format := range []string{"jsonl", "csv"} {
		file, err := l.Export(action.AuditExport{Format: format}, "acme")
		if err != nil {
			t.Fatal(err)
		}
		room := narrow(1000)
		if err := file.Send(t.Context(), &room); err == nil || !strings.Contains(fmt.Sprint(err), "gone") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
