// Package redact takes known secrets out of what leaves the house, in the
// forms they may have taken on the way.
package redact

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/credential"
)

// Book knows the secrets of sessions. The zero Book is ready and knows none. It
// is safe for concurrent use.
type Book struct {
	mu       sync.Mutex
	sessions map[string]*known
	all      atomic.Pointer[Matcher] // of every session; nil for none
}

type known struct {
	secrets []credential.Secret
	matcher *Matcher
}

// Learn adds secrets to what is known of a session. From its return on no
// output has them. What is known already costs nothing.
func (b *Book) Learn(session string, secrets ...credential.Secret) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions == nil {
		b.sessions = map[string]*known{}
	}
	k := b.sessions[session]
	if k == nil {
		k = &known{}
		b.sessions[session] = k
	}
	before := len(k.secrets)
	for _, s := range secrets {
		if !slices.Contains(k.secrets, s) {
			k.secrets = append(k.secrets, s)
		}
	}
	if len(k.secrets) == before && k.matcher != nil {
		return
	}
	k.matcher = New(k.secrets...)
	b.compile()
}

// Of is the matcher of one session; of one that has learned nothing it is nil. An empty id is every session's: All.
func (b *Book) Of(session string) *Matcher {
	if session == "" {
		return b.All()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.sessions[session]; k != nil {
		return k.matcher
	}
	return nil
}

// All matches what is known of any session: for logs, and what belongs to none.
func (b *Book) All() *Matcher { return b.all.Load() }

// Forget lets go of a session's secrets. Call it when nothing of the session
// can leave any more.
func (b *Book) Forget(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, had := b.sessions[session]; had {
		delete(b.sessions, session)
		b.compile()
	}
}

// compile must be called with mu held.
func (b *Book) compile() {
	var secrets []credential.Secret
	for _, k := range b.sessions {
		secrets = append(secrets, k.secrets...)
	}
	if len(secrets) == 0 {
		b.all.Store(nil)
		return
	}
	b.all.Store(New(secrets...))
}
