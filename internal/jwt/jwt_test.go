package jwt_test

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/jwt"
	"github.com/gloveboxhq/glovebox/internal/jwt/jwttest"
)

var (
	clock = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rules = jwt.Rules{Methods: []jose.SignatureAlgorithm{jose.EdDSA}, Audience: "box"}
)

func pair(t testing.TB) (ed25519.PrivateKey, func(id, method string) (any, error)) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return private, func(string, string) (any, error) { return public, nil }
}

func TestSignedTokensAreVerified(t *testing.T) {
	private, key := pair(t)
	token, err := jwt.Sign(jose.EdDSA, private, map[string]any{"aud": "box", "exp": clock.Unix() + 1, "sub": "s", "more": "m"})
	if err != nil {
		t.Fatal(err)
	}
	var more struct {
		More string `json:"more"`
	}
	claims, err := jwt.Verify(token, rules, clock, key, &more)
	if err != nil || claims.Subject != "s" || more.More != "m" {
		t.Fatalf("claims %+v and %+v, %v", claims, more, err)
	}
}

func TestTokensThatAreNotCanonicalAreRefused(t *testing.T) {
	private, key := pair(t)
	good := jwttest.Forge(t, jose.EdDSA, private, nil, map[string]any{"aud": "box", "exp": clock.Unix() + 1})
	for name, token := range map[string]string{
		"line break":          good[:20] + "\n" + good[20:],
		"carriage return":     good + "\r",
		"padding":             good + "==",
		"an empty part":       strings.Replace(good, ".", "..", 1),
		"expires now":         jwttest.Forge(t, jose.EdDSA, private, nil, map[string]any{"aud": "box", "exp": clock.Unix()}),
		"no end":              jwttest.Forge(t, jose.EdDSA, private, nil, map[string]any{"aud": "box"}),
		"critical extensions": jwttest.Forge(t, jose.EdDSA, private, map[string]any{"crit": []string{"x"}, "x": 1}, map[string]any{"aud": "box", "exp": clock.Unix() + 1}),
	} {
		if _, err := jwt.Verify(token, rules, clock, key, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestZeroRulesRefuse(t *testing.T) {
	private, key := pair(t)
	token := jwttest.Forge(t, jose.EdDSA, private, nil, map[string]any{"aud": "", "exp": clock.Unix() + 1})
	for name, rules := range map[string]jwt.Rules{"all zero": {}, "no audience": {Methods: rules.Methods}, "no methods": {Audience: "box"}} {
		if _, err := jwt.Verify(token, rules, clock, key, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	private, _ := pair(b)
	for b.Loop() {
		if _, err := jwt.Sign(jose.EdDSA, private, map[string]any{"aud": "box", "exp": clock.Unix() + 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	private, key := pair(b)
	token := jwttest.Forge(b, jose.EdDSA, private, nil, map[string]any{"aud": "box", "exp": clock.Unix() + 1})
	for b.Loop() {
		if _, err := jwt.Verify(token, rules, clock, key, nil); err != nil {
			b.Fatal(err)
		}
	}
}
