package session

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// allow adds a host to what a session may reach, whatever was configured: a
// person decided it. Its agent is told with its next answer. Faults:
// invalid_request for what is no host, and those of session.show.
func (r *Registry) allow(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.AllowHost](call)
	if err != nil {
		return action.Result{}, err
	}
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	more := *args
	more.Host = fold(more.Host)
	if err := privateResource(more); err != nil {
		return action.Result{Session: l.id}, err
	}
	l.reaching.Lock()
	defer l.reaching.Unlock()
	if err := r.widenTo(ctx, l, more); err != nil {
		return action.Result{Session: l.id}, err
	}
	what := "documents"
	if more.Resource() {
		what = "resources"
	}
	r.event(l.now(), call.ID, call.Caller.Actor+" allowed "+what+" from "+more.Host)
	return shown(l.now()), nil
}

// widenTo lets a session reach more. What cannot be stored is not allowed.
// l.reaching must be held.
func (r *Registry) widenTo(ctx context.Context, l *live, more action.AllowHost) error {
	wider := widen(l.reach(), *r.network.Load(), more)
	if _, err := r.tryNetwork(wider, ""); err != nil {
		return err
	}
	terms := l.terms
	terms.Granted = append(slices.Clone(terms.Granted), more)
	if err := r.ledger.reach(context.WithoutCancel(ctx), l.id, terms); err != nil {
		return err
	}
	box := l.now().Box
	if err := r.door.Open(box, wider); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isOpen(l.record.State) {
		r.door.Close(box) // it ended meanwhile, and its rules with it
		return l.gone()
	}
	l.terms, l.network, l.record.Allow = terms, wider, allowed(wider)
	if more.Resource() {
		l.note("a person allowed what pages load from " + more.Host)
	} else {
		l.note("a person allowed host " + more.Host + ": try again what was blocked")
	}
	return nil
}

// reach returns what a session may reach now.
func (l *live) reach() action.Network {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.network
}

// widen returns n with one more host. With a host by its name come the private
// places that are configured for it, as at a start.
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

// RequestableHost returns the host that a person could add to a session so that a
// document may come from an address; empty where no host would help, or none
// is missing. Private places that are not configured cannot be asked for.
func (r *Registry) RequestableHost(session, address string) string {
	r.mu.Lock()
	l := r.live[session]
	r.mu.Unlock()
	if l == nil {
		return ""
	}
	have := l.reach()
	now, err := r.tryNetwork(have, address)
	if err != nil || now == nil || now.Allowed || now.Host == "" {
		return ""
	}
	then, err := r.tryNetwork(widen(have, *r.network.Load(), action.AllowHost{Host: now.Host}), address)
	if err != nil || !then.Allowed {
		return ""
	}
	return now.Host
}

// again is what a session may reach under a configuration that may have changed
// since it started, with what people allowed it meanwhile.
func (t terms) again(configured action.Network) action.Network {
	n := renew(configured, t)
	for _, more := range t.Granted {
		n = widen(n, configured, more)
	}
	return n
}

// privateResource refuses what has no meaning: a place that may be private is
// for documents and what they load alike.
func privateResource(a action.AllowHost) error {
	if isPrivate(a.Host) && a.Resource() {
		return fault.New(fault.InvalidRequest, "host: %s with a port is for pages and what they load alike", quoted(a.Host)).
			Hinted("leave for out, or the port").With("field", "for")
	}
	return nil
}
