package approval_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// Fifty people answer at the same time; one answer counts.
func TestOneOfFiftyAnswersCounts(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	d := openDesk(t, db)
	q := ask(t, d, request(action.High, "a"))
	var wg sync.WaitGroup
	var counted, late atomic.Int32
	var winner atomic.Value
	start := make(chan struct{})
	for i := range 50 {
		wg.Go(func() {
			<-start
			by := person
			by.Actor = fmt.Sprint("person ", i)
			got, err := d.Answer(t.Context(), by, action.Answer{ID: q.ID, Approve: i%2 == 0, Reason: by.Actor})
			switch fault.CodeOf(err) {
			case "":
				counted.Add(1)
				winner.Store(got)
			case fault.NotActive:
				late.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	if counted.Load() != 1 || late.Load() != 49 {
		t.Fatalf("%d answers counted, %d came late", counted.Load(), late.Load())
	}
	shown, err := d.Show(t.Context(), "acme", q.ID)
	won := winner.Load().(action.Question)
	if err != nil || shown.AnsweredBy != won.AnsweredBy || shown.State != won.State || shown.Reason != won.Reason {
		t.Errorf("kept %+v, answered %+v, %v", shown, won, err)
	}
}

// Of many calls that wait for one question its approval allows one. The others ask anew.
func TestAnApprovalOfMergedCallsIsUsedByOne(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		for range 9 {
			if again, fresh, err := d.Ask(t.Context(), request(action.High, "a")); err != nil || fresh || again.ID != q.ID {
				t.Fatalf("not merged: %+v, %v", again, err)
			}
		}
		var wg sync.WaitGroup
		var through, again atomic.Int32
		for range 10 {
			wg.Go(func() {
				switch _, err := d.Await(t.Context(), q.ID, 0); fault.CodeOf(err) {
				case "":
					through.Add(1)
				case fault.NotActive:
					again.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if through.Load() != 1 || again.Load() != 9 {
			t.Errorf("%d went through, %d ask anew", through.Load(), again.Load())
		}
	})
}

// A question that expires before its answer arrives is expired.
func TestAnAnswerAMillisecondTooLateIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.Critical, "a"))
		time.Sleep(time.Until(q.Expires) - time.Millisecond)                            // the bubble's clock
		_, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true}) // without a reason: refused, and it still waits
		wantCode(t, "no reason", err, fault.InvalidRequest)
		time.Sleep(time.Millisecond)
		_, err = d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true, Reason: "too late"})
		wantCode(t, "late", err, fault.ApprovalTimeout)
		_, err = d.Await(t.Context(), q.ID, 0)
		wantCode(t, "its call", err, fault.ApprovalTimeout)
	})
}
