package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

const (
	resolveTime = 10 * time.Second // wall time for one name
	dialTime    = 10 * time.Second // wall time for one address
	dialAll     = 20 * time.Second // wall time for all addresses of a name
	maxAnswers  = 64               // addresses of one name that are checked
)

// Resolver looks up the addresses of a name; *net.Resolver is one. The network is
// always "ip".
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// ResolverAt returns a resolver that asks one DNS server, host:port, over UDP and
// TCP. The machine's hosts file is still used first.
func ResolverAt(server string) Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: resolveTime}).DialContext(ctx, network, server)
	}}
}

// dialer opens connections to destinations that the rules allow.
type dialer struct {
	resolver       Resolver
	connect        func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	localAddresses func() []netip.Addr
	gateway        []netip.AddrPort
	proxies        []*Upstream // all upstream proxies: none may be a destination
}

// dial resolves p, checks every address of the answer, and connects to a checked
// address. private allows special addresses, except the gateway's own listeners
// and the upstream proxies. by is the proxy for public addresses; nil for none.
func (c *dialer) dial(ctx context.Context, p destination, private bool, by *Upstream) (net.Conn, error) {
	addrs, err := c.resolve(ctx, p, private)
	if err != nil {
		return nil, err
	}
	if err := c.check(addrs, p.port, private); err != nil {
		return nil, err
	}
	for _, proxy := range c.proxies {
		if err := proxy.refuseSelf(ctx, addrs, p.port); err != nil {
			return nil, err
		}
	}
	dial := c.connect
	if by != nil && !private {
		dial = by.dial
	}
	ctx, cancel := context.WithTimeout(ctx, dialAll)
	defer cancel()
	var last error
	for _, addr := range addrs {
		one, done := context.WithTimeout(ctx, dialTime)
		conn, err := dial(one, netip.AddrPortFrom(addr, p.port))
		done()
		if err == nil {
			return conn, nil
		}
		last = err
	}
	if known := failure(""); errors.As(last, &known) {
		return nil, last
	}
	return nil, errors.Join(unreachable, last)
}

func (c *dialer) resolve(ctx context.Context, p destination, private bool) ([]netip.Addr, error) {
	if p.addr.IsValid() {
		return []netip.Addr{p.addr}, nil
	}
	if p.host == "localhost" || strings.HasSuffix(p.host, ".localhost") { // RFC 6761 section 6.3
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	name := p.host + "." // with a final dot, so that the machine's search domains do not apply
	if private {
		name = p.host
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	addrs, err := c.resolver.LookupNetIP(ctx, "ip", name)
	if err != nil || len(addrs) == 0 {
		return nil, errors.Join(unknownHost, err)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap() // the resolver may return IPv4 as mapped IPv6
	}
	return addrs, nil
}

// check refuses the whole answer if one address in it is bad: an answer that
// mixes public and private addresses may be an attack.
func (c *dialer) check(addrs []netip.Addr, port uint16, private bool) error {
	if len(addrs) > maxAnswers {
		return specialAddress
	}
	own := c.localAddresses()
	for _, addr := range addrs {
		if c.isGateway(netip.AddrPortFrom(addr, port), own) {
			return toGateway
		}
		if private {
			continue
		}
		if !isPublic(addr) {
			return specialAddress
		}
		if contains(own, addr) {
			return ownAddress
		}
	}
	return nil
}

// isGateway reports whether to is one of the gateway's listeners, at any of the
// machine's addresses.
func (c *dialer) isGateway(to netip.AddrPort, own []netip.Addr) bool {
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port()) // ::ffff:127.0.0.1 is the same address
	if to.Addr().IsUnspecified() {                        // the kernel treats it as loopback
		to = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), to.Port())
	}
	for _, g := range c.gateway {
		if g.Port() != to.Port() {
			continue
		}
		local := to.Addr().IsLoopback() || contains(own, to.Addr())
		if g.Addr().Unmap() == to.Addr() || g.Addr().IsUnspecified() && local {
			return true
		}
	}
	return false
}

func contains(all []netip.Addr, addr netip.Addr) bool {
	for _, a := range all {
		if a == addr {
			return true
		}
	}
	return false
}

// dialTCP connects to exactly this address. Control checks the address of the
// socket just before it connects.
func dialTCP(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{KeepAlive: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		if got, err := netip.ParseAddrPort(address); err != nil || got != to {
			return specialAddress
		}
		return nil
	}}
	return d.DialContext(ctx, "tcp", to.String())
}
