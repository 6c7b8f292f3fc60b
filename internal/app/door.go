package app

import (
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/egress"
)

// upstream is the proxy for public addresses, nil for none. Faults:
// invalid_request, which names the key.
func upstream(c config.Upstream) (*egress.Upstream, error) {
	if c.URL == "" {
		return nil, nil
	}
	login := ""
	if c.SecretEnv != "" {
		if login = os.Getenv(c.SecretEnv); login == "" {
			return nil, fault.New(fault.InvalidRequest, "security.network.upstream_proxy.secret_env: %s is not set", c.SecretEnv).
				Hinted("set it to the login for the proxy, name:password")
		}
	}
	proxy, err := egress.ParseUpstream(c.URL, login)
	if err != nil {
		key := "url"
		if _, plain := egress.ParseUpstream(c.URL, ""); plain == nil {
			key = "secret_env"
		}
		return nil, fault.New(fault.InvalidRequest, "security.network.upstream_proxy.%s: %s", key, fault.From(err).Message).Hinted("%s", fault.From(err).Hint)
	}
	return proxy, nil
}

// openDoor opens the way out of all boxes, with what it tells and asks. own are
// the gateway's listeners.
func openDoor(c config.Network, own []netip.AddrPort, log *slog.Logger, o egress.Options) (*egress.Door, error) {
	most, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	known, err := authorities(c)
	if err != nil {
		return nil, err
	}
	if o.Authorities, err = trusted(known); err != nil {
		return nil, err
	}
	if o.Upstream, err = upstream(c.Upstream); err != nil {
		return nil, err
	}
	o.Gateway, o.Log = own, log
	o.Limits = egress.Limits{RequestsPerSecond: float64(c.Pace), Connections: c.Connections, Bytes: most, Connection: span(c.MaxMinutes, time.Minute)}
	if c.Resolver != "" {
		o.Resolver = egress.Asking(c.Resolver)
	}
	return egress.New(o), nil
}
