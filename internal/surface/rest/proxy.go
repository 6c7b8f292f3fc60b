package rest

import (
	"net/http"
	"net/netip"
	"strings"
)

// way is how a request came.
type way struct {
	from    netip.Addr // the client's address; none where it cannot be told
	secure  bool       // over TLS, as far as the gateway knows
	proxied bool       // through a proxy that is trusted
}

// through finds out how a request came. Only a trusted proxy is believed what
// it says of that, and of the host that was asked for.
func (g *guard) through(r *http.Request) (way, *http.Request) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	w := way{from: at.Addr().Unmap(), secure: r.TLS != nil}
	if err != nil || !g.trusted(w.from) {
		return w, r
	}
	w.proxied = true
	w.from = g.client(r, w.from)
	if proto, told := single(r, "X-Forwarded-Proto"); told {
		w.secure = strings.EqualFold(proto, "https")
	}
	if host, told := single(r, "X-Forwarded-Host"); told {
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

// client is the last address of X-Forwarded-For that is not a trusted proxy's:
// what stands before it anybody may have written.
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

// single is the value of a header that a request has once, and which holds one.
func single(r *http.Request, header string) (string, bool) {
	values := r.Header.Values(header)
	if len(values) != 1 || values[0] == "" || strings.Contains(values[0], ",") {
		return "", false
	}
	return strings.TrimSpace(values[0]), true
}

// scheme is the one of two that a request's way calls for.
func scheme(r *http.Request, plain, secure string) string {
	if e, ok := r.Context().Value(entryKey{}).(*entry); r.TLS != nil || ok && e.secure {
		return secure
	}
	return plain
}

// block is what an address counts as where attempts are: a client of IPv6 has
// a whole network of them (RFC 6177).
func block(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits)
	return p
}
