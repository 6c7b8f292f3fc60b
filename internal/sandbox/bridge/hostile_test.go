package bridge

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/yamux"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// dialRaw connects like any process of the box can, and sends first.
func dialRaw(t *testing.T, r *testBox, first []byte) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(r.dir, BridgeSocket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.Write(first); err != nil {
		t.Fatal(err)
	}
	return conn
}

func framed(body string) []byte {
	return append([]byte{byte(len(body) >> 8), byte(len(body))}, body...)
}

func TestMalformedHellosAreRefused(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(func(o *LinkOptions) { o.ScopeHash, o.Session = "0123456789abcdef", "s-1" })
	for name, first := range map[string][]byte{
		"not JSON":       framed("hello"),
		"too long":       framed(strings.Repeat(" ", maxHello+1)),
		"other protocol": framed(`{"protocol":2,"box":"` + r.boot.Box + `"}`),
		"no box":         framed(`{"protocol":1}`),
		"other box":      framed(`{"protocol":1,"box":"` + sandbox.NewID() + `","scope":"0123456789abcdef","session":"s-1"}`),
		"other scope":    framed(`{"protocol":1,"box":"` + r.boot.Box + `","scope":"fedcba9876543210","session":"s-1"}`),
		"no scope":       framed(`{"protocol":1,"box":"` + r.boot.Box + `"}`),
		"bad session":    framed(`{"protocol":1,"box":"` + r.boot.Box + `","scope":"0123456789abcdef","session":"a b"}`),
	} {
		conn := dialRaw(t, r, first)
		limit(t, conn)
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection is not closed", name)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		t.Error("one of them became the current connection")
	}
}

// startHostileGuest sends a valid hello and then answers requests with handler.
func startHostileGuest(t *testing.T, r *testBox, handler http.Handler) {
	t.Helper()
	conn := dialRaw(t, r, framed(`{"protocol":1,"box":"`+r.boot.Box+`"}`))
	mux, err := yamux.Server(conn, muxConfig(longLease))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(mux)
	}()
	t.Cleanup(func() {
		_, _ = server.Close(), mux.Close()
		<-done
	})
}

func TestHostileAnswersAreBounded(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"endless body": func(w http.ResponseWriter, _ *http.Request) {
			block := bytes.Repeat([]byte(" "), 64<<10)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere/", http.StatusFound)
		},
		"huge header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
			w.WriteHeader(http.StatusOK)
		},
		"terminal codes": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"error":"\u001b[2Jgone\r\n\u202e"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestBox(t, longLease)
			l := r.listen(nil)
			startHostileGuest(t, r, answer)
			_, err := l.Health(r.context())
			if fault.CodeOf(err) != fault.CDPError {
				t.Errorf("health: %v", err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\r\n\u202e") {
				t.Errorf("control characters pass: %q", err)
			}
			if _, err := l.CDP(r.context()); fault.CodeOf(err) != fault.CDPError {
				t.Errorf("CDP: %v", err)
			}
		})
	}
}

func TestGuestMayNotOpenStreams(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	conn := dialRaw(t, r, framed(`{"protocol":1,"box":"`+r.boot.Box+`"}`))
	mux, err := yamux.Server(conn, muxConfig(longLease))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mux.Close() }()
	if err := l.Connected(r.context()); err != nil {
		t.Fatal(err)
	}
	if s, err := mux.Open(); err == nil {
		defer func() { _ = s.Close() }()
	}
	testwait.Receive(t, mux.CloseChan(), "the end of a guest that opens streams")
}
