package session

import (
	"net"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const navigationKey = "security.network.navigation"

// narrowedNetwork returns what a session's browser may reach: the configured
// network, narrowed to what the request names. An agent may only narrow; an
// operator may name any host. Faults: blocked_domain, which names the hosts that
// are not configured.
func narrowedNetwork(configured action.Network, caller action.Caller, asked []string) (action.Network, error) {
	n := action.Network{
		Navigation: slices.Clone(configured.Navigation), Subresources: configured.Subresources,
		Listed: slices.Clone(configured.Listed), AllowPrivate: slices.Clone(configured.AllowPrivate),
		Ports: slices.Clone(configured.Ports),
	}
	if len(asked) == 0 {
		return n, nil
	}
	n.Navigation, n.AllowPrivate = nil, nil
	var outside []string
	for _, pattern := range asked {
		pattern = normalizeHost(pattern)
		switch private := isPrivate(pattern); {
		case caller.Role != action.Operator && !allows(configured, pattern):
			outside = append(outside, pattern)
		case private:
			n.AllowPrivate = append(n.AllowPrivate, pattern)
		default:
			n.Navigation = append(n.Navigation, pattern)
			n.AllowPrivate = append(n.AllowPrivate, portsOf(configured, pattern)...)
		}
	}
	if len(outside) > 0 {
		return action.Network{}, fault.New(fault.BlockedDomain, "not allowed by %s: %s", navigationKey, strings.Join(outside, ", ")).
			Hinted("ask for configured hosts only, or let an operator add these to %s", navigationKey).With("hosts", outside)
	}
	return n, nil
}

// underNewConfig returns a session's network after a change of the configuration:
// what an operator did not choose is limited by the new configuration.
func underNewConfig(configured action.Network, t terms) action.Network {
	if t.Role == action.Operator {
		return t.Network
	}
	n := t.Network
	outside := func(pattern string) bool { return !allows(configured, normalizeHost(pattern)) }
	n.Navigation = slices.DeleteFunc(slices.Clone(n.Navigation), outside)
	n.AllowPrivate = slices.DeleteFunc(slices.Clone(n.AllowPrivate), outside)
	n.Subresources, n.Listed, n.Ports = configured.Subresources, configured.Listed, configured.Ports
	return n
}

// normalizeHost makes patterns comparable. Other spellings are refused to agents;
// for operators the egress proxy judges them.
func normalizeHost(pattern string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(pattern)), ".")
}

// isPrivate reports whether an entry is host:port, the form of allow_private.
func isPrivate(pattern string) bool {
	_, _, err := net.SplitHostPort(pattern)
	return err == nil
}

// allows reports whether the configuration allows all that pattern matches.
func allows(configured action.Network, pattern string) bool {
	if isPrivate(pattern) {
		return slices.ContainsFunc(configured.AllowPrivate, func(c string) bool { return normalizeHost(c) == pattern })
	}
	return slices.ContainsFunc(configured.Navigation, func(c string) bool {
		c = normalizeHost(c)
		name, wide := strings.CutPrefix(c, "*.")
		return c == pattern || wide && name != "" && strings.HasSuffix(strings.TrimPrefix(pattern, "*."), "."+name)
	})
}

// portsOf returns the configured private addresses of a host that was requested
// by its name only.
func portsOf(configured action.Network, host string) []string {
	var places []string
	for _, place := range configured.AllowPrivate {
		if name, _, err := net.SplitHostPort(place); err == nil && normalizeHost(name) == host {
			places = append(places, place)
		}
	}
	return places
}

// allowed lists the origins of documents that a session may open.
func (t terms) allowed() []string {
	n := t.Network
	for _, more := range t.Granted {
		n = widen(n, action.Network{}, more)
	}
	return allowed(n)
}

// allowed lists the origins of documents that a network allows.
func allowed(n action.Network) []string {
	return append(append([]string{}, n.Navigation...), n.AllowPrivate...)
}

// blockedFault is the fault of a document that may not be opened.
func blockedFault(d action.Destination) *fault.Fault {
	host := d.Host
	if host == "" {
		host = "the address"
	}
	return fault.New(fault.BlockedDomain, "%s is blocked: %s", host, d.Reason).
		Hinted("go elsewhere, or let an operator add the host: glovebox session allow, or %s for every session", navigationKey).
		With("host", d.Host).With("reason", d.Reason).With("url", bare(d.URL))
}
