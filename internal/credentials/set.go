package credentials

import (
	"fmt"
	"strings"
	"time"
)

// Set is the credentials of one domain, as a source returned them
// (docs/credentials.md).
type Set struct {
	Domain  string    // lower case, punycode; the source has it under this name: the host, or a parent of it
	Path    string    // in the source; records name it
	Version string    // changes when the credentials change; never derived from a value
	Changed time.Time // when the credentials last changed; zero where the source does not know

	Required bool // the navigation is refused if it cannot be injected

	Cookies []Cookie
	// LocalStorage, SessionStorage and Headers are for the origin
	// https://<Domain>, or for Origin where that is given.
	LocalStorage   map[string]Secret
	SessionStorage map[string]Secret
	Headers        map[string]Secret
	Origin         string // scheme://host[:port]; empty for https://<Domain>

	// HTTPAuth is the username and password that answer HTTP authentication
	// (Basic, Digest) of the origin; nil for none.
	HTTPAuth map[string]Secret

	// Login has what page.fill_secret types: username, password, totp (a seed
	// in base32), or values under names that the operator chose.
	Login map[string]Secret
	// FillUnasked lets page.fill_secret type them without asking a person each
	// time: "fill: allow" in the document.
	FillUnasked bool
}

// Cookie is one cookie of a set. Its domain is Set.Domain or below it.
type Cookie struct {
	Name     string
	Value    Secret
	Domain   string // with a leading dot where sub-domains get it too
	Path     string // "/" when empty
	Expires  *time.Time
	HTTPOnly bool
	Secure   bool
	SameSite string // Strict, Lax, None; empty for the browser's default
}

// Injects reports whether the set has anything that is put into the browser.
// Logins are only typed, so they do not count.
func (s Set) Injects() bool {
	return len(s.Cookies)+len(s.LocalStorage)+len(s.SessionStorage)+len(s.Headers)+len(s.HTTPAuth) > 0
}

// Counted describes what the set puts into a browser, by kind and count: "2
// cookies, 1 header".
func (s Set) Counted() string {
	var kinds []string
	for _, k := range []struct {
		n    int
		what string
	}{
		{len(s.Cookies), "cookie"}, {len(s.LocalStorage), "local storage item"},
		{len(s.SessionStorage), "session storage item"}, {len(s.Headers), "header"},
	} {
		switch {
		case k.n == 1:
			kinds = append(kinds, "1 "+k.what)
		case k.n > 1:
			kinds = append(kinds, fmt.Sprintf("%d %ss", k.n, k.what))
		}
	}
	if len(s.HTTPAuth) > 0 {
		kinds = append(kinds, "a user name and password for HTTP authentication")
	}
	return strings.Join(kinds, ", ")
}

// HomeOrigin returns the only origin that gets the storage, headers and logins
// of the set.
func (s Set) HomeOrigin() string {
	if s.Origin != "" {
		return s.Origin
	}
	return "https://" + s.Domain
}

// Within reports whether a host is a domain or a sub-domain of it. Both are in
// lower case and punycode, without a port.
func Within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
