package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/webhook"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" // the specification's own example

// received is one request to an endpoint, verified as a receiver would.
type received struct {
	id, kind string
	data     webhook.Data
	body     string
}

// endpoint is a real server that records its requests. first may answer each request in its own
// way.
type endpoint struct {
	*httptest.Server
	t     *testing.T
	mu    sync.Mutex
	all   []received
	tries int
	first func(try int, got received, w http.ResponseWriter, r *http.Request) (done bool)
	news  chan received // of what was taken
}

func listen(t *testing.T, first func(int, received, http.ResponseWriter, *http.Request) bool) *endpoint {
	t.Helper()
	e := &endpoint{t: t, first: first, news: make(chan received, 100)}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() { e.CloseClientConnections(); e.Close() })
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender went away
	}
	receiver, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		e.t.Error(err)
	}
	if err := receiver.Verify(body, r.Header); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		e.t.Errorf("%s %v: %v", r.Method, r.Header, err)
	}
	var m webhook.Message
	if err := json.Unmarshal(body, &m); err != nil || m.Timestamp.IsZero() {
		e.t.Errorf("%q: %v", body, err)
	}
	got := received{id: r.Header.Get("webhook-id"), kind: m.Type, data: m.Data, body: string(body)}
	e.mu.Lock()
	e.tries++
	try := e.tries
	e.mu.Unlock()
	if e.first != nil && e.first(try, got, w, r) {
		return
	}
	e.mu.Lock()
	e.all = append(e.all, got)
	e.mu.Unlock()
	e.news <- got
	w.WriteHeader(http.StatusNoContent)
}

// next waits for the next message.
func (e *endpoint) next() received {
	e.t.Helper()
	return testwait.Receive(e.t, e.news, "a message")
}

// fixture is an audit trail and an approval queue.
type fixture struct {
	t     *testing.T
	db    *store.DB
	trail *audit.Log
	queue *approval.Queue
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(context.Background(), audit.Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := approval.Open(context.Background(), approval.Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { queue.Close(); trail.Close(); _ = db.Close() })
	return &fixture{t: t, db: db, trail: trail, queue: queue}
}

// send starts a sender with short waits between retries.
func (r *fixture) send(url string, change ...func(*webhook.Options)) *webhook.Sender {
	r.t.Helper()
	o := webhook.Options{
		URL: url, Secret: secret, DB: r.db, Trail: r.trail, Approvals: r.queue, Log: slog.New(slog.DiscardHandler),
		Backoff:        []time.Duration{5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 20 * time.Millisecond, 20 * time.Millisecond},
		AttemptTimeout: time.Hour,
	}
	for _, f := range change {
		f(&o)
	}
	s, err := webhook.Open(r.t.Context(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// ask puts a question as the gate does.
func (r *fixture) ask(args string) action.Question {
	r.t.Helper()
	q, _, err := r.queue.Ask(r.t.Context(), approval.Request{
		Subject: approval.Subject{Scope: "acme", Session: "s1", Verb: "page.type", Args: args}, Actor: "bot", Risk: action.High, Why: "it sends\u202e",
		Element: &action.Element{Role: "button", Name: "Send"}, Within: "To Ann", Input: "hunter2", Page: action.Page{URL: "https://mail.example/?t=1"},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.record(action.EventQuestion, q, approval.Pending)
	return q
}

func (r *fixture) record(kind string, q action.Question, state string) {
	r.trail.Record(action.Record{
		EventType: kind, Scope: q.Scope, SessionID: q.Session, Action: q.Verb, URL: q.Page.URL, Risk: q.Risk.String(),
		InputValue: "hunter2", HITLDecision: state, ApprovalID: q.ID, Detail: "question " + q.ID,
	})
}

func (r *fixture) alert(detail string) {
	r.trail.Record(action.Record{EventType: action.EventAlert, Scope: "acme", SessionID: "s1", Detail: detail})
}

// until waits for a state of the store, for which there is no event.
func (r *fixture) until(what string, holds func(webhook.Status) bool) (s webhook.Status) {
	r.t.Helper()
	testwait.For(r.t, what, func() bool {
		var err error
		if s, err = webhook.Read(r.t.Context(), r.db); err != nil {
			r.t.Fatal(err)
		}
		return holds(s)
	})
	return s
}

func TestQuestionsAndAlertsAreSentSignedWithoutTypedText(t *testing.T) {
	r, e := newFixture(t), listen(t, nil)
	r.alert("before there was a webhook")
	s := r.send(e.URL + "/hook?key=1")
	defer s.Close()
	q := r.ask("a")
	if got := e.next(); got.kind != "question.asked" || got.data.Question != q.ID || got.data.State != "pending" || got.data.Element != `button "Send"` ||
		got.data.Within != "To Ann" || got.data.Why != `it sends\u{202e}` || got.data.Risk != "HIGH" || got.data.Actor != "bot" ||
		got.data.Expires == nil || got.data.Scope != "acme" || strings.Contains(got.body, "hunter2") || len(got.body) > 4096 {
		t.Errorf("received %s %s", got.id, got.body)
	}
	r.trail.Record(action.Record{EventType: action.EventOutcome, Scope: "acme"}) // nobody's business
	r.record(action.EventAnswer, q, approval.Expired)
	if got := e.next(); got.kind != "question.expired" {
		t.Errorf("received %s", got.body)
	}
	r.record(action.EventAnswer, q, approval.Denied)
	if got := e.next(); got.kind != "question.answered" || got.data.State != "denied" {
		t.Errorf("received %s", got.body)
	}
	r.alert("paused\x1b[2J\u200b" + strings.Repeat("x", 1000))
	if got := e.next(); got.kind != "alert" || !strings.HasPrefix(got.data.Detail, `paused\u{001b}[2J\u{200b}xxx`) || !strings.HasSuffix(got.data.Detail, " more)") {
		t.Errorf("received %s", got.body)
	}
	r.until("all to be delivered", func(s webhook.Status) bool { return s.Delivered == 4 && s.Waiting == 0 && s.Problem == "" })
}

// A message to an endpoint that fails or redirects is sent again, and the messages of each
// question in order.
func TestFailedMessagesAreSentAgainInOrder(t *testing.T) {
	elsewhere := listen(t, nil)
	var asked atomic.Int32
	e := listen(t, func(_ int, got received, w http.ResponseWriter, r *http.Request) bool {
		if got.kind != "question.asked" {
			return false
		}
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 2:
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		default:
			return false
		}
		return true
	})
	r := newFixture(t)
	s := r.send(e.URL)
	defer s.Close()
	q := r.ask("a")
	r.record(action.EventAnswer, q, approval.Approved)
	r.alert("meanwhile")
	var order []string
	for range 3 {
		order = append(order, e.next().kind)
	}
	if len(order) != 3 || slices.Index(order, "question.answered") < slices.Index(order, "question.asked") || !slices.Contains(order, "alert") {
		t.Errorf("received in the order %q", order)
	}
	r.until("the end", func(s webhook.Status) bool { return s.Delivered == 3 && s.Waiting == 0 })
	if len(elsewhere.all) != 0 {
		t.Error("a redirect was followed")
	}
}

// Each attempt at an endpoint that hangs ends: otherwise the message would never be given up.
func TestAnEndpointThatHangsIsGivenUp(t *testing.T) {
	r := newFixture(t)
	e := listen(t, func(_ int, _ received, _ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	})
	s := r.send(e.URL, func(o *webhook.Options) { o.AttemptTimeout = 50 * time.Millisecond })
	defer s.Close()
	r.alert("first")
	r.until("it to be given up", func(s webhook.Status) bool { return s.GivenUp == 1 && s.Waiting == 0 && s.Delivered == 0 })
}

func TestAMessageIsGivenUpAfterFiveRetries(t *testing.T) {
	r := newFixture(t)
	e := listen(t, func(_ int, got received, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusGone)
		return got.data.Detail != "second"
	})
	s := r.send(e.URL)
	defer s.Close()
	r.alert("first")
	got := r.until("it to be given up", func(s webhook.Status) bool { return s.GivenUp == 1 && s.Waiting == 0 })
	if e.tries != 6 || got.Problem != "the answer was 410" || got.Tried.IsZero() {
		t.Errorf("after %d attempts %+v", e.tries, got)
	}
}

// A gateway that is killed while it sends messages sends them after its next start.
func TestARestartLosesNoMessage(t *testing.T) {
	r := newFixture(t)
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	hanging := listen(t, func(int, received, http.ResponseWriter, *http.Request) bool {
		arrived <- struct{}{}
		<-release
		return true
	})
	s := r.send(hanging.URL)
	q := r.ask("a")
	testwait.Receive(t, arrived, "an attempt")
	s.Close()
	close(release)
	r.record(action.EventAnswer, q, approval.Approved) // while there is no sender
	e := listen(t, nil)
	s = r.send(e.URL)
	defer s.Close()
	if first, second := e.next(), e.next(); first.kind != "question.asked" || second.kind != "question.answered" || first.id == second.id {
		t.Errorf("received %+v, %+v", first, second)
	}
}

func TestANewlyConfiguredWebhookGetsNoOldMessages(t *testing.T) {
	r, e := newFixture(t), listen(t, nil)
	r.send(e.URL).Close()
	if err := webhook.Forget(t.Context(), r.db); err != nil {
		t.Fatal(err)
	}
	r.alert("in between")
	s := r.send(e.URL)
	defer s.Close()
	r.alert("afterwards")
	if got := e.next(); got.data.Detail != "afterwards" {
		t.Errorf("received %s", got.body)
	}
}

func TestAWeakSecretIsRefusedAndNotShown(t *testing.T) {
	r := newFixture(t)
	for _, weak := range []string{"", "whsec_", "whsec_!!!", "hunter2-hunter2-hunter2-hunter2-hunter2", "whsec_" + "MfKQ9r8GKYqrTwjUPD8="} {
		_, err := webhook.Open(t.Context(), webhook.Options{URL: "https://x.example", Secret: weak, DB: r.db, Trail: r.trail, Approvals: r.queue, Log: slog.New(slog.DiscardHandler)})
		f := fault.From(err)
		if fault.CodeOf(err) != fault.InvalidRequest || strings.Contains(f.Message+f.Hint, "hunter2") || f.Hint == "" {
			t.Errorf("%q: %v", weak, err)
		}
	}
}
