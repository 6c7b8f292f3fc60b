package source

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

const (
	longestHost = 253 // RFC 1035 section 2.3.4
	mostLookups = 8   // of one host: each is a request to the source, and a page may name hosts of a hundred labels
)

// named are hosts that may have credentials: labels with dots between them.
var named = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// numbered are no hosts but addresses, or nothing (URL standard, "ends in a
// number checker").
var numbered = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)

// Fold returns a host as it is looked up: lower case, punycode, an address of
// IPv6 without brackets. It reports false for what no credentials can be kept
// under.
func Fold(host string) (string, bool) {
	if ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")); err == nil {
		return ip.String(), ip.Zone() == ""
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil { // it refuses underscores, which hosts have
		ascii = strings.ToLower(host)
	}
	return ascii, len(ascii) <= longestHost && named.MatchString(ascii) && !numbered.MatchString(ascii)
}

// lookups are the domains whose credentials a folded host gets, the first that
// has any: itself, then its parents down to the registrable domain, and never
// above. Addresses, public suffixes and single names are looked up as they are.
func lookups(host string) []string {
	found := []string{host}
	site, err := registrable(host)
	if err != nil {
		return found
	}
	for host != site {
		_, host, _ = strings.Cut(host, ".")
		found = append(found, host)
	}
	if len(found) > mostLookups {
		found = slices.Delete(found, 1, len(found)-mostLookups+1)
	}
	return found
}

// registrable is a host's registrable domain; an error for addresses, public
// suffixes and single names, which have none.
func registrable(host string) (string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return "", errNoSite
	}
	return publicsuffix.EffectiveTLDPlusOne(host)
}
