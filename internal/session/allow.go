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
func (nw *networks) allow(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.AllowHost](call)
	if err != nil {
		return action.Result{}, err
	}
	sess, err := nw.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	more := *args
	more.Host = normalizeHost(more.Host)
	if err := privateResource(more); err != nil {
		return action.Result{Session: sess.id}, err
	}
	sess.reaching.Lock()
	defer sess.reaching.Unlock()
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

// widenTo lets a session reach more. What cannot be stored is not allowed.
// l.reaching must be held.
func (nw *networks) widenTo(ctx context.Context, sess *openSession, more action.AllowHost) error {
	wider := widen(sess.reach(), *nw.network.Load(), more)
	if _, err := nw.try(wider, ""); err != nil {
		return err
	}
	terms := sess.terms
	terms.Granted = append(slices.Clone(terms.Granted), more)
	if err := nw.store.saveTerms(context.WithoutCancel(ctx), sess.id, terms); err != nil {
		return err
	}
	box := sess.now().Box
	if err := nw.door.Open(box, wider); err != nil {
		return err
	}
	sess.mu.Lock()
	defer sess.mu.Unlock()
	if !isOpen(sess.record.State) {
		nw.door.Close(box) // it ended meanwhile, and its rules with it
		return sess.endedFault()
	}
	sess.terms, sess.network, sess.record.Allow = terms, wider, allowed(wider)
	if more.Resource() {
		sess.addNote("a person allowed what pages load from " + more.Host)
	} else {
		sess.addNote("a person allowed host " + more.Host + ": try again what was blocked")
	}
	return nil
}

// reach returns what a session may reach now.
func (o *openSession) reach() action.Network {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.network
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

// missingHost returns the host that a person could add to a session so that a
// document may come from an address; empty where no host would help, or none
// is missing. Private places that are not configured cannot be asked for.
func (nw *networks) missingHost(session, address string) string {
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

// networkUnder is what a session may reach under a configuration that may have changed
// since it started, with what people allowed it meanwhile.
func (t terms) networkUnder(configured action.Network) action.Network {
	n := underNewConfig(configured, t)
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
