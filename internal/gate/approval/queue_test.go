package approval_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var person = action.Caller{Actor: "ann", Scope: "acme", Role: action.Operator}

func openStore(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func openDesk(t *testing.T, db *store.DB) *approval.Queue {
	t.Helper()
	d, err := approval.Open(context.Background(), approval.Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// inBubble runs f with a queue in a synctest bubble, whose clock advances when all goroutines wait.
func inBubble(t *testing.T, f func(t *testing.T, d *approval.Queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		defer func() { _ = db.Close() }()
		f(t, openDesk(t, db))
	})
}

func request(risk action.Risk, args string) approval.Request {
	return approval.Request{
		Subject: approval.Subject{Scope: "acme", Session: "s1", Verb: "page.click", Args: args, Fingerprint: "button Delete", Document: "d1"},
		Actor:   "bot", Risk: risk, Rule: "click.delete", Why: "it deletes something", Host: "app.example.com",
		Element: &action.Element{Role: "button", Name: "Delete"}, Page: action.Page{URL: "https://app.example.com/"},
	}
}

func ask(t *testing.T, d *approval.Queue, r approval.Request) action.Question {
	t.Helper()
	q, fresh, err := d.Ask(t.Context(), r)
	if err != nil || !fresh {
		t.Fatalf("asked %+v, fresh %t, %v", q, fresh, err)
	}
	return q
}

func wantCode(t *testing.T, what string, err error, want fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != want {
		t.Errorf("%s: %q (%v), want %q", what, got, err, want)
	} else if err != nil && fault.From(err).Hint == "" {
		t.Errorf("%s: no hint", what)
	}
}

func TestSilenceDenies(t *testing.T) {
	for risk, wait := range map[action.Risk]time.Duration{
		action.Medium: 10 * time.Minute, action.High: 10 * time.Minute, action.Critical: 5 * time.Minute, action.Risk(0): 5 * time.Minute,
	} {
		inBubble(t, func(t *testing.T, d *approval.Queue) {
			start := time.Now()
			q := ask(t, d, request(risk, "a"))
			_, err := d.Await(t.Context(), q.ID, 0)
			wantCode(t, risk.String(), err, fault.ApprovalTimeout)
			if took := time.Since(start).Round(time.Second); took != wait {
				t.Errorf("%s waited %s, want %s", risk, took, wait)
			}
			_, err = d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true, Reason: "late"})
			wantCode(t, "late answer", err, fault.ApprovalTimeout)
			ask(t, d, request(risk, "a")) // the refusal was heard: the next call asks anew
		})
	}
}

func TestAnAnswerWakesTheCallAndIsUsedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		var used, lost atomic.Int32
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				switch got, err := d.Await(t.Context(), q.ID, 0); {
				case err == nil && got.State == approval.Used && got.AnsweredBy == "ann":
					used.Add(1)
				case fault.CodeOf(err) == fault.NotActive:
					lost.Add(1)
				default:
					t.Errorf("got %+v, %v", got, err)
				}
			})
		}
		synctest.Wait()
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if used.Load() != 1 || lost.Load() != 4 {
			t.Errorf("%d calls used one approval, %d lost", used.Load(), lost.Load())
		}
		_, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID})
		wantCode(t, "second answer", err, fault.NotActive)
	})
}

func TestIdenticalQuestionsAreMerged(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		again, fresh, err := d.Ask(t.Context(), request(action.High, "a"))
		if err != nil || fresh || again.ID != q.ID {
			t.Fatalf("asked again: %s, fresh %t, %v", again.ID, fresh, err)
		}
		for name, change := range map[string]func(*approval.Request){
			"scope":    func(r *approval.Request) { r.Subject.Scope = "other" },
			"session":  func(r *approval.Request) { r.Subject.Session = "s2" },
			"verb":     func(r *approval.Request) { r.Subject.Verb = "page.press" },
			"args":     func(r *approval.Request) { r.Subject.Args = "b" },
			"print":    func(r *approval.Request) { r.Subject.Fingerprint = "button Pay" },
			"document": func(r *approval.Request) { r.Subject.Document = "d2" },
			"borders":  func(r *approval.Request) { r.Subject.Fingerprint, r.Subject.Document = "button Delete2:d", "1" },
		} {
			r := request(action.High, "a")
			change(&r)
			if other, fresh, err := d.Ask(t.Context(), r); err != nil || !fresh || other.ID == q.ID {
				t.Errorf("another %s was merged, %v", name, err)
			}
		}
	})
}

func TestAnApprovalWaitsForTheSameCallUntilItExpires(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		got, err := d.Await(t.Context(), q.ID, time.Second)
		if err != nil || got.State != approval.Pending {
			t.Fatalf("after a second: %+v, %v", got, err)
		}
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(approval.DefaultTimeouts.High - 10*time.Second) // the bubble's clock
		again, fresh, err := d.Ask(t.Context(), request(action.High, "a"))
		if err != nil || fresh || again.State != approval.Approved {
			t.Fatalf("the same call: %+v, fresh %t, %v", again, fresh, err)
		}
		if got, err = d.Await(t.Context(), again.ID, 0); err != nil || got.State != approval.Used {
			t.Fatalf("claimed %+v, %v", got, err)
		}
		_, err = d.Await(t.Context(), q.ID, 0)
		wantCode(t, "claimed twice", err, fault.NotActive)

		second := ask(t, d, request(action.High, "a"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: second.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(approval.DefaultTimeouts.High + time.Second) // the bubble's clock
		_, err = d.Await(t.Context(), second.ID, 0)
		wantCode(t, "claimed too late", err, fault.NotActive)
		ask(t, d, request(action.High, "a"))
	})
}

func TestADenialIsGivenOnceToTheSameCall(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.Medium, "a"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Reason: "not today"}); err != nil {
			t.Fatal(err)
		}
		again, fresh, err := d.Ask(t.Context(), request(action.Medium, "a"))
		if err != nil || fresh {
			t.Fatalf("the denied call asked anew: %+v, %v", again, err)
		}
		_, err = d.Await(t.Context(), again.ID, 0)
		wantCode(t, "denied", err, fault.ApprovalDenied)
		if !strings.Contains(fault.From(err).Message, "not today") {
			t.Errorf("the reason is missing: %v", err)
		}
		ask(t, d, request(action.Medium, "a"))
	})
}

func TestAQuestionWaitsOnWhenItsCallerGoesAway(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := d.Await(ctx, q.ID, 0)
		wantCode(t, "left", err, fault.ApprovalTimeout)
		if s, err := d.Status(t.Context(), "acme", q.ID); err != nil || s.State != approval.Pending {
			t.Errorf("status %+v, %v", s, err)
		}
	})
}

func TestOnlyTheScopesOperatorsAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.High, "a"))
		for _, c := range []struct {
			by   action.Caller
			id   string
			want fault.Code
		}{
			{action.Caller{Actor: "bot", Scope: "acme", Role: action.Agent}, q.ID, fault.DeniedByPolicy},
			{action.Caller{Actor: "eve", Scope: "acme", Role: action.Viewer}, q.ID, fault.DeniedByPolicy},
			{action.Caller{Actor: "eve", Scope: "acme"}, q.ID, fault.DeniedByPolicy},
			{action.Caller{Actor: "bob", Scope: "other", Role: action.Operator}, q.ID, fault.NotFound},
			{person, "qffffffffffffffffffffffff", fault.NotFound},
			{person, "", fault.NotFound},
			{person, "' OR 1=1 --", fault.NotFound},
		} {
			_, err := d.Answer(t.Context(), c.by, action.Answer{ID: c.id, Approve: true})
			wantCode(t, fmt.Sprintf("%+v", c.by), err, c.want)
		}
		_, err := d.Show(t.Context(), "other", q.ID)
		wantCode(t, "show of another scope", err, fault.NotFound)
		_, err = d.Status(t.Context(), "other", q.ID)
		wantCode(t, "status of another scope", err, fault.NotFound)
		if l, err := d.List(t.Context(), "other", "all"); err != nil || len(l.Questions) != 0 {
			t.Errorf("another scope lists %+v, %v", l, err)
		}
		if s, err := d.Status(t.Context(), "acme", q.ID); err != nil || s.State != approval.Pending || s.Element != nil || s.Why != "" {
			t.Errorf("status tells %+v, %v", s, err)
		}
	})
}

func TestCriticalWantsAReason(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		q := ask(t, d, request(action.Critical, "a"))
		if !strings.Contains(q.Why, "irreversible") {
			t.Errorf("why is %q", q.Why)
		}
		for _, reason := range []string{"", " \n\t"} {
			_, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true, Reason: reason})
			wantCode(t, "no reason", err, fault.InvalidRequest)
		}
		got, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true, Reason: "the customer\u202e wrote"})
		if err != nil || got.State != approval.Approved || got.Reason != `the customer\u{202e} wrote` {
			t.Errorf("got %+v, %v", got, err)
		}
		denied := ask(t, d, request(action.Critical, "b"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: denied.ID}); err != nil {
			t.Errorf("no wants a reason: %v", err)
		}
	})
}

func TestGrantsAreForMediumCallsOfOneSessionVerbAndHost(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		high := ask(t, d, request(action.High, "a"))
		_, err := d.Answer(t.Context(), person, action.Answer{ID: high.ID, Approve: true, ForSession: true})
		wantCode(t, "grant of a HIGH call", err, fault.InvalidRequest)
		nowhere := request(action.Medium, "b")
		nowhere.Host = ""
		_, err = d.Answer(t.Context(), person, action.Answer{ID: ask(t, d, nowhere).ID, Approve: true, ForSession: true})
		wantCode(t, "grant without a host", err, fault.InvalidRequest)

		denied := ask(t, d, request(action.Medium, "c"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: denied.ID, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		if yes, err := d.Granted(t.Context(), "s1", "page.click", "app.example.com"); yes || err != nil {
			t.Errorf("a denial granted, %v", err)
		}
		q := ask(t, d, request(action.Medium, "d"))
		if _, err := d.Answer(t.Context(), person, action.Answer{ID: q.ID, Approve: true, ForSession: true}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			session, verb, host string
			want                bool
		}{
			{"s1", "page.click", "app.example.com", true}, {"s2", "page.click", "app.example.com", false},
			{"s1", "page.type", "app.example.com", false}, {"s1", "page.click", "x.app.example.com", false},
			{"", "page.click", "app.example.com", false}, {"s1", "page.click", "", false},
		} {
			if got, err := d.Granted(t.Context(), c.session, c.verb, c.host); got != c.want || err != nil {
				t.Errorf("%+v: %t, %v", c, got, err)
			}
		}
	})
}

func TestTwentyQuestionsWaitPerScope(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		for i := range 20 {
			ask(t, d, request(action.High, fmt.Sprint(i)))
		}
		_, _, err := d.Ask(t.Context(), request(action.High, "one more"))
		wantCode(t, "the next", err, fault.LimitReached)
		if _, fresh, err := d.Ask(t.Context(), request(action.High, "3")); err != nil || fresh {
			t.Errorf("a merged one: fresh %t, %v", fresh, err)
		}
		other := request(action.High, "one more")
		other.Subject.Scope = "other"
		ask(t, d, other)
		l, err := d.List(t.Context(), "acme", "")
		if err != nil || len(l.Questions) != 20 {
			t.Fatalf("%d are listed, %v", len(l.Questions), err)
		}
		time.Sleep(approval.DefaultTimeouts.High + time.Second) // the bubble's clock
		ask(t, d, request(action.High, "one more"))
		if l, err = d.List(t.Context(), "acme", approval.Expired); err != nil || len(l.Questions) != 20 {
			t.Errorf("%d expired, %v", len(l.Questions), err)
		}
	})
}

func TestPageTextInQuestionsIsInert(t *testing.T) {
	inBubble(t, func(t *testing.T, d *approval.Queue) {
		r := request(action.High, "a")
		r.Element.Name = "Delete\x1b[2J\u202e\u200b\u2066\n" + strings.Repeat("x", 500)
		r.Page.Title = "\u2028t\U000e0041"
		r.Input = "a\x00\xff"
		q, err := d.Show(t.Context(), "acme", ask(t, d, r).ID)
		if err != nil {
			t.Fatal(err)
		}
		if want := `Delete\u{001b}[2J\u{202e}\u{200b}\u{2066}\u{000a}` + strings.Repeat("x", 200-14) + "… (314 more)"; q.Element.Name != want {
			t.Errorf("name %q, want %q", q.Element.Name, want)
		}
		if q.Page.Title != `\u{2028}t\u{e0041}` || q.Input != `a\u{0000}\xff` {
			t.Errorf("title %q, input %q", q.Page.Title, q.Input)
		}
		if strings.ContainsAny(r.Element.Name, "…") {
			t.Error("the caller's element was changed")
		}
	})
}

func TestARestartDeniesWaitingQuestionsAndKeepsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := openStore(t)
		defer func() { _ = db.Close() }()
		first := openDesk(t, db)
		waiting := ask(t, first, request(action.High, "waiting"))
		answered := ask(t, first, request(action.High, "answered"))
		if _, err := first.Answer(t.Context(), person, action.Answer{ID: answered.ID, Approve: true}); err != nil {
			t.Fatal(err)
		}
		second := openDesk(t, db)
		_, err := second.Answer(t.Context(), person, action.Answer{ID: waiting.ID, Approve: true})
		wantCode(t, "answer to a question of the last run", err, fault.NotActive)
		_, err = second.Await(t.Context(), waiting.ID, 0)
		wantCode(t, "its call", err, fault.ApprovalDenied)
		if said := fault.From(err).Message; !strings.Contains(said, "restarted") {
			t.Errorf("the call gets %q", said)
		}
		ask(t, second, request(action.High, "waiting")) // the refusal was heard
		if q, err := second.Await(t.Context(), answered.ID, 0); err != nil || q.State != approval.Used {
			t.Errorf("the answer: %+v, %v", q, err)
		}
	})
}

func TestABrokenStoreIsAFault(t *testing.T) {
	db := openStore(t)
	d := openDesk(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, err := d.Ask(t.Context(), request(action.High, "a"))
	wantCode(t, "Ask", err, fault.Internal)
	_, err = d.List(t.Context(), "acme", "")
	wantCode(t, "List", err, fault.Internal)
	_, err = d.Granted(t.Context(), "s", "v", "h")
	wantCode(t, "Granted", err, fault.Internal)
	if strings.Contains(fault.From(err).Message, "sql") {
		t.Errorf("internals are shown: %v", fault.From(err).Message)
	}
}
