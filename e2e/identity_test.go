package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/jwt/jwttest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestIdentity calls a gateway over TLS with tokens of every source, and
// afterwards searches for them where they must not be.
func TestIdentity(t *testing.T) {
	issuer, vouch := login(t)
	g := prepare(t, settings{env: []string{
		"GLOVEBOX_AUTH_JWT_ISSUER=https://login.example", "GLOVEBOX_AUTH_JWT_AUDIENCE=glovebox", "GLOVEBOX_AUTH_JWT_JWKS_URL=" + issuer,
	}})
	cert, key := g.encrypt(t)
	g.env = append(g.env, "GLOVEBOX_SERVER_TLS_CERT="+cert, "GLOVEBOX_SERVER_TLS_KEY="+key)
	made := g.madeOffline(t)
	g.run()
	tokens := []string{made, g.token("operator"), g.token("agent"), vouch("operator", "team"), vouch("agent", "team")}
	t.Run("OverTLS", func(t *testing.T) { overTLS(t, g, cert) })
	t.Run("Issuer", func(t *testing.T) { vouchedFor(t, g, tokens[3], tokens[4], vouch("root", "team")) })
	t.Run("ClientOverTLS", func(t *testing.T) { clientOverTLS(t, g, tokens[3]) })
	t.Run("Revoked", func(t *testing.T) { tokens = append(tokens, revoked(t, g)) })
	g.settled(t)
	g.trailHolds(t)
	g.end(15)
	nowhere(t, g, tokens)
}

// login starts an issuer of tokens.
func login(t *testing.T) (url string, vouch func(role, scope string) string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k", Key: key.Public(), Use: "sig"}}})
	}))
	t.Cleanup(server.Close)
	return server.URL, func(role, scope string) string {
		return jwttest.Forge(t, jose.ES256, key, map[string]any{"kid": "k"}, map[string]any{
			"iss": "https://login.example", "aud": "glovebox", "sub": "ann", "exp": time.Now().Add(time.Hour).Unix(),
			"glovebox_role": role, "glovebox_scope": scope,
		})
	}
}

// encrypt gives the gateway a certificate for 127.0.0.1.
func (g *gateway) encrypt(t *testing.T) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	pair := server.TLS.Certificates[0]
	server.Close()
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	g.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	cert, key = filepath.Join(g.dir, "cert.pem"), filepath.Join(g.dir, "key.pem")
	for file, data := range map[string][]byte{cert: g.ca, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// makes a token by the command line and returns it.
func (g *gateway) makes(t *testing.T, args ...string) string {
	t.Helper()
	out, complaint, status := g.command(t, append([]string{"token", "create", "--json"}, args...)...)
	var answer struct {
		Data action.TokenMade `json:"data"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || status != 0 || answer.Data.Secret == "" {
		t.Fatalf("%d %s %s %v", status, out, complaint, err)
	}
	return answer.Data.Secret
}

// madeOffline makes a token before the gateway has ever run.
func (g *gateway) madeOffline(t *testing.T) string {
	t.Helper()
	token := g.makes(t, "--name", "early", "--role", "viewer")
	if out, _, status := g.command(t, "token", "list"); status != 0 || !strings.Contains(out, "early") {
		t.Errorf("%d %s", status, out)
	}
	return token
}

// overTLS calls the gateway by the command line, which gets its certificate from
// the configuration, from --ca, or not at all.
func overTLS(t *testing.T, g *gateway, cert string) {
	for _, args := range [][]string{{"whoami"}, {"health"}, {"whoami", "--url", g.url(), "--ca", cert}} {
		if out, complaint, status := g.command(t, args...); status != 0 {
			t.Errorf("%v: %d %s %s", args, status, out, complaint)
		}
	}
	if _, complaint, status := g.command(t, "whoami", "--url", g.url()); status != 6 || !strings.Contains(complaint, "--ca") {
		t.Errorf("an unknown gateway: %d %s", status, complaint)
	}
	if _, complaint, status := g.command(t, "whoami", "--url", "http://"+g.address); status != 6 {
		t.Errorf("in the clear: %d %s", status, complaint)
	}
	if out, _, _ := g.command(t, "cdp", "url"); !strings.Contains(out, "wss://"+g.address+"/v1/browser/cdp\n") {
		t.Errorf("clients are to connect to %s", out)
	}
	g.stdio(t).must("browser_session", object{"action": "list"}, "There are no sessions")
}

// vouchedFor calls with tokens of the issuer.
func vouchedFor(t *testing.T, g *gateway, operator, agent, unknown string) {
	for token, want := range map[string]action.Whoami{
		operator: {Actor: "jwt:ann", Scope: "team", Role: action.Operator, Source: "issuer"},
		agent:    {Actor: "jwt:ann", Scope: "team", Role: action.Agent, Source: "issuer"},
	} {
		result, err := g.client(token).Call(t.Context(), action.Call{Verb: "token.whoami", Args: &action.None{}})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Data.(*action.Whoami)
		if got.Expires == nil || got.Rate == nil {
			t.Errorf("%+v", got)
		}
		if got.Actor != want.Actor || got.Scope != want.Scope || got.Role != want.Role || got.Source != want.Source {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	refusedWith := func(token, verb string, args any, code fault.Code) {
		t.Helper()
		if _, err := g.client(token).Call(t.Context(), action.Call{Verb: verb, Args: args}); fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", verb, err, code)
		}
	}
	refusedWith(unknown, "token.whoami", &action.None{}, fault.Unauthenticated)
	refusedWith(operator+"x", "token.whoami", &action.None{}, fault.Unauthenticated)
	refusedWith(agent, "token.list", &action.TokenList{}, fault.DeniedByPolicy)
	refusedWith(operator, "token.list", &action.TokenList{All: true}, fault.DeniedByPolicy)
	refusedWith(operator, "token.create", &action.TokenCreate{Name: "x", Role: action.Operator, Scope: auth.DefaultScope}, fault.DeniedByPolicy)
}

// trusting is an HTTP client that knows the gateway.
func (g *gateway) trusting(t *testing.T) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(g.ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// clientOverTLS connects to a session's browser, with a token of the issuer.
func clientOverTLS(t *testing.T, g *gateway, token string) {
	operator := g.client(token)
	started, err := operator.Call(t.Context(), action.Call{Verb: "session.start", Args: &action.SessionStart{}})
	if err != nil {
		t.Fatal(err)
	}
	conn, _, err := websocket.Dial(t.Context(), "wss://"+g.address+"/v1/browser/cdp?access_token="+token, &websocket.DialOptions{HTTPClient: g.trusting(t)}) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"method":"Browser.getVersion"}`)); err != nil {
		t.Fatal(err)
	}
	if _, message, err := conn.Read(t.Context()); err != nil || !bytes.Contains(message, []byte("Chrome/")) {
		t.Errorf("%s %v", message, err)
	}
	_ = conn.Close(websocket.StatusNormalClosure, "")
	if _, err := operator.Call(t.Context(), action.Call{Verb: "session.archive", Session: started.Session, Args: &action.None{}}); err != nil {
		t.Error(err)
	}
}

// revoked opens a stream of MCP with a token and revokes it, which ends both.
func revoked(t *testing.T, g *gateway) string {
	token := g.makes(t, "--name", "bot", "--role", "agent", "--expires", "1h")
	if _, err := g.client(token).Call(t.Context(), action.Call{Verb: "session.list", Args: &action.SessionList{}}); err != nil {
		t.Fatal(err)
	}
	stream := g.listen(t, token)
	if out, complaint, status := g.command(t, "token", "revoke", "bot"); status != 0 {
		t.Fatalf("%s %s", out, complaint)
	}
	rest, err := io.ReadAll(stream)
	_ = stream.Close()
	t.Logf("the stream ended with %q, %v", rest, err)
	if _, err := g.client(token).Call(t.Context(), action.Call{Verb: "session.list", Args: &action.SessionList{}}); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("the revoked token: %v", err)
	}
	return token
}

// listen opens a session of MCP and the stream that its server may speak on
// (revision 2025-11-25, transports). The stream ends with the test's patience.
func (g *gateway) listen(t *testing.T, token string) io.ReadCloser {
	t.Helper()
	client := g.trusting(t)
	ctx := testwait.Context(t)
	send := func(method, session, body string) *http.Response {
		request, err := http.NewRequestWithContext(ctx, method, g.url()+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{
			"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {session},
		}
		if session == "" {
			request.Header.Del("Mcp-Session-Id")
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	hello := send(http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	session := hello.Header.Get("Mcp-Session-Id")
	answer, err := io.ReadAll(hello.Body) // the server drops a session whose client leaves before it is initialized
	_ = hello.Body.Close()
	if err != nil || !bytes.Contains(answer, []byte(`"serverInfo"`)) {
		t.Fatalf("no session: %d %s %v", hello.StatusCode, answer, err)
	}
	_ = send(http.MethodPost, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body.Close()
	stream := send(http.MethodGet, session, "")
	if stream.StatusCode != http.StatusOK || session == "" {
		t.Fatalf("no stream: %d, session %q", stream.StatusCode, session)
	}
	return stream.Body
}

// nowhere searches everything that the gateway has stored and printed for tokens,
// except the two files that contain them.
func nowhere(t *testing.T, g *gateway, tokens []string) {
	seen := map[string][]byte{"log": []byte(g.log.String())}
	err := filepath.WalkDir(filepath.Join(g.dir, "state"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasSuffix(path, ".token") {
			return err
		}
		seen[path], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(seen) < 3 {
		t.Fatal(seen, err)
	}
	if !bytes.Contains(seen[filepath.Join(g.dir, "state", "glovebox.db")], []byte("token.create")) {
		t.Error("what was done is not found in the store either")
	}
	for _, token := range tokens {
		secret := token[len(token)-20:] // of a signed one, its signature
		for where, data := range seen {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("a token is in %s", where)
			}
		}
	}
}

// TestBehindAProxy calls a gateway through a proxy that terminates TLS, from the
// proxy's address.
func TestBehindAProxy(t *testing.T) {
	g := start(t, settings{env: []string{"GLOVEBOX_SERVER_TRUSTED_PROXIES=127.0.0.0/8", "GLOVEBOX_SERVER_ALLOWED_HOSTS=example.com"}})
	target, err := url.Parse(g.url())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
	}})
	t.Cleanup(proxy.Close)
	client := proxy.Client() // which finds example.com there
	for asked, want := range map[string]string{proxy.URL: "", "https://example.com": "max-age=31536000", "https://other.example.com": "refused"} {
		response, err := client.Get(asked + "/json/version")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if want == "refused" {
			if response.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %d", asked, response.StatusCode)
			}
			continue
		}
		if !strings.Contains(string(body), strings.Replace(asked, "https", "wss", 1)+"/v1/browser/cdp") || response.Header.Get("Strict-Transport-Security") != want {
			t.Errorf("%s: %d %s %v", asked, response.StatusCode, body, response.Header)
		}
	}
	ca := filepath.Join(g.dir, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, complaint, status := g.command(t, "whoami", "--url", proxy.URL, "--ca", ca); status != 0 {
		t.Errorf("%d %s %s", status, out, complaint)
	}
}

// TestRates makes too many calls with one token, over REST and MCP.
func TestRates(t *testing.T) {
	g := start(t, settings{env: []string{"GLOVEBOX_AUTH_RATE_LIMIT_REQUESTS_PER_SECOND=0.01", "GLOVEBOX_AUTH_RATE_LIMIT_BURST=5"}})
	agent := g.curl(t, "agent")
	for range 5 {
		agent.get("/v1/whoami").object(http.StatusOK)
	}
	for _, path := range []string{"/v1/whoami", "/v1/sessions", "/mcp"} {
		got := agent.get(path)
		if after := got.header.Get("Retry-After"); after == "" || got.status != http.StatusTooManyRequests {
			t.Errorf("%s: %d, Retry-After %q", path, got.status, after)
		}
		got.problem(fault.LimitReached)
	}
	g.curl(t, "operator").get("/v1/whoami").object(http.StatusOK)
	if _, complaint, status := g.command(t, "whoami", "--token", g.token("agent")); status != 7 || !strings.Contains(complaint, "hint: wait") {
		t.Errorf("%d %s", status, complaint)
	}
	if out, _, status := g.command(t, "health"); status != 0 {
		t.Errorf("%d %s", status, out)
	}
}
