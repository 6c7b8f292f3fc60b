package gateway

import (
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const upstreamKey = "security.network.upstream_proxy"

// upstreams returns the proxies that sessions can name. Faults: invalid_request,
// which names the key.
func upstreams(c config.Network) (map[string]*egress.Upstream, error) {
	all := map[string]*egress.Upstream{}
	for i, p := range c.Upstreams {
		proxy, err := upstream(config.Upstream{URL: p.URL, SecretEnv: p.SecretEnv}, fmt.Sprintf("security.network.upstream_proxies[%d]", i))
		if err != nil {
			return nil, err
		}
		all[p.Name] = proxy
	}
	return all, nil
}

// upstream returns the upstream proxy of a configuration key; nil if there is
// none. Faults: invalid_request, which names the key.
func upstream(c config.Upstream, key string) (*egress.Upstream, error) {
	if c.URL == "" {
		return nil, nil
	}
	login := ""
	if c.SecretEnv != "" {
		if login = os.Getenv(c.SecretEnv); login == "" {
			return nil, fault.New(fault.InvalidRequest, "%s.secret_env: %s is not set", key, c.SecretEnv).
				Hinted("set it to the login for the proxy, name:password")
		}
	}
	proxy, err := egress.ParseUpstream(c.URL, login)
	if err != nil {
		part := "url"
		if _, plain := egress.ParseUpstream(c.URL, ""); plain == nil {
			part = "secret_env"
		}
		return nil, fault.New(fault.InvalidRequest, "%s.%s: %s", key, part, fault.From(err).Message).Hinted("%s", fault.From(err).Hint)
	}
	return proxy, nil
}

// openProxy opens the egress proxy. own are the gateway's listeners.
func (g *Gateway) openProxy(c config.Network, own []netip.AddrPort, reports *events, log *slog.Logger) (*egress.Proxy, error) {
	proxy, err := newProxy(c, own, log, egress.Options{OnRefused: reports.refused, AllowChannel: reports.allowChannel})
	if err != nil {
		return nil, err
	}
	g.onClose("egress", proxy.Shutdown)
	return proxy, nil
}

// newProxy makes an egress proxy by the configuration. own are the gateway's
// listeners.
func newProxy(c config.Network, own []netip.AddrPort, log *slog.Logger, o egress.Options) (*egress.Proxy, error) {
	most, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	known, err := authorities(c)
	if err != nil {
		return nil, err
	}
	if o.Authorities, err = certPool(known); err != nil {
		return nil, err
	}
	if o.Upstream, err = upstream(c.Upstream, upstreamKey); err != nil {
		return nil, err
	}
	if o.Upstreams, err = upstreams(c); err != nil {
		return nil, err
	}
	o.Gateway, o.Log = own, log
	o.Limits = egress.Limits{RequestsPerSecond: float64(c.Pace), Connections: c.Connections, Bytes: most, Connection: duration(c.MaxMinutes, time.Minute)}
	if c.Resolver != "" {
		o.Resolver = egress.ResolverAt(c.Resolver)
	}
	return egress.New(o), nil
}
