package approval_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// ends collects the questions that were reported as ended.
type ends struct {
	mu  sync.Mutex
	all []string
}

func (e *ends) take(q action.Question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, q.ID+" "+q.State+" "+q.Reason)
}

func (e *ends) list() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

func openReporting(t *testing.T, db *store.DB, reported func(action.Question)) *approval.Queue {
	t.Helper()
	d, err := approval.Open(context.Background(), approval.Options{DB: db, Log: slog.New(slog.DiscardHandler), OnEnded: reported})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEachUnansweredQuestionIsReportedOnceAndOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		defer func() { _ = db.Close() }()
		reported := &ends{}
		d := openReporting(t, db, reported.take)
		defer d.Close()
		slow := ask(t, d, request(action.Medium, "slow"))
		answered := ask(t, d, request(action.High, "answered"))
		quick := ask(t, d, request(action.Critical, "quick"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: answered.ID}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(approval.DefaultTimeouts.Critical - time.Second) // the bubble's clock
		synctest.Wait()
		if got := reported.list(); len(got) != 0 {
			t.Fatalf("reported %v before its time", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := reported.list(); !slices.Equal(got, []string{quick.ID + " expired "}) {
			t.Fatalf("a second after its time: %v", got)
		}
		if _, err := d.List(t.Context(), "acme", ""); err != nil { // which marks what has expired
			t.Fatal(err)
		}
		time.Sleep(approval.DefaultTimeouts.Medium)
		synctest.Wait()
		if got := reported.list(); !slices.Equal(got, []string{quick.ID + " expired ", slow.ID + " expired "}) {
			t.Errorf("in the end: %v", got)
		}
	})
}

func TestTheNextGatewayReportsQuestionsThatTheLastOneDidNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		defer func() { _ = db.Close() }()
		first := openDesk(t, db) // tells nobody, as one that was killed
		expired := ask(t, first, request(action.Critical, "expired"))
		time.Sleep(approval.DefaultTimeouts.Critical + time.Second) // the bubble's clock
		waiting := ask(t, first, request(action.High, "waiting"))
		reported := &ends{}
		for range 2 { // the second finds nothing left to tell
			d := openReporting(t, db, reported.take)
			synctest.Wait()
			d.Close()
		}
		want := []string{expired.ID + " expired ", waiting.ID + " denied the gateway restarted"}
		if got := reported.list(); !slices.Equal(got, want) {
			t.Errorf("reported %v, want %v", got, want)
		}
	})
}
