package peer

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"testing"
)

// Terms configure a gateway whose gate is measured.
type Terms struct {
	Sites    []string       // addresses ("http://shop.test:1234") that sessions may reach
	Resolver string         // address of the name server that knows their hosts
	Trusted  bool           // whether the hosts are trusted, not only allowed
	HITL     map[string]any // more keys of security.hitl
}

// Governed starts a gateway on these terms and one client with an agent's
// token. Both end with the test.
func Governed(tb testing.TB, terms Terms) (*Server, error) {
	tb.Helper()
	binary, err := Binary(tb.Context())
	if err != nil {
		return nil, err
	}
	g, err := startGateway(tb, Version{binary, Image()}, terms.configuration)
	if err != nil {
		return nil, err
	}
	return g.client(tb, "")
}

// In is the same client, whose calls name a browser session.
func (s *Server) In(session string) *Server {
	other := *s
	other.named = session
	return &other
}

// configuration is JSON, which is YAML too.
func (t Terms) configuration(g *gateway) ([]byte, error) {
	hosts, places, err := split(t.Sites)
	if err != nil {
		return nil, err
	}
	type object = map[string]any
	network := object{"navigation": hosts, "allow_private": places}
	if t.Resolver != "" {
		network["resolver"] = t.Resolver
	}
	hitl := object{}
	if t.Trusted {
		hitl["trusted_domains"] = hosts
	}
	maps.Copy(hitl, t.HITL)
	return json.Marshal(object{
		"server":  object{"listen": g.address, "state_dir": g.state},
		"browser": object{"max_session_minutes": -1, "sandbox": object{"container_image": g.version.Image, "container_name_prefix": "gbbench-"}},
		"security": object{
			"session_timeout": -1, "max_actions_per_session": -1, "max_failures": -1, "network": network, "hitl": hitl,
		},
	})
}

// split returns the hosts of addresses, each once, and their hosts with ports.
func split(sites []string) (hosts, places []string, err error) {
	for _, site := range sites {
		u, err := url.Parse(site)
		if err != nil {
			return nil, nil, fmt.Errorf("a site's address: %w", err)
		}
		hosts, places = append(hosts, u.Hostname()), append(places, u.Host)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), places, nil
}
