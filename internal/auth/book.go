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
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// mostToken is longer than any token of ours; what is longer is not hashed.
const mostToken = 512

// Entry is one token that may call. The zero Entry is refused.
type Entry struct {
	Name    string      // actor id in the audit, unique
	Role    action.Role // agent, viewer or operator
	Scope   string      // the user or tenant it acts for
	SHA256  string      // of the token, 64 hex digits
	Expires time.Time   // zero: never
}

// Book holds the tokens that may call. It does not change after it was made,
// and is safe for concurrent use. The zero Book knows nobody.
type Book struct {
	known []known
}

type known struct {
	hash    [sha256.Size]byte
	caller  action.Caller
	expires time.Time
}

// New makes a book of entries. An entry without name or scope, with another
// role than the three, with a hash that is none, or with the name or the hash
// of an earlier one is an error that names it.
func New(entries ...Entry) (*Book, error) {
	book := &Book{}
	for i, e := range entries {
		k, err := e.known()
		if err != nil {
			return nil, fmt.Errorf("token %d (%q): %w", i+1, e.Name, err)
		}
		for _, other := range book.known {
			if other.caller.Actor == k.caller.Actor || other.hash == k.hash {
				return nil, fmt.Errorf("token %d (%q) has the name or the hash of an earlier one", i+1, e.Name)
			}
		}
		book.known = append(book.known, k)
	}
	return book, nil
}

func (e Entry) known() (known, error) {
	if e.Name == "" || e.Scope == "" {
		return known{}, fmt.Errorf("name and scope must be given")
	}
	if !slices.Contains([]action.Role{action.Agent, action.Viewer, action.Operator}, e.Role) {
		return known{}, fmt.Errorf("role must be agent, viewer or operator")
	}
	hash, err := hex.DecodeString(e.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return known{}, fmt.Errorf("sha256 must be 64 hex digits")
	}
	caller := action.Caller{Actor: e.Name, Scope: e.Scope, Role: e.Role}
	return known{hash: [sha256.Size]byte(hash), caller: caller, expires: e.Expires}, nil
}

// Caller returns whose token it is. A token that is unknown, expired, empty or
// too long is a fault unauthenticated that does not say which. Hashes are
// compared in constant time, and all of them.
func (b *Book) Caller(token string) (action.Caller, error) {
	var found *known
	if len(token) <= mostToken {
		hash := sha256.Sum256([]byte(token))
		for i := range b.known {
			if subtle.ConstantTimeCompare(hash[:], b.known[i].hash[:]) == 1 {
				found = &b.known[i]
			}
		}
	}
	if found == nil || token == "" || (!found.expires.IsZero() && !time.Now().Before(found.expires)) {
		return action.Caller{}, fault.New(fault.Unauthenticated, "the call carries no valid token").
			Hinted("send Authorization: Bearer with the content of agent.token or operator.token from the state folder")
	}
	return found.caller, nil
}

type callerKey struct{}

// With returns a context that carries the caller a surface has authenticated.
func With(ctx context.Context, caller action.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// From returns the caller that With put there; false when nobody did.
func From(ctx context.Context) (action.Caller, bool) {
	caller, found := ctx.Value(callerKey{}).(action.Caller)
	return caller, found
}
