// Package redact removes known secrets from what leaves the gateway: as they
// are, escaped, encoded, reversed, with other characters between their letters,
// and long ones in pieces (docs/credentials.md, "Redaction").
package redact

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// SecretStore keeps the secrets of sessions, in memory. The zero SecretStore is
// empty and ready. It is safe for concurrent use.
type SecretStore struct {
	learning sync.Mutex // held while matchers are built, which takes milliseconds
	mu       sync.Mutex
	sessions map[string]*sessionSecrets
	all      atomic.Pointer[Matcher] // of all sessions; nil where there are no secrets
}

// sessionSecrets is never changed after it was stored.
type sessionSecrets struct {
	secrets []credentials.Secret
	matcher *Matcher
}

// Learn adds secrets to those of a session. After it returns no output contains
// them. Secrets that the session has already cost nothing.
func (b *SecretStore) Learn(session string, secrets ...credentials.Secret) {
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
	b.put(session, &sessionSecrets{all, New(all...)})
}

// put replaces the secrets of a session; nil removes them. The caller holds
// learning.
func (b *SecretStore) put(session string, k *sessionSecrets) {
	b.mu.Lock()
	if b.sessions == nil {
		b.sessions = map[string]*sessionSecrets{}
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

func (b *SecretStore) of(session string) *sessionSecrets {
	b.mu.Lock()
	defer b.mu.Unlock()
	if k := b.sessions[session]; k != nil {
		return k
	}
	return new(sessionSecrets)
}

// Of returns the matcher of one session, nil for a session without secrets. For
// an empty id it returns All.
func (b *SecretStore) Of(session string) *Matcher {
	if session == "" {
		return b.All()
	}
	return b.of(session).matcher
}

// All returns a matcher of the secrets of all sessions: for logs, and for what
// belongs to no session.
func (b *SecretStore) All() *Matcher { return b.all.Load() }

// Forget removes a session's secrets. Call it when nothing of the session can
// leave the gateway any more.
func (b *SecretStore) Forget(session string) {
	b.learning.Lock()
	defer b.learning.Unlock()
	if b.of(session).matcher != nil {
		b.put(session, nil)
	}
}
