package action

import (
	"net"
	"net/url"
	"slices"
)

// SelfSigned lists the hosts whose pages may use a certificate of an unknown
// authority: a host for all of its ports, or host:port. The entries are
// canonical: lower case, punycode, and IPv6 in brackets if a port follows.
type SelfSigned []string

// Covers reports whether an address over TLS (https or wss), as a browser
// writes it, belongs to one of the hosts.
func (s SelfSigned) Covers(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "wss" || u.Hostname() == "" {
		return false
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return slices.Contains(s, u.Hostname()) || slices.Contains(s, net.JoinHostPort(u.Hostname(), port))
}
