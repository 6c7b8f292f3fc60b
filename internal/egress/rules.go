package egress

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// pattern is an exact host, or all subdomains of one.
type pattern struct {
	host string
	subs bool // "*.": matches subdomains of host, not host itself
}

func (p pattern) matches(host string) bool {
	if !p.subs {
		return host == p.host
	}
	return len(host) > len(p.host)+1 && strings.HasSuffix(host, "."+p.host)
}

// rules is a compiled action.Network. The zero rules and nil refuse everything.
type rules struct {
	navigation []pattern
	listed     []pattern
	granted    []pattern       // granted by people, in addition to listed
	sites      map[string]bool // registrable domains of navigation, for same-site
	anyPublic  bool
	private    map[string]bool // host:port
	ports      map[uint16]bool
	upstream   *Upstream // the proxy for public addresses; nil for none
}

// compile parses n. For a bad entry it returns invalid_request, which names the
// entry.
func compile(n action.Network) (*rules, error) {
	r := &rules{private: map[string]bool{}, ports: map[uint16]bool{}}
	var err error
	if r.navigation, err = patterns("navigation", n.Navigation); err != nil {
		return nil, err
	}
	if err := r.setSubresources(n); err != nil {
		return nil, err
	}
	if r.granted, err = patterns("granted", n.Granted); err != nil {
		return nil, err
	}
	for _, entry := range n.AllowPrivate {
		p, err := parseAuthority("http", entry)
		if err != nil || !strings.HasSuffix(entry, ":"+strconv.Itoa(int(p.port))) {
			return nil, invalid("allow_private", entry, "write host:port, like localhost:3000")
		}
		r.private[p.authority()] = true
	}
	for _, port := range n.Ports {
		if port < 1 || port > 65535 {
			return nil, fault.New(fault.InvalidRequest, "network ports: %d is not a port", port).
				Hinted("ports are 1 to 65535; leave the list empty for 80 and 443")
		}
		r.ports[uint16(port)] = true
	}
	if len(n.Ports) == 0 {
		r.ports = map[uint16]bool{80: true, 443: true}
	}
	return r, nil
}

func (r *rules) setSubresources(n action.Network) error {
	listed, err := patterns("listed", n.Listed)
	if err != nil {
		return err
	}
	switch n.Subresources {
	case "":
	case "same-site":
		r.sites = map[string]bool{}
		for _, p := range r.navigation {
			addr, _ := netip.ParseAddr(p.host)
			r.sites[destination{host: p.host, addr: addr}.site()] = true
		}
	case "listed":
		r.listed = listed
	case "any-public":
		r.anyPublic = true
	default:
		return invalid("subresources", n.Subresources, "it is same-site, listed or any-public")
	}
	return nil
}

func patterns(list string, entries []string) ([]pattern, error) {
	all := make([]pattern, 0, len(entries))
	for _, entry := range entries {
		host, subs := strings.CutPrefix(entry, "*.")
		p, err := parsePattern(host)
		if err != nil || subs && p.addr.IsValid() {
			return nil, invalid(list, entry, "write a host like example.com, or *.example.com for its sub-domains; ports belong in allow_private or ports")
		}
		all = append(all, pattern{host: p.host, subs: subs})
	}
	return all, nil
}

// parsePattern parses the host of an entry. International names may be written in
// Unicode; IP addresses must be canonical.
func parsePattern(host string) (destination, error) {
	bare := strings.Trim(strings.TrimSuffix(host, "."), "[]")
	if addr, err := netip.ParseAddr(bare); err == nil && addr.Is6() {
		host = "[" + bare + "]"
	} else if strings.ContainsAny(host, `/\?#%@:* `) {
		return destination{}, badURL
	}
	p, err := parseDestination("http://" + host + "/")
	if err == nil && p.addr.Is4() && p.host != bare {
		return destination{}, oddSpelling
	}
	return p, err
}

func invalid(list, entry, hint string) error {
	return fault.New(fault.InvalidRequest, "network %s: %q is not a valid entry", list, entry).
		Hinted("%s", hint).With("entry", entry).With("field", list)
}

// allowDocument returns why a document may not be loaded from p, or nil.
func (r *rules) allowDocument(p destination) error {
	if err := r.allowBasics(p); err != nil || r.private[p.authority()] || r.navigable(p.host) {
		return err
	}
	return notDocument
}

// allow returns why no request may go to p, or nil.
func (r *rules) allow(p destination) error {
	if err := r.allowBasics(p); err != nil || r.private[p.authority()] || r.navigable(p.host) {
		return err
	}
	if r.anyPublic || r.sites[p.site()] || matches(r.listed, p.host) || matches(r.granted, p.host) {
		return nil
	}
	return notAllowed
}

// allowBasics checks what no list can allow: other ports and special addresses.
func (r *rules) allowBasics(p destination) error {
	if r == nil || len(r.navigation) == 0 && len(r.private) == 0 {
		return noRules
	}
	if r.private[p.authority()] {
		return nil
	}
	if !r.ports[p.port] {
		return badPort
	}
	if p.addr.IsValid() && !isPublic(p.addr) {
		return specialAddress
	}
	return nil
}

func (r *rules) navigable(host string) bool { return matches(r.navigation, host) }

func matches(list []pattern, host string) bool {
	for _, p := range list {
		if p.matches(host) {
			return true
		}
	}
	return false
}

// Problem is a bad entry of a network: its place, such as navigation[2], and what
// is wrong.
type Problem struct{ Path, Message string }

// Check lists the entries of n that the proxy refuses. No session starts with
// one.
func Check(n action.Network) []Problem {
	var all []Problem
	for _, list := range []struct {
		name    string
		entries []string
		alone   func(entry string) action.Network
	}{
		{"navigation", n.Navigation, func(entry string) action.Network { return action.Network{Navigation: []string{entry}} }},
		{"listed", n.Listed, func(entry string) action.Network { return action.Network{Listed: []string{entry}} }},
		{"allow_private", n.AllowPrivate, func(entry string) action.Network { return action.Network{AllowPrivate: []string{entry}} }},
	} {
		for i, entry := range list.entries {
			if _, err := compile(list.alone(entry)); err != nil {
				f := fault.From(err)
				all = append(all, Problem{list.name + "[" + strconv.Itoa(i) + "]", strconv.Quote(entry) + " is not a valid entry; " + f.Hint})
			}
		}
	}
	return all
}

// SelfSigned parses the entries of security.network.allow_self_signed: hosts, or
// host:port, in the spelling that browsers use. Bad entries are listed and left
// out.
func SelfSigned(entries []string) (action.SelfSigned, []Problem) {
	var all action.SelfSigned
	var wrong []Problem
	for i, entry := range entries {
		read, ok := selfSigned(entry)
		if !ok {
			wrong = append(wrong, Problem{
				"allow_self_signed[" + strconv.Itoa(i) + "]",
				strconv.Quote(entry) + " is not a valid entry; write one host like nas.example.com, or host:port; \"*\" stands for nothing here",
			})
			continue
		}
		all = append(all, read)
	}
	return all, wrong
}

// selfSigned parses one entry. A host without a port is written as in lists of
// hosts, a host with a port as in allow_private.
func selfSigned(entry string) (string, bool) {
	if p, err := parsePattern(entry); err == nil {
		return p.host, true
	}
	p, err := parseAuthority("https", entry)
	if err != nil || !strings.HasSuffix(entry, ":"+strconv.Itoa(int(p.port))) {
		return "", false
	}
	return net.JoinHostPort(p.host, strconv.Itoa(int(p.port))), true
}
