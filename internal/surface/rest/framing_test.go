package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// framed runs a server that answers with the bodies it receives, and returns
// its address.
func framed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %q", r.Method, r.URL.Path, body)
	})
	server := rest.NewServer(echo, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- rest.Serve(server, l) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return l.Addr().String()
}

// answers sends bytes unchanged, in pieces of a given size. It returns the
// status and text of the answers until the server closes or most have arrived.
func answers(t *testing.T, address, sent string, size, most int) (all []string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if end, limited := testwait.Deadline(t); limited {
		_ = c.SetDeadline(end)
	}
	for piece := sent; len(piece) > 0; piece = piece[min(size, len(piece)):] {
		if _, err := io.WriteString(c, piece[:min(size, len(piece))]); err != nil {
			break // refused already
		}
	}
	from := bufio.NewReader(c)
	for len(all) < most {
		r, err := http.ReadResponse(from, nil)
		if err != nil {
			return all
		}
		body, _ := io.ReadAll(r.Body)
		all = append(all, fmt.Sprintf("%d %s", r.StatusCode, body))
	}
	return all
}

const (
	plainBody   = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
	chunkedBody = "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n"
	noBody      = "GET /c HTTP/1.1\r\nHost: x\r\n\r\n"
)

func TestRequestsThatSayTwiceHowLongTheyAreAreRefused(t *testing.T) {
	address := framed(t)
	for name, head := range map[string]string{
		"length first":  "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
		"length last":   "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
		"no length":     "Content-Length:\r\nTransfer-Encoding: chunked\r\n",
		"other case":    "CONTENT-LENGTH: 0\r\nX: y\r\ntransfer-encoding: Chunked\r\n",
		"upgrade too":   "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n",
		"another value": "Content-Length: 5\r\nTransfer-Encoding: identity\r\n",
	} {
		bad := "POST /bad HTTP/1.1\r\nHost: x\r\n" + head + "\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
		for _, before := range []string{"", noBody, plainBody, chunkedBody, chunkedBody + plainBody + noBody} {
			for _, size := range []int{1, 7, 1 << 16} {
				got := answers(t, address, before+bad, size, 9)
				if n := strings.Count(before, "HTTP/1.1"); len(got) != n+1 || !strings.HasPrefix(got[n], "400 ") {
					t.Fatalf("%s, after %d others, in pieces of %d: %q", name, n, size, got)
				}
			}
		}
	}
	old := answers(t, address, "POST /old HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1<<16, 2)
	if len(old) != 1 || !strings.HasPrefix(old[0], "400 ") {
		t.Errorf("HTTP/1.0: %q", old)
	}
}

func TestRequestsThatAreFramedOnceAreServed(t *testing.T) {
	address := framed(t)
	pipelined := plainBody + chunkedBody + noBody + plainBody + "\r\n" + strings.Replace(noBody, "Host", "Upgrade: x\r\nConnection: upgrade\r\nHost", 1) + chunkedBody
	want := []string{
		`200 POST /a "hello"`, `200 POST /b "hello0123456789"`, `200 GET /c ""`, `200 POST /a "hello"`, `200 GET /c ""`, `200 POST /b "hello0123456789"`,
	}
	for _, size := range []int{1, 3, 1 << 16} {
		if got := answers(t, address, pipelined, size, len(want)); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}
