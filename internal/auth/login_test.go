package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/jwt/jwttest"
)

// login is an issuer: a real HTTP server of keys, which tests change and make
// unreachable.
type login struct {
	*httptest.Server
	mu      sync.Mutex
	keys    []any // jose.JSONWebKey, or any other value to publish
	status  int
	fetches int
}

func (l *login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fetches++
	if l.status != 0 {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(l.status)
		if r.URL.Path != "/elsewhere" {
			return
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": l.keys})
}

func (l *login) publish(status int, keys ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status, l.keys = status, keys
}

func (l *login) fetched() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fetches
}

// begin starts an issuer. It runs outside of synctest bubbles.
func begin(t *testing.T) *login {
	t.Helper()
	l := &login{}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// store returns a token store that trusts the issuer.
func (l *login) store(t *testing.T) *auth.TokenStore {
	t.Helper()
	b := &auth.TokenStore{}
	if err := b.Trust(issuerAt(l.URL)); err != nil {
		t.Fatal(err)
	}
	return b
}

func issuerAt(url string) auth.Issuer {
	return auth.Issuer{Name: "https://login.example", Audience: "glovebox", KeysURL: url, RoleClaim: "role", ScopeClaim: "tenant", Log: slog.New(slog.DiscardHandler)}
}

func public(id string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{KeyID: id, Key: key.Public()}
}

func claims() map[string]any {
	return map[string]any{
		"iss": "https://login.example", "aud": "glovebox", "sub": "ann@example.com", "role": "viewer", "tenant": "team",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
}

// sign makes a token whose header and claims were modified by change.
func sign(t *testing.T, method jose.SignatureAlgorithm, id string, key any, change func(header map[string]any, c map[string]any)) string {
	t.Helper()
	header, c := map[string]any{"kid": id}, claims()
	if change != nil {
		change(header, c)
	}
	return jwttest.Forge(t, method, key, header, c)
}

func generate(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func curve(t *testing.T, c elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(c, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func edwards(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
