package auth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/jwt/jwttest"
)

func TestTokensOfAnIssuerAreAccepted(t *testing.T) {
	l := begin(t)
	r, e, d := generate(t, 2048), curve(t, elliptic.P256()), edwards(t)
	l.publish(0, public("r", r), public("e", e), public("d", d), map[string]string{"kty": "unheard of", "kid": "x"})
	b := l.store(t)
	for name, token := range map[string]string{
		"RS256":         sign(t, jose.RS256, "r", r, nil),
		"ES256":         sign(t, jose.ES256, "e", e, nil),
		"EdDSA":         sign(t, jose.EdDSA, "d", d, nil),
		"two audiences": sign(t, jose.ES256, "e", e, func(_ map[string]any, c map[string]any) { c["aud"] = []string{"other", "glovebox"} }),
		"just expired":  sign(t, jose.ES256, "e", e, func(_ map[string]any, c map[string]any) { c["exp"] = time.Now().Add(-20 * time.Second).Unix() }),
	} {
		who, err := b.Identify(t.Context(), token)
		want := action.Caller{Actor: "jwt:ann@example.com", Scope: "team", Role: action.Viewer}
		if err != nil || who.Caller != want || who.Source != auth.FromIssuer || who.Expires.IsZero() {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	if n := l.fetched(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

func TestInvalidSignedTokensAreRefused(t *testing.T) {
	l, thief := begin(t), begin(t)
	r, e, small, other, stolen := generate(t, 2048), curve(t, elliptic.P256()), generate(t, 1024), curve(t, elliptic.P384()), curve(t, elliptic.P256())
	sealing := public("sealing", e)
	sealing.Use = "enc"
	named := public("named", r)
	named.Algorithm = "PS256"
	l.publish(0, public("r", r), public("e", e), public("small", small), public("other", other), sealing, named, public("twice", r), public("twice", stolen),
		jose.JSONWebKey{KeyID: "shared", Key: []byte("a secret that both sides know, as it were")})
	thief.publish(0, public("e", stolen))
	der, err := x509.MarshalPKIXPublicKey(r.Public())
	if err != nil {
		t.Fatal(err)
	}
	es := jose.ES256
	with := func(name string, value any) func(map[string]any, map[string]any) {
		return func(_ map[string]any, c map[string]any) { c[name] = value }
	}
	without := func(name string) func(map[string]any, map[string]any) {
		return func(_ map[string]any, c map[string]any) { delete(c, name) }
	}
	header := func(name string, value any) func(map[string]any, map[string]any) {
		return func(h map[string]any, _ map[string]any) { h[name] = value }
	}
	now := time.Now()
	good := sign(t, es, "e", e, nil)
	parts := strings.Split(good, ".")
	cases := map[string]string{
		"no signature":               sign(t, jwttest.None, "e", nil, nil),
		"public key as a shared one": sign(t, jose.HS256, "r", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil),
		"the same in DER":            sign(t, jose.HS256, "r", der, nil),
		"shared key of the set":      sign(t, jose.HS256, "shared", []byte("a secret that both sides know, as it were"), nil),
		"other padding":              sign(t, jose.PS256, "r", r, nil),
		"other hash":                 sign(t, jose.RS512, "r", r, nil),
		"other curve":                sign(t, jose.ES384, "other", other, nil),
		"key of another kind":        sign(t, es, "r", e, nil),
		"key for another algorithm":  sign(t, jose.RS256, "named", r, nil),
		"key for sealing":            sign(t, es, "sealing", e, nil),
		"key that is too short":      sign(t, jose.RS256, "small", small, nil),
		"key id that two have":       sign(t, jose.RS256, "twice", r, nil),
		"the other of the two":       sign(t, es, "twice", stolen, nil),
		"somebody else's key":        sign(t, es, "e", stolen, nil),
		"no key id":                  sign(t, es, "", e, nil),
		"key id that is no text":     sign(t, es, "e", e, header("kid", []string{"e"})),
		"key id that is a path":      sign(t, es, "../../../../dev/null", e, nil),
		"key id that is a query":     sign(t, es, "e' OR '1'='1", e, nil),
		"unknown key id":             sign(t, es, "unknown", e, nil),
		"keys elsewhere":             sign(t, es, "e", stolen, header("jku", thief.URL)),
		"certificate elsewhere":      sign(t, es, "e", stolen, header("x5u", thief.URL)),
		"its own key":                sign(t, es, "e", stolen, header("jwk", public("e", stolen))),
		"critical header":            sign(t, es, "e", e, header("crit", []string{"b64"})),
		"another issuer":             sign(t, es, "e", e, with("iss", "https://login.example.evil.example")),
		"issuer with a slash":        sign(t, es, "e", e, with("iss", "https://login.example/")),
		"no issuer":                  sign(t, es, "e", e, without("iss")),
		"for somebody else":          sign(t, es, "e", e, with("aud", "gloveboxes")),
		"for nobody":                 sign(t, es, "e", e, without("aud")),
		"without an end":             sign(t, es, "e", e, without("exp")),
		"expired":                    sign(t, es, "e", e, with("exp", now.Add(-40*time.Second).Unix())),
		"not valid yet":              sign(t, es, "e", e, with("nbf", now.Add(time.Minute).Unix())),
		"from the future":            sign(t, es, "e", e, with("iat", now.Add(time.Hour).Unix())),
		"end that is no number":      sign(t, es, "e", e, with("exp", "tomorrow")),
		"no role":                    sign(t, es, "e", e, without("role")),
		"unknown role":               sign(t, es, "e", e, with("role", "admin")),
		"role in capitals":           sign(t, es, "e", e, with("role", "Operator")),
		"several roles":              sign(t, es, "e", e, with("role", []string{"viewer", "operator"})),
		"no scope":                   sign(t, es, "e", e, without("tenant")),
		"empty scope":                sign(t, es, "e", e, with("tenant", "")),
		"scope with a line break":    sign(t, es, "e", e, with("tenant", "team\nother")),
		"no subject":                 sign(t, es, "e", e, without("sub")),
		"subject that does not show": sign(t, es, "e", e, with("sub", "ann\u202e")),
		"subject that is long":       sign(t, es, "e", e, with("sub", strings.Repeat("a", 129))),
		"large":                      sign(t, es, "e", e, with("more", strings.Repeat("a", 8<<10))),
		"signature of another token": strings.Join([]string{parts[0], strings.Split(sign(t, es, "e", e, with("role", "operator")), ".")[1], parts[2]}, "."),
		"no signature at its end":    parts[0] + "." + parts[1] + ".",
		"two parts":                  parts[0] + "." + parts[1],
		"four parts":                 good + ".x",
		"padded":                     good + "==",
		"words":                      "a.b.c",
		"dots":                       "..",
	}
	b := l.store(t)
	if _, err := b.Identify(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	for name, token := range cases {
		who, err := b.Identify(t.Context(), token)
		f := fault.From(err)
		if f == nil || f.Code != fault.Unauthenticated || f.Message != "the call carries no valid token" || who.Caller != (action.Caller{}) {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	if thief.fetched() != 0 {
		t.Error("keys were fetched from an address in a token")
	}
	if n := l.fetched(); n > 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

func TestASignedTokenWithAnyChangedByteIsRefused(t *testing.T) {
	l := begin(t)
	for name, key := range map[string]crypto.Signer{"RS256": generate(t, 2048), "ES256": curve(t, elliptic.P256()), "EdDSA": edwards(t)} {
		l.publish(0, public("k", key))
		b := l.store(t)
		good := sign(t, jose.SignatureAlgorithm(name), "k", key, nil)
		if _, err := b.Identify(t.Context(), good); err != nil {
			t.Fatal(err)
		}
		for i := range good {
			tried := "AB."
			if i == len(good)-1 { // its last bits encode nothing
				tried = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
			}
			for _, other := range []byte(tried) {
				changed := []byte(good)
				changed[i] = other
				if _, err := b.Identify(t.Context(), string(changed)); err == nil && string(changed) != good {
					t.Errorf("%s: byte %d may be %q", name, i, other)
				}
			}
		}
	}
}

func TestChangedKeysOfAnIssuerAreUsed(t *testing.T) {
	l := begin(t)
	first, second := curve(t, elliptic.P256()), curve(t, elliptic.P256())
	synctest.Test(t, func(t *testing.T) {
		l.publish(0, public("1", first))
		b := l.store(t)
		taken := func(id string, key *ecdsa.PrivateKey) bool {
			_, err := b.Identify(t.Context(), sign(t, jose.ES256, id, key, nil))
			return err == nil
		}
		if !taken("1", first) {
			t.Error("the first key is refused")
		}
		l.publish(0, public("1", first), public("2", second))
		time.Sleep(10 * time.Second) // synthetic clock, as below
		if !taken("2", second) || !taken("1", first) {
			t.Error("a new key is refused")
		}
		before := l.fetched()
		for range 50 {
			taken("none", first)
		}
		if n := l.fetched() - before; n != 0 {
			t.Errorf("unknown keys caused %d fetches at once", n)
		}
		l.publish(0, public("2", second))
		if !taken("1", first) {
			t.Error("the set is not cached")
		}
		time.Sleep(10 * time.Minute)
		if taken("1", first) || !taken("2", second) {
			t.Error("a withdrawn key is accepted")
		}
	})
}

func TestKeysOfAnUnreachableIssuerAreUsedForADay(t *testing.T) {
	l := begin(t)
	key := curve(t, elliptic.P256())
	synctest.Test(t, func(t *testing.T) {
		b := l.store(t)
		taken := func() bool {
			_, err := b.Identify(t.Context(), sign(t, jose.ES256, "k", key, nil))
			return err == nil
		}
		for _, status := range []int{http.StatusServiceUnavailable, http.StatusFound} {
			l.publish(status, public("k", key))
			if taken() {
				t.Errorf("accepted with status %d", status)
			}
			time.Sleep(10 * time.Second) // synthetic clock, as below
		}
		l.publish(0, public("k", key))
		if !taken() {
			t.Error("the issuer is not asked again")
		}
		l.publish(http.StatusServiceUnavailable)
		time.Sleep(23 * time.Hour)
		before := l.fetched()
		for range 20 {
			if !taken() {
				t.Fatal("a known key is refused while the issuer is unreachable")
			}
		}
		if n := l.fetched() - before; n != 1 {
			t.Errorf("the issuer was asked %d times at once", n)
		}
		time.Sleep(time.Hour)
		if taken() {
			t.Error("a key that was fetched a day ago is accepted")
		}
	})
}

func TestInvalidKeySetsAreIgnored(t *testing.T) {
	l := begin(t)
	key := curve(t, elliptic.P256())
	synctest.Test(t, func(t *testing.T) {
		l.publish(0, public("k", key))
		b := l.store(t)
		many := make([]any, 101)
		for i := range many {
			many[i] = public(strings.Repeat("k", i+2), key)
		}
		for name, keys := range map[string][]any{"nothing": nil, "too many": many, "too large": {strings.Repeat("a", 600<<10)}} {
			if _, err := b.Identify(t.Context(), sign(t, jose.ES256, "k", key, nil)); err != nil {
				t.Errorf("before %s: %v", name, err)
			}
			l.publish(0, keys...)
			time.Sleep(10 * time.Minute) // synthetic clock
			if _, err := b.Identify(t.Context(), sign(t, jose.ES256, "k", key, nil)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			l.publish(0, public("k", key))
			time.Sleep(10 * time.Minute)
		}
	})
}

func TestIncompleteIssuersAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*auth.Issuer){
		"no name":       func(i *auth.Issuer) { i.Name = "" },
		"no audience":   func(i *auth.Issuer) { i.Audience = "" },
		"no role claim": func(i *auth.Issuer) { i.RoleClaim = "" },
		"in the clear":  func(i *auth.Issuer) { i.KeysURL = "http://login.example/keys" },
		"a file":        func(i *auth.Issuer) { i.KeysURL = "file:///keys" },
		"with password": func(i *auth.Issuer) { i.KeysURL = "https://a:b@login.example/keys" },
	} {
		i := issuerAt("https://login.example/keys")
		spoil(&i)
		if err := (&auth.TokenStore{}).Trust(i); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, url := range []string{"https://login.example/keys", "http://localhost:1/keys", "http://[::1]:1/keys"} {
		if err := (&auth.TokenStore{}).Trust(issuerAt(url)); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}
