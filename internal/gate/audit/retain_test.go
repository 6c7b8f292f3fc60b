package audit_test

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

// aging is a trail of n segments of four records, an hour apart, with a clock that tests set.
func aging(t *testing.T, n int) (s sealed, clock *atomic.Int64) {
	t.Helper()
	clock = &atomic.Int64{}
	clock.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix())
	s = newSealed(t, func(o *audit.Options) {
		o.Now = func() time.Time { return time.Unix(clock.Load(), 0) }
	})
	for range n {
		fill(t, s.Log, 2)
		s.sign(t)
		clock.Add(3600)
	}
	return s, clock
}

func hour(n int) time.Time { return time.Date(2026, 1, 1, n, 30, 0, 0, time.UTC) }

func TestRetentionRemovesWholeSegmentsAndTheTrailStillVerifies(t *testing.T) {
	s, _ := aging(t, 4)
	if n, err := s.Retain(t.Context(), hour(-1)); n != 0 || err != nil {
		t.Errorf("before anything was old it removed %d, %v", n, err)
	}
	if n, err := s.Retain(t.Context(), hour(1)); n != 8 || err != nil {
		t.Fatalf("it removed %d, %v", n, err)
	}
	v := verify(t, s.Log)
	if !v.OK || v.First != 9 || v.Records != 9 || v.Signed != 17 {
		t.Errorf("afterwards: %+v", v)
	}
	page, err := s.Query(t.Context(), action.AuditQuery{Limit: 1}, "")
	if err != nil || len(page.Records) != 0 {
		t.Errorf("a scope sees %v, %v", page.Records, err)
	}
	if n, err := s.Retain(t.Context(), hour(2)); n != 4 || err != nil {
		t.Errorf("the second time it removed %d, %v", n, err)
	}
	fill(t, s.Log, 1)
	s.Close()
	if v := s.inspect(t); !v.OK || v.First != 13 || v.Records != 8 || v.Checkpoints != 4 {
		t.Errorf("by someone who was not there: %+v", v)
	}
}

func TestRetentionContinuesAfterARestart(t *testing.T) {
	s, _ := aging(t, 3)
	if _, err := s.Retain(t.Context(), hour(0)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.open(t)
	fill(t, s.Log, 1)
	s.sign(t)
	if n, err := s.Retain(t.Context(), hour(1)); n != 4 || err != nil {
		t.Errorf("it removed %d, %v", n, err)
	}
	if v := verify(t, s.Log); !v.OK || v.First != 9 {
		t.Errorf("afterwards: %+v", v)
	}
}

func TestRetentionOfManyRecordsIsDoneInParts(t *testing.T) {
	s, clock := aging(t, 0)
	for range 3 {
		for range 12 { // 3,000 records in a segment
			batch := make([]action.Record, 250)
			for i := range batch {
				batch[i] = record(i)
			}
			if err := s.Append(batch...); err != nil {
				t.Fatal(err)
			}
		}
		s.sign(t)
	}
	clock.Add(3600)
	n, err := s.Retain(t.Context(), hour(0))
	if n != 9000 || err != nil {
		t.Fatalf("it removed %d, %v", n, err)
	}
	var cuts int
	if err := s.db.Reader.QueryRow(`SELECT count(*) FROM audit WHERE event = 'retention'`).Scan(&cuts); err != nil || cuts < 2 {
		t.Errorf("in %d parts, %v", cuts, err)
	}
	if v := verify(t, s.Log); !v.OK || v.First != 9001 {
		t.Errorf("afterwards: %+v", v)
	}
}

func TestRecordsThatDoNotVerifyAreNotRemoved(t *testing.T) {
	for name, spoil := range map[string]func(s sealed){
		"a changed record": func(s sealed) { s.exec(t, `UPDATE audit SET actor = 'eve' WHERE seq = 2`) },
		"a missing record": func(s sealed) { s.exec(t, `DELETE FROM audit WHERE seq = 3`) },
		"a rewritten trail": func(s sealed) {
			rewrite(t, s.db.Writer, 1, func(r string) string { return strings.Replace(r, "2026", "2025", 1) })
		},
		"a missing checkpoint": func(s sealed) { s.write(t, strings.Join(s.lines(t)[1:], "")+"\n") },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := aging(t, 3)
			tamper(t, s.db)
			spoil(s)
			if n, err := s.Retain(t.Context(), hour(1)); n != 0 || fault.CodeOf(err) != fault.AuditUnavailable {
				t.Errorf("it removed %d, %v", n, err)
			}
		})
	}
}

func TestRemovedRecordsMustBeAccountedFor(t *testing.T) {
	for name, c := range map[string]struct{ statement, says string }{
		"more is missing than retention says": {`DELETE FROM audit WHERE seq <= 8`, "no record of retention"},
		"less is missing than it says":        {`INSERT INTO audit (seq, scope, session, actor, verb, record, hash) VALUES (4, '', '', '', '', '{}', '')`, "record"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := aging(t, 3)
			if _, err := s.Retain(t.Context(), hour(0)); err != nil {
				t.Fatal(err)
			}
			s.Close()
			tamper(t, s.db, c.statement)
			if v := s.inspect(t); v.OK || !strings.Contains(v.Problem, c.says) {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestOnlyRetentionMayRemove(t *testing.T) {
	s, _ := aging(t, 2)
	if _, err := s.Retain(t.Context(), hour(0)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`DELETE FROM audit WHERE seq = 5`, `DELETE FROM audit`, `UPDATE audit SET hash = ''`} {
		if _, err := s.db.Writer.Exec(statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	s.exec(t, `DELETE FROM audit_state`)
	if _, err := s.db.Writer.Exec(`DELETE FROM audit`); err == nil {
		t.Error("without its state the trail may be removed")
	}
}

func TestRemovedRecordsAreNotInTheFile(t *testing.T) {
	s, clock := aging(t, 0)
	r := record(1)
	r.Detail = "a-word-that-is-nowhere-else"
	if err := s.Begin(r); err != nil {
		t.Fatal(err)
	}
	s.sign(t)
	clock.Add(3600)
	s.exec(t, `PRAGMA wal_checkpoint(TRUNCATE)`)
	holds := func() bool {
		text, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), r.Detail)
	}
	if !holds() {
		t.Fatal("it is not in the file before")
	}
	if _, err := s.Retain(t.Context(), hour(0)); err != nil {
		t.Fatal(err)
	}
	s.exec(t, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if holds() {
		t.Error("it is still in the file")
	}
}

func TestOldRecordsAreRemovedAutomatically(t *testing.T) {
	s, clock := aging(t, 2)
	s.Close()
	clock.Add(50 * 3600)
	s.open(t, func(o *audit.Options) {
		o.Now, o.Retention = func() time.Time { return time.Unix(clock.Load(), 0) }, 24*time.Hour
	})
	eventually(t, func() bool { return verify(t, s.Log).First == 9 })
}

func TestCallsAreStoredWhileRecordsAreRemoved(t *testing.T) {
	s, clock := aging(t, 30)
	clock.Add(3600)
	done := make(chan error, 1)
	go func() {
		for i := range 200 {
			if err := s.Begin(record(i)); err != nil {
				done <- fmt.Errorf("call %d: %w", i, err)
				return
			}
		}
		done <- nil
	}()
	for n := range 30 {
		if _, err := s.Retain(t.Context(), hour(n)); err != nil {
			t.Error(err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if v := verify(t, s.Log); !v.OK {
		t.Errorf("%+v", v)
	}
}
