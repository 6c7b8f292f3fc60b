package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// hostPattern matches a name or an address in the form of the Host header.
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]+)$`)

// listen refuses addresses that other machines can reach if tokens would be sent
// unencrypted. The operator of a container whose port is published on loopback
// only can allow it.
func (s Server) listen() error {
	if (s.TLS.Cert == "") != (s.TLS.Key == "") {
		return errors.New("server.tls: give cert and key, or neither")
	}
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return fmt.Errorf("server.listen: %q is not host:port", s.Listen)
	}
	if host == "localhost" {
		return nil
	}
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return fmt.Errorf("server.listen: %q is no address", host)
	case address.IsLoopback() || s.TLS.Cert != "" || len(s.Proxies) > 0 || s.Insecure:
		return nil
	}
	return fmt.Errorf("server.listen: %s is not a loopback address; give server.tls, or server.trusted_proxies "+
		"(server.allow_insecure_listen is for containers)", host)
}

// names validates the host names, origins and trusted proxies.
func (s Server) names() error {
	if _, err := s.Prefixes(); err != nil {
		return err
	}
	for _, host := range s.Hosts {
		if !hostPattern.MatchString(host) {
			return fmt.Errorf("server.allowed_hosts: %q is no host name; give it without scheme and port", host)
		}
	}
	for _, origin := range s.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.Scheme+"://"+u.Host != origin || strings.Contains(origin, "*") {
			return fmt.Errorf("server.cors_allow_origins: %q is no origin; give one like https://app.example.com", origin)
		}
	}
	return nil
}

// Prefixes returns the addresses of trusted proxies.
func (s Server) Prefixes() ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, 0, len(s.Proxies))
	for _, text := range s.Proxies {
		prefix, err := netip.ParsePrefix(text)
		if address, alone := netip.ParseAddr(text); err != nil && alone == nil {
			prefix, err = address.Prefix(address.BitLen())
		}
		if err != nil || prefix.Bits() == 0 {
			return nil, fmt.Errorf("server.trusted_proxies: %q is no address or network, 10.1.2.0/24 for example", text)
		}
		prefixes = append(prefixes, prefix.Masked())
	}
	return prefixes, nil
}

// Loopback reports whether the gateway can be reached from its own machine only.
func (s Server) Loopback() bool {
	host, _, err := net.SplitHostPort(s.Listen)
	address, parseErr := netip.ParseAddr(host)
	return err == nil && (host == "localhost" || parseErr == nil && address.IsLoopback())
}

// URL returns the address of the gateway for its own machine or container.
func (s Server) URL() string {
	scheme := "http://"
	if s.TLS.Cert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(s.Listen)
	if address, parseErr := netip.ParseAddr(host); err == nil && parseErr == nil && address.IsUnspecified() {
		return scheme + net.JoinHostPort("127.0.0.1", port)
	}
	return scheme + s.Listen
}

func (j JWT) check() error {
	if j.Issuer == "" {
		return nil
	}
	for _, key := range [][2]string{{"audience", j.Audience}, {"jwks_url", j.KeysURL}, {"role_claim", j.RoleClaim}, {"scope_claim", j.ScopeClaim}} {
		if key[1] == "" {
			return fmt.Errorf("auth.jwt.%s: must be given where auth.jwt.issuer is", key[0])
		}
	}
	u, err := url.Parse(j.KeysURL)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && (u.Scheme != "http" || !onLoopback(u.Hostname()))) {
		return errors.New("auth.jwt.jwks_url: want an https address without user name; http is for this machine only")
	}
	return nil
}

func (r Rate) check() error {
	if r.PerSecond == -1 {
		return nil
	}
	if !(r.PerSecond > 0 && r.PerSecond <= 1_000_000) {
		return fmt.Errorf("auth.rate_limit.requests_per_second: %g is neither above 0 nor -1, which disables the limit", r.PerSecond)
	}
	return between("auth.rate_limit.burst", r.Burst, 1, 1_000_000)
}
