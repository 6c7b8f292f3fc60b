package source

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpguts"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

const (
	maxCookies      = 180     // of a document; Chromium keeps 180 of a registrable domain
	maxCookieBytes  = 4096    // of name and value together; RFC 6265bis section 5.6, and Chromium
	maxEntries      = 1000    // of one storage
	maxHeaders      = 32      // of a document
	maxHeaderValue  = 8 << 10 // bytes of one header; common servers accept no longer line
	maxLogins       = 32      // of a document
	maxLoginValue   = 4 << 10 // bytes
	maxEntryName    = 4 << 10 // bytes of a name in a storage
	maxEntryValue   = 256 << 10
	sessionCookie   = -1           // expires of a cookie that ends with the session
	lastExpiry      = 253402300799 // the last second of the year 9999
	maxHeadersBytes = 32 << 10     // of all headers
)

var (
	printableName = regexp.MustCompile(`^[A-Za-z][A-Za-z_.:-]{0,39}$`) // a name that faults may contain: values have digits
	loginName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)       // of what page.fill_secret types
	sameSites     = map[string]string{"strict": "Strict", "lax": "Lax", "none": "None"}
)

// reservedHeaders are headers that the browser sets itself, or that are for one
// connection only (RFC 9110 section 7.6.1).
var reservedHeaders = []string{
	"connection", "content-encoding", "content-length", "content-type", "cookie", "cookie2", "expect", "host", "keep-alive", "origin",
	"proxy-authenticate", "proxy-authorization", "proxy-connection", "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "via",
}

// check returns the first flaw of a document for a domain; nil for none.
func (d *document) check(domain string) *flaw {
	if under, known := Fold(d.Domain); !known || under != domain {
		return &flaw{"domain", "must be the one it is kept under"}
	}
	if d.Fill != "" && d.Fill != "ask" && d.Fill != "allow" {
		return &flaw{"fill", "must be ask or allow"}
	}
	if problem := checkOrigin(d.Origin, domain); problem != "" {
		return &flaw{"origin", problem}
	}
	if len(d.Cookies) > maxCookies {
		return &flaw{"cookies", fmt.Sprintf("are more than %d", maxCookies)}
	}
	for i, c := range d.Cookies {
		if field, problem := c.check(domain); problem != "" {
			return &flaw{fmt.Sprintf("cookies[%d].%s", i, field), problem}
		}
		if slices.ContainsFunc(d.Cookies[:i], func(o cookie) bool { return o.replaces(c, domain) }) {
			return &flaw{fmt.Sprintf("cookies[%d]", i), "takes the place of one before it"}
		}
	}
	return d.checkEntries()
}

// checkEntries checks the fields whose entries have names that the operator chose.
func (d *document) checkEntries() *flaw {
	for _, m := range []struct {
		field   string
		entries map[string]string
		most    int
		check   func(name, value string) string
	}{
		{"localStorage", d.LocalStorage, maxEntries, checkStorage},
		{"sessionStorage", d.SessionStorage, maxEntries, checkStorage},
		{"headers", d.Headers, maxHeaders, checkHeader},
		{"login", d.Login, maxLogins, checkLogin},
		{"httpAuth", d.HTTPAuth, len(authNames), checkAuth},
	} {
		if len(m.entries) > m.most {
			return &flaw{m.field, fmt.Sprintf("has more than %d entries", m.most)}
		}
		for _, name := range sortedNames(m.entries) {
			if problem := m.check(name, m.entries[name]); problem != "" {
				return &flaw{entryPath(m.field, name), problem}
			}
		}
	}
	for _, name := range authNames {
		if _, given := d.HTTPAuth[name]; !given && len(d.HTTPAuth) > 0 {
			return &flaw{"httpAuth", "must have a username and a password"}
		}
	}
	return checkHeaderNames(d.Headers)
}

// checkHeaderNames finds a header that is given in two spellings, and headers that are
// too long together.
func checkHeaderNames(headers map[string]string) *flaw {
	seen, bytes := map[string]bool{}, 0
	for _, name := range sortedNames(headers) {
		folded := strings.ToLower(name)
		if seen[folded] {
			return &flaw{entryPath("headers", name), "is given twice"}
		}
		seen[folded] = true
		if bytes += len(name) + len(headers[name]); bytes > maxHeadersBytes {
			return &flaw{"headers", fmt.Sprintf("have more than %d bytes together", maxHeadersBytes)}
		}
	}
	return nil
}

// checkOrigin returns the problem of an origin for a domain; empty for none.
func checkOrigin(text, domain string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" || u.Host == "":
		return "must be like https://app.example.com or http://localhost:8080"
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.HasSuffix(u.Host, ":"):
		return "must have a scheme, a host and at most a port"
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
		return "has a port that is none"
	}
	host, known := Fold(u.Hostname())
	if !known || !credentials.Within(host, domain) {
		return "must be of the domain or below it"
	}
	return ""
}

// canonicalOrigin is a checked origin as browsers write it.
func canonicalOrigin(text string) string {
	u, err := url.Parse(text)
	if err != nil || text == "" {
		return ""
	}
	host, _ := Fold(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// check returns the problem of a cookie and the field that has it: browsers do not
// accept the cookie (RFC 6265bis sections 4.1.3 and 5.6), or its domain is not the
// document's.
func (c cookie) check(domain string) (field, problem string) {
	switch {
	case c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return r == '=' || r == ';' || unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "name", "must be a name without =, ; and white space"
	case c.Value == nil:
		return "value", "is missing"
	case strings.ContainsFunc(*c.Value, func(r rune) bool { return r == ';' || unicode.IsControl(r) }):
		return "value", "must not hold ; or control characters"
	case strings.TrimSpace(*c.Value) != *c.Value:
		return "value", "must not begin or end with white space"
	case len(c.Name)+len(*c.Value) > maxCookieBytes:
		return "value", fmt.Sprintf("is too long: name and value have %d bytes at most", maxCookieBytes)
	case c.Path != "" && (c.Path[0] != '/' || len(c.Path) > 1024 || strings.ContainsFunc(c.Path, func(r rune) bool { return r == ';' || unicode.IsControl(r) })):
		return "path", "must begin with /, be short and hold no ; or control characters"
	case c.Expires != nil && *c.Expires != sessionCookie && *c.Expires < 0:
		return "expires", "must be seconds since 1970, or -1"
	case c.SameSite != "" && sameSites[strings.ToLower(c.SameSite)] == "":
		return "sameSite", "must be Strict, Lax or None"
	case strings.EqualFold(c.SameSite, "None") && !c.Secure:
		return "secure", "must be true with sameSite None"
	case (c.nameBegins("__Secure-") || c.nameBegins("__Host-")) && !c.Secure:
		return "secure", "must be true for a name that begins so"
	case c.nameBegins("__Host-") && (strings.HasPrefix(c.Domain, ".") || c.Path != "" && c.Path != "/"):
		return "name", "begins with __Host-: its path must be / and its domain one host"
	}
	return "domain", c.checkDomain(domain)
}

// checkDomain returns the problem of a cookie's domain. Browsers would send a cookie of
// another domain to hosts that the document is not for.
func (c cookie) checkDomain(domain string) string {
	if c.Domain == "" {
		return ""
	}
	name, shared := strings.CutPrefix(c.Domain, ".")
	host, known := Fold(name)
	if !known || host != strings.ToLower(name) || !credentials.Within(host, domain) {
		return "must be the document's or below it"
	}
	if _, err := registrable(host); shared && err != nil {
		return "has no sub-domains that may share a cookie; leave the leading dot out"
	}
	return ""
}

// nameBegins compares as browsers do, without regard to case.
func (c cookie) nameBegins(prefix string) bool {
	return len(c.Name) >= len(prefix) && strings.EqualFold(c.Name[:len(prefix)], prefix)
}

// replaces reports whether a browser replaces o by c.
func (c cookie) replaces(o cookie, domain string) bool {
	a, b := c.credential(domain), o.credential(domain)
	return a.Name == b.Name && a.Domain == b.Domain && a.Path == b.Path
}

func checkStorage(name, value string) string {
	switch {
	case name == "":
		return "has an entry without a name"
	case len(name) > maxEntryName || len(value) > maxEntryValue:
		return fmt.Sprintf("is too long: a name has %d bytes at most, a value %d", maxEntryName, maxEntryValue)
	case hasControls(name) || hasControls(value):
		return "must not hold control characters, line breaks among them"
	}
	return ""
}

// checkHeader checks a header by RFC 9110 section 5.
func checkHeader(name, value string) string {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return "has a name that is none of a header"
	case slices.Contains(reservedHeaders, strings.ToLower(name)), strings.HasPrefix(strings.ToLower(name), "sec-"), strings.HasPrefix(strings.ToLower(name), "access-control-"):
		return "has a header that is the browser's own"
	case value == "" || strings.TrimSpace(value) != value:
		return "must not be empty, or begin or end with white space"
	case len(value) > maxHeaderValue:
		return fmt.Sprintf("is longer than %d bytes", maxHeaderValue)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		return "must be printable ASCII on one line"
	}
	return ""
}

func checkLogin(name, value string) string {
	switch {
	case !loginName.MatchString(name):
		return "has a name that is not of lower-case letters, digits and _"
	case value == "" || len(value) > maxLoginValue:
		return fmt.Sprintf("must have 1 to %d bytes", maxLoginValue)
	case hasControls(value):
		return "must not hold control characters, line breaks among them"
	case name == "totp":
		if _, err := credentials.ParseOneTime(credentials.Keep(value)); err != nil {
			return "must be a seed in base32 or an otpauth://totp/ address: " + err.Error() // does not contain it
		}
	}
	return ""
}

// authNames are the entries of httpAuth; all of them, or none.
var authNames = []string{"password", "username"}

func checkAuth(name, value string) string {
	switch {
	case !slices.Contains(authNames, name):
		return "is neither the username nor the password"
	case value == "" || len(value) > maxLoginValue:
		return fmt.Sprintf("must have 1 to %d bytes", maxLoginValue)
	case hasControls(value):
		return "must not hold control characters, line breaks among them"
	case name == "username" && strings.Contains(value, ":"): // RFC 7617 section 2
		return "must not hold a colon, where HTTP authentication ends it"
	}
	return ""
}

func hasControls(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }
