package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/jwt"
)

const (
	issued         = "jwt:"           // prefix of the actor of every issuer's token; other tokens must not have it
	maxSignedBytes = 8 << 10          // of a signed token
	maxReasonBytes = 200              // of the reason for a refusal, in the log
	leeway         = 30 * time.Second // accepted difference between the issuer's clock and ours
)

// methods are the accepted signatures. Symmetric ones, and "none", are not among
// them (RFC 8725, 3.1).
var methods = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// Issuer is an outside identity provider, whose signed tokens (RFC 7519) say who
// a caller is.
type Issuer struct {
	Name       string // its "iss", exactly
	Audience   string // must be in "aud", exactly
	KeysURL    string // of its keys (RFC 7517): https, or http on loopback
	RoleClaim  string // the claim that holds agent, viewer or operator
	ScopeClaim string // the claim that holds the scope
	Log        *slog.Logger
}

type issuer struct {
	Issuer
	keys  *keySet
	rules jwt.Rules
}

// Trust accepts tokens that i has signed. The caller is "jwt:" and the token's
// subject, with the role and scope that the claims contain. Trust must be called
// once, before the store is in use. Keys are fetched when they are first needed,
// so an unreachable issuer does not affect other tokens. Errors: a missing name,
// audience or claim name, and an address that is neither https nor on loopback.
func (b *TokenStore) Trust(i Issuer) error {
	if i.Name == "" || i.Audience == "" || i.RoleClaim == "" || i.ScopeClaim == "" || i.Log == nil {
		return errors.New("issuer, audience, role_claim and scope_claim must be given")
	}
	at, err := url.Parse(i.KeysURL)
	if err != nil || at.Host == "" || at.User != nil || (at.Scheme != "https" && (at.Scheme != "http" || !loopback(at.Hostname()))) {
		return errors.New("jwks_url must be an https address")
	}
	b.issuer = &issuer{Issuer: i, keys: newKeySet(i.KeysURL, i.Log), rules: jwt.Rules{
		Methods: methods, Issuer: i.Name, Audience: i.Audience, Leeway: leeway,
	}}
	return nil
}

// issued returns the caller of a signed token. Its error is for the log only. The
// caller does not see it.
func (b *TokenStore) issued(ctx context.Context, token string) (Identity, error) {
	if b.issuer == nil || len(token) > maxSignedBytes || strings.Count(token, ".") != 2 {
		return Identity{}, errUnknown
	}
	i, err := b.issuer.identify(ctx, token)
	if err != nil {
		why := err.Error() // it may contain text of the token's header
		return Identity{}, errors.New(why[:min(len(why), maxReasonBytes)])
	}
	i.limit = b.issuerLimits.of(i.Caller)
	return i, nil
}

var errUnknown = errors.New("the token is not known")

func (i *issuer) identify(ctx context.Context, token string) (Identity, error) {
	own := map[string]any{}
	claims, err := jwt.Verify(token, i.rules, time.Now(), func(id, method string) (any, error) { return i.key(ctx, id, method) }, &own)
	if err != nil {
		return Identity{}, err
	}
	caller, err := i.caller(claims.Subject, own)
	return Identity{Caller: caller, Source: FromIssuer, Expires: claims.Expiry.Time().Add(leeway)}, err
}

// key returns the issuer's key with this id, which must be for the token's
// algorithm. Addresses of keys in the token's header are ignored.
func (i *issuer) key(ctx context.Context, id, method string) (any, error) {
	if id == "" {
		return nil, errors.New("it names no key")
	}
	key, found := i.keys.find(ctx, id)
	if !found {
		return nil, errors.New("it names a key that the issuer does not have")
	}
	if key.method != method {
		return nil, errors.New("its key is for another algorithm")
	}
	return key.public, nil
}

// plain matches the subjects and scopes that are accepted. They appear in
// records, logs and questions.
var plain = regexp.MustCompile(`^[!-~]{1,128}$`)

func (i *issuer) caller(subject string, claims map[string]any) (action.Caller, error) {
	scope, _ := claims[i.ScopeClaim].(string)
	role, _ := claims[i.RoleClaim].(string)
	if !plain.MatchString(subject) || !plain.MatchString(scope) {
		return action.Caller{}, fmt.Errorf("its sub or %s is missing, or no plain text", i.ScopeClaim)
	}
	if !slices.Contains(roles, action.Role(role)) {
		return action.Caller{}, fmt.Errorf("its %s is none of agent, viewer and operator", i.RoleClaim)
	}
	return action.Caller{Actor: issued + subject, Scope: scope, Role: action.Role(role)}, nil
}
