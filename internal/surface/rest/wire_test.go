package rest_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// places admits every client, and serves it with a given function.
type places func(ctx context.Context, wire action.Wire) error

func (p places) Attach(context.Context, action.Call) (action.Attachment, error) { return p, nil }

func (p places) Serve(ctx context.Context, wire action.Wire) error { return p(ctx, wire) }

func (places) Close() {}

// echo sends each message back in two pieces.
func echo(ctx context.Context, wire action.Wire) error {
	for {
		message, err := wire.Read(ctx)
		if err != nil {
			return nil //nolint:nilerr // the client has gone
		}
		message = bytes.Clone(message)
		half := len(message) / 2
		if err := wire.Write(ctx, message[:half], false); err != nil {
			return err
		}
		if err := wire.Write(ctx, message[half:], true); err != nil {
			return err
		}
	}
}

// attach connects a client over a real connection.
func attach(t *testing.T, serve places) (*websocket.Conn, *rest.Surface) {
	t.Helper()
	surface := attachable(t, serve)
	server := httptest.NewServer(surface)
	t.Cleanup(func() { surface.Close(); server.Close() })
	return attachTo(t, server.URL, http.DefaultClient), surface
}

// attachByPipe connects a client without a network, for a bubble of synctest.
func attachByPipe(t *testing.T, serve places) (*websocket.Conn, *rest.Surface) {
	t.Helper()
	surface := attachable(t, serve)
	w := &wire{connections: make(chan net.Conn, 1), closed: make(chan struct{})}
	server := &http.Server{Handler: surface}
	done := make(chan error, 1)
	go func() { done <- server.Serve(w) }()
	t.Cleanup(func() { surface.Close(); _ = server.Close(); <-done })
	ours, theirs := net.Pipe()
	w.connections <- theirs
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
	return attachTo(t, "http://127.0.0.1", &http.Client{Transport: transport}), surface
}

func attachable(t *testing.T, serve places) *rest.Surface {
	t.Helper()
	surface, err := rest.New(rest.Options{Gate: refusing(), Clients: serve, Auth: tokens{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return surface
}

func attachTo(t *testing.T, url string, by *http.Client) *websocket.Conn {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + goodToken}}
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(url, "http")+"/v1/browser/cdp", &websocket.DialOptions{HTTPHeader: header, HTTPClient: by}) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func TestMessagesComeWholeInWhateverFrames(t *testing.T) {
	conn, _ := attach(t, echo)
	for _, sent := range []struct {
		kind   websocket.MessageType
		frames []string
	}{
		{websocket.MessageText, []string{`{"id":1,"method":"Browser.getVersion"}`}},
		{websocket.MessageBinary, []string{`{"id":2,"method":"Browser.getVersion"}`}},
		{websocket.MessageText, []string{`{"id":3,"met`, `hod":"Browser.`, ``, `getVersion"}`}},
		{websocket.MessageBinary, []string{`{"id":4,`, strings.Repeat(" ", 3<<20), `"method":"Browser.getVersion"}`}},
	} {
		w, err := conn.Writer(t.Context(), sent.kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range sent.frames {
			if _, err := io.WriteString(w, frame); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		kind, got, err := conn.Read(t.Context())
		if want := strings.Join(sent.frames, ""); err != nil || kind != websocket.MessageText || string(got) != want {
			t.Errorf("%d frames came back as %v of %d bytes, want %d: %v", len(sent.frames), kind, len(got), len(want), err)
		}
	}
}

func TestAMessageThatIsTooLongEndsTheConnection(t *testing.T) {
	conn, _ := attach(t, echo)
	over := make(chan struct{})
	go func() {
		defer close(over)
		w, err := conn.Writer(t.Context(), websocket.MessageText)
		for n := 0; err == nil && n <= 64<<20; n += 1 << 20 { // fails when the other end has had enough
			_, err = w.Write(make([]byte, 1<<20))
		}
	}()
	_, _, err := conn.Read(t.Context())
	if code := websocket.CloseStatus(err); code != websocket.StatusMessageTooBig {
		t.Errorf("closed with %v: %v", code, err)
	}
	_ = conn.CloseNow()
	<-over
}

func TestAClientIsToldByCodeWhyItsConnectionEnds(t *testing.T) {
	for code, end := range map[websocket.StatusCode]error{
		websocket.StatusNormalClosure:   fault.New(fault.NotActive, "the session was closed").Hinted("start one").With("ended", "closed"),
		websocket.StatusServiceRestart:  fault.New(fault.NotActive, "the session is left").Hinted("connect again").With("ended", "left"),
		websocket.StatusGoingAway:       fault.New(fault.NotActive, "the session was idle").Hinted("start one").With("limit", "idle"),
		websocket.StatusInternalError:   fault.New(fault.NotActive, "the browser is gone").Hinted("start one").With("ended", "failed"),
		websocket.StatusPolicyViolation: fault.New(fault.LimitReached, "%s", strings.Repeat("ü", 200)).Hinted("read"),
	} {
		conn, _ := attach(t, func(context.Context, action.Wire) error { return end })
		_, _, err := conn.Read(t.Context())
		if websocket.CloseStatus(err) != code {
			t.Errorf("%v is told as %v", end, err)
		}
	}
}

func TestClientsAreToldThatTheGatewayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serving := make(chan struct{})
		conn, surface := attachByPipe(t, func(ctx context.Context, _ action.Wire) error {
			close(serving)
			<-ctx.Done()
			return context.Cause(ctx)
		})
		<-serving
		closed := make(chan struct{})
		began := time.Now()
		go func() { surface.Close(); close(closed) }()
		_, _, err := conn.Read(t.Context())
		if websocket.CloseStatus(err) != websocket.StatusServiceRestart {
			t.Errorf("told %v", err)
		}
		<-closed
		if took := time.Since(began); took > 0 { // the library waits five seconds for an answer that does not come
			t.Errorf("a client that answers held the gateway up for %v", took)
		}
		r := request("GET", "/v1/browser/cdp", "")
		r.Header = http.Header{"Authorization": {"Bearer " + goodToken}}
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		w := httptest.NewRecorder()
		surface.ServeHTTP(w, r)
		wantProblem(t, w, http.StatusConflict, fault.NotActive)
	})
}

// TestAReadFailsWhenItsConnectionHasEnded checks a reader that goes on after the
// connection was served, as that of an MCP server does.
func TestAReadFailsWhenItsConnectionHasEnded(t *testing.T) {
	for range 20 {
		ended := make(chan error, 1)
		conn, _ := attach(t, func(_ context.Context, wire action.Wire) error {
			go func() {
				for {
					if _, err := wire.Read(context.WithoutCancel(t.Context())); err != nil {
						_, again := wire.Read(context.WithoutCancel(t.Context()))
						ended <- again
						return
					}
				}
			}()
			return nil
		})
		conn.CloseRead(t.Context()) // so that the client answers the end
		if err := testwait.Receive(t, ended, "the end of the reader"); err == nil {
			t.Error("it read something")
		}
		_ = conn.CloseNow()
	}
}
