package audit

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func openLog(t *testing.T) *Log {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l, err := Open(t.Context(), Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func waits(records int) *entry {
	return &entry{records: make([]action.Record, records), done: make(chan error, 1)}
}

func TestTheLeaderCommitsAllWaitingEntries(t *testing.T) {
	l := openLog(t)
	other := waits(1)
	l.waiting = append(l.waiting, other)
	if err := l.BeginAndEnd(action.Record{}, action.Record{}); err != nil {
		t.Fatal(err)
	}
	if len(other.done) != 1 || <-other.done != nil || l.end().seq != 3 || len(l.waiting) != 0 {
		t.Fatalf("after one commit the trail has %d records, %d entries wait", l.end().seq, len(l.waiting))
	}
}

func TestACommitStaysShortAndKeepsEntriesWhole(t *testing.T) {
	l := openLog(t)
	l.waiting = []*entry{waits(largestBatch - 1), waits(2), waits(largestBatch + 1)}
	for _, want := range []int{largestBatch - 1, 2, largestBatch + 1} {
		batch := l.take()
		if len(batch) != 1 || len(batch[0].records) != want {
			t.Fatalf("a batch of %d entries, the first of %d records; want one of %d", len(batch), len(batch[0].records), want)
		}
		l.store(batch)
		if err := <-batch[0].done; err != nil {
			t.Fatal(err)
		}
	}
	if v, err := l.Verify(t.Context()); err != nil || !v.OK || v.Records != 2*largestBatch+2 {
		t.Fatalf("verdict %+v, %v", v, err)
	}
}

func TestAnEntryThatWasRemovedFromTheQueueIsNotStored(t *testing.T) {
	l := openLog(t)
	gone := waits(1)
	l.waiting = append(l.waiting, gone)
	if !l.removeWaiting(gone) || l.removeWaiting(gone) {
		t.Fatal("it was not taken back once")
	}
	if err := l.Begin(action.Record{}); err != nil || l.end().seq != 1 {
		t.Fatalf("the trail ends at %d, %v", l.end().seq, err)
	}
}

func TestCloseStoresWaitingEntries(t *testing.T) {
	l := openLog(t)
	l.waiting = append(l.waiting, waits(1), waits(2))
	l.Close()
	if l.end().seq != 3 {
		t.Errorf("the trail ends at %d", l.end().seq)
	}
	l.Close()
	if err := l.End(action.Record{}); fault.CodeOf(err) != fault.AuditUnavailable || l.end().seq != 3 {
		t.Errorf("a closed log answered %v", err)
	}
}
