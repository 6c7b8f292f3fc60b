package approval_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// Of fifty people who answer at the same time one does, whatever they say.
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

// Of many calls that wait for one question its approval lets one through; what
// it does not, asks anew.
func TestAnApprovalOfMergedCallsIsForOne(t *testing.T) {
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

// A question that expires while its answer is on its way is expired.
func TestAnAnswerAMillisecondTooLateIsNone(t *testing.T) {
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

func TestInertTextShowsNothingThatIsNotThere(t *testing.T) {
	odd := rapid.SampledFrom([]rune("\x00\x1b\n\t\x7f\u0085\u00ad\u034f\u061c\u115f\u180b\u200b\u200f\u2028\u202e\u2060\u2066\u2800\u3164\ufe0f\ufeff\ufff3\ue000\U000e0001\U000e0041\U000e01ef"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(odd), rapid.StringOf(rapid.OneOf(odd, rapid.RuneFrom(nil, unicode.L))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		most := rapid.IntRange(0, 50).Draw(t, "most")
		got := approval.Sanitize(text, most)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if r != ' ' && (unicode.IsControl(r) || !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)) {
				if !unicode.IsGraphic(r) && !unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
					continue // not assigned yet when this program was built
				}
				t.Fatalf("%U of %q shows nothing in %q", r, text, got)
			}
		}
		if again := approval.Sanitize(got, len(got)); again != got {
			t.Fatalf("%q became %q the second time", got, again)
		}
		if n := utf8.RuneCountInString(got); n > 10*most+len("… (99999 more)") {
			t.Fatalf("%d characters of at most %d", n, most)
		}
	})
}
