// Package telemetry sends a span of each call to an OpenTelemetry collector. It
// reads the audit trail, so no call waits for it, and spans of calls that were
// made while the collector did not answer are sent later.
package telemetry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	followAgain = time.Second     // delay after the trail could not be read
	lastSpans   = 5 * time.Second // for the remaining spans when the gateway stops
)

// Follow delivers the records of a scope after a number, in order, until ctx
// ends. An empty scope means all scopes.
type Follow func(ctx context.Context, scope string, after int64, deliver func(action.Record) error) error

// Options configure an Exporter.
type Options struct {
	Endpoint string // "http://127.0.0.1:4318/v1/traces": OTLP over HTTP, protobuf
	Version  string // of the gateway
	Follow   Follow
	After    int64 // records up to this one make no spans
	Log      *slog.Logger
}

// Exporter sends spans until it is closed.
type Exporter struct {
	o        Options
	provider *sdk.TracerProvider
	end      context.CancelFunc
	done     sync.WaitGroup
}

// Open starts to send spans. It does not contact the collector.
func Open(ctx context.Context, o Options) (*Exporter, error) {
	sender, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("cannot make spans for %s: %w", o.Endpoint, err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("spans were not sent", "error", err) }))
	e := &Exporter{o: o, provider: sdk.NewTracerProvider(
		sdk.WithBatcher(sender, sdk.WithBlocking()), // the reader may block: the trail keeps the records
		sdk.WithSampler(sdk.AlwaysSample()),
		sdk.WithIDGenerator(idGenerator{}),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "glovebox"), attribute.String("service.version", o.Version))),
	)}
	ctx, e.end = context.WithCancel(context.WithoutCancel(ctx))
	e.done.Go(func() { e.run(ctx) })
	return e, nil
}

// Close sends the remaining spans, for a few seconds at most.
func (e *Exporter) Close(ctx context.Context) error {
	e.end()
	ctx, cancel := context.WithTimeout(ctx, lastSpans)
	defer cancel()
	err := e.provider.Shutdown(ctx) // also unblocks the reader
	e.done.Wait()
	if err != nil {
		return fmt.Errorf("spans were not sent: %w", err)
	}
	return nil
}

func (e *Exporter) run(ctx context.Context) {
	tracer := e.provider.Tracer("github.com/gloveboxhq/glovebox")
	after := e.o.After
	for {
		err := e.o.Follow(ctx, "", after, func(r action.Record) error {
			if r.EventType == "outcome" {
				span(ctx, tracer, r)
			}
			after = r.Seq
			return ctx.Err()
		})
		if ctx.Err() != nil {
			return
		}
		e.o.Log.Warn("calls are not traced for a moment", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(followAgain):
		}
	}
}

// span makes the span of a call from its outcome. It contains no typed text, no
// addresses and no text of pages.
func span(ctx context.Context, tracer trace.Tracer, r action.Record) {
	_, s := tracer.Start(context.WithValue(ctx, key{}, r.CorrelationID), r.Action,
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithTimestamp(r.Timestamp.Add(-time.Duration(r.DurationMS)*time.Millisecond)))
	for name, value := range map[string]string{
		"correlation_id": r.CorrelationID, "actor": r.Actor, "role": string(r.Role), "scope": r.Scope, "session": r.SessionID,
		"box": r.ContainerID, "surface": r.Surface, "domain": r.Domain, "result": r.Result, "risk": r.Risk, "rule": r.Rule,
		"decision": r.HITLDecision,
	} {
		if value != "" {
			s.SetAttributes(attribute.String("glovebox."+name, value))
		}
	}
	s.SetAttributes(attribute.Int64("glovebox.seq", r.Seq))
	if r.Error != "" {
		code, _, _ := strings.Cut(r.Error, ":")
		s.SetAttributes(attribute.String("error.type", code))
		s.SetStatus(codes.Error, code)
	}
	s.End(trace.WithTimestamp(r.Timestamp))
}

// idGenerator derives ids from correlation ids, so that a span can be found from
// a record. The trace id is the SHA-256 of the common part of the correlation ids
// of a crawl or a tool call; the span id is that of the call's own.
type idGenerator struct{}

type key struct{}

// NewIDs makes both ids of a call.
func (idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id, _ := ctx.Value(key{}).(string)
	whole := sha256.Sum256([]byte(wholeOf(id)))
	own := sha256.Sum256([]byte(id))
	return trace.TraceID(whole[:16]), trace.SpanID(own[:8])
}

// NewSpanID is required by the interface but not called, since no span has a
// parent.
func (n idGenerator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, id := n.NewIDs(ctx)
	return id
}

// wholeOf returns the part of a correlation id that the calls of a crawl, or of
// one tool call, have in common.
func wholeOf(id string) string {
	id, _, _ = strings.Cut(id, ".")
	if i := strings.LastIndexByte(id, '-'); strings.HasPrefix(id, "mcp-") && i > len("mcp") {
		id = id[:i]
	}
	return id
}
