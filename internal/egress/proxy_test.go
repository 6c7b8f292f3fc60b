package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func mustURL(t testing.TB, raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprintf(w, "hello from %s%s", r.Host, r.RequestURI)
})

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPlainRequestsPassUnchanged(t *testing.T) {
	w := newTestNetwork(t, nil)
	var got *http.Request
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got = r
		rw.Header().Set("Alt-Svc", `h3=":443"`)
		_, _ = io.WriteString(rw, "ok")
	}))
	w.open(action.Network{Navigation: []string{"app.test"}})
	r := w.exchange("GET http://app.test/a|b/%7Cc//d?q=1|2&%41 HTTP/1.1\r\nHost: app.test\r\nX-Own: 1\r\nConnection: keep-alive, X-Hop\r\n" +
		"X-Hop: 1\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nTE: trailers\r\nUpgrade: h2c\r\n\r\n")
	if r.StatusCode != 200 || body(t, r) != "ok" || r.Header.Get("Alt-Svc") != "" {
		t.Errorf("status %d, headers %v", r.StatusCode, r.Header)
	}
	if got.RequestURI != "/a|b/%7Cc//d?q=1|2&%41" || got.Host != "app.test" || got.Header.Get("X-Own") != "1" {
		t.Errorf("the server saw %s %s %v", got.Host, got.RequestURI, got.Header)
	}
	for _, name := range []string{"X-Hop", "Proxy-Connection", "Proxy-Authorization", "Te", "Upgrade", "Connection", "User-Agent", "Via", "X-Forwarded-For"} {
		if v := got.Header.Get(name); v != "" {
			t.Errorf("the server saw %s: %s", name, v)
		}
	}
}

func TestOneConnectionServesManyRequests(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", hello)
	w.open(action.Network{Navigation: []string{"app.test"}})
	browser := w.browser(nil)
	for _, c := range []struct {
		url  string
		want int
	}{{"http://app.test/1", 200}, {"http://evil.test/", 403}, {"http://app.test/2", 200}, {"http://gone.app.test:80/", 403}} {
		r, err := browser.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, r); r.StatusCode != c.want {
			t.Errorf("%s: %d %s", c.url, r.StatusCode, text)
		}
		_ = r.Body.Close()
	}
	w.proxy.mu.Lock()
	clients := w.proxy.boxes["box"].clients
	w.proxy.mu.Unlock()
	if clients != 1 {
		t.Errorf("%d connections were used, want 1", clients)
	}
}

func TestRefusalsHaveAReasonAndAreStored(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.open(action.Network{Navigation: []string{"app.test"}})
	r := w.exchange("GET http://evil.test/x?token=secret HTTP/1.1\r\nHost: evil.test\r\n\r\n")
	if r.StatusCode != 403 || r.Header.Get("X-Glovebox-Refused") != string(notAllowed) || !strings.Contains(body(t, r), string(notAllowed)) {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	told := w.refused()
	if told.Host != "evil.test" || told.URL != "http://evil.test/x" || told.Reason != string(notAllowed) || !told.Page || told.Time.IsZero() {
		t.Errorf("reported %+v", told)
	}
	_, r = w.tunnel("update.googleapis.com:443")
	if r.StatusCode != 403 {
		t.Errorf("CONNECT answered %d", r.StatusCode)
	}
	if told := w.refused(); told.Page || told.Host != "update.googleapis.com" {
		t.Errorf("the browser's own request counts as a page's: %+v", told)
	}
	if kept := w.proxy.Refusals("box"); len(kept) != 2 || kept[0].Host != "evil.test" {
		t.Errorf("kept %+v", kept)
	}
	w.tunnel("connectivitycheck.gstatic.com:443") // Chromium requests this after a certificate that it rejects
	if told := w.refused(); told.Page {
		t.Errorf("the browser's own request counts as a page's: %+v", told)
	}
	if w.proxy.Refusals("other") != nil || len(w.dials()) != 0 {
		t.Error("something else was stored or dialled")
	}
}

func TestTheClientOfARefusedUploadGetsTheAnswer(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.open(action.Network{Navigation: []string{"app.test"}})
	for range 20 {
		conn := w.connect()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = io.WriteString(conn, "POST http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 200000\r\n\r\n")
			_, _ = conn.Write(make([]byte, 200000))
		}()
		testwait.Receive(t, sent, "the upload")
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := body(t, r); r.StatusCode != 403 || !strings.Contains(text, string(notAllowed)) {
			t.Errorf("%d %s", r.StatusCode, text)
		}
	}
}

func TestABoxWithoutRulesReachesNothing(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", hello)
	r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
	if r.StatusCode != 403 || r.Header.Get("X-Glovebox-Refused") != string(noRules) {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	w.open(action.Network{Navigation: []string{"app.test"}})
	if r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n"); r.StatusCode != 200 {
		t.Errorf("%d after Open", r.StatusCode)
	}
	w.proxy.Close("box")
	if r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n"); r.StatusCode != 403 {
		t.Errorf("%d after Close", r.StatusCode)
	}
}

func TestAnswersWithASpecialAddressAreRefused(t *testing.T) {
	for _, answer := range [][]string{
		{"127.0.0.1"}, {"9.9.9.9", "10.0.0.1"}, {"9.9.9.9", "::1"}, {"169.254.169.254"}, {"::ffff:10.0.0.1"}, {"64:ff9b::7f00:1"},
		{"2002:7f00:1::"}, {"0.0.0.0"}, {"5.5.5.5"}, {"9.9.9.9", "fd00::1"},
	} {
		w := newTestNetwork(t, nil)
		w.serve("app.test", "9.9.9.9:80", hello)
		w.names["app.test"] = [][]string{answer}
		w.open(action.Network{Navigation: []string{"app.test"}})
		r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
		if r.StatusCode != 403 || len(w.dials()) != 0 {
			t.Errorf("%v: %d, dialled %v", answer, r.StatusCode, w.dials())
		}
		if _, r = w.tunnel("app.test:443"); r.StatusCode != 403 || len(w.dials()) != 0 {
			t.Errorf("%v: CONNECT %d, dialled %v", answer, r.StatusCode, w.dials())
		}
		if told := w.refused(); told.Reason != string(specialAddress) && told.Reason != string(ownAddress) {
			t.Errorf("%v: reported %+v", answer, told)
		}
	}
}

func TestEveryLookUpOfANameIsChecked(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Connection", "close") }))
	w.names["app.test"] = [][]string{{"9.9.9.9"}, {"127.0.0.1"}}
	w.open(action.Network{Navigation: []string{"app.test"}})
	for i, want := range []int{200, 403} {
		if r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n"); r.StatusCode != want {
			t.Errorf("look-up %d: %d, want %d", i, r.StatusCode, want)
		}
	}
	if d := w.dials(); len(d) != 1 || d[0] != "9.9.9.9:80" {
		t.Errorf("dialled %v", d)
	}
}

func TestDialConnectsOnlyToTheCheckedAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	to := l.Addr().(*net.TCPAddr).AddrPort()
	conn, err := dialTCP(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	none := &dialer{localAddresses: func() []netip.Addr { return nil }}
	if err := none.check([]netip.Addr{netip.IPv4Unspecified()}, 80, false); err != specialAddress {
		t.Errorf("0.0.0.0, which the kernel treats as loopback: %v, want %v", err, specialAddress)
	}
	if err := none.check(make([]netip.Addr, maxAnswers+1), 80, true); err != specialAddress {
		t.Errorf("an endless answer: %v, want %v", err, specialAddress)
	}
}

func TestPrivateHostsAreAllowedOnlyIfListed(t *testing.T) {
	w := newTestNetwork(t, func(o *Options) { o.Gateway = []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:2468")} })
	w.serve("dev.test", "10.1.2.3:3000", hello)
	w.serve("localhost", "127.0.0.1:4000", hello)
	w.open(action.Network{AllowPrivate: []string{"dev.test:3000", "localhost:4000", "localhost:2468", "0.0.0.0:2468"}})
	for url, want := range map[string]int{"dev.test:3000": 200, "dev.test:3001": 403, "localhost:4000": 200, "localhost:4001": 403, "127.0.0.1:4000": 403,
		"localhost:2468": 403, "0.0.0.0:2468": 403} {
		if r := w.exchange("GET http://" + url + "/ HTTP/1.1\r\nHost: " + url + "\r\n\r\n"); r.StatusCode != want {
			t.Errorf("%s: %d, want %d (%s)", url, r.StatusCode, want, r.Header.Get("X-Glovebox-Refused"))
		}
	}
}

func TestUnreachableHostsAreNotReportedAsRefused(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.names["down.test"] = [][]string{{"9.9.9.9"}}
	w.open(action.Network{Navigation: []string{"*.test", "down.test"}})
	for host, why := range map[string]failure{"down.test": unreachable, "nowhere.test": unknownHost} {
		r := w.exchange("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
		if r.StatusCode != 502 || r.Header.Get("X-Glovebox-Failed") != string(why) {
			t.Errorf("%s: %d %v", host, r.StatusCode, r.Header)
		}
	}
	if kept := w.proxy.Refusals("box"); len(kept) != 0 {
		t.Errorf("kept %v", kept)
	}
}

func TestRedirectsAreCheckedAsNewRequests(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", http.RedirectHandler("http://evil.test/", http.StatusFound))
	w.serve("evil.test", "8.8.8.8:80", hello)
	w.open(action.Network{Navigation: []string{"app.test"}})
	browser := w.browser(nil)
	browser.CheckRedirect = nil
	r, err := browser.Get("http://app.test/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if r.StatusCode != 403 || r.Request.URL.Host != "evil.test" || len(w.dials()) != 1 {
		t.Errorf("%d from %s, dialled %v", r.StatusCode, r.Request.URL, w.dials())
	}
}

func TestLargeBodiesStreamBothWays(t *testing.T) {
	const size = 24 << 20
	w := newTestNetwork(t, nil)
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		_, _ = io.Copy(sum, r.Body)
		rw.Header().Set("X-Sum", fmt.Sprintf("%x", sum.Sum(nil)))
		_, _ = io.CopyN(rw, rand.NewChaCha8([32]byte{2}), size)
	}))
	w.open(action.Network{Navigation: []string{"app.test"}})
	sent := sha256.New()
	up := io.TeeReader(io.LimitReader(rand.NewChaCha8([32]byte{1}), size), sent)
	r, err := w.browser(nil).Post("http://app.test/", "application/octet-stream", up)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	got, want := sha256.New(), sha256.New()
	n, err := io.Copy(got, r.Body)
	_, _ = io.CopyN(want, rand.NewChaCha8([32]byte{2}), size)
	if err != nil || n != size || !bytes.Equal(got.Sum(nil), want.Sum(nil)) || r.Header.Get("X-Sum") != fmt.Sprintf("%x", sent.Sum(nil)) {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

func TestEventsArriveAsTheyAreSent(t *testing.T) {
	w := newTestNetwork(t, nil)
	next := make(chan struct{})
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		for range 3 {
			_, _ = io.WriteString(rw, "data: x\n\n")
			rw.(http.Flusher).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
			}
		}
	}))
	w.open(action.Network{Navigation: []string{"app.test"}})
	r := w.exchange("GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
	piece := make([]byte, len("data: x\n\n"))
	for range 3 {
		if _, err := io.ReadFull(r.Body, piece); err != nil {
			t.Fatal(err)
		}
		next <- struct{}{}
	}
	if rest := body(t, r); rest != "" {
		t.Errorf("more came: %q", rest)
	}
}

func TestARequestEndsWhenItsClientDisconnects(t *testing.T) {
	w := newTestNetwork(t, nil)
	began, ended := make(chan struct{}), make(chan struct{})
	w.serve("app.test", "9.9.9.9:80", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(ended)
	}))
	w.open(action.Network{Navigation: []string{"app.test"}})
	conn := w.connect()
	_, _ = io.WriteString(conn, "GET http://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n")
	testwait.Receive(t, began, "the request")
	_ = conn.Close()
	testwait.Receive(t, ended, "its end")
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	w := newTestNetwork(t, nil)
	for range maxClients {
		w.connect()
	}
	r := w.exchange("")
	if r.StatusCode != 503 || r.Header.Get("X-Glovebox-Refused") != string(tooManyConns) {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
}

func TestShutdownClosesOpenConnections(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.open(action.Network{Navigation: []string{"app.test"}})
	conn := w.connect()
	if err := w.proxy.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && err == nil {
		t.Error("a connection is open after Shutdown")
	}
	if _, err := w.connect().Read(make([]byte, 1)); err == nil {
		t.Error("a connection is accepted after Shutdown")
	}
	if err := w.proxy.Open("box", action.Network{}); err == nil {
		t.Error("Open works after Shutdown")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = w.proxy.Shutdown(ctx)
}

func TestJudgeDecidesAsTheProxyDoes(t *testing.T) {
	w := newTestNetwork(t, nil)
	w.open(action.Network{Navigation: []string{"app.test", "127.0.0.1"}, Subresources: "any-public", AllowPrivate: []string{"localhost:3000"}})
	for _, c := range []struct {
		raw  string
		want action.Destination
	}{
		{"https://APP.test./x?y#z", action.Destination{URL: "https://app.test./x?y#z", Host: "app.test", Site: "app.test", Allowed: true}},
		{"http://localhost:3000/", action.Destination{URL: "http://localhost:3000/", Host: "localhost", Site: "localhost", Allowed: true}},
		{"about:blank", action.Destination{URL: "about:blank", Allowed: true}},
		{"about:blank#x", action.Destination{URL: "about:blank", Allowed: true}},
		{"about:srcdoc", action.Destination{Reason: string(badScheme)}},
		{"https://a.cdn.test/", action.Destination{URL: "https://a.cdn.test/", Host: "a.cdn.test", Site: "cdn.test", Reason: string(notDocument)}},
		{"https://app.test:22/", action.Destination{URL: "https://app.test:22/", Host: "app.test", Site: "app.test", Reason: string(badPort)}},
		{"http://0x7f.1/", action.Destination{URL: "http://127.0.0.1/", Host: "127.0.0.1", Site: "127.0.0.1", Reason: string(specialAddress)}},
		{"https://me:secret@app.test/", action.Destination{Reason: string(userInfo)}},
		{"file:///etc/passwd", action.Destination{Reason: string(badScheme)}},
		{"https://", action.Destination{Reason: string(badURL)}},
	} {
		if got := w.proxy.Judge("box", c.raw); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.raw, got, c.want)
		}
	}
	if got := w.proxy.Judge("other", "https://app.test/"); got.Allowed || got.Reason != string(noRules) {
		t.Errorf("an unknown box: %+v", got)
	}
}
