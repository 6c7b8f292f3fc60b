package egress

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// compare runs each benchmark with the proxy, and with the same client without
// it.

func BenchmarkSmallRequest(b *testing.B) {
	compare(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }), 0)
}

func BenchmarkLargeAnswer(b *testing.B) {
	const size = 8 << 20
	piece := make([]byte, 64<<10)
	compare(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range size / len(piece) {
			_, _ = w.Write(piece)
		}
	}), size)
}

func compare(b *testing.B, h http.Handler, size int64) {
	s := httptest.NewServer(h)
	defer s.Close()
	direct := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", s.Listener.Addr().String())
	}}
	defer direct.CloseIdleConnections()
	b.Run("direct", func(b *testing.B) { fetch(b, &http.Client{Transport: direct}, size) })

	w := newTestNetwork(b, func(o *Options) { o.LocalAddresses = func() []netip.Addr { return nil } })
	w.place("app.test", "9.9.9.9:80", s.Listener.Addr().String())
	w.open(action.Network{Navigation: []string{"app.test"}})
	b.Run("proxy", func(b *testing.B) { fetch(b, w.browser(nil), size) })
}

func fetch(b *testing.B, client *http.Client, size int64) {
	client.Timeout = 0
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r, err := client.Get("http://app.test/")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			b.Fatal(err)
		}
		_ = r.Body.Close()
	}
}

func BenchmarkParseURL(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseDestination("https://shop.example.co.uk/path/to/page?query=1"); err != nil {
			b.Fatal(err)
		}
	}
}
