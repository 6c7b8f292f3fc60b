package audit_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var errEnough = errors.New("enough")

// upTo follows until n records were delivered.
func upTo(t *testing.T, l *audit.Log, scope string, after int64, n int) []action.Record {
	t.Helper()
	var got []action.Record
	err := l.Follow(testwait.Context(t), scope, after, func(r action.Record) error {
		if got = append(got, r); len(got) == n {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatalf("after %d records: %v", len(got), err)
	}
	return got
}

func numbers(records []action.Record) []int64 {
	var all []int64
	for _, r := range records {
		all = append(all, r.Seq)
	}
	return all
}

func TestFollowBeginsAfterANumberAndContinues(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 150) // more than it reads at a time
	if got := upTo(t, l, "acme", 0, 300); !slices.IsSorted(numbers(got)) || got[0].Seq != 1 || got[299].Seq != 300 {
		t.Errorf("the whole trail: from %d to %d", got[0].Seq, got[299].Seq)
	}
	if got := numbers(upTo(t, l, "acme", 297, 3)); !slices.Equal(got, []int64{298, 299, 300}) {
		t.Errorf("after 297 came %v", got)
	}
}

func TestFollowDeliversRecordsOfItsScopeOnly(t *testing.T) {
	l := openLog(t, openStore(t))
	for i := range 6 {
		r := record(i)
		if i%3 == 0 {
			r.Scope = "other"
		}
		if err := l.Begin(r); err != nil {
			t.Fatal(err)
		}
	}
	if got := numbers(upTo(t, l, "other", 0, 2)); !slices.Equal(got, []int64{1, 4}) {
		t.Errorf("of one scope came %v", got)
	}
	if got := numbers(upTo(t, l, "", 2, 4)); !slices.Equal(got, []int64{3, 4, 5, 6}) {
		t.Errorf("of every scope came %v", got)
	}
}

func TestFollowersMissNoRecordThatIsStoredMeanwhile(t *testing.T) {
	l := openLog(t, openStore(t))
	const writers, each, followers = 8, 40, 4
	var wg sync.WaitGroup
	for range followers {
		wg.Go(func() {
			for i, seq := range numbers(upTo(t, l, "", 0, writers*each*2)) {
				if seq != int64(i+1) {
					t.Errorf("record %d came in place %d", seq, i+1)
					return
				}
			}
		})
	}
	for range writers {
		wg.Go(func() { fill(t, l, each) })
	}
	wg.Wait()
}

func TestASlowFollowerDelaysNobody(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 1)
	first, goOn := make(chan struct{}), make(chan struct{})
	var got []int64
	done := make(chan error, 1)
	go func() {
		done <- l.Follow(testwait.Context(t), "acme", 0, func(r action.Record) error {
			if got = append(got, r.Seq); len(got) == 1 {
				close(first)
				<-goOn
			}
			if len(got) == 402 {
				return errEnough
			}
			return nil
		})
	}()
	<-first
	fill(t, l, 200) // while the follower stands still
	close(goOn)
	if err := <-done; !errors.Is(err, errEnough) || !slices.IsSorted(got) {
		t.Fatalf("%d records, %v", len(got), err)
	}
}

func TestFollowEndsWithItsContextAndWithTheLog(t *testing.T) {
	l := openLog(t, openStore(t))
	fill(t, l, 1)
	ctx, cancel := context.WithCancel(t.Context())
	if err := l.Follow(ctx, "acme", 1, func(action.Record) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled follower answered %v", err)
	}
	err := l.Follow(testwait.Context(t), "acme", 1, func(action.Record) error { go l.Close(); return nil })
	if fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("the follower of a closed log answered %v", err)
	}
}

func TestAFollowerGetsNoRecordThatWasNotStored(t *testing.T) {
	db := openStore(t)
	l := openLog(t, db)
	set(t, db.Writer, `PRAGMA query_only = 1`)
	if err := l.Begin(record(1)); err == nil {
		t.Fatal("a record was stored")
	}
	set(t, db.Writer, `PRAGMA query_only = 0`)
	if err := l.Begin(record(2)); err != nil {
		t.Fatal(err)
	}
	if got := upTo(t, l, "", 0, 1); got[0].CorrelationID != "c2" || got[0].Hash == "" {
		t.Errorf("got %+v", got[0])
	}
}
