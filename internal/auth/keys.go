package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	freshFor       = 10 * time.Minute // after this time keys are fetched again
	fetchEvery     = 10 * time.Second // minimum between two fetches: anybody can send unknown key ids
	fetchLimit     = 5 * time.Second  // of one fetch
	staleLimit     = 24 * time.Hour   // age of keys that are used while the issuer does not answer, so also of a withdrawn key
	maxKeySetBytes = 512 << 10
	mostKeys       = 100
	minRSABits     = 2048 // RFC 7518, 3.3
)

// publicKey is a key of an issuer with its only algorithm.
type publicKey struct {
	method string
	public any
}

// keySet fetches and caches the keys of an issuer.
type keySet struct {
	url    string
	client *http.Client
	log    *slog.Logger
	turn   chan struct{} // holds a value while nobody fetches

	mu      sync.RWMutex
	keys    map[string]publicKey // by id
	fetched time.Time
	tried   time.Time
}

func newKeySet(url string, log *slog.Logger) *keySet {
	s := &keySet{url: url, log: log, turn: make(chan struct{}, 1), client: &http.Client{
		Timeout:       fetchLimit,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("redirects are not followed") },
	}}
	s.turn <- struct{}{}
	return s
}

// find returns the key with this id. If the keys are old or the id is unknown, it
// first fetches the set again, at most every fetchEvery.
func (s *keySet) find(ctx context.Context, id string) (publicKey, bool) {
	if key, found, age := s.look(id); found && age < freshFor {
		return key, true
	}
	select {
	case <-s.turn:
		s.refresh(ctx)
		s.turn <- struct{}{}
	case <-ctx.Done():
	}
	key, found, age := s.look(id)
	return key, found && age < staleLimit
}

func (s *keySet) look(id string) (key publicKey, found bool, age time.Duration) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	key, found = s.keys[id]
	return key, found, time.Since(s.fetched)
}

// refresh fetches the set, at most every fetchEvery. If that fails, the old keys
// stay. The caller must have taken turn.
func (s *keySet) refresh(ctx context.Context) {
	if time.Since(s.tried) < fetchEvery {
		return
	}
	s.tried = time.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchLimit) // other requests wait for the result
	defer cancel()
	keys, err := s.fetch(ctx)
	if err != nil {
		s.log.WarnContext(ctx, "the keys of the issuer cannot be fetched", "url", s.url, "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.fetched = keys, time.Now()
}

func (s *keySet) fetch(ctx context.Context) (map[string]publicKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered with status %d", res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxKeySetBytes+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxKeySetBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxKeySetBytes)
	}
	return readKeys(raw)
}

// readKeys reads a key set. It ignores keys of other kinds and uses, and ids that
// two keys share.
func readKeys(raw []byte) (map[string]publicKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, errors.New("it is no set of keys")
	}
	if set.Keys == nil || len(set.Keys) > mostKeys {
		return nil, fmt.Errorf("it has no keys, or more than %d", mostKeys)
	}
	keys, twice := map[string]publicKey{}, map[string]bool{}
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) != nil || key.KeyID == "" {
			continue
		}
		if _, known := keys[key.KeyID]; known {
			twice[key.KeyID] = true
		}
		if usable, ok := usable(key); ok {
			keys[key.KeyID] = usable
		}
	}
	for id := range twice {
		delete(keys, id)
	}
	return keys, nil
}

// usable returns a key if it can verify a signature that we accept.
func usable(key jose.JSONWebKey) (publicKey, bool) {
	k := publicKey{public: key.Key}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= minRSABits {
			k.method = "RS256"
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			k.method = "ES256"
		}
	case ed25519.PublicKey:
		k.method = "EdDSA"
	}
	return k, k.method != "" && (key.Algorithm == "" || key.Algorithm == k.method) && (key.Use == "" || key.Use == "sig")
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && net.IP(address.AsSlice()).IsLoopback()
}
