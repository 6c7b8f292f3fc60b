package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

const (
	maxURL   = 64 << 10 // bytes of an address that is parsed; Chromium's own limit is 2 MiB
	maxHost  = 253      // bytes of a host name; RFC 1035 section 2.3.4 without the root
	maxLabel = 63       // bytes of a label; RFC 1035 section 2.3.4
)

// destination is the parsed target of a request. The value that is checked is
// also the one that is dialled.
type destination struct {
	scheme string     // http or https
	host   string     // lower case, punycode, no trailing dot; IPv6 without brackets
	port   uint16     //
	addr   netip.Addr // if the host is an IP literal
	url    string     // the whole address, normalised
}

// authority returns host:port.
func (p destination) authority() string {
	return net.JoinHostPort(p.host, strconv.Itoa(int(p.port)))
}

// site returns the registrable domain of the host, or the host itself if it has
// none (an address, a single label, a public suffix).
func (p destination) site() string {
	if p.addr.IsValid() {
		return p.host
	}
	if s, err := publicsuffix.EffectiveTLDPlusOne(p.host); err == nil {
		return s
	}
	return p.host
}

// parseDestination parses an absolute http or https address by the URL standard
// (https://url.spec.whatwg.org). It refuses what the standard allows but ordinary
// pages do not need: user names, control characters, hosts that DNS cannot have,
// IP addresses in unusual spellings.
func parseDestination(raw string) (destination, error) {
	if len(raw) > maxURL || !utf8.ValidString(raw) || strings.ContainsFunc(raw, isControl) {
		return destination{}, badURL
	}
	var spelled string // the host as written
	parser := whatwg.NewParser(whatwg.WithPreParseHostFunc(func(_ *whatwg.Url, host string) string {
		spelled = host
		return host
	}))
	u, err := parser.Parse(raw)
	if err != nil {
		return destination{}, badURL
	}
	p := destination{scheme: u.Scheme(), url: u.Href(false)}
	if p.scheme != "http" && p.scheme != "https" {
		return destination{}, badScheme
	}
	if u.Username() != "" || u.Password() != "" || strings.Contains(authorityOf(raw), "@") {
		return destination{}, userInfo
	}
	if p.port, err = portOf(u); err != nil {
		return destination{}, err
	}
	if p.host, p.addr, err = hostOf(u.Hostname(), spelled); err != nil {
		return destination{}, err
	}
	return p, nil
}

// parseAuthority parses host or host:port. The spelling must be canonical except
// for case and one trailing dot, since Chromium writes no other.
func parseAuthority(scheme, authority string) (destination, error) {
	if strings.ContainsAny(authority, `/\?#%`) || authority == "" {
		return destination{}, badURL
	}
	p, err := parseDestination(scheme + "://" + authority + "/")
	if err != nil {
		return destination{}, err
	}
	host := p.host
	if p.addr.Is6() {
		host = "[" + host + "]"
	}
	given := strings.ToLower(authority)
	port := ":" + strconv.Itoa(int(p.port))
	if h, found := strings.CutSuffix(given, port); found && strings.TrimSuffix(h, ".") == host {
		return p, nil
	}
	if strings.TrimSuffix(given, ".") != host {
		return destination{}, oddSpelling
	}
	return p, nil
}

// authorityOf returns the text between the slashes of the scheme and the path.
// Slashes are found as the standard does.
func authorityOf(raw string) string {
	_, rest, _ := strings.Cut(raw, ":")
	rest = strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

func portOf(u *whatwg.Url) (uint16, error) {
	text := u.Port()
	if text == "" && u.Scheme() == "http" {
		return 80, nil
	}
	if text == "" {
		return 443, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, badURL
	}
	return uint16(n), nil
}

// hostOf checks a parsed host. spelled is the original text: a host that parses
// as an IPv4 address must have been written in plain digits.
func hostOf(parsed, spelled string) (string, netip.Addr, error) {
	host := strings.TrimSuffix(strings.ToLower(parsed), ".")
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		host = strings.TrimSuffix(inner, "]")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Is4() && !consistsOf(spelled, "0123456789abcdefABCDEFxX.") {
			return "", netip.Addr{}, oddSpelling
		}
		if addr.Is6() && (strings.Count(spelled, "[") != 1 || strings.Count(spelled, "]") != 1) {
			return "", netip.Addr{}, badURL
		}
		if addr.Zone() != "" {
			return "", netip.Addr{}, badURL
		}
		return host, addr, nil
	}
	if !isName(host) || strings.HasSuffix(parsed, ".") && !endsInDot(spelled) {
		return "", netip.Addr{}, badURL
	}
	return host, netip.Addr{}, nil
}

// endsInDot reports whether a host was written with a dot at its end, in any form
// that the standard allows. A last label that is empty after decoding ("xn--")
// also leaves a dot, and Chromium refuses such a host.
func endsInDot(spelled string) bool {
	decoded, err := url.PathUnescape(spelled)
	return err == nil && strings.TrimRight(decoded, ".。．｡") != decoded
}

// isName reports whether host is a valid DNS name in ASCII.
func isName(host string) bool {
	if host == "" || len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || !consistsOf(label, nameBytes) {
			return false
		}
		if label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.HasPrefix(label, "xn--") && !isPunycode(label) {
			return false
		}
	}
	return true
}

// nameBytes are the letters, digits and hyphen of RFC 952, and the underscore,
// which real names use.
const nameBytes = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// isPunycode reports whether an "xn--" label decodes and encodes to itself.
func isPunycode(label string) bool {
	u, err := idna.Lookup.ToUnicode(label)
	if err != nil {
		return false
	}
	a, err := idna.Lookup.ToASCII(u)
	return err == nil && a == label
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// consistsOf reports whether all bytes of s are in set.
func consistsOf(s, set string) bool {
	for i := range len(s) {
		if strings.IndexByte(set, s[i]) < 0 {
			return false
		}
	}
	return true
}
