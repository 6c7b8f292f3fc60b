package telemetry_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/telemetry"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openTrail(t *testing.T) *audit.Log {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	l, err := audit.Open(t.Context(), audit.Options{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// receiver is a collector. It decodes the protocol and sends the spans to a
// channel.
func receiver(t *testing.T) (url string, spans chan *wire.Span, sick *atomic.Bool) {
	t.Helper()
	spans, sick = make(chan *wire.Span, 100), &atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sick.Load() {
			w.WriteHeader(http.StatusBadRequest) // the exporter does not retry this
			return
		}
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		text, err := io.ReadAll(body)
		var request collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || proto.Unmarshal(text, &request) != nil {
			t.Errorf("%s %s: %v", r.URL.Path, r.Header, err)
		}
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					spans <- span
				}
			}
		}
		answer, _ := proto.Marshal(&collector.ExportTraceServiceResponse{})
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/traces", spans, sick
}

func open(t *testing.T, url string, l *audit.Log) *telemetry.Exporter {
	t.Helper()
	e, err := telemetry.Open(t.Context(), telemetry.Options{Endpoint: url, Version: "1", Follow: l.Follow, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func outcome(id string) action.Record {
	return action.Record{
		CorrelationID: id, Actor: "bot", Role: action.Agent, Scope: "acme", SessionID: "s1", Action: "page.type", Result: "fault",
		Error: "denied_by_policy: it says hunter2", InputValue: "hunter2", TargetElement: "hunter2", URL: "https://a.example/hunter2",
		Domain: "a.example", Risk: "HIGH", Timestamp: time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC), DurationMS: 250, Detail: "hunter2",
	}
}

func TestACallBecomesASpanWithItsIds(t *testing.T) {
	url, spans, _ := receiver(t)
	l := openTrail(t)
	e := open(t, url, l)
	for _, id := range []string{"c1", "c2.1", "c2.2", "mcp-ab-1", "mcp-ab-2"} {
		if err := l.BeginAndEnd(outcome(id), outcome(id)); err != nil {
			t.Fatal(err)
		}
	}
	l.Record(action.Record{EventType: action.EventConfig})
	got := map[string]*wire.Span{}
	for range 5 {
		select {
		case s := <-spans:
			for _, a := range s.Attributes {
				if a.Key == "glovebox.correlation_id" {
					got[a.Value.GetStringValue()] = s
				}
			}
		case <-testwait.Context(t).Done():
			t.Fatalf("%d spans arrived", len(got))
		}
	}
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
	s := got["c1"]
	if s.GetName() != "page.type" || s.EndTimeUnixNano-s.StartTimeUnixNano != 250e6 || s.Status.Code != wire.Status_STATUS_CODE_ERROR || s.Status.Message != "denied_by_policy" {
		t.Errorf("span %v", s)
	}
	if strings.Contains(s.String(), "hunter2") {
		t.Errorf("the span contains the typed text: %v", s)
	}
	same := func(a, b string) bool { return string(got[a].TraceId) == string(got[b].TraceId) }
	if !same("c2.1", "c2.2") || !same("mcp-ab-1", "mcp-ab-2") || same("c1", "c2.1") || string(got["c2.1"].SpanId) == string(got["c2.2"].SpanId) {
		t.Errorf("ids %v", got)
	}
	if len(spans) != 0 {
		t.Errorf("%d spans too many", len(spans))
	}
}

func TestAnUnreachableCollectorDelaysNothing(t *testing.T) {
	l := openTrail(t)
	e := open(t, "http://127.0.0.1:1/v1/traces", l) // port 1: nobody listens
	for range 300 {
		if err := l.BeginAndEnd(outcome("c"), outcome("c")); err != nil {
			t.Fatal(err)
		}
	}
	_ = e.Close(testwait.Context(t))
}

func TestACollectorThatDoesNotAnswerIsGivenUpAtTheEnd(t *testing.T) {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(func() { close(over); server.Close() })
	made := make(chan struct{})
	e, err := telemetry.Open(t.Context(), telemetry.Options{Endpoint: server.URL + "/v1/traces", Log: slog.New(slog.DiscardHandler), Follow: func(ctx context.Context, _ string, _ int64, deliver func(action.Record) error) error {
		r := outcome("c")
		r.EventType = action.EventOutcome
		if err := deliver(r); err != nil {
			return err
		}
		close(made)
		<-ctx.Done()
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	testwait.Receive(t, made, "the span")
	if err := e.Close(testwait.Context(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it closed with %v", err)
	}
}

func TestSpansContinueAfterTheTrailCouldNotBeRead(t *testing.T) {
	url, spans, _ := receiver(t)
	l := openTrail(t)
	var broken atomic.Bool
	broken.Store(true)
	e, err := telemetry.Open(t.Context(), telemetry.Options{Endpoint: url, Log: slog.New(slog.DiscardHandler), Follow: func(ctx context.Context, scope string, after int64, deliver func(action.Record) error) error {
		if broken.Swap(false) {
			return errors.New("the disk has gone")
		}
		return l.Follow(ctx, scope, after, deliver)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.BeginAndEnd(outcome("c1"), outcome("c1")); err != nil {
		t.Fatal(err)
	}
	testwait.Receive(t, spans, "a span")
	if err := e.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
