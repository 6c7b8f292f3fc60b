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

var clock = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// good are the claims of a token that holds.
func good(box string) map[string]any {
	return map[string]any{
		"sub": subject, "aud": []string{box}, "scope": "0123456789abcdef",
		"iat": clock.Unix(), "exp": clock.Add(30 * time.Second).Unix(),
		"jti": "000102030405060708090a0b0c0d0e0f",
	}
}

func sign(t *testing.T, method jose.SignatureAlgorithm, claims map[string]any, key any) string {
	t.Helper()
	return jwttest.Forge(t, method, key, nil, claims)
}

// attack returns the Authorization headers of a request that must be refused.
type attack struct {
	name    string
	headers func(t *testing.T, key *Key, box string) []string
}

// altered signs good claims after a change, with the right key.
func altered(name string, change func(map[string]any)) attack {
	return attack{name, func(t *testing.T, key *Key, box string) []string {
		c := good(box)
		change(c)
		return []string{"Bearer " + sign(t, jose.EdDSA, c, key.private)}
	}}
}

// without leaves a claim out.
func without(claim string) attack {
	return altered("no "+claim, func(c map[string]any) { delete(c, claim) })
}

// forged changes the text of a token that holds.
func forged(name string, change func(string) []string) attack {
	return attack{name, func(t *testing.T, key *Key, box string) []string {
		return change(sign(t, jose.EdDSA, good(box), key.private))
	}}
}

func attacks() []attack {
	at := func(d time.Duration) int64 { return clock.Add(d).Unix() }
	bearer := func(s string) []string { return []string{"Bearer " + s} }
	return []attack{
		altered("expired", func(c map[string]any) { c["iat"], c["exp"] = at(-50*time.Second), at(-time.Second) }),
		altered("expires now", func(c map[string]any) { c["iat"], c["exp"] = at(-30*time.Second), at(0) }),
		altered("issued in the future", func(c map[string]any) { c["iat"] = at(2 * time.Second) }),
		altered("lives too long", func(c map[string]any) { c["exp"] = at(61 * time.Second) }),
		altered("old and lives long", func(c map[string]any) { c["iat"] = at(-time.Hour) }),
		altered("not valid yet", func(c map[string]any) { c["nbf"] = at(5 * time.Second) }),
		altered("other box", func(c map[string]any) { c["aud"] = []string{sandbox.NewID()} }),
		altered("two boxes", func(c map[string]any) { c["aud"] = append(c["aud"].([]string), sandbox.NewID()) }),
		altered("other scope", func(c map[string]any) { c["scope"] = "fedcba9876543210" }),
		altered("unassigned scope", func(c map[string]any) { c["scope"] = "" }),
		altered("scope of a wrong type", func(c map[string]any) { c["scope"] = 1 }),
		altered("other subject", func(c map[string]any) { c["sub"] = "guest" }),
		altered("short jti", func(c map[string]any) { c["jti"] = "00" }),
		altered("times of a wrong type", func(c map[string]any) { c["exp"] = "soon" }),
		without("sub"), without("aud"), without("scope"), without("iat"), without("exp"), without("jti"),
		{"wrong key", func(t *testing.T, _ *Key, box string) []string {
			other, err := NewKey()
			if err != nil {
				t.Fatal(err)
			}
			return bearer(sign(t, jose.EdDSA, good(box), other.private))
		}},
		{"alg none", func(t *testing.T, _ *Key, box string) []string {
			return bearer(sign(t, jwttest.None, good(box), nil))
		}},
		{"HS256 with the public key", func(t *testing.T, key *Key, box string) []string {
			public := []byte(key.private.Public().(ed25519.PublicKey))
			return bearer(sign(t, jose.HS256, good(box), public))
		}},
		{"HS256 with the public key as text", func(t *testing.T, key *Key, box string) []string {
			return bearer(sign(t, jose.HS256, good(box), []byte(key.Public())))
		}},
		forged("no signature", func(s string) []string { return bearer(s[:strings.LastIndex(s, ".")+1]) }),
		forged("truncated", func(s string) []string { return bearer(s[:len(s)-4]) }),
		forged("two parts", func(s string) []string { return bearer(s[:strings.LastIndex(s, ".")]) }),
		forged("four parts", func(s string) []string { return bearer(s + ".x") }),
		forged("other payload", func(s string) []string {
			p := strings.Split(s, ".")
			raw, _ := base64.RawURLEncoding.DecodeString(p[1])
			p[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), "0123", "4567", 1)))
			return bearer(strings.Join(p, "."))
		}),
		forged("huge", func(s string) []string { return bearer(s + strings.Repeat("A", 16<<10)) }),
		forged("other scheme", func(s string) []string { return []string{"Basic " + s} }),
		forged("bare", func(s string) []string { return []string{s} }),
		forged("twice", func(s string) []string { return []string{"Bearer " + s, "Bearer " + s} }),
		forged("missing", func(string) []string { return nil }),
		forged("empty", func(string) []string { return bearer("") }),
		forged("malformed", func(string) []string { return bearer("a.b.c") }),
		forged("padded", func(s string) []string { return bearer(s + "==") }),
	}
}

// ask makes one request to the endpoint of a box assigned to a scope.
func ask(handler http.Handler, path string, headers []string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, h := range headers {
		r.Header.Add("Authorization", h)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func fixture(t *testing.T) (*Key, string, *Verifier, http.Handler) {
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
	v.now = func() time.Time { return clock }
	a := NewAssignment(Boot{Box: box, ScopeHash: "0123456789abcdef", Session: "s"})
	return key, box, v, NewEndpoint(v, a, &echo{}, Folders{})
}

func TestEveryAttackOnTheTokenGetsTheSameAnswer(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			key, box, v, handler := fixture(t)
			headers := a.headers(t, key, box)
			for _, path := range []string{"/health", "/json/version", "/display", "/cdp", "/assign", "/freeze", "/thaw", "/nowhere"} {
				w := ask(handler, path, headers)
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

func TestTokenHoldsOnce(t *testing.T) {
	key, box, _, handler := fixture(t)
	headers := []string{"Bearer " + sign(t, jose.EdDSA, good(box), key.private)}
	if w := ask(handler, "/health", headers); w.Code != http.StatusOK {
		t.Fatalf("a good token got %d %s", w.Code, w.Body)
	}
	w := ask(handler, "/health", headers)
	if w.Code != http.StatusUnauthorized || w.Body.String() != `{"error":"bridge_unauthorized"}` {
		t.Errorf("a replayed token got %d %s", w.Code, w.Body)
	}
	minted, err := key.mint(box, "0123456789abcdef", clock)
	if err != nil {
		t.Fatal(err)
	}
	if w := ask(handler, "/health", []string{"Bearer " + minted}); w.Code != http.StatusOK {
		t.Errorf("a minted token got %d", w.Code)
	}
}

func TestMemoryOfTokensIsBoundedAndRefusesWhenFull(t *testing.T) {
	key, box, v, _ := fixture(t)
	now := clock
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
		t.Error("a full memory takes another token")
	}
	now = now.Add(tokenLife)
	if err := try(); err != nil {
		t.Errorf("expired tokens still fill the memory: %v", err)
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
