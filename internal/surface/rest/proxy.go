package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// route is how a request reached the gateway.
type route struct {
	from    netip.Addr // the client's address; invalid if unknown
	secure  bool       // whether it came over TLS, as far as the gateway knows
	proxied bool       // through a proxy that is trusted
}

// routeOf finds out how a request reached the gateway. Only a trusted proxy is
// believed about the client and the requested host.
func (g *guard) routeOf(r *http.Request) (route, *http.Request) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	w := route{from: at.Addr().Unmap(), secure: r.TLS != nil}
	if err != nil || !g.trusted(w.from) {
		return w, r
	}
	w.proxied = true
	w.from = g.client(r, w.from)
	if proto, told := singleHeader(r, "X-Forwarded-Proto"); told {
		w.secure = strings.EqualFold(proto, "https")
	}
	if host, told := singleHeader(r, "X-Forwarded-Host"); told {
		r = r.Clone(r.Context())
		r.Host = host
	}
	return w, r
}

func (g *guard) trusted(a netip.Addr) bool {
	for _, p := range g.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the last address in X-Forwarded-For that is not a trusted
// proxy's. The addresses before it may be forged.
func (g *guard) client(r *http.Request, proxy netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	at := proxy
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return at
		}
		at = hop.Unmap()
		if !g.trusted(at) {
			return at
		}
	}
	return at
}

// singleHeader returns the value of a header that occurs once in a request and
// has one value.
func singleHeader(r *http.Request, header string) (string, bool) {
	values := r.Header.Values(header)
	if len(values) != 1 || values[0] == "" || strings.Contains(values[0], ",") {
		return "", false
	}
	return strings.TrimSpace(values[0]), true
}

// scheme returns secure for a request over TLS, and plain otherwise.
func scheme(r *http.Request, plain, secure string) string {
	if e, ok := r.Context().Value(accessEntryKey{}).(*accessEntry); r.TLS != nil || ok && e.secure {
		return secure
	}
	return plain
}

// rateKey returns the prefix by which attempts are counted: an IPv6 client has
// a whole network of addresses (RFC 6177).
func rateKey(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}
