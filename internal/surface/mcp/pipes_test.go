package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/surface/relay"
)

// pipes are two ends that are connected, one for the surface, one for a client.
func pipes() (ours *pipeWire, theirs *sdk.IOTransport) {
	toUs, fromThem := io.Pipe()
	toThem, fromUs := io.Pipe()
	return &pipeWire{in: toUs, lines: bufio.NewReader(toUs), out: fromUs}, &sdk.IOTransport{Reader: toThem, Writer: fromThem}
}

// pipeWire is a connection in memory, with a message on each line.
type pipeWire struct {
	in    *io.PipeReader
	lines *bufio.Reader
	out   *io.PipeWriter
	piece bytes.Buffer
}

func (w *pipeWire) Read(ctx context.Context) ([]byte, error) {
	defer context.AfterFunc(ctx, func() { _ = w.in.CloseWithError(ctx.Err()) })()
	return w.lines.ReadBytes('\n')
}

func (w *pipeWire) Write(_ context.Context, piece []byte, last bool) error {
	w.piece.Write(piece)
	if !last {
		return nil
	}
	w.piece.WriteByte('\n')
	_, err := w.piece.WriteTo(w.out)
	return err
}

// admitted returns the stream of the agent that asks as the query says.
func admitted(t *testing.T, s *mcp.Surface, query string) action.Attachment {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:2468/v1/mcp/stream?"+query, nil)
	to, err := s.Admit(r.WithContext(auth.With(t.Context(), agent)))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// attached connects a real client of the library to the surface, over a stream
// in memory.
func attached(t *testing.T, s *mcp.Surface, query, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	ours, theirs := pipes()
	to := admitted(t, s, query)
	return served(t, func(ctx context.Context) error { return to.Serve(ctx, ours) }, theirs, options, version)
}

// served connects a client of the library to what serve serves, until the test ends.
func served(t *testing.T, serve func(ctx context.Context) error, over sdk.Transport, options *sdk.ClientOptions, version string) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(ctx, over, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		err := <-done
		cancel()
		if err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return session
}

// relayed connects a client as glovebox mcp does, to a gateway at an address.
func relayed(t *testing.T, url, token string, change ...func(*relay.Options)) *sdk.ClientSession {
	t.Helper()
	toUs, fromThem := io.Pipe()
	toThem, fromUs := io.Pipe()
	o := relay.Options{
		Gateway: func(context.Context, bool) (*client.Client, []string, error) {
			gateway, err := client.New(url, token)
			return gateway, nil, err
		}, In: toUs, Out: fromUs,
	}
	for _, f := range change {
		f(&o)
	}
	return served(t, func(ctx context.Context) error { return relay.Run(ctx, o) }, &sdk.IOTransport{Reader: toThem, Writer: fromThem}, nil, "")
}
