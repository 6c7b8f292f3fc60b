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
	freshFor   = 10 * time.Minute // keys are fetched again after that
	fetchEvery = 10 * time.Second // at most: unknown keys come from strangers too
	fetchLimit = 5 * time.Second  // of one fetch
	staleLimit = 24 * time.Hour   // of keys whose issuer does not answer; a key that was withdrawn is taken no longer than that
	mostKeySet = 512 << 10        // bytes
	mostKeys   = 100
	leastRSA   = 2048 // bits; RFC 7518, 3.3
)

// publicKey is a key of an issuer and the one algorithm it is for.
type publicKey struct {
	method string
	public any
}

// keySet is the keys of an issuer, fetched and kept for a while.
type keySet struct {
	url    string
	client *http.Client
	log    *slog.Logger
	turn   chan struct{} // holds a token while nobody fetches

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

// find returns the key of an id. Keys that are old, and ids that are not
// known, have the set fetched first, unless that was tried a moment ago.
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

// refresh fetches the set, unless that was tried a moment ago. Where it does
// not work the keys stay as they are. The caller has the turn.
func (s *keySet) refresh(ctx context.Context) {
	if time.Since(s.tried) < fetchEvery {
		return
	}
	s.tried = time.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchLimit) // others wait for it too
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
	raw, err := io.ReadAll(io.LimitReader(res.Body, mostKeySet+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > mostKeySet {
		return nil, fmt.Errorf("it has more than %d bytes", mostKeySet)
	}
	return readKeys(raw)
}

// readKeys reads a set of keys. Keys of other kinds and uses are passed over,
// and so is an id that two of them have: nobody could say which is meant.
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

// usable returns a key that signatures we take can be verified with.
func usable(key jose.JSONWebKey) (publicKey, bool) {
	k := publicKey{public: key.Key}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= leastRSA {
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
