// Package jwt signs and verifies tokens (RFC 7519) under strict rules: the caller
// fixes the signature method and the audience, and a token must expire.
package jwt

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Claims are the standard claims of a token.
type Claims = jwt.Claims

// Rules are the requirements for a token. Without methods or without an audience
// every token is refused. An empty issuer or subject is not compared.
type Rules struct {
	Methods  []jose.SignatureAlgorithm
	Issuer   string
	Subject  string
	Audience string        // must be among the token's
	Leeway   time.Duration // accepted difference between the signer's clock and ours
}

// Sign returns a signed token with these claims, which can be any value that
// encodes as JSON.
func Sign(method jose.SignatureAlgorithm, key, claims any) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: method, Key: key}, nil)
	if err != nil {
		return "", fmt.Errorf("cannot sign with this key: %w", err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return "", fmt.Errorf("cannot sign a token: %w", err)
	}
	return token, nil
}

// Verify returns the claims of a token. If more is not nil, it also decodes them
// into more. key returns the public key for an id and a method; the id is empty
// if the token has none. An error may contain text of the token's header.
func Verify(token string, rules Rules, now time.Time, key func(id, method string) (any, error), more any) (Claims, error) {
	if !canonical(token) {
		return Claims{}, errors.New("it is no token")
	}
	parsed, err := jwt.ParseSigned(token, rules.Methods)
	if err != nil || len(parsed.Headers) != 1 {
		return Claims{}, fmt.Errorf("it is no token with a signature that is taken: %w", err)
	}
	header := parsed.Headers[0]
	if _, critical := header.ExtraHeaders["crit"]; critical { // RFC 7515, 4.1.11: extensions listed here must be understood; we know none
		return Claims{}, errors.New("it has critical headers")
	}
	public, err := key(header.KeyID, header.Algorithm)
	if err != nil {
		return Claims{}, err
	}
	var claims Claims
	into := []any{&claims}
	if more != nil {
		into = append(into, more)
	}
	if err := parsed.Claims(public, into...); err != nil {
		return Claims{}, fmt.Errorf("its signature does not hold, or its claims cannot be read: %w", err)
	}
	return claims, rules.check(claims, now)
}

// check compares claims with the rules. The library accepts a token without an
// expiry, and one that expires now.
func (r Rules) check(claims Claims, now time.Time) error {
	if r.Audience == "" || claims.Expiry == nil {
		return errors.New("it is for nobody, or has no end")
	}
	if !now.Before(claims.Expiry.Time().Add(r.Leeway)) {
		return errors.New("it has expired")
	}
	return claims.ValidateWithLeeway(jwt.Expected{Issuer: r.Issuer, Subject: r.Subject, AnyAudience: jwt.Audience{r.Audience}, Time: now}, r.Leeway)
}

// canonical reports whether a token has three parts in canonical base64. The
// library also accepts padding, line breaks, and unused bits that are not zero.
func canonical(token string) bool {
	parts := strings.Split(token, ".")
	for _, part := range parts {
		raw, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || part == "" || base64.RawURLEncoding.EncodeToString(raw) != part {
			return false
		}
	}
	return len(parts) == 3
}
