// Package redact takes known secrets out of what leaves the gateway, in the
// forms they may have taken on the way.
package redact

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// Book knows the secrets of sessions. The zero Book is ready and knows none. It
// is safe for concurrent use.
type Book struct {
	learning sync.Mutex // held while matchers are made, which takes a while
	mu       sync.Mutex
	sessions map[string]*known
	all      atomic.Pointer[Matcher] // of every session; nil for none
}

// known is not changed once it is in a book.
type known struct {
	secrets []credentials.Secret
	matcher *Matcher
}

// Learn adds secrets to what is known of a session. From its return on no
// output has them. What is known already costs nothing.
func (b *Book) Learn(session string, secrets ...credentials.Secret) {
	b.learning.Lock()
	defer b.learning.Unlock()
	k := b.of(session)
	all := slices.Clone(k.secrets)
	for _, s := range secrets {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) == len(k.secrets) && k.matcher != nil {
		return
	}
	b.put(session, &known{all, New(all...)})
}

// put replaces what is known of a session; nil forgets it. learning is held.
func (b *Book) put(session string, k *known) {
	b.mu.Lock()
	if b.sessions == nil {
		b.sessions = map[string]*known{}
	}
	if b.sessions[session] = k; k == nil {
		delete(b.sessions, session)
	}
	var secrets []credentials.Secret
	for _, k := range b.sessions {
		secrets = append(secrets, k.secrets...)
	}
	b.mu.Unlock()
	if len(secrets) == 0 {
		b.all.Store(nil)
		return
	}
	b.all.Store(New(secrets...))
}

func (b *Book) of(session string) *known {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.sessions[session]; k != nil {
		return k
	}
	return new(known)
}

// Of is the matcher of one session; of one that has learned nothing it is nil. An empty id is every session's: All.
func (b *Book) Of(session string) *Matcher {
	if session == "" {
		return b.All()
	}
	return b.of(session).matcher
}

// All matches what is known of any session: for logs, and what belongs to none.
func (b *Book) All() *Matcher { return b.all.Load() }

// Forget lets go of a session's secrets. Call it when nothing of the session
// can leave any more.
func (b *Book) Forget(session string) {
	b.learning.Lock()
	defer b.learning.Unlock()
	if b.of(session).matcher != nil {
		b.put(session, nil)
	}
}
