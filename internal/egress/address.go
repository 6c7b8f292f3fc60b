package egress

import (
	"encoding/binary"
	"net"
	"net/netip"
)

// specialRanges are the addresses that no public host has: IANA's special-purpose
// registries (RFC 6890 and later additions), multicast, and metadata services of
// clouds that are in public ranges.
var specialRanges = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT; Alibaba's metadata at 100.100.100.200
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's host
	"169.254.0.0/16",   // link-local; metadata at 169.254.169.254
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments; Oracle's metadata at 192.0.0.192
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
	"2001::/23",        // protocol assignments: Teredo, ORCHID, benchmarks
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: contains an IPv4 address
	"3fff::/20",        // documentation
)

// globalIPv6 is the part of IPv6 that is assigned to hosts (RFC 4291, IANA).
// Loopback, link-local, unique-local, multicast, NAT64 (64:ff9b::/96,
// 64:ff9b:1::/48) and mapped addresses are outside of it.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		all[i] = netip.MustParsePrefix(t)
	}
	return all
}

// isPublic reports whether addr can be the address of a host on the public
// internet.
func isPublic(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	if addr.Is6() && (!globalIPv6.Contains(addr) || isISATAP(addr)) {
		return false
	}
	for _, r := range specialRanges {
		if r.Contains(addr) {
			return false
		}
	}
	return true
}

// isISATAP reports whether the lower half of an IPv6 address contains an IPv4
// address (RFC 5214 section 6.1).
func isISATAP(addr netip.Addr) bool {
	b := addr.As16()
	id := binary.BigEndian.Uint32(b[8:12])
	return id == 0x00005efe || id == 0x02005efe
}

// interfaceAddresses returns the addresses of this machine.
func interfaceAddresses() []netip.Addr {
	nets, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var all []netip.Addr
	for _, n := range nets {
		if p, err := netip.ParsePrefix(n.String()); err == nil {
			all = append(all, p.Addr().Unmap())
		}
	}
	return all
}
