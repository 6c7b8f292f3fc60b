package rest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// book returns a real token store in which each token is equal to its name.
func book(t *testing.T, r auth.Rate, names ...string) *auth.TokenStore {
	t.Helper()
	var entries []auth.Entry
	for _, name := range names {
		sum := sha256.Sum256([]byte(name))
		entries = append(entries, auth.Entry{Name: name, Role: action.Operator, Scope: "s", SHA256: hex.EncodeToString(sum[:])})
	}
	b, err := auth.New(entries...)
	if err != nil {
		t.Fatal(err)
	}
	b.LimitRate(r)
	return b
}

func with(r *http.Request, token string) *http.Request {
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func TestEveryAnswerTellsBrowsersToKeepOff(t *testing.T) {
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Server": "", "X-Powered-By": "", "Strict-Transport-Security": "",
	}
	h := build(t, answering(action.Result{}), func(o *rest.Options) { o.MCP = http.HandlerFunc(http.NotFound) })
	all := routes(t)
	for _, path := range []string{"/v1/health", "/openapi.json", "/docs", "/mcp", "/json/version", "/v1/browser/cdp/json/list", "/v1/nothing", "/"} {
		all = append(all, route{method: http.MethodGet, target: path}, route{method: http.MethodOptions, target: path})
	}
	for _, r := range all {
		for _, token := range []string{goodToken, "wrong"} {
			got := h.do(with(request(r.method, r.target, r.body), token)).Header()
			for name, value := range want {
				if got.Get(name) != value {
					t.Errorf("%s %s: %s is %q, want %q", r.method, r.target, name, got.Get(name), value)
				}
			}
			for name, part := range map[string]string{"Content-Security-Policy": "default-src 'none'", "Permissions-Policy": "camera=()", "X-Request-Id": "req-"} {
				if !strings.Contains(got.Get(name), part) {
					t.Errorf("%s %s: %s is %q", r.method, r.target, name, got.Get(name))
				}
			}
		}
	}
}

func TestAnEncryptedConnectionStaysOne(t *testing.T) {
	h := build(t, answering(action.Result{}), func(o *rest.Options) { o.AllowedHosts = []string{"box.example"} })
	for host, want := range map[string]string{"box.example": "max-age=31536000", "localhost:2468": "", "127.0.0.1": ""} {
		r := httptest.NewRequest(http.MethodGet, "https://"+host+"/v1/health", http.NoBody)
		if got := h.do(r).Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: %q", host, got)
		}
	}
}

func TestEachTokenIsHeldToItsRate(t *testing.T) {
	b := book(t, auth.Rate{PerSecond: 0.1, Burst: 3}, "one", "two")
	h := build(t, answering(action.Result{Data: &action.Page{}}), func(o *rest.Options) {
		o.Auth = b
		o.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
	for i, path := range []string{"/v1/browser/status", "/mcp", "/v1/sessions"} {
		if w := h.do(with(request(http.MethodGet, path, ""), "one")); w.Code != http.StatusOK {
			t.Errorf("request %d: %d", i, w.Code)
		}
	}
	for _, path := range []string{"/v1/browser/status", "/mcp", "/openapi.json"} {
		w := h.do(with(request(http.MethodGet, path, ""), "one"))
		wantProblem(t, w, http.StatusTooManyRequests, fault.LimitReached)
		if after := w.Header().Get("Retry-After"); after != "10" {
			t.Errorf("%s: Retry-After is %q", path, after)
		}
	}
	for path, token := range map[string]string{"/v1/sessions": "two", "/v1/health": "one"} {
		if w := h.do(with(request(http.MethodGet, path, ""), token)); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestStrangersAreSlowedByAddress(t *testing.T) {
	h := build(t, answering(action.Result{Data: &action.Page{}}))
	ask := func(from, token string) *httptest.ResponseRecorder {
		r := with(request(http.MethodGet, "/v1/browser/status", ""), token)
		r.RemoteAddr = from
		return h.do(r)
	}
	for _, from := range []string{"192.0.2.1:%d", "[2001:db8::%x]:1"} { // any port is one stranger; so is any address of a network
		slowed := 0
		for i := range 400 {
			w := ask(fmt.Sprintf(from, i+1), "wrong")
			switch {
			case w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "":
				slowed++
			case w.Code != http.StatusUnauthorized || slowed > 0 && i < 300:
				t.Fatalf("attempt %d got %d", i, w.Code)
			}
		}
		if slowed < 50 {
			t.Errorf("%s: %d of 400 attempts were put off", from, slowed)
		}
	}
	if w := ask("192.0.2.2:1", "wrong"); w.Code != http.StatusUnauthorized {
		t.Errorf("another address got %d", w.Code)
	}
	if w := ask("192.0.2.1:1", goodToken); w.Code != http.StatusOK {
		t.Errorf("who has a token got %d: strangers lock nobody out", w.Code)
	}
}

func TestOnlyTrustedProxiesAreBelieved(t *testing.T) {
	const endpoint = `"webSocketDebuggerUrl":"`
	for name, c := range map[string]struct {
		from   string
		header http.Header
		want   string // the start of the endpoint's address, or the refused status
	}{
		"a proxy":                             {"10.0.0.9:1", http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"box.example"}}, "wss://box.example/"},
		"a proxy, mapped to IPv6":             {"[::ffff:10.0.0.9]:1", http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"box.example"}}, "wss://box.example/"},
		"a proxy, plain":                      {"10.0.0.9:1", http.Header{"X-Forwarded-Proto": {"http"}}, "ws://127.0.0.1:2468/"},
		"a proxy, of a host that is not ours": {"10.0.0.9:1", http.Header{"X-Forwarded-Host": {"evil.example"}}, "403"},
		"a proxy, two hosts":                  {"10.0.0.9:1", http.Header{"X-Forwarded-Host": {"box.example, evil.example"}}, "ws://127.0.0.1:2468/"},
		"somebody else":                       {"10.1.0.9:1", http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"box.example"}}, "ws://127.0.0.1:2468/"},
		"no address":                          {"@", http.Header{"X-Forwarded-Proto": {"https"}}, "ws://127.0.0.1:2468/"},
	} {
		h := build(t, refusing(), func(o *rest.Options) {
			o.Proxies, o.AllowedHosts = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, []string{"box.example"}
		})
		r := request(http.MethodGet, "/json/version", "")
		r.RemoteAddr = c.from
		for key, values := range c.header {
			r.Header[key] = values
		}
		w := h.do(r)
		if got := fmt.Sprint(w.Code); got != c.want && !strings.Contains(w.Body.String(), endpoint+c.want) {
			t.Errorf("%s: %s %s, want %s", name, got, w.Body, c.want)
		}
	}
}

func TestAttemptsCountForTheClientBehindTheProxy(t *testing.T) {
	h := build(t, refusing(), func(o *rest.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")} })
	ask := func(forwarded string) int {
		r := with(request(http.MethodGet, "/v1/sessions", ""), "wrong")
		r.RemoteAddr = "10.0.0.9:1"
		r.Header.Set("X-Forwarded-For", forwarded)
		return h.do(r).Code
	}
	last := 0
	for i := range 400 {
		last = ask(fmt.Sprintf("203.0.113.%d, 198.51.100.7, 10.0.0.8", i%250)) // what stands first the client wrote itself
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the client hides behind what it forwards: %d", last)
	}
	if got := ask("203.0.113.7, 198.51.100.8"); got != http.StatusUnauthorized {
		t.Errorf("another client got %d", got)
	}
}

func TestPastTheProxyNobodyComes(t *testing.T) {
	h := build(t, answering(action.Result{Data: &action.Page{}}), func(o *rest.Options) {
		o.Proxies, o.OnlyProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, true
	})
	for from, want := range map[string]int{"10.0.0.9:1": 200, "127.0.0.1:1": 200, "[::1]:1": 200, "10.1.0.9:1": 403, "@": 403} {
		r := request(http.MethodGet, "/v1/browser/status", "")
		r.RemoteAddr = from
		if got := h.do(r).Code; got != want {
			t.Errorf("%s: %d, want %d", from, got, want)
		}
	}
}

// made serves a surface with its own token store on loopback, and returns the
// store, its address and a token.
func made(t *testing.T, o rest.Options) (b *auth.TokenStore, url string, token action.TokenMade) {
	t.Helper()
	b = book(t, auth.Rate{})
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	o.Auth, o.Log = b, slog.New(slog.DiscardHandler)
	surface, err := rest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(surface)
	t.Cleanup(func() {
		surface.Close()
		server.Close()
		_ = b.Close(context.Background())
		_ = db.Close()
	})
	if token, err = b.Create(t.Context(), annOfS, action.TokenCreate{Name: "gone", Role: action.Operator}); err != nil {
		t.Fatal(err)
	}
	return b, server.URL, token
}

var annOfS = action.Caller{Actor: "ann", Scope: "s", Role: action.Operator}

func TestARevokedTokensClientOfTheProtocolIsPutOut(t *testing.T) {
	b, url, token := made(t, rest.Options{Gate: refusing(), Clients: places(echo)})
	header := http.Header{"Authorization": {"Bearer " + token.Secret}}
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(url, "http")+"/v1/browser/cdp", &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1}`)); err != nil {
		t.Fatal(err)
	}
	if _, message, err := conn.Read(t.Context()); err != nil || string(message) != `{"id":1}` {
		t.Fatalf("%s %v", message, err)
	}
	if _, err := b.Revoke(t.Context(), annOfS, action.TokenRevoke{ID: token.ID, Force: true}); err != nil {
		t.Fatal(err)
	}
	_, _, err = conn.Read(t.Context())
	if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("it ended by %v", err)
	}
}

func TestARevokedTokensCallsAndStreamsEnd(t *testing.T) {
	arrived := make(chan struct{}, 2)
	waits := doorOf(func(ctx context.Context, call action.Call) (action.Result, error) {
		if call.Crawl != nil {
			call.Crawl.Progress(action.CrawlProgress{})
		}
		arrived <- struct{}{}
		<-ctx.Done()
		return action.Result{}, ctx.Err()
	})
	b, url, token := made(t, rest.Options{Gate: waits})
	answers := make(chan string, 2)
	for path, body := range map[string]string{"/v1/browser/back": "{}", "/v1/browser/crawl": `{"url":"a.example"}`} {
		go func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
			req.Header = http.Header{"Authorization": {"Bearer " + token.Secret}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer func() { _ = res.Body.Close() }()
			text, _ := io.ReadAll(res.Body)
			answers <- fmt.Sprint(res.StatusCode, " ", string(text))
		}()
	}
	<-arrived
	<-arrived
	if _, err := b.Revoke(t.Context(), annOfS, action.TokenRevoke{ID: token.ID, Force: true}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := <-answers; !strings.Contains(got, `"unauthenticated"`) || !strings.Contains(got, "revoked") {
			t.Errorf("answered %s", got)
		}
	}
}

// doorOf is a door that receives the context of a call.
type doorOf func(context.Context, action.Call) (action.Result, error)

func (d doorOf) Call(ctx context.Context, c action.Call) (action.Result, error) { return d(ctx, c) }

func (doorOf) Refuse(context.Context, action.Call, error) {}
