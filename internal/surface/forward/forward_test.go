package forward_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/forward"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	session = "s0123456789abcdef"
	file    = "5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70"
)

// gateway echoes what clients send, and has one file.
type gateway struct{ address string }

func (g gateway) Protocol(ctx context.Context, of string) (*websocket.Conn, error) {
	if of != session {
		return nil, fault.New(fault.SessionNotFound, "there is no session %s", of).Hinted("start one")
	}
	conn, _, err := websocket.Dial(ctx, g.address, nil) //nolint:bodyclose // it is the connection's
	return conn, err
}

func (g gateway) Call(_ context.Context, call action.Call) (action.Result, error) {
	if args, is := call.Args.(*action.ByID); is && args.ID == file && call.Verb == "download.get" && call.Session == session {
		return action.Result{Data: &action.File{Bytes: []byte("content")}}, nil
	}
	return action.Result{}, fault.New(fault.NotFound, "there is no such download").Hinted("list them")
}

func serve(t *testing.T, of string) *forward.Forward {
	t.Helper()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil || strings.Contains(string(message), "end") {
				_ = conn.Close(4001, "the session was closed")
				return
			}
			_ = conn.Write(r.Context(), kind, message)
		}
	}))
	t.Cleanup(echo.Close)
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := forward.New(gateway{echo.URL}, of, listener, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- f.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return f
}

func dial(t *testing.T, address string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), address, nil) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func say(t *testing.T, conn *websocket.Conn, message string) {
	t.Helper()
	ctx := testwait.Context(t)
	if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
		t.Fatal(err)
	}
	if _, got, err := conn.Read(ctx); err != nil || string(got) != message {
		t.Fatalf("%q came back as %q: %v", message, got, err)
	}
}

func TestAClientFindsWhatWasDownloaded(t *testing.T) {
	conn := dial(t, serve(t, session).Address())
	folder := filepath.Join(t.TempDir(), "new")
	progress := func(id, state string) string {
		return `{"method":"Browser.downloadProgress","params":{"guid":"` + id + `","state":"` + state + `"}}`
	}
	say(t, conn, progress(file, "completed")) // the client named no folder
	say(t, conn, `{"id":1,"method":"Browser.setDownloadBehavior","params":{"downloadPath":"`+folder+`"}}`)
	say(t, conn, progress(file, "inProgress"))
	if _, err := os.Stat(folder); err == nil {
		t.Error("something was written of a download that runs")
	}
	say(t, conn, progress("../../etc/passwd", "completed"))
	say(t, conn, progress("00000000-0000-0000-0000-000000000000", "completed")) // the gateway has none: passed on all the same
	say(t, conn, progress(file, "completed"))
	if got, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	if names, _ := os.ReadDir(folder); len(names) != 1 {
		t.Errorf("the folder has %v", names)
	}
}

func TestClientsLookForTheSocket(t *testing.T) {
	f := serve(t, session)
	for path, want := range map[string]int{
		"/json/version": http.StatusOK, "/json/version/": http.StatusOK, "/json/list": http.StatusNotFound, "/../json/version": http.StatusNotFound,
	} {
		res, err := http.Get(f.Address() + path)
		if err != nil {
			t.Fatal(err)
		}
		var said map[string]string
		_ = json.NewDecoder(res.Body).Decode(&said)
		_ = res.Body.Close()
		if res.StatusCode != want || want == http.StatusOK && said["webSocketDebuggerUrl"] != strings.Replace(f.Address(), "http", "ws", 1) {
			t.Errorf("%s: %d %v", path, res.StatusCode, said)
		}
	}
}

func TestTheEndOfTheSessionReachesTheClient(t *testing.T) {
	conn := dial(t, serve(t, session).Address())
	say(t, conn, `{"id":1}`)
	if err := conn.Write(t.Context(), websocket.MessageText, []byte("end")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != 4001 || !strings.Contains(err.Error(), "the session was closed") {
		t.Errorf("it ended with %v", err)
	}
}

func TestWhoIsNotLetInIsToldWhy(t *testing.T) {
	f := serve(t, "s0000000000000000")
	if _, res, err := websocket.Dial(t.Context(), f.Address(), nil); err == nil || res == nil || res.StatusCode != http.StatusNotFound { //nolint:bodyclose // the library has read it
		t.Errorf("no session: %v %v", res, err)
	}
	f = serve(t, session)
	for _, guess := range []string{f.Address() + "x", f.Address()[:len(f.Address())-1], f.Address()[:strings.LastIndex(f.Address(), "/")+1]} {
		if _, _, err := websocket.Dial(t.Context(), guess, nil); err == nil { //nolint:bodyclose // there is none
			t.Errorf("a client was let in at %s", guess)
		}
	}
	header := http.Header{"Origin": {"https://evil.example"}}
	if _, _, err := websocket.Dial(t.Context(), f.Address(), &websocket.DialOptions{HTTPHeader: header}); err == nil { //nolint:bodyclose // the library has read it
		t.Error("a page was let in")
	}
}
