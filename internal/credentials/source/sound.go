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
	mostCookies     = 180     // of a document; Chromium keeps 180 of a registrable domain
	cookieBytes     = 4096    // of name and value together; RFC 6265bis section 5.6, and Chromium
	mostEntries     = 1000    // of one storage
	mostHeaders     = 32      // of a document
	headerBytes     = 8 << 10 // of one header; common servers take no longer line
	mostLogin       = 32      // of a document
	loginBytes      = 4 << 10 // of one value
	entryNameBytes  = 4 << 10 // of a name in a storage
	entryBytes      = 256 << 10
	withSession     = -1           // expires of a cookie that ends with the session
	lastExpiry      = 253402300799 // the last second of the year 9999
	mostHeaderBytes = 32 << 10     // of all headers
)

var (
	telling   = regexp.MustCompile(`^[A-Za-z][A-Za-z_.:-]{0,39}$`) // a name that can be told: values have digits
	loginName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)       // of what page.fill_secret types
	sameSites = map[string]string{"strict": "Strict", "lax": "Lax", "none": "None"}
)

// reserved are headers that are the browser's own, or of one connection only
// (RFC 9110 section 7.6.1).
var reserved = []string{
	"connection", "content-encoding", "content-length", "content-type", "cookie", "cookie2", "expect", "host", "keep-alive", "origin",
	"proxy-authenticate", "proxy-authorization", "proxy-connection", "referer", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "via",
}

// flaw finds what is wrong with a document for a domain; nil when nothing is.
func (d *document) flaw(domain string) *flaw {
	if under, known := Fold(d.Domain); !known || under != domain {
		return &flaw{"domain", "must be the one it is kept under"}
	}
	if d.Fill != "" && d.Fill != "ask" && d.Fill != "allow" {
		return &flaw{"fill", "must be ask or allow"}
	}
	if problem := originFlaw(d.Origin, domain); problem != "" {
		return &flaw{"origin", problem}
	}
	if len(d.Cookies) > mostCookies {
		return &flaw{"cookies", fmt.Sprintf("are more than %d", mostCookies)}
	}
	for i, c := range d.Cookies {
		if field, problem := c.flaw(domain); problem != "" {
			return &flaw{fmt.Sprintf("cookies[%d].%s", i, field), problem}
		}
		if slices.ContainsFunc(d.Cookies[:i], func(o cookie) bool { return o.same(c, domain) }) {
			return &flaw{fmt.Sprintf("cookies[%d]", i), "takes the place of one before it"}
		}
	}
	return d.entriesFlaw()
}

// entriesFlaw finds what is wrong with what has names of the operator's own.
func (d *document) entriesFlaw() *flaw {
	for _, m := range []struct {
		field   string
		entries map[string]string
		most    int
		check   func(name, value string) string
	}{
		{"localStorage", d.LocalStorage, mostEntries, storageFlaw},
		{"sessionStorage", d.SessionStorage, mostEntries, storageFlaw},
		{"headers", d.Headers, mostHeaders, headerFlaw},
		{"login", d.Login, mostLogin, loginFlaw},
		{"httpAuth", d.HTTPAuth, len(authNames), authFlaw},
	} {
		if len(m.entries) > m.most {
			return &flaw{m.field, fmt.Sprintf("has more than %d entries", m.most)}
		}
		for _, name := range sorted(m.entries) {
			if problem := m.check(name, m.entries[name]); problem != "" {
				return &flaw{entry(m.field, name), problem}
			}
		}
	}
	for _, name := range authNames {
		if _, given := d.HTTPAuth[name]; !given && len(d.HTTPAuth) > 0 {
			return &flaw{"httpAuth", "must have a username and a password"}
		}
	}
	return twice(d.Headers)
}

// twice finds a header that is given in two spellings.
func twice(headers map[string]string) *flaw {
	seen, bytes := map[string]bool{}, 0
	for _, name := range sorted(headers) {
		folded := strings.ToLower(name)
		if seen[folded] {
			return &flaw{entry("headers", name), "is given twice"}
		}
		seen[folded] = true
		if bytes += len(name) + len(headers[name]); bytes > mostHeaderBytes {
			return &flaw{"headers", fmt.Sprintf("have more than %d bytes together", mostHeaderBytes)}
		}
	}
	return nil
}

// originFlaw says what is wrong with an origin for a domain.
func originFlaw(text, domain string) string {
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

// origin is a checked origin as browsers write it.
func origin(text string) string {
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

// flaw says what is wrong with a cookie, and in which field: what no browser
// takes (RFC 6265bis sections 4.1.3 and 5.6), and a domain that is not the
// document's.
func (c cookie) flaw(domain string) (field, problem string) {
	switch {
	case c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return r == '=' || r == ';' || unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "name", "must be a name without =, ; and white space"
	case c.Value == nil:
		return "value", "is missing"
	case strings.ContainsFunc(*c.Value, func(r rune) bool { return r == ';' || unicode.IsControl(r) }):
		return "value", "must not hold ; or control characters"
	case strings.TrimSpace(*c.Value) != *c.Value:
		return "value", "must not begin or end with white space"
	case len(c.Name)+len(*c.Value) > cookieBytes:
		return "value", fmt.Sprintf("is too long: name and value have %d bytes at most", cookieBytes)
	case c.Path != "" && (c.Path[0] != '/' || len(c.Path) > 1024 || strings.ContainsFunc(c.Path, func(r rune) bool { return r == ';' || unicode.IsControl(r) })):
		return "path", "must begin with /, be short and hold no ; or control characters"
	case c.Expires != nil && *c.Expires != withSession && *c.Expires < 0:
		return "expires", "must be seconds since 1970, or -1"
	case c.SameSite != "" && sameSites[strings.ToLower(c.SameSite)] == "":
		return "sameSite", "must be Strict, Lax or None"
	case strings.EqualFold(c.SameSite, "None") && !c.Secure:
		return "secure", "must be true with sameSite None"
	case (c.prefixed("__Secure-") || c.prefixed("__Host-")) && !c.Secure:
		return "secure", "must be true for a name that begins so"
	case c.prefixed("__Host-") && (strings.HasPrefix(c.Domain, ".") || c.Path != "" && c.Path != "/"):
		return "name", "begins with __Host-: its path must be / and its domain one host"
	}
	return "domain", c.domainFlaw(domain)
}

// domainFlaw says what is wrong with the domain of a cookie: one that is not
// the document's or below it would reach those the document is not for.
func (c cookie) domainFlaw(domain string) string {
	if c.Domain == "" {
		return ""
	}
	bare, shared := strings.CutPrefix(c.Domain, ".")
	host, known := Fold(bare)
	if !known || host != strings.ToLower(bare) || !credentials.Within(host, domain) {
		return "must be the document's or below it"
	}
	if _, err := registrable(host); shared && err != nil {
		return "has no sub-domains that may share a cookie; leave the leading dot out"
	}
	return ""
}

// prefixed compares as browsers do, without regard to case.
func (c cookie) prefixed(prefix string) bool {
	return len(c.Name) >= len(prefix) && strings.EqualFold(c.Name[:len(prefix)], prefix)
}

// same reports whether o takes c's place in a browser.
func (c cookie) same(o cookie, domain string) bool {
	a, b := c.kept(domain), o.kept(domain)
	return a.Name == b.Name && a.Domain == b.Domain && a.Path == b.Path
}

func storageFlaw(name, value string) string {
	switch {
	case name == "":
		return "has an entry without a name"
	case len(name) > entryNameBytes || len(value) > entryBytes:
		return fmt.Sprintf("is too long: a name has %d bytes at most, a value %d", entryNameBytes, entryBytes)
	case controls(name) || controls(value):
		return "must not hold control characters, line breaks among them"
	}
	return ""
}

// headerFlaw checks by RFC 9110 section 5.
func headerFlaw(name, value string) string {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return "has a name that is none of a header"
	case slices.Contains(reserved, strings.ToLower(name)), strings.HasPrefix(strings.ToLower(name), "sec-"), strings.HasPrefix(strings.ToLower(name), "access-control-"):
		return "has a header that is the browser's own"
	case value == "" || strings.TrimSpace(value) != value:
		return "must not be empty, or begin or end with white space"
	case len(value) > headerBytes:
		return fmt.Sprintf("is longer than %d bytes", headerBytes)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		return "must be printable ASCII on one line"
	}
	return ""
}

func loginFlaw(name, value string) string {
	switch {
	case !loginName.MatchString(name):
		return "has a name that is not of lower-case letters, digits and _"
	case value == "" || len(value) > loginBytes:
		return fmt.Sprintf("must have 1 to %d bytes", loginBytes)
	case controls(value):
		return "must not hold control characters, line breaks among them"
	case name == "totp":
		if _, err := credentials.ParseOneTime(credentials.Keep(value)); err != nil {
			return "must be a seed in base32 or an otpauth://totp/ address: " + err.Error() // which repeats nothing of it
		}
	}
	return ""
}

// authNames are the entries of httpAuth; all of them, or none.
var authNames = []string{"password", "username"}

func authFlaw(name, value string) string {
	switch {
	case !slices.Contains(authNames, name):
		return "is neither the username nor the password"
	case value == "" || len(value) > loginBytes:
		return fmt.Sprintf("must have 1 to %d bytes", loginBytes)
	case controls(value):
		return "must not hold control characters, line breaks among them"
	case name == "username" && strings.Contains(value, ":"): // RFC 7617 section 2
		return "must not hold a colon, where HTTP authentication ends it"
	}
	return ""
}

func controls(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }
