package bridge

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/jwt/jwttest"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// validTestClaims returns the claims of a valid token.
func validTestClaims(box string) map[string]any {
	return map[string]any{
		"sub": tokenSubject, "aud": []string{box}, "scope": "0123456789abcdef",
		"iat": testTime.Unix(), "exp": testTime.Add(30 * time.Second).Unix(),
		"jti": "000102030405060708090a0b0c0d0e0f",
	}
}

func sign(t *testing.T, method jose.SignatureAlgorithm, claims map[string]any, key any) string {
	t.Helper()
	return jwttest.Forge(t, method, key, nil, claims)
}

// attack makes the Authorization headers of a request that must be refused.
type attack struct {
	name    string
	headers func(t *testing.T, key *Key, box string) []string
}

// alteredClaims changes the claims of a valid token and signs them with the right key.
func alteredClaims(name string, change func(map[string]any)) attack {
	return attack{name, func(t *testing.T, key *Key, box string) []string {
		c := validTestClaims(box)
		change(c)
		return []string{"Bearer " + sign(t, jose.EdDSA, c, key.private)}
	}}
}

// missingClaim removes a claim.
func missingClaim(claim string) attack {
	return alteredClaims("no "+claim, func(c map[string]any) { delete(c, claim) })
}

// alteredToken changes the text of a valid token.
func alteredToken(name string, change func(string) []string) attack {
	return attack{name, func(t *testing.T, key *Key, box string) []string {
		return change(sign(t, jose.EdDSA, validTestClaims(box), key.private))
	}}
}

func attacks() []attack {
	at := func(d time.Duration) int64 { return testTime.Add(d).Unix() }
	bearer := func(s string) []string { return []string{"Bearer " + s} }
	return []attack{
		alteredClaims("expired", func(c map[string]any) { c["iat"], c["exp"] = at(-50*time.Second), at(-time.Second) }),
		alteredClaims("expires now", func(c map[string]any) { c["iat"], c["exp"] = at(-30*time.Second), at(0) }),
		alteredClaims("issued in the future", func(c map[string]any) { c["iat"] = at(2 * time.Second) }),
		alteredClaims("lives too long", func(c map[string]any) { c["exp"] = at(61 * time.Second) }),
		alteredClaims("old and lives long", func(c map[string]any) { c["iat"] = at(-time.Hour) }),
		alteredClaims("not valid yet", func(c map[string]any) { c["nbf"] = at(5 * time.Second) }),
		alteredClaims("other box", func(c map[string]any) { c["aud"] = []string{sandbox.NewID()} }),
		alteredClaims("two boxes", func(c map[string]any) { c["aud"] = append(c["aud"].([]string), sandbox.NewID()) }),
		alteredClaims("other scope", func(c map[string]any) { c["scope"] = "fedcba9876543210" }),
		alteredClaims("unassigned scope", func(c map[string]any) { c["scope"] = "" }),
		alteredClaims("scope of a wrong type", func(c map[string]any) { c["scope"] = 1 }),
		alteredClaims("other subject", func(c map[string]any) { c["sub"] = "guest" }),
		alteredClaims("short jti", func(c map[string]any) { c["jti"] = "00" }),
		alteredClaims("times of a wrong type", func(c map[string]any) { c["exp"] = "soon" }),
		missingClaim("sub"), missingClaim("aud"), missingClaim("scope"), missingClaim("iat"), missingClaim("exp"), missingClaim("jti"),
		{"wrong key", func(t *testing.T, _ *Key, box string) []string {
			other, err := NewKey()
			if err != nil {
				t.Fatal(err)
			}
			return bearer(sign(t, jose.EdDSA, validTestClaims(box), other.private))
		}},
		{"alg none", func(t *testing.T, _ *Key, box string) []string {
			return bearer(sign(t, jwttest.None, validTestClaims(box), nil))
		}},
		{"HS256 with the public key", func(t *testing.T, key *Key, box string) []string {
			public := []byte(key.private.Public().(ed25519.PublicKey))
			return bearer(sign(t, jose.HS256, validTestClaims(box), public))
		}},
		{"HS256 with the public key as text", func(t *testing.T, key *Key, box string) []string {
			return bearer(sign(t, jose.HS256, validTestClaims(box), []byte(key.Public())))
		}},
		alteredToken("no signature", func(s string) []string { return bearer(s[:strings.LastIndex(s, ".")+1]) }),
		alteredToken("truncated", func(s string) []string { return bearer(s[:len(s)-4]) }),
		alteredToken("two parts", func(s string) []string { return bearer(s[:strings.LastIndex(s, ".")]) }),
		alteredToken("four parts", func(s string) []string { return bearer(s + ".x") }),
		alteredToken("other payload", func(s string) []string {
			p := strings.Split(s, ".")
			raw, _ := base64.RawURLEncoding.DecodeString(p[1])
			p[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), "0123", "4567", 1)))
			return bearer(strings.Join(p, "."))
		}),
		alteredToken("huge", func(s string) []string { return bearer(s + strings.Repeat("A", 16<<10)) }),
		alteredToken("other scheme", func(s string) []string { return []string{"Basic " + s} }),
		alteredToken("bare", func(s string) []string { return []string{s} }),
		alteredToken("twice", func(s string) []string { return []string{"Bearer " + s, "Bearer " + s} }),
		alteredToken("missing", func(string) []string { return nil }),
		alteredToken("empty", func(string) []string { return bearer("") }),
		alteredToken("malformed", func(string) []string { return bearer("a.b.c") }),
		alteredToken("padded", func(s string) []string { return bearer(s + "==") }),
	}
}

// get sends a request with Authorization headers.
func get(handler http.Handler, path string, headers []string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, h := range headers {
		r.Header.Add("Authorization", h)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func newTestEndpoint(t *testing.T) (*Key, string, *Verifier, http.Handler) {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.NewID()
	v, err := NewVerifier(key.Public(), box)
	if err != nil {
		t.Fatal(err)
	}
	v.now = func() time.Time { return testTime }
	a := NewAssignment(Boot{Box: box, ScopeHash: "0123456789abcdef", Session: "s"})
	return key, box, v, NewEndpoint(v, a, &echoGuest{}, Folders{})
}

func TestInvalidTokensGetTheSameResponse(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			key, box, v, handler := newTestEndpoint(t)
			headers := a.headers(t, key, box)
			for _, path := range []string{"/health", "/json/version", "/display", "/cdp", "/assign", "/freeze", "/thaw", "/nowhere"} {
				w := get(handler, path, headers)
				if w.Code != http.StatusUnauthorized || w.Body.String() != `{"error":"bridge_unauthorized"}` {
					t.Errorf("%s answered %d %s", path, w.Code, w.Body)
				}
			}
			if len(v.seen) != 0 {
				t.Error("a refused token is remembered")
			}
		})
	}
}

func TestTokenIsAcceptedOnce(t *testing.T) {
	key, box, _, handler := newTestEndpoint(t)
	headers := []string{"Bearer " + sign(t, jose.EdDSA, validTestClaims(box), key.private)}
	if w := get(handler, "/health", headers); w.Code != http.StatusOK {
		t.Fatalf("a good token got %d %s", w.Code, w.Body)
	}
	w := get(handler, "/health", headers)
	if w.Code != http.StatusUnauthorized || w.Body.String() != `{"error":"bridge_unauthorized"}` {
		t.Errorf("a replayed token got %d %s", w.Code, w.Body)
	}
	minted, err := key.mint(box, "0123456789abcdef", testTime)
	if err != nil {
		t.Fatal(err)
	}
	if w := get(handler, "/health", []string{"Bearer " + minted}); w.Code != http.StatusOK {
		t.Errorf("a minted token got %d", w.Code)
	}
}

func TestRememberedTokensAreLimited(t *testing.T) {
	key, box, v, _ := newTestEndpoint(t)
	now := testTime
	v.now = func() time.Time { return now }
	try := func() error {
		token, err := key.mint(box, "", now)
		if err != nil {
			t.Fatal(err)
		}
		return v.verify([]string{"Bearer " + token}, "")
	}
	for range maxSeen {
		if err := try(); err != nil {
			t.Fatal(err)
		}
	}
	if try() == nil {
		t.Error("another token is accepted beyond the limit")
	}
	now = now.Add(tokenLife)
	if err := try(); err != nil {
		t.Errorf("expired tokens still count: %v", err)
	}
	if len(v.seen) != 1 {
		t.Errorf("%d tokens remembered", len(v.seen))
	}
}

func FuzzVerifyNeverAcceptsWhatWasNotSigned(f *testing.F) {
	key, err := NewKey()
	if err != nil {
		f.Fatal(err)
	}
	v, err := NewVerifier(key.Public(), "0123456789abcdef")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("Bearer a.b.c")
	f.Add("Bearer eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, header string) {
		if v.verify([]string{header}, "") == nil {
			t.Errorf("accepted %q", header)
		}
	})
}
