package policy

import (
	"maps"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// patterns are hosts, and "*." patterns for sub-domains (the apex not
// included).
type patterns struct {
	exact    map[string]bool
	suffixes []string // with the leading dot
}

// parsePatterns reads patterns as the configuration has them.
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

// hostOf returns the host of an address that Chromium or the egress door wrote,
// in lower case and without a port; empty when it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || !isWeb(u) {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

func isWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

// siteOf returns the registrable domain of a host, or the host itself where it
// has none: an address, a single label, a public suffix.
func siteOf(host string) string {
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// labelsOf splits a host into what its names consist of.
func labelsOf(host string) []string {
	return strings.FieldsFunc(host, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// isPayment reports whether people pay at a host.
func isPayment(host string) bool {
	return hosts.payment.match(host) || hasLabel(hosts.paymentLabels, host)
}

// isSensitive reports whether a host is by its name one for mail, banking,
// administration or settings.
func isSensitive(host string) bool {
	return hosts.sensitive.match(host) || hasLabel(hosts.sensitiveLabels, host) || isBank(host)
}

// isBank reports whether a host is by its name a bank's.
func isBank(host string) bool { return hosts.bank.match(host) || hasLabel(hosts.bankLabels, host) }

func hasLabel(labels map[string]bool, host string) bool {
	for _, l := range labelsOf(host) {
		if labels[l] {
			return true
		}
	}
	return false
}

// segmentsOf are the path's segments, and those of a fragment that is used as a
// path, folded, without a file's extension.
func segmentsOf(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	path := u.Path
	if fragment := strings.TrimPrefix(u.Fragment, "!"); strings.HasPrefix(fragment, "/") {
		fragment, _, _ = strings.Cut(fragment, "?")
		path += fragment
	}
	var all []string
	for s := range strings.SplitSeq(path, "/") {
		if name, extension, found := strings.Cut(s, "."); found && len(extension) <= 5 {
			s = name
		}
		if t := tokens(split(s)); len(t) > 0 {
			all = append(all, strings.Join(t, " "))
		}
	}
	return all
}

// withoutPorts are the hosts and patterns of a list that may also name ports; what
// is none is left out.
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
