package policy

import (
	"maps"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// patterns are hosts, and "*." patterns, which match sub-domains but not the domain itself.
type patterns struct {
	exact    map[string]bool
	suffixes []string // with the leading dot
}

// parsePatterns reads patterns of the configuration.
func parsePatterns(list []string) (patterns, error) {
	p := patterns{exact: make(map[string]bool, len(list))}
	for _, raw := range list {
		rest, wild := strings.CutPrefix(strings.ToLower(strings.TrimSpace(raw)), "*.")
		host, err := idna.Lookup.ToASCII(rest)
		if err != nil || host == "" || strings.ContainsAny(host, "*:/@ ") || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") {
			return patterns{}, fault.New(fault.InvalidRequest, "%q is no host", raw).
				Hinted("give a host such as example.com, or *.example.com for its sub-domains")
		}
		if wild {
			p.suffixes = append(p.suffixes, "."+host)
		} else {
			p.exact[host] = true
		}
	}
	return p, nil
}

func (p patterns) match(host string) bool {
	if host == "" {
		return false
	}
	if p.exact[host] {
		return true
	}
	for _, s := range p.suffixes {
		if strings.HasSuffix(host, s) && len(host) > len(s) {
			return true
		}
	}
	return false
}

// hostOf returns the host of an address that Chromium or the egress proxy wrote, in lower case and
// without a port; empty for none.
func hostOf(address string) string {
	u, err := parseLeniently(address)
	if err != nil || !isWeb(u) {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// siteOf returns the registrable domain of a host, or the host itself where it has none: an IP
// address, a name without a dot, a public suffix.
func siteOf(host string) string {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// labelsOf splits a host into its words.
func labelsOf(host string) []string {
	return strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// isPayment reports whether a host is one to pay at.
func isPayment(host string) bool {
	return hosts().payment.match(host) || hasLabel(hosts().paymentLabels, host)
}

// isSensitive reports whether a host is for mail, banking, administration or settings, by its name.
func isSensitive(host string) bool {
	return hosts().sensitive.match(host) || hasLabel(hosts().sensitiveLabels, host) || isBank(host)
}

// isBank reports whether a host is a bank's, by its name.
func isBank(host string) bool { return hosts().bank.match(host) || hasLabel(hosts().bankLabels, host) }

func hasLabel(labels map[string]bool, host string) bool {
	for _, l := range labelsOf(host) {
		if labels[l] {
			return true
		}
	}
	return false
}

// segmentsOf are the segments of the path and of a fragment that is used as a path, folded, without a
// file extension.
func segmentsOf(address string) []string {
	var all []string
	for s := range strings.SplitSeq(wholePath(address), "/") {
		if name, extension, found := strings.Cut(s, "."); found && len(extension) <= 5 && !ordersHarm(extension) {
			s = name
		}
		if t := tokens(split(s)); len(t) > 0 {
			all = append(all, strings.Join(t, " "))
		}
	}
	return all
}

// withoutPorts are the hosts and patterns of a list whose entries may have ports. Invalid entries are
// left out.
func withoutPorts(list []string) patterns {
	var all patterns
	for _, entry := range list {
		if host, _, found := strings.Cut(entry, ":"); found {
			entry = host
		}
		one, err := parsePatterns([]string{entry})
		if err != nil {
			continue
		}
		if all.exact == nil {
			all.exact = map[string]bool{}
		}
		maps.Copy(all.exact, one.exact)
		all.suffixes = append(all.suffixes, one.suffixes...)
	}
	return all
}
