package audit_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func openLog(t testing.TB, db *store.DB) *audit.Log {
	t.Helper()
	l, err := audit.Open(t.Context(), audit.Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func record(n int) action.Record {
	return action.Record{
		CorrelationID: fmt.Sprint("c", n), Scope: "acme", Actor: "bot", Role: action.Agent,
		SessionID: "s1", Action: "page.click", URL: "https://a.example/", Result: "ok",
	}
}

// fill stores n calls.
func fill(t testing.TB, l *audit.Log, n int) {
	t.Helper()
	for i := range n {
		if err := l.Begin(record(i)); err != nil {
			t.Fatal(err)
		}
		if err := l.End(record(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// tamper runs statements that the triggers would refuse.
func tamper(t testing.TB, db *store.DB, statements ...string) {
	t.Helper()
	all := append([]string{
		`DROP TRIGGER IF EXISTS audit_is_append_only_update`,
		`DROP TRIGGER IF EXISTS audit_is_append_only_delete`,
	}, statements...)
	for _, s := range all {
		if _, err := db.Writer.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func verify(t testing.TB, l *audit.Log) action.AuditVerdict {
	t.Helper()
	v, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBeginIsDurableWhenItReturns(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	if err := l.Begin(record(1)); err != nil {
		t.Fatal(err)
	}
	var event string
	err := db.Reader.QueryRow(`SELECT json_extract(record, '$.event_type') FROM audit WHERE seq = 1`).Scan(&event)
	if err != nil || event != action.EventIntent {
		t.Fatalf("found %q, %v", event, err)
	}
}

func TestTheChainContinuesAfterReopening(t *testing.T) {
	db := openStore(t)
	first := openLog(t, db)
	fill(t, first, 3)
	first.Close()
	if err := first.Begin(record(9)); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("a closed log answered %v", err)
	}
	second := openLog(t, db)
	fill(t, second, 2)
	if v := verify(t, second); !v.OK || v.Records != 10 || len(v.Head) != 64 {
		t.Fatalf("verdict %+v", v)
	}
}

func TestAnEmptyTrailVerifies(t *testing.T) {
	if v := verify(t, openLog(t, openStore(t))); !v.OK || v.Records != 0 || v.Head != "" {
		t.Fatalf("verdict %+v", v)
	}
}

func TestConcurrentCallersGetNumbersWithoutGaps(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if err := l.BeginAndEnd(record(i), record(i)); err != nil {
				t.Error(err)
			}
			l.Record(action.Record{EventType: action.EventBlocked, Scope: "acme", Domain: "evil.example"})
		})
	}
	wg.Wait()
	if v := verify(t, l); !v.OK || v.Records != 120 {
		t.Fatalf("verdict %+v", v)
	}
	var apart int
	err := db.Reader.QueryRow(`SELECT count(*) FROM audit i LEFT JOIN audit o ON o.seq = i.seq + 1
		AND json_extract(o.record, '$.event_type') = 'outcome'
		AND json_extract(o.record, '$.correlation_id') = json_extract(i.record, '$.correlation_id')
		WHERE json_extract(i.record, '$.event_type') = 'intent' AND o.seq IS NULL`).Scan(&apart)
	if err != nil || apart != 0 {
		t.Errorf("%d intents are not followed by their outcome, %v", apart, err)
	}
}

func TestHostileTextDoesNotBreakTheChain(t *testing.T) {
	l := openLog(t, openStore(t))
	hostile := "a\xff\xfe\x00\u2028\u202e<script>\"'"
	if err := l.Begin(action.Record{Scope: hostile, SessionID: hostile, Actor: hostile, Action: hostile, Error: hostile}); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, l); !v.OK {
		t.Fatalf("verdict %+v", v)
	}
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	fill(t, l, 2)
	tamper(t, db)
	flips := 0
	for _, column := range []string{"record", "hash", "scope", "session", "actor", "verb"} {
		for seq := int64(1); seq <= 4; seq++ {
			flips += flipEach(t, db, l, column, seq)
		}
	}
	if v := verify(t, l); !v.OK || flips < 1000 {
		t.Fatalf("after %d flips and repairs: %+v", flips, v)
	}
}

// flipEach flips one bit of every byte of a cell in turn, and repairs it.
func flipEach(t *testing.T, db *store.DB, l *audit.Log, column string, seq int64) int {
	t.Helper()
	var original string
	if err := db.Writer.QueryRow(`SELECT `+column+` FROM audit WHERE seq = ?`, seq).Scan(&original); err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		if _, err := db.Writer.Exec(`UPDATE audit SET `+column+` = ? WHERE seq = ?`, text, seq); err != nil {
			t.Fatal(err)
		}
	}
	for i := range len(original) {
		changed := []byte(original)
		changed[i] ^= 1 << (i % 8)
		put(string(changed))
		if v := verify(t, l); v.OK || v.Broken != seq {
			t.Errorf("byte %d of %s of record %d: %+v", i, column, seq, v)
		}
	}
	put(original)
	return len(original)
}

func TestMissingAndMovedRecordsAreFound(t *testing.T) {
	swap := []string{
		`UPDATE audit SET seq = 100 WHERE seq = 3`, `UPDATE audit SET seq = 3 WHERE seq = 4`, `UPDATE audit SET seq = 4 WHERE seq = 100`,
	}
	for name, c := range map[string]struct {
		statements []string
		broken     int64
	}{
		"first deleted":    {[]string{`DELETE FROM audit WHERE seq = 1`}, 1},
		"middle deleted":   {[]string{`DELETE FROM audit WHERE seq = 3`}, 3},
		"tail cut":         {[]string{`DELETE FROM audit WHERE seq >= 5`}, 5},
		"swapped":          {swap, 3},
		"renumbered":       {[]string{`DELETE FROM audit WHERE seq = 3`, `UPDATE audit SET seq = 3 WHERE seq = 4`}, 3},
		"record repeated":  {[]string{`UPDATE audit SET record = (SELECT record FROM audit WHERE seq = 2) WHERE seq = 3`}, 3},
		"everything gone":  {[]string{`DELETE FROM audit`}, 1},
		"hash in capitals": {[]string{`UPDATE audit SET hash = upper(hash) WHERE seq = 2`}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db := openStore(t)
			l := openLog(t, db)
			fill(t, l, 3)
			tamper(t, db, c.statements...)
			if v := verify(t, l); v.OK || v.Broken != c.broken || v.Problem == "" {
				t.Fatalf("verdict %+v, want broken at %d", v, c.broken)
			}
		})
	}
}

func TestACutTailIsFoundAfterTheTrailContinued(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	fill(t, l, 3)
	tamper(t, db, `DELETE FROM audit WHERE seq >= 4`)
	fill(t, l, 1)
	if v := verify(t, l); v.OK || v.Broken != 4 {
		t.Fatalf("verdict %+v", v)
	}
}

func TestQueryReturnsRecordsOfItsScopeInOrder(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 3)
	other := record(7)
	other.Scope, other.Action = "other", "page.goto"
	if err := l.BeginAndEnd(other, other); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		q     action.AuditQuery
		scope string
		want  []int64
	}{
		"all":           {action.AuditQuery{}, "acme", []int64{1, 2, 3, 4, 5, 6}},
		"newest two":    {action.AuditQuery{Limit: 2}, "acme", []int64{5, 6}},
		"next two":      {action.AuditQuery{After: 1, Limit: 2}, "acme", []int64{2, 3}},
		"other scope":   {action.AuditQuery{}, "other", []int64{7, 8}},
		"by verb":       {action.AuditQuery{AuditFilter: action.AuditFilter{Verb: "page.goto"}}, "other", []int64{7, 8}},
		"by verb, none": {action.AuditQuery{AuditFilter: action.AuditFilter{Verb: "page.goto"}}, "acme", nil},
		"by session":    {action.AuditQuery{AuditFilter: action.AuditFilter{Session: "s2"}}, "acme", nil},
		"by actor":      {action.AuditQuery{AuditFilter: action.AuditFilter{Actor: "bot"}, After: 4}, "acme", []int64{5, 6}},
		"no scope":      {action.AuditQuery{}, "", nil},
	} {
		page, err := l.Query(t.Context(), c.q, c.scope)
		var got []int64
		for _, r := range page.Records {
			got = append(got, r.Seq)
			if r.Hash == "" || r.Timestamp.IsZero() {
				t.Errorf("%s: record without hash or time: %+v", name, r)
			}
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || page.Last != 8 {
			t.Errorf("%s: got %v, last %d, %v; want %v", name, got, page.Last, err, c.want)
		}
	}
}

func TestATrailWithoutSpaceRefusesAndRecovers(t *testing.T) {
	for name, pragma := range map[string]struct{ on, off string }{
		"disk full": {`PRAGMA max_page_count = 1`, `PRAGMA max_page_count = 1000000`}, // at least the present size
		"read only": {`PRAGMA query_only = 1`, `PRAGMA query_only = 0`},
	} {
		t.Run(name, func(t *testing.T) {
			db := openStore(t)
			l := openLog(t, db)
			fill(t, l, 1)
			set(t, db.Writer, pragma.on)
			big := record(1)
			big.Detail = fmt.Sprintf("%0100000d", 0)
			if err := l.BeginAndEnd(record(1), big); fault.CodeOf(err) != fault.AuditUnavailable || fault.From(err).Hint == "" {
				t.Fatalf("got %v", err)
			}
			set(t, db.Writer, pragma.off)
			fill(t, l, 1)
			if v := verify(t, l); !v.OK || v.Records != 4 {
				t.Fatalf("verdict %+v", v)
			}
		})
	}
}

func set(t *testing.T, db *sql.DB, pragma string) {
	t.Helper()
	if _, err := db.Exec(pragma); err != nil {
		t.Fatal(err)
	}
}

func TestAClosedStoreIsAFault(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Begin(record(1)); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("Begin answered %v", err)
	}
	if _, err := l.Verify(t.Context()); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("Verify answered %v", err)
	}
	if _, err := l.Query(t.Context(), action.AuditQuery{}, "acme"); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("Query answered %v", err)
	}
}
