package session

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// networks decides which hosts sessions may reach, and sets the rules of the
// egress proxy.
type networks struct {
	egress   EgressProxy
	sessions *directory
	store    recordStore
	audit    auditor
	log      *slog.Logger
	network  atomic.Pointer[action.Network] // of sessions that start from now on
}

// try lets the egress proxy compile rules and judge a session's first address,
// before there is a box.
func (nw *networks) try(n action.Network, rawURL string) (*action.Destination, error) {
	key := "probe-" + newID()
	if err := nw.egress.Open(key, n); err != nil {
		return nil, err
	}
	defer nw.egress.Close(key)
	if rawURL == "" {
		return nil, nil
	}
	address, err := engine.Address(rawURL)
	if err != nil {
		return nil, err
	}
	goal := nw.egress.Judge(key, address)
	return &goal, nil
}

// set changes what sessions may reach. Running sessions lose what is not
// configured any more, unless an operator chose or a person allowed it, and gain
// nothing. Faults: invalid_request, which names the bad entry; then nothing
// changes.
func (nw *networks) set(n action.Network) error {
	if err := nw.egress.Open(probeBoxID, n); err != nil {
		return fmt.Errorf("security.network: %w", err)
	}
	nw.egress.Close(probeBoxID)
	n.Navigation, n.Listed, n.AllowPrivate, n.Ports = slices.Clone(n.Navigation), slices.Clone(n.Listed), slices.Clone(n.AllowPrivate), slices.Clone(n.Ports)
	nw.network.Store(&n)
	running := nw.sessions.all()
	for _, sess := range running {
		nw.narrow(sess, n)
	}
	return nil
}

// narrow limits a running session by a new configuration. If the rules of its box
// cannot be replaced, the box may reach nothing from then on.
func (nw *networks) narrow(sess *openSession, configured action.Network) {
	sess.changingTerms.Lock()
	defer sess.changingTerms.Unlock()
	n, box := sess.narrow(configured)
	if box == "" {
		return // its box will get these rules
	}
	if err := nw.egress.Open(box, n); err != nil {
		nw.egress.Close(box)
		nw.log.Error("a session may reach nothing any more", "session", sess.id, "error", err)
	}
	if !isOpen(sess.now().State) && sess.now().State != starting {
		nw.egress.Close(box) // it ended meanwhile, and its rules with it
	}
}

// narrow limits a session by a new configuration. It returns the new network of
// the session, and its box.
func (o *openSession) narrow(configured action.Network) (n action.Network, box string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.state.record.Allow
	n = o.state.terms.networkUnder(configured)
	o.state.network, o.state.record.Allow = n, allowed(n)
	if lost := without(before, o.state.record.Allow); len(lost) > 0 {
		o.state.addNote("not allowed any more: " + strings.Join(lost, ", "))
	}
	return n, o.state.record.Box
}

// without returns the elements of a list that are not in another.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}

// openEgress sets the egress proxy's rules for a session's box.
func (nw *networks) openEgress(sess *openSession, box string) error {
	sess.changingTerms.Lock()
	defer sess.changingTerms.Unlock()
	return nw.egress.Open(box, sess.reach())
}

// allow adds a host to a session's network, even if it is not configured: a
// person decided it. Its agent gets a note with its next answer. Faults:
// invalid_request for an invalid host, and those of session.show.
func (nw *networks) allow(ctx context.Context, call action.Call, args *action.AllowHost) (action.Result, error) {
	sess, err := nw.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	more := *args
	more.Host = normalizeHost(more.Host)
	if err := privateResource(more); err != nil {
		return action.Result{Session: sess.id}, err
	}
	if err := nw.widenTo(ctx, sess, more); err != nil {
		return action.Result{Session: sess.id}, err
	}
	what := "documents"
	if more.Resource() {
		what = "resources"
	}
	nw.audit.event(sess.now(), call.ID, call.Caller.Actor+" allowed "+what+" from "+more.Host)
	return sessionResult(sess.now()), nil
}

// widenTo adds to a session's network. If this cannot be stored, it is not
// allowed.
func (nw *networks) widenTo(ctx context.Context, sess *openSession, more action.AllowHost) error {
	sess.changingTerms.Lock()
	defer sess.changingTerms.Unlock()
	wider := widen(sess.reach(), *nw.network.Load(), more)
	if _, err := nw.try(wider, ""); err != nil {
		return err
	}
	terms := sess.snapshot().terms
	terms.Granted = append(slices.Clone(terms.Granted), more)
	if err := nw.store.saveTerms(context.WithoutCancel(ctx), sess.id, terms); err != nil {
		return err
	}
	box := sess.now().Box
	if err := nw.egress.Open(box, wider); err != nil {
		return err
	}
	note := "a person allowed host " + more.Host + ": try again what was blocked"
	if more.Resource() {
		note = "a person allowed what pages load from " + more.Host
	}
	err := sess.changeOpen(func(st *sessionState) {
		st.terms, st.network, st.record.Allow = terms, wider, allowed(wider)
		st.addNote(note)
	})
	if err != nil {
		nw.egress.Close(box) // it ended meanwhile, and its rules with it
	}
	return err
}

// reach returns what a session may reach now.
func (o *openSession) reach() action.Network {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.network
}

// widen returns n with one more host. A host's name also adds the configured
// private addresses of that host, as at a start.
func widen(n, configured action.Network, more action.AllowHost) action.Network {
	add := func(list []string, items ...string) []string {
		list = slices.Clone(list)
		for _, item := range items {
			if !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
		return list
	}
	switch {
	case isPrivate(more.Host):
		n.AllowPrivate = add(n.AllowPrivate, more.Host)
	case more.Resource():
		n.Granted = add(n.Granted, more.Host)
	default:
		n.Navigation = add(n.Navigation, more.Host)
		n.AllowPrivate = add(n.AllowPrivate, portsOf(configured, more.Host)...)
	}
	return n
}

// requestableHost returns the host that a person could add to a session so that a
// document may come from an address; empty if no host would help or none is
// missing. Private addresses that are not configured cannot be requested.
func (nw *networks) requestableHost(session, address string) string {
	sess := nw.sessions.withID(session)
	if sess == nil {
		return ""
	}
	have := sess.reach()
	now, err := nw.try(have, address)
	if err != nil || now == nil || now.Allowed || now.Host == "" {
		return ""
	}
	then, err := nw.try(widen(have, *nw.network.Load(), action.AllowHost{Host: now.Host}), address)
	if err != nil || !then.Allowed {
		return ""
	}
	return now.Host
}

// networkUnder returns a session's network after a change of the configuration,
// including what people allowed.
func (t terms) networkUnder(configured action.Network) action.Network {
	n := underNewConfig(configured, t)
	for _, more := range t.Granted {
		n = widen(n, configured, more)
	}
	return n
}

// privateResource refuses a private address for resources only: such an address is
// always allowed for documents too.
func privateResource(a action.AllowHost) error {
	if isPrivate(a.Host) && a.Resource() {
		return fault.New(fault.InvalidRequest, "host: %s with a port is for pages and what they load alike", untrusted.Quoted(a.Host)).
			Hinted("leave for out, or the port").With("field", "for")
	}
	return nil
}

// domains parses the domains whose credentials a session requests, as the egress
// proxy parses hosts. An agent may name only those that the session may open.
// Faults: invalid_request, blocked_domain.
func (nw *networks) domains(caller action.Caller, n action.Network, domains []string) ([]string, error) {
	key := "probe-" + newID()
	if len(domains) == 0 {
		return nil, nil
	}
	if err := nw.egress.Open(key, n); err != nil {
		return nil, err
	}
	defer nw.egress.Close(key)
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

// domainOf returns the host of a caller's domain.
func (nw *networks) domainOf(box, domain string) (string, error) {
	domain = normalizeHost(domain)
	host := ""
	if domain != "" && !strings.ContainsAny(domain, "/\\?#@:*") {
		host = nw.egress.Judge(box, "https://"+domain+"/").Host
	}
	if host == "" {
		return "", fault.New(fault.InvalidRequest, "%s is no domain", untrusted.Quoted(domain)).
			Hinted("give a host, such as example.com, without scheme and port").With("field", "domain")
	}
	return host, nil
}

// opens judges whether documents of a box with this network may come from a host,
// at any port.
func (nw *networks) opens(box string, n action.Network, host string) (first action.Destination) {
	places := []string{"https://" + host + "/", "http://" + host + "/"}
	for _, port := range n.Ports {
		places = append(places, fmt.Sprintf("https://%s:%d/", host, port))
	}
	for _, place := range portsOf(n, normalizeHost(host)) {
		places = append(places, "http://"+place+"/")
	}
	for i, place := range places {
		d := nw.egress.Judge(box, place)
		if d.Allowed {
			return d
		}
		if i == 0 {
			first = d
		}
	}
	return first
}

// mayHaveCookies returns nil if documents of a box may come from a host, at any
// port, since cookies have no port. Faults: blocked_domain.
func (nw *networks) mayHaveCookies(box, host string) error {
	var network action.Network
	if sess := nw.sessions.byBox(box); sess != nil {
		network = sess.reach()
	}
	refused := nw.opens(box, network, host)
	if refused.Allowed {
		return nil
	}
	return fault.New(fault.BlockedDomain, "%s may have no cookies here: the session may not open it", host).
		Hinted("name a host the session may open, or let an operator add it to %s", navigationKey).
		With("host", host).With("reason", refused.Reason)
}

// judgeHost judges whether documents may come from a host, at any port.
func (nw *networks) judgeHost(box, host string) action.Destination {
	first := nw.egress.Judge(box, "https://"+host+"/")
	if first.Allowed || first.Host == "" || nw.mayHaveCookies(box, host) != nil {
		return first
	}
	first.Allowed, first.Reason = true, ""
	return first
}
