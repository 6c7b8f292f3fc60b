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
	maxHost    = 253 // bytes; RFC 1035 section 2.3.4
	maxLookups = 8   // of one host: each is a request to the source, and a page may name hosts of a hundred labels
)

// hostName matches hosts that may have credentials: labels with dots between them.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// endsInNumber matches what the URL standard takes for an IPv4 address or refuses
// ("ends in a number checker").
var endsInNumber = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)

// Fold returns a host as it is looked up: in lower case and punycode, an IPv6 address
// without brackets. It reports false for a name that cannot have credentials.
func Fold(host string) (string, bool) {
	if ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")); err == nil {
		return ip.String(), ip.Zone() == ""
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil { // it refuses underscores, which hosts have
		ascii = strings.ToLower(host)
	}
	return ascii, len(ascii) <= maxHost && hostName.MatchString(ascii) && !endsInNumber.MatchString(ascii)
}

// lookupDomains returns the domains under which the credentials of a folded host are
// looked up, in order: the host, then its parents up to the registrable domain. IP
// addresses, public suffixes and names without a dot have no parents.
func lookupDomains(host string) []string {
	found := []string{host}
	site, err := registrable(host)
	if err != nil {
		return found
	}
	for host != site {
		_, host, _ = strings.Cut(host, ".")
		found = append(found, host)
	}
	if len(found) > maxLookups {
		found = slices.Delete(found, 1, len(found)-maxLookups+1)
	}
	return found
}

// registrable returns a host's registrable domain. IP addresses, public suffixes and
// names without a dot have none, which is an error.
func registrable(host string) (string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return "", errNoSite
	}
	return publicsuffix.EffectiveTLDPlusOne(host)
}
