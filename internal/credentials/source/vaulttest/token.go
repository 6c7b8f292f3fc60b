package vaulttest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Grant is what a token may do, and how long it is valid. A token with the zero Grant is valid for
// ever, and may only look up itself.
type Grant struct {
	Paths  []string      // of the API, to read and list: secret/data/browser/*, secret/metadata/browser/*; a star stands at the end only
	Writes bool          // and to write and delete there
	TTL    time.Duration // 0 for ever
	MaxTTL time.Duration // since it was made, renewals included; 0 for no bound
	Fixed  bool          // cannot be renewed
}

type token struct {
	Grant
	text    string
	made    time.Time
	expires time.Time // zero: never
	meta    any       // who it is for
}

type role struct {
	secretID string
	grant    Grant
}

// Root makes a token that may do everything, for ever.
func (s *Server) Root() string {
	return s.Token(Grant{Paths: []string{"*"}, Writes: true, Fixed: true})
}

// Token makes a token.
func (s *Server) Token(g Grant) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.make(g).text
}

func (s *Server) make(g Grant) *token {
	t := &token{Grant: g, text: "hvs." + rand.Text() + rand.Text(), made: s.now()}
	if g.TTL > 0 {
		t.expires = t.made.Add(g.TTL)
	}
	s.tokens[t.text] = t
	return t
}

// Revoke ends a token.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// Role makes an AppRole whose logins get tokens of a grant.
func (s *Server) Role(g Grant) (roleID, secretID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	roleID, secretID = uuid(), uuid()
	s.roles[roleID] = role{secretID, g}
	return roleID, secretID
}

// DropRole removes an AppRole. Its tokens stay valid.
func (s *Server) DropRole(roleID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.roles, roleID)
}

// bearer is the valid token of a request.
func (s *Server) bearer(h http.Header) *token {
	t := s.tokens[h.Get("X-Vault-Token")]
	if t == nil || !s.inside(h) || !t.expires.IsZero() && !s.now().Before(t.expires) {
		return nil
	}
	return t
}

// may reports whether a token may use a path of the API. By Vault's default policy each token may look
// up, renew and revoke itself. Paths that are listed are folders.
func (t *token) may(method, path string) bool {
	switch {
	case strings.HasPrefix(path, "auth/token/"):
		return true
	case method == "LIST":
		path = strings.TrimSuffix(path, "/") + "/"
	case method != http.MethodGet && !t.Writes:
		return false
	}
	return slices.ContainsFunc(t.Paths, func(allowed string) bool {
		if prefix, star := strings.CutSuffix(allowed, "*"); star {
			return strings.HasPrefix(path, prefix)
		}
		return strings.TrimSuffix(path, "/") == strings.TrimSuffix(allowed, "/")
	})
}

func (s *Server) left(t *token) int {
	if t.expires.IsZero() {
		return 0
	}
	return int(t.expires.Sub(s.now()).Round(time.Second) / time.Second)
}

func (s *Server) lookup(c call) answer {
	var expires any
	if !c.token.expires.IsZero() {
		expires = c.token.expires.Format(time.RFC3339Nano)
	}
	return answer{data: map[string]any{
		"accessor": uuid(), "creation_time": c.token.made.Unix(), "creation_ttl": int(c.token.TTL / time.Second),
		"display_name": "token", "entity_id": "", "expire_time": expires, "explicit_max_ttl": int(c.token.MaxTTL / time.Second),
		"id": c.token.text, "issue_time": c.token.made.Format(time.RFC3339Nano), "meta": c.token.meta, "num_uses": 0, "orphan": true,
		"path": "auth/token/create", "policies": []string{"default"}, "renewable": !c.token.Fixed, "ttl": s.left(c.token), "type": "service",
	}}
}

func (s *Server) login(c call) answer {
	body := c.body.(*loginBody)
	if body.RoleID == "" {
		return answer{status: http.StatusBadRequest, errors: []string{"missing role_id"}}
	}
	r, known := s.roles[body.RoleID]
	if !known || r.secretID != body.SecretID {
		return answer{status: http.StatusBadRequest, errors: []string{"invalid role or secret ID"}}
	}
	made := s.make(r.grant)
	made.meta = map[string]string{"role_name": "reader"}
	return answer{auth: s.auth(made)}
}

func (s *Server) auth(t *token) any {
	return map[string]any{
		"client_token": t.text, "accessor": uuid(), "policies": []string{"default"}, "token_policies": []string{"default"},
		"metadata": t.meta, "lease_duration": s.left(t), "renewable": !t.Fixed, "entity_id": "", "token_type": "service",
		"orphan": true, "mfa_requirement": nil, "num_uses": 0,
	}
}

func (s *Server) renew(c call) answer {
	ttl, ok := increment(c.body.(*renewBody).Increment)
	if !ok {
		return answer{status: http.StatusBadRequest, errors: []string{"error converting input for field \"increment\""}}
	}
	if c.token.Fixed || c.token.expires.IsZero() {
		return answer{status: http.StatusBadRequest, errors: []string{"lease is not renewable"}}
	}
	if ttl == 0 {
		ttl = c.token.TTL
	}
	c.token.expires = s.now().Add(ttl)
	if last := c.token.made.Add(c.token.MaxTTL); c.token.MaxTTL > 0 && c.token.expires.After(last) {
		c.token.expires = last
	}
	return answer{auth: s.auth(c.token)}
}

// increment reads seconds or a duration; ok is false for anything else.
func increment(value any) (d time.Duration, ok bool) {
	switch value := value.(type) {
	case nil:
		return 0, true
	case float64:
		return time.Duration(value) * time.Second, value >= 0
	case string:
		if d, err := time.ParseDuration(value); err == nil {
			return d, d >= 0
		}
		d, err := time.ParseDuration(fmt.Sprint(value, "s"))
		return d, err == nil && d >= 0
	}
	return 0, false
}

func (s *Server) revoke(c call) answer {
	delete(s.tokens, c.token.text)
	return answer{status: http.StatusNoContent}
}
