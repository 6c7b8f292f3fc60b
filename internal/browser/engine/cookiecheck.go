package engine

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	cookieBytes = 4096 // of name and value together; RFC 6265bis section 5.6, and Chromium
	sessionEnd  = -1   // expires of a cookie that ends with the session, as the protocol lists it
)

// setCookie is a cookie as the protocol takes it (CDP Network.CookieParam).
type setCookie struct {
	Name     string   `json:"name"`
	Value    string   `json:"value"`
	URL      string   `json:"url"`
	Domain   string   `json:"domain,omitempty"` // with a leading dot; else only the URL's host gets it
	Path     string   `json:"path"`
	Expires  *float64 `json:"expires,omitempty"`
	HTTPOnly bool     `json:"httpOnly"`
	Secure   bool     `json:"secure"`
	SameSite string   `json:"sameSite,omitempty"`

	host string
}

// replacedBy reports whether another cookie of the same call takes s's place.
func (s setCookie) replacedBy(o setCookie) bool {
	return s.Name == o.Name && s.Path == o.Path && s.host == o.host && s.Domain == o.Domain
}

// became reports whether c is what the browser made of s.
func (s setCookie) became(c cookie) bool {
	return c.Name == s.Name && c.Value == s.Value && c.Path == s.Path && bare(c.Domain) == s.host
}

// checkCookie checks the cookie at place i of a call and fills in what it does
// not say from the page at an address. Faults: invalid_request, which never
// repeats a value.
func checkCookie(i int, c action.NewCookie, here string) (setCookie, error) {
	if problem, field := flawOf(c); problem != "" {
		return setCookie{}, invalidCookie(i, field, problem)
	}
	domain, scheme := c.Domain, "http"
	if domain == "" {
		domain = pageHost(here)
	}
	if c.Secure {
		scheme = "https"
	}
	host, known := cookieHost(domain)
	if !known && c.Domain == "" {
		return setCookie{}, invalidCookie(i, "domain", "is missing, and the page has no host").
			Hinted("give the host the cookie is for, or go there first")
	}
	if !known {
		return setCookie{}, invalidCookie(i, "domain", "is no host")
	}
	s := setCookie{
		Name: c.Name, Value: *c.Value, URL: scheme + "://" + host + "/", Path: c.Path, host: host,
		HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
	}
	if strings.HasPrefix(c.Domain, ".") {
		if !shareable(host) {
			return setCookie{}, invalidCookie(i, "domain", "has no sub-domains that may share a cookie").
				Hinted("leave the leading dot out: the cookie is then for that host alone")
		}
		s.Domain = "." + host
	}
	if s.Path == "" {
		s.Path = "/"
	}
	if c.Expires != nil && *c.Expires != sessionEnd {
		s.Expires = c.Expires
	}
	return s, nil
}

// flawOf says what no browser takes, and in which field.
func flawOf(c action.NewCookie) (problem, field string) {
	switch {
	case c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return r == '=' || r == ';' || unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "must be a name without =, ; and white space", "name"
	case c.Value == nil:
		return "is missing", "value"
	case strings.ContainsFunc(*c.Value, func(r rune) bool { return r == ';' || unicode.IsControl(r) }):
		return "must not hold ; or control characters", "value"
	case strings.TrimSpace(*c.Value) != *c.Value:
		return "must not begin or end with white space", "value"
	case len(c.Name)+len(*c.Value) > cookieBytes:
		return fmt.Sprintf("is too long: name and value have %d bytes at most", cookieBytes), "value"
	case c.Path != "" && (c.Path[0] != '/' || strings.ContainsFunc(c.Path, func(r rune) bool { return r == ';' || unicode.IsControl(r) })):
		return "must begin with / and hold no ; or control characters", "path"
	case c.Expires != nil && *c.Expires != sessionEnd && *c.Expires <= float64(time.Now().Unix()):
		return "is in the past; delete the cookie instead", "expires"
	case c.SameSite == "None" && !c.Secure:
		return "must be true with sameSite None", "secure"
	case (prefixed(c, "__Secure-") || prefixed(c, "__Host-")) && !c.Secure:
		return "must be true for a name that begins so", "secure"
	case prefixed(c, "__Host-") && (strings.HasPrefix(c.Domain, ".") || c.Path != "" && c.Path != "/"):
		return "begins with __Host-: its path must be / and its domain one host", "name"
	}
	return "", ""
}

// prefixed compares as browsers do, without regard to case (RFC 6265bis
// section 4.1.3).
func prefixed(c action.NewCookie, prefix string) bool {
	return len(c.Name) >= len(prefix) && strings.EqualFold(c.Name[:len(prefix)], prefix)
}

func invalidCookie(i int, field, problem string) *fault.Fault {
	name := fmt.Sprintf("cookies.%d.%s", i, field)
	return fault.New(fault.InvalidRequest, "%s %s", name, problem).
		Hinted("correct cookie %d of the call, counted from 0", i).With("field", name)
}

// cookieHost reads a domain, with or without a leading dot, as the browser's
// own parser reads a host.
func cookieHost(domain string) (string, bool) {
	domain = bare(domain)
	if domain == "" || strings.ContainsAny(domain, "/\\?#@% \t") || strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") {
		return "", false
	}
	if strings.Contains(domain, ":") && (domain[0] != '[' || domain[len(domain)-1] != ']') {
		return "", false // cookies know no ports
	}
	u, err := parser.Parse("http://" + domain + "/")
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	return u.Hostname(), true
}

// shareable reports whether the sub-domains of a host may share a cookie:
// those of public suffixes may not, and addresses have none.
func shareable(host string) bool {
	_, err := publicsuffix.EffectiveTLDPlusOne(host)
	_, notAddress := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && notAddress != nil
}

// pageHost is the host of a page's address, empty when it has none.
func pageHost(address string) string {
	u, err := parser.Parse(address)
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return ""
	}
	return u.Hostname()
}
