package session

import (
	"context"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const maxCredentialDomains = 50 // domains whose credentials a session asks for

// domains reads the domains whose credentials a session is to get, as the door
// reads hosts. An agent may name those only that the session may open. Faults:
// invalid_request, blocked_domain.
func (nw *networks) domains(caller action.Caller, n action.Network, domains []string) ([]string, error) {
	key := "probe-" + newID()
	if len(domains) == 0 {
		return nil, nil
	}
	if err := nw.door.Open(key, n); err != nil {
		return nil, err
	}
	defer nw.door.Close(key)
	var list []string
	for _, domain := range domains {
		host, err := nw.domainOf(key, domain)
		if err != nil {
			return nil, err
		}
		if d := nw.opens(key, n, host); caller.Role != action.Operator && !d.Allowed {
			return nil, blockedFault(d)
		}
		if !slices.Contains(list, host) {
			list = append(list, host)
		}
	}
	return list, nil
}

// domainOf is the host that a caller means by a domain.
func (nw *networks) domainOf(box, domain string) (string, error) {
	domain = normalizeHost(domain)
	host := ""
	if domain != "" && !strings.ContainsAny(domain, "/\\?#@:*") {
		host = nw.door.Judge(box, "https://"+domain+"/").Host
	}
	if host == "" {
		return "", fault.New(fault.InvalidRequest, "%s is no domain", quoted(domain)).
			Hinted("give a host, such as example.com, without scheme and port").With("field", "domain")
	}
	return host, nil
}

// hint puts the credentials of a domain in that a navigation names, before it
// goes. Faults: credentials_unavailable also where there are none, and those of
// named.
func (ca *credentialAccess) hint(ctx context.Context, sess *openSession, caller action.Caller, domain string) error {
	list, err := ca.networks.domains(caller, sess.reach(), []string{domain})
	if err != nil {
		return err
	}
	host := list[0]
	if ca.vault == nil {
		return noneStored(host)
	}
	if err := ca.name(ctx, sess, host); err != nil {
		return err
	}
	found, err := ca.inject(ctx, sess, host)
	if err == nil && !found {
		err = noneStored(host)
	}
	return err
}

// name notes that a session asks for the credentials of a domain.
func (ca *credentialAccess) name(ctx context.Context, sess *openSession, host string) error {
	sess.mu.Lock()
	have := slices.Clone(sess.terms.Named)
	sess.mu.Unlock()
	switch {
	case slices.Contains(have, host):
		return nil
	case len(have) >= maxCredentialDomains:
		return fault.New(fault.LimitReached, "a session asks for the credentials of %d domains at most", maxCredentialDomains).
			Hinted("start another session").With("limit", "credentials").With("max", maxCredentialDomains)
	}
	return ca.saver.changeTerms(ctx, sess, func(t *terms) { t.Named = append(slices.Clone(t.Named), host) })
}

func noneStored(host string) error {
	return fault.New(fault.CredentialsUnavailable, "there are no credentials for %s", host).
		Hinted("go there without domain_hint, or let an operator store some: glovebox vault set %s", host).With("domain", host)
}
