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
