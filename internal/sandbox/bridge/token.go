package bridge

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/jwt"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

const (
	tokenSubject = "glovebox-gateway"
	tokenLife    = 30 * time.Second // a request uses its token within milliseconds
	maxTokenLife = 60 * time.Second // of an accepted token
	maxToken     = 1 << 10          // bytes; ours have about 450
	maxSeen      = 4096             // tokens remembered; a gateway sends a few a second
)

var jtiPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// claims are the content of a token (RFC 7519): the issuer (subject), the box
// (audience), the scope hash, its lifetime and its id.
type claims struct {
	Subject  string   `json:"sub"`
	Audience []string `json:"aud"`
	Issued   int64    `json:"iat"` // seconds since 1970
	Expires  int64    `json:"exp"`
	ID       string   `json:"jti"`
	Scope    string   `json:"scope"`
}

// mint signs a token for one request to a box.
func (k *Key) mint(box, scope string, now time.Time) (string, error) {
	signed, err := jwt.Sign(jose.EdDSA, k.private, claims{
		Subject:  tokenSubject,
		Audience: []string{box},
		Issued:   now.Unix(),
		Expires:  now.Add(tokenLife).Unix(),
		ID:       randid.New("", 16),
		Scope:    scope,
	})
	if err != nil {
		return "", fmt.Errorf("cannot sign a bridge token: %w", err)
	}
	return signed, nil
}

// Verifier verifies the tokens sent to one box. It is safe for concurrent use.
type Verifier struct {
	box string
	key ed25519.PublicKey
	now func() time.Time

	mu   sync.Mutex
	seen map[string]time.Time // token id → when it expires
}

// NewVerifier returns the verifier of a box. publicKey is the result of
// Key.Public. Faults: invalid_request.
func NewVerifier(publicKey, box string) (*Verifier, error) {
	key, err := parsePublicKey(publicKey)
	if err != nil {
		return nil, err
	}
	return &Verifier{box: box, key: key, now: time.Now, seen: map[string]time.Time{}}, nil
}

var errUnauthorized = errors.New("bridge_unauthorized")

// verify verifies the values of the Authorization header for a box that is
// assigned to scope. Its error does not say what is wrong.
func (v *Verifier) verify(authorization []string, scope string) error {
	if len(authorization) != 1 || len(authorization[0]) > maxToken {
		return errUnauthorized
	}
	raw, found := strings.CutPrefix(authorization[0], "Bearer ")
	if !found {
		return errUnauthorized
	}
	var scoped struct {
		Scope *string `json:"scope"` // a pointer, because a missing claim differs from an empty one
	}
	rules := jwt.Rules{Methods: []jose.SignatureAlgorithm{jose.EdDSA}, Subject: tokenSubject, Audience: v.box}
	c, err := jwt.Verify(raw, rules, v.now(), func(string, string) (any, error) { return v.key, nil }, &scoped)
	if err != nil || !validClaims(c) || scoped.Scope == nil || *scoped.Scope != scope {
		return errUnauthorized
	}
	return v.remember(c.ID, c.Expiry.Time())
}

// validClaims checks the claims beyond the standard: one box, a short life, and an id.
func validClaims(c jwt.Claims) bool {
	if c.IssuedAt == nil || len(c.Audience) != 1 {
		return false
	}
	life := c.Expiry.Time().Sub(c.IssuedAt.Time())
	return life > 0 && life <= maxTokenLife && jtiPattern.MatchString(c.ID)
}

// remember remembers the token until it expires, and refuses one that it has
// seen. It also refuses when it remembers too many.
func (v *Verifier) remember(id string, expires time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, replayed := v.seen[id]; replayed {
		return errUnauthorized
	}
	if len(v.seen) >= maxSeen {
		now := v.now()
		for other, end := range v.seen {
			if !now.Before(end) {
				delete(v.seen, other)
			}
		}
	}
	if len(v.seen) >= maxSeen {
		return errUnauthorized
	}
	v.seen[id] = expires
	return nil
}
