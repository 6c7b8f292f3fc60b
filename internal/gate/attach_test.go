package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// fakeClient is an attachment of fakeSessions. It reports the client's calls and
// serves until the client disconnects.
type fakeClient struct {
	onMessage func(action.Message)
	leave     chan struct{}
	mu        sync.Mutex
	shut      bool
}

func (s *fakeClient) Serve(ctx context.Context, _ action.Wire) error {
	select {
	case <-s.leave:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *fakeClient) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = true
}

var clients sync.Map // by fakeSessions: the last place given

func (s *fakeSessions) Attach(_ context.Context, call action.Call, pin action.Pin, onMessage func(action.Message)) (action.Attachment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = append(s.done, call.Verb)
	s.pins = append(s.pins, pin)
	if s.doErr != nil {
		return nil, s.doErr
	}
	place := &fakeClient{onMessage: onMessage, leave: make(chan struct{})}
	clients.Store(s, place)
	return place, nil
}

func (s *fakeSessions) fakeClient() *fakeClient {
	place, _ := clients.Load(s)
	return place.(*fakeClient)
}

func protocolRecords(all []action.Record) (lines []string) {
	for _, r := range all {
		if r.EventType == action.EventProtocol {
			lines = append(lines, r.Result+" "+r.Detail+" "+r.Error)
		}
	}
	return lines
}

func TestOnlyOperatorsAttachToTheBrowser(t *testing.T) {
	h := open(t)
	for _, c := range []action.Caller{agent, viewer, {}, {Actor: "x", Scope: "acme"}} {
		if a, err := h.Attach(t.Context(), action.Call{Caller: c, Surface: "rest"}); err == nil || a != nil {
			t.Errorf("%+v may attach", c)
		}
	}
	if len(h.fakeSessions.done) != 0 {
		t.Errorf("done %q", h.fakeSessions.done)
	}
	a, err := h.Attach(t.Context(), action.Call{Caller: operator, Surface: "rest"})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	intent, outcome := h.last(t)
	if intent.Action != "cdp.attach" || intent.Risk != "CRITICAL" || intent.HITLDecision != "operator" || outcome.Result != "ok" || !h.fakeSessions.fakeClient().shut {
		t.Errorf("intent %+v\noutcome %+v", intent, outcome)
	}
}

// TestAnAgentAttachesOnlyWithAnApproval has a rule that lets an agent use the
// protocol: a person is asked about each connection, and its calls are recorded
// by method.
func TestAnAgentAttachesOnlyWithAnApproval(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Rules: []policy.Rule{{Tools: []string{"cdp.attach"}, Roles: []string{"agent"}, Action: "allow"}}})
	connect := func() (action.Attachment, error) {
		return h.Attach(t.Context(), action.Call{Caller: agent, Surface: "rest", Wait: time.Millisecond})
	}
	_, err := connect()
	wantCode(t, "unanswered", err, fault.ApprovalTimeout)
	id, _ := fault.From(err).Details["approvalId"].(string)
	if id == "" || len(h.fakeSessions.done) != 0 {
		t.Fatalf("question %q, done %q", id, h.fakeSessions.done)
	}
	if _, err := h.Call(t.Context(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: id, Approve: true, Reason: "a test"}}); err != nil {
		t.Fatal(err)
	}
	a, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- a.Serve(t.Context(), nil) }()
	h.fakeSessions.fakeClient().onMessage(action.Message{Method: "Page.navigate"})
	close(h.fakeSessions.fakeClient().leave)
	if err := <-served; err != nil {
		t.Error(err)
	}
	if lines := protocolRecords(h.records(t)); len(lines) != 2 || lines[0] != "ok Page.navigate: 1 " {
		t.Errorf("recorded %q", lines)
	}
	_, err = connect() // an answer is for one connection
	wantCode(t, "again", err, fault.ApprovalTimeout)
	h.last(t)
}

func TestARefusedClientHasAnOutcome(t *testing.T) {
	h := open(t)
	h.fakeSessions.doErr = fault.New(fault.LimitReached, "enough clients").Hinted("disconnect one")
	_, err := h.Attach(t.Context(), action.Call{Caller: operator})
	wantCode(t, "attach", err, fault.LimitReached)
	if _, outcome := h.last(t); outcome.Result != "fault" || !strings.Contains(outcome.Error, "enough clients") {
		t.Errorf("outcome %+v", outcome)
	}
}

func TestCallsOfClientsAreRecordedByMethodAndSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		a, err := h.Attach(t.Context(), action.Call{Caller: operator, Surface: "rest"})
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- a.Serve(t.Context(), nil) }()
		place := h.fakeSessions.fakeClient()
		for range 3 {
			place.onMessage(action.Message{Method: "Page.navigate"})
		}
		for range 25 {
			place.onMessage(action.Message{Method: "Browser.close", Refused: "it is the session's"})
		}
		time.Sleep(1100 * time.Millisecond) // synthetic
		synctest.Wait()
		lines := protocolRecords(h.records(t))
		if len(lines) != 22 || lines[0] != "ok Page.navigate: 3 " || lines[1] != "refused Browser.close it is the session's" || lines[21] != "refused more calls: 5 " {
			t.Errorf("recorded %d: %q", len(lines), lines)
		}
		for i := range 100 {
			place.onMessage(action.Message{Method: "Page.m" + strings.Repeat("x", i)})
		}
		close(place.leave)
		if err := <-served; err != nil {
			t.Error(err)
		}
		lines = protocolRecords(h.records(t))[22:]
		if len(lines) != 66 || !slices.Contains(lines, "ok other methods: 36 ") || lines[65] != "ok left after 128 calls, of which 25 were refused or changed " {
			t.Errorf("recorded %d: %q", len(lines), lines)
		}
		h.close(t)
	})
}

func TestAClientWhoseCallsCannotBeRecordedIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		a, err := h.Attach(t.Context(), action.Call{Caller: operator})
		if err != nil {
			t.Fatal(err)
		}
		h.audit.Close()
		served := make(chan error, 1)
		go func() { served <- a.Serve(t.Context(), nil) }()
		h.fakeSessions.fakeClient().onMessage(action.Message{Method: "Page.navigate"})
		if err := <-served; !errors.Is(err, fault.New(fault.AuditUnavailable, "")) {
			t.Errorf("served until %v", err)
		}
		h.close(t)
	})
}
