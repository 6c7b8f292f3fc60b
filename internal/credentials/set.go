package credentials

import (
	"fmt"
	"strings"
	"time"
)

// Set is the credentials of one domain, as a source had them (docs/credentials.md).
type Set struct {
	Domain  string    // lower case, punycode; what it was found under: the host, or a parent of it
	Path    string    // in the source, for records
	Version string    // changes when the source has others; never derived from a value
	Changed time.Time // when the source last got others; zero where it does not know

	Required bool // failing to inject it refuses the navigation

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

	// Login is what page.fill_secret types: username, password, totp (a seed
	// in base32), or names of the operator's own.
	Login map[string]Secret
	// FillUnasked lets page.fill_secret type them without asking a person each
	// time: "fill: allow" of the document.
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

// Injects reports whether there is anything to put into a browser. What is only
// typed does not count.
func (s Set) Injects() bool {
	return len(s.Cookies)+len(s.LocalStorage)+len(s.SessionStorage)+len(s.Headers)+len(s.HTTPAuth) > 0
}

// Counted says what a set puts into a browser, by kind and count: "2 cookies,
// 1 header".
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

// HomeOrigin is the only origin that gets the storage, headers and logins of
// the set, as the source wrote it.
func (s Set) HomeOrigin() string {
	if s.Origin != "" {
		return s.Origin
	}
	return "https://" + s.Domain
}

// Within reports whether a host is a domain or below it, at the border of a
// label. Both are folded: lower case, punycode, no port.
func Within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
