// Package jwttest makes valid and invalid tokens for tests.
package jwttest

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// None is the method of a token without a signature.
const None jose.SignatureAlgorithm = "none"

// Forge returns a token with only the given headers and claims, and its method.
func Forge(t testing.TB, method jose.SignatureAlgorithm, key any, headers, claims map[string]any) string {
	t.Helper()
	text := func(v any) []byte {
		written, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	if method == None {
		all := map[string]any{"alg": "none", "typ": "JWT"}
		for name, value := range headers {
			all[name] = value
		}
		return base64.RawURLEncoding.EncodeToString(text(all)) + "." + base64.RawURLEncoding.EncodeToString(text(claims)) + "."
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	for name, value := range headers {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: method, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text(claims))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
