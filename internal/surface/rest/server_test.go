package rest_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// wire is a listener whose connections are pipes, so that tests can use a
// synthetic clock.
type wire struct {
	connections chan net.Conn
	closed      chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.connections:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error {
	close(w.closed)
	return nil
}

func (w *wire) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2468} }

// talk serves a door over a pipe, writes text to it and reads one answer.
func talk(t *testing.T, d rest.Gate, text string) *http.Response {
	t.Helper()
	w := &wire{connections: make(chan net.Conn, 1), closed: make(chan struct{})}
	server := rest.NewServer(build(t, d).handler, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- server.Serve(w) }()
	ours, theirs := net.Pipe()
	w.connections <- theirs
	t.Cleanup(func() {
		_ = ours.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	go func() { _, _ = io.WriteString(ours, text) }() // ends when the server has read it, or with the pipe
	res, err := http.ReadResponse(bufio.NewReader(ours), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

const head = "POST /v1/browser/click HTTP/1.1\r\nHost: localhost:2468\r\nAuthorization: Bearer " + goodToken + "\r\nContent-Type: application/json\r\n"

func TestBodyThatDoesNotComeIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, start := answering(action.Result{}), time.Now()
		res := talk(t, d, head+"Content-Length: 100\r\n\r\n{\"ref\":")
		if res.StatusCode != http.StatusBadRequest || time.Since(start) != 30*time.Second || d.count() != 0 {
			t.Errorf("status %d after %s, %d calls", res.StatusCode, time.Since(start), d.count())
		}
	})
}

func TestStrangersBodiesAreNotWaitedForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		res := talk(t, refusing(), strings.Replace(head, goodToken, "wrong", 1)+"Content-Length: 100\r\n\r\n{\"ref\":")
		if res.StatusCode != http.StatusUnauthorized || time.Since(start) > 30*time.Second {
			t.Errorf("status %d after %s", res.StatusCode, time.Since(start))
		}
	})
}

func TestHeadersThatDoNotComeAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{connections: make(chan net.Conn, 1), closed: make(chan struct{})}
		server := rest.NewServer(build(t, refusing()).handler, slog.New(slog.DiscardHandler))
		done := make(chan error, 1)
		go func() { done <- server.Serve(w) }()
		ours, theirs := net.Pipe()
		w.connections <- theirs
		start := time.Now()
		go func() { _, _ = io.WriteString(ours, "GET /v1/health HTTP/1.1\r\nHost:") }()
		_, _ = io.Copy(io.Discard, ours)
		if took := time.Since(start); took > 11*time.Second {
			t.Errorf("the connection stayed for %s", took)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
}

func TestLongCallsOutliveTheBodysDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waiting(2 * time.Minute)
		res := talk(t, d, head+"Content-Length: 12\r\n\r\n{\"ref\":\"e1\"}")
		if res.StatusCode != http.StatusOK {
			t.Errorf("status %d", res.StatusCode)
		}
	})
}

func TestCallsThatNeverEndAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		res := talk(t, waiting(time.Hour), head+"Content-Length: 12\r\n\r\n{\"ref\":\"e1\"}")
		if res.StatusCode != http.StatusGatewayTimeout || time.Since(start) != 6*time.Minute {
			t.Errorf("status %d after %s", res.StatusCode, time.Since(start))
		}
	})
}

// patient is a door that answers after a delay.
type patient time.Duration

func waiting(d time.Duration) rest.Gate { return patient(d) }

func (p patient) Refuse(context.Context, action.Call, error) {}

func (p patient) Call(ctx context.Context, _ action.Call) (action.Result, error) {
	testwait.Latency(ctx, time.Duration(p))
	return action.Result{Data: &action.Acted{OK: true}}, ctx.Err()
}

func TestMalformedHTTPIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"NUL in a header":      head + "X-A: a\x00b\r\n\r\n",
		"two lengths":          head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
		"length and chunks":    head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n{}\r\n",
		"broken chunk":         head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
		"endless chunks":       head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("8000\r\n"+strings.Repeat(" ", 0x8000)+"\r\n", 33),
		"headers without end":  head + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 60) + "\r\n",
		"two hosts":            head + "Host: localhost\r\n\r\n",
		"space before a colon": head + "X-A : b\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := refusing()
			if res := talk(t, d, text); res.StatusCode < 400 || res.StatusCode >= 500 || d.count() != 0 {
				t.Errorf("status %d, %d calls", res.StatusCode, d.count())
			}
		})
	}
}

func TestDoorsDeadlineIsATimeoutFault(t *testing.T) {
	d := &door{answer: func(action.Call) (action.Result, error) { return action.Result{}, context.DeadlineExceeded }}
	wantProblem(t, build(t, d).do(request("POST", "/v1/browser/back", "")), http.StatusGatewayTimeout, fault.ActionTimeout)
}
