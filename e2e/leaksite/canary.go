// Package leaksite is a web application for tests. Injected credentials sign in
// to it, and it leaks them in every way it can: it displays the secrets that it
// received, and its pages copy what their scripts can read to every place that a
// caller can look at, in every encoding.
package leaksite

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Canary is a secret of the tests, which must not appear in any output.
type Canary struct {
	Kind  string // how it reaches the browser
	Value string
}

// The kinds of canaries. Rotated is never in a vault: the site sets it as a new
// session cookie after the sign-in.
const (
	Session  = "HttpOnly cookie"
	Plain    = "cookie"
	Host     = "__Host- cookie"
	Rotated  = "cookie set by the site"
	Local    = "localStorage"
	Within   = "localStorage, inside JSON"
	Tab      = "sessionStorage"
	Bearer   = "Authorization header"
	Key      = "header"
	Password = "password"
	Seed     = "TOTP seed"
)

// Canaries are the secrets of one site, by kind.
type Canaries map[string]string

// New makes new random canaries.
func New() Canaries {
	seed := make([]byte, 20)
	_, _ = rand.Read(seed)
	return Canaries{
		Session: hex.EncodeToString([]byte(letters(20))), // as frameworks make them; not changed by conversion to lower case
		Plain:   letters(32),
		Host:    letters(18) + "/+" + letters(18) + "==",
		Rotated: letters(40),
		Local:   "eyJ" + letters(33) + "." + letters(43) + "." + letters(43),
		Within:  letters(36),
		Tab:     letters(32),
		Bearer:  letters(40),
		Key:     letters(20) + "-" + letters(20),
		// Contains what has to be escaped in any notation.
		Password: letters(16) + `'"<&>\` + "ö%" + letters(16),
		Seed:     base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(seed),
	}
}

// letters returns random letters and digits.
func letters(n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = from[int(b[i])%len(from)]
	}
	return string(b)
}

// List returns the canaries in the order of their kinds.
func (c Canaries) List() []Canary {
	var list []Canary
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, Canary{kind, c[kind]})
	}
	return list
}

// Wrapped is the local storage text that contains Within.
func (c Canaries) Wrapped() string {
	text, _ := json.Marshal(map[string]any{"user": map[string]any{"name": "Ada", "theme": "dark"}, "tokens": []string{c[Within]}})
	return string(text)
}

// Document is the vault's document of the site: host without a port, origin with
// its scheme.
func (c Canaries) Document(host, origin string) []byte {
	cookie := func(name, kind string, httpOnly bool) map[string]any {
		return map[string]any{
			"name": name, "value": c[kind], "path": "/",
			"httpOnly": httpOnly, "secure": strings.HasPrefix(name, "__"), "sameSite": "Lax",
		}
	}
	text, _ := json.MarshalIndent(map[string]any{
		"domain": host, "origin": origin,
		"cookies":        []any{cookie("sid", Session, true), cookie("plain", Plain, false), cookie("__Host-id", Host, true)},
		"localStorage":   map[string]any{"token": c[Local], "state": c.Wrapped()},
		"sessionStorage": map[string]any{"tab": c[Tab]},
		"headers":        map[string]any{"Authorization": "Bearer " + c[Bearer], "X-Api-Key": c[Key]},
		"login":          map[string]any{"username": "ada", "password": c[Password], "totp": c[Seed]},
	}, "", "  ")
	return text
}
