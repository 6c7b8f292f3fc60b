// Package jwt signs and verifies tokens (RFC 7519), by rules that leave a token
// no choice: which signatures, for whom, and that it ends.
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

// Claims are what every token may say.
type Claims = jwt.Claims

// Rules are what a token must fulfil. Empty methods, and an empty audience,
// refuse every token; an empty issuer or subject is not compared.
type Rules struct {
	Methods  []jose.SignatureAlgorithm
	Issuer   string
	Subject  string
	Audience string        // must be one of the token's
	Leeway   time.Duration // between the signer's clock and ours
}

// Sign returns the token that says claims, which is anything that JSON can hold.
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

// Verify returns what a token says, and puts the same into more, when that is
// not nil. key returns the public key of an id, which is empty where the token
// has none, for a method. An error may repeat what the token's header says.
func Verify(token string, rules Rules, now time.Time, key func(id, method string) (any, error), more any) (Claims, error) {
	if !canonical(token) {
		return Claims{}, errors.New("it is no token")
	}
	parsed, err := jwt.ParseSigned(token, rules.Methods)
	if err != nil || len(parsed.Headers) != 1 {
		return Claims{}, fmt.Errorf("it is no token with a signature that is taken: %w", err)
	}
	header := parsed.Headers[0]
	if _, critical := header.ExtraHeaders["crit"]; critical { // RFC 7515, 4.1.11: it must be understood, and is not
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

// check compares claims with the rules. The library takes a token without an
// end, and one that ends now.
func (r Rules) check(claims Claims, now time.Time) error {
	if r.Audience == "" || claims.Expiry == nil {
		return errors.New("it is for nobody, or has no end")
	}
	if !now.Before(claims.Expiry.Time().Add(r.Leeway)) {
		return errors.New("it has expired")
	}
	return claims.ValidateWithLeeway(jwt.Expected{Issuer: r.Issuer, Subject: r.Subject, AnyAudience: jwt.Audience{r.Audience}, Time: now}, r.Leeway)
}

// canonical reports whether a token has three parts, each in the one way that
// its bytes are written: the library takes padding, line breaks, and last bits
// that stand for nothing.
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
