// Package leaksite is a web application for tests that is signed in to by
// injected credentials, and does all it can to give them away: it shows what it
// was sent, and its pages mirror what their scripts can read into every place
// that somebody may look at, in every form.
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

// Canary is a secret that nothing may lead back to.
type Canary struct {
	Kind  string // how it reaches the browser
	Value string
}

// The kinds of canaries. Rotated is never in a vault: the site sets it itself,
// in place of the session cookie, once somebody is signed in.
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

// New makes canaries that were never used before.
func New() Canaries {
	seed := make([]byte, 20)
	_, _ = rand.Read(seed)
	return Canaries{
		Session: hex.EncodeToString([]byte(letters(20))), // as frameworks make them; survives lower case
		Plain:   letters(32),
		Host:    letters(18) + "/+" + letters(18) + "==",
		Rotated: letters(40),
		Local:   "eyJ" + letters(33) + "." + letters(43) + "." + letters(43),
		Within:  letters(36),
		Tab:     letters(32),
		Bearer:  letters(40),
		Key:     letters(20) + "-" + letters(20),
		// What has to be escaped, in every notation there is.
		Password: letters(16) + `'"<&>\` + "ö%" + letters(16),
		Seed:     base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(seed),
	}
}

// letters is a text of letters and digits that nobody can guess.
func letters(n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = from[int(b[i])%len(from)]
	}
	return string(b)
}

// List has the canaries in the order of their kinds.
func (c Canaries) List() []Canary {
	var list []Canary
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, Canary{kind, c[kind]})
	}
	return list
}

// Wrapped is the text in local storage that has Within inside.
func (c Canaries) Wrapped() string {
	text, _ := json.Marshal(map[string]any{"user": map[string]any{"name": "Ada", "theme": "dark"}, "tokens": []string{c[Within]}})
	return string(text)
}

// Document is what a vault has of the site: host without a port, origin with
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
