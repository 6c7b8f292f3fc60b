package gateway

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// listenOptions is from where, and under which names, the gateway may be called.
func listenOptions(s config.Server) (rest.Options, error) {
	proxies, err := s.Prefixes()
	if err != nil {
		return rest.Options{}, err
	}
	hosts := s.Hosts
	if at, err := netip.ParseAddrPort(s.Listen); err == nil && !at.Addr().IsUnspecified() { // 0.0.0.0 is a name web pages may try
		hosts = append([]string{at.Addr().String()}, hosts...)
	}
	return rest.Options{
		AllowedHosts: hosts, AllowedOrigins: s.Origins, Proxies: proxies,
		OnlyProxies: !s.Loopback() && s.TLS.Cert == "" && !s.Insecure,
	}, nil
}

// withTLS is a listener that speaks TLS, where that is configured.
func withTLS(s config.Server, l net.Listener, log *slog.Logger) (net.Listener, error) {
	if s.TLS.Cert == "" {
		return l, nil
	}
	c, err := rest.TLS(s.TLS.Cert, s.TLS.Key, log)
	if err != nil {
		return nil, fault.New(fault.StartFailed, "the certificate cannot be used").
			Hinted("server.tls wants two PEM files that belong together: %s and %s", s.TLS.Cert, s.TLS.Key).Because(err)
	}
	return tls.NewListener(l, c), nil
}

func scheme(s config.Server) string {
	if s.TLS.Cert != "" {
		return "https://"
	}
	return "http://"
}
