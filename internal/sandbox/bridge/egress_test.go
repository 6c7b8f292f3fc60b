package bridge

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// forward runs Forward until the test ends and returns its address.
func forward(t *testing.T, r *testBox) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Forward(ctx, listener, filepath.Join(r.dir, EgressSocket)) }()
	t.Cleanup(func() {
		cancel()
		if err := testwait.Receive(t, done, "the end of Forward"); err != nil {
			t.Errorf("Forward returned %v", err)
		}
	})
	return listener.Addr().String()
}

func TestForwardCopiesBothWaysAndClosesEachWaySeparately(t *testing.T) {
	r := newTestBox(t, longLease)
	heard := make(chan string, 1)
	r.listen(func(o *LinkOptions) {
		o.Egress = func(c net.Conn) {
			defer func() { _ = c.Close() }()
			all, _ := io.ReadAll(c) // ends when the client closes its side
			heard <- string(all)
			_, _ = io.WriteString(c, "answer")
		}
	})
	conn := dialTCP(t, forward(t, r))
	if _, err := io.WriteString(conn, "question"); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != "answer" || <-heard != "question" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestConnectionsAreClosedWithoutEgress(t *testing.T) {
	r := newTestBox(t, longLease)
	r.listen(nil)
	conn := dialTCP(t, forward(t, r))
	limit(t, conn)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || isTimeout(err) {
		t.Errorf("read %d, %v", n, err)
	}
}

func TestConnectionsAreClosedWithoutAGateway(t *testing.T) {
	r := newTestBox(t, longLease)
	conn := dialTCP(t, forward(t, r))
	limit(t, conn)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || isTimeout(err) {
		t.Errorf("read %d, %v", n, err)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

func TestClosingTheLinkEndsEveryConnection(t *testing.T) {
	r := newTestBox(t, longLease)
	began := make(chan struct{})
	l := r.listen(func(o *LinkOptions) {
		o.Egress = func(c net.Conn) {
			close(began)
			_, _ = io.Copy(io.Discard, c) // blocks until it is closed
		}
	})
	conn := dialTCP(t, forward(t, r))
	<-began
	if err := l.Close(); err != nil { // waits until Egress has returned
		t.Fatal(err)
	}
	limit(t, conn)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || isTimeout(err) {
		t.Errorf("read %d, %v", n, err)
	}
}
