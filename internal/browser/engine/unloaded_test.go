package engine_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Every navigation that fails says why, and what helps.
func TestAFailedNavigationNamesItsCause(t *testing.T) {
	withWindows(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/auth", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/break", func(w http.ResponseWriter, _ *http.Request) {
		hangUp(t, w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<title>half</title><p>Half")
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { hangUp(t, w, "") })
	s := listen(t, mux)
	secure := strings.Replace(s.URL, "http://", "https://", 1)
	tr := start(t, func(o *engine.Options) {
		o.Unreached = func(context.Context, string) string { return "host has no address" }
	})
	for address, want := range map[string][2]string{
		secure:                 {"does not speak TLS", "http://"},
		s.URL + "/loop":        {"without end", "start page"},
		s.URL + "/empty":       {"without an answer", "https"},
		s.URL + "/break":       {"broke off", "snapshot"},
		s.URL + "/auth":        {"HTTP authentication", "sign-in"},
		"/path":                {"relative", "whole address"},
		"http://localhost:22/": {"port", "port"},
	} {
		_, err := tr.do("page.goto", &action.Goto{URL: address})
		f := fault.From(err)
		if f == nil || !strings.Contains(f.Message, want[0]) || !strings.Contains(f.Hint, want[1]) {
			t.Errorf("%s: %v", address, f)
		}
	}
}

// hangUp answers with some bytes and closes the connection.
func hangUp(t *testing.T, w http.ResponseWriter, answer string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = conn.Write([]byte(answer))
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.CloseWrite()
	}
	_ = conn.Close()
}
