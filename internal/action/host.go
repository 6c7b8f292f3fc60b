package action

import (
	"net/netip"
	"slices"
	"strings"
)

// IsLocalHost reports whether a host is on this machine or in a local network, by its
// name or its IP address.
func IsLocalHost(host string) bool {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(host)
	return !strings.Contains(host, ".") || slices.ContainsFunc(localNames, func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// localNames are endings of names that no public server has.
var localNames = []string{".localhost", ".local", ".test", ".lan", ".internal", ".home.arpa"}

// HostCovers reports whether a host, or a pattern such as *.example.com, covers a host or
// is the same pattern. Both are in lower case.
func HostCovers(pattern, host string) bool {
	if pattern == host {
		return host != ""
	}
	suffix, wild := strings.CutPrefix(pattern, "*")
	return wild && strings.HasSuffix(host, suffix) && len(host) > len(suffix) && !strings.HasPrefix(host, "*")
}

// MaxUnmet is the number of hosts that an MCP client may say it was set up for and the
// gateway does not allow.
const MaxUnmet = 50

// IsUnmet reports whether a text can be one of them: printable, without spaces and commas.
func IsUnmet(host string) bool {
	return host != "" && len(host) <= 255 && !strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || r == ',' })
}
