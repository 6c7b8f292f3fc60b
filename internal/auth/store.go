// Package auth identifies callers by their tokens. It keeps hashes of tokens,
// never tokens, except for the two files that it creates at the first start.
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// maxTokenBytes is above the length of every token of ours. A longer text is not
// hashed.
const maxTokenBytes = 512

// Entry is one token that may call. The zero Entry is refused.
type Entry struct {
	Name    string      // actor id in the audit trail, unique in its scope
	Role    action.Role // agent, viewer or operator
	Scope   string      // the user or tenant it acts for
	SHA256  string      // of the token, 64 hex digits
	Expires time.Time   // zero: never
}

// TokenStore holds the tokens that may call. It is safe for concurrent use. The
// zero TokenStore accepts no token.
type TokenStore struct {
	mu    sync.RWMutex
	known []*known

	rate         Rate
	issuer       *issuer                     // nil: none
	issuerLimits RateLimiters[action.Caller] // of the issuer's callers

	change sync.Mutex // held while the database is written. Not mu, which every request needs
	db     *store.DB
	end    func() // stops the goroutine that writes the times of use
	ended  chan struct{}
}

// known is a token that may call. A fast hash is enough: a token has 256 random
// bits, so it cannot be guessed with any hash, and each request computes one.
type known struct {
	hash    [sha256.Size]byte
	caller  action.Caller
	source  Source
	expires time.Time
	session string // the only session whose DevTools protocol it opens; empty for other tokens
	limit   *rate.Limiter

	id      string // of a created token, empty for others
	created time.Time
	used    atomic.Int64 // minutes since 1970
	saved   int64        // the value of used in the database; guarded by TokenStore.change
	life    context.Context
	revoke  context.CancelCauseFunc
}

// New makes a store of the entries of the configuration. An error names the first
// entry that has no name or scope, an unknown role, an invalid hash, or the same
// hash or the same name and scope as an earlier one.
func New(entries ...Entry) (*TokenStore, error) {
	tokenStore := &TokenStore{}
	return tokenStore, tokenStore.add(FromConfig, entries...)
}

func (b *TokenStore) add(source Source, entries ...Entry) error {
	for i, e := range entries {
		k, err := e.known()
		if err != nil {
			return fmt.Errorf("token %d (%q): %w", i+1, e.Name, err)
		}
		if b.clashes(k) {
			return fmt.Errorf("token %d (%q) has the name or the hash of an earlier one", i+1, e.Name)
		}
		k.source = source
		b.enter(k)
	}
	return nil
}

// enter adds a token without checking it.
func (b *TokenStore) enter(k *known) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.limit = b.rate.limiter()
	b.known = append(b.known, k)
}

func (b *TokenStore) all() []*known {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Clone(b.known)
}

// clashes reports whether a token of the same hash, or of the same name and
// scope, is known.
func (b *TokenStore) clashes(k *known) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.ContainsFunc(b.known, func(other *known) bool {
		same := other.caller.Actor == k.caller.Actor && other.caller.Scope == k.caller.Scope
		return same || other.hash == k.hash
	})
}

func (e Entry) known() (*known, error) {
	if e.Name == "" || e.Scope == "" {
		return nil, fmt.Errorf("name and scope must be given")
	}
	if strings.HasPrefix(e.Name, issued) {
		return nil, fmt.Errorf("a name that begins with %s is for tokens of the issuer in auth.jwt", issued)
	}
	if !slices.Contains(roles, e.Role) {
		return nil, fmt.Errorf("role must be agent, viewer or operator")
	}
	hash, err := hex.DecodeString(e.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return nil, fmt.Errorf("sha256 must be 64 hex digits")
	}
	caller := action.Caller{Actor: e.Name, Scope: e.Scope, Role: e.Role}
	return &known{hash: [sha256.Size]byte(hash), caller: caller, expires: e.Expires}, nil
}

var roles = []action.Role{action.Agent, action.Viewer, action.Operator}

// Identify returns the caller of a token. For a token that is unknown, expired,
// revoked, empty or too long it returns the same fault, unauthenticated. The hash
// is compared with every known hash in constant time. Trust describes the tokens
// of an issuer.
func (b *TokenStore) Identify(ctx context.Context, token string) (Identity, error) {
	if k := b.find(token); k != nil && !k.over(time.Now()) {
		k.used.Store(time.Now().Unix() / 60)
		return Identity{Caller: k.caller, Source: k.source, Expires: k.expires, Session: k.session, life: k.life, limit: k.limit}, nil
	}
	i, err := b.issued(ctx, token)
	if err != nil {
		return Identity{}, fault.New(fault.Unauthenticated, "the call carries no valid token").Because(err).
			Hinted("send Authorization: Bearer with the content of agent.token or operator.token from the state folder, or a token of glovebox token create")
	}
	return i, nil
}

func (b *TokenStore) find(token string) *known {
	if token == "" || len(token) > maxTokenBytes {
		return nil
	}
	hash := sha256.Sum256([]byte(token))
	b.mu.RLock()
	defer b.mu.RUnlock()
	var found *known
	for _, k := range b.known {
		if subtle.ConstantTimeCompare(hash[:], k.hash[:]) == 1 {
			found = k
		}
	}
	return found
}

func (k *known) over(now time.Time) bool { return !k.expires.IsZero() && !now.Before(k.expires) }
