// Package auth knows which tokens may call and as whom. It keeps hashes of
// tokens, never tokens, apart from the two files it makes at the first start.
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

// mostToken is longer than any token of ours; what is longer is not hashed.
const mostToken = 512

// Entry is one token that may call. The zero Entry is refused.
type Entry struct {
	Name    string      // actor id in the audit, unique in its scope
	Role    action.Role // agent, viewer or operator
	Scope   string      // the user or tenant it acts for
	SHA256  string      // of the token, 64 hex digits
	Expires time.Time   // zero: never
}

// Book holds the tokens that may call. It is safe for concurrent use. The zero
// Book knows nobody.
type Book struct {
	mu    sync.RWMutex
	known []*known

	rate   Rate
	issuer *issuer              // nil: none
	paces  Paces[action.Caller] // of the issuer's callers

	change sync.Mutex // held while what is stored changes: mu is not, because requests wait for it
	db     *store.DB
	end    func() // ends the goroutine that writes when tokens were used
	ended  chan struct{}
}

// known is a token that may call. A fast hash is right here: a token holds 256
// random bits, so that there is nothing to guess that a slow hash would make
// dearer, and each request pays for it.
type known struct {
	hash    [sha256.Size]byte
	caller  action.Caller
	source  Source
	expires time.Time
	session string // the one session whose browser's protocol it opens
	limit   *rate.Limiter

	id      string // of a token that was made, empty otherwise
	created time.Time
	used    atomic.Int64 // minutes since 1970
	saved   int64        // what of it is in the store; guarded by Book.change
	life    context.Context
	revoke  context.CancelCauseFunc
}

// New makes a book of entries, as the configuration has them. An entry without
// name or scope, with another role than the three, with a hash that is none,
// or with the hash, or the name and scope, of an earlier one is an error that
// names it.
func New(entries ...Entry) (*Book, error) {
	book := &Book{}
	return book, book.add(FromConfig, entries...)
}

func (b *Book) add(source Source, entries ...Entry) error {
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

// enter lets a token call.
func (b *Book) enter(k *known) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k.limit = b.rate.limiter()
	b.known = append(b.known, k)
}

// all returns the tokens there are now.
func (b *Book) all() []*known {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Clone(b.known)
}

// clashes reports whether a token of the same hash, or of the same name and
// scope, is known.
func (b *Book) clashes(k *known) bool {
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

// Identify returns whose token it is. A token that is unknown, expired,
// revoked, empty or too long is a fault unauthenticated that does not say
// which. Hashes are compared in constant time, and all of them. Of what an
// issuer signed see Trust.
func (b *Book) Identify(ctx context.Context, token string) (Identity, error) {
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

func (b *Book) find(token string) *known {
	if token == "" || len(token) > mostToken {
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
