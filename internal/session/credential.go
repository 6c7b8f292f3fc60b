package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// noneFor is how long a host is known to have no credentials, so that a page of
// a site without any costs the vault one question.
const noneTTL = 3 * time.Second

// injection is what a session remembers of its credentials beside its terms.
type injection struct {
	turn chan struct{}        // holds one token: who has it injects
	none map[string]time.Time // hosts that had no credentials, and when; guarded by turn
}

func newInjection() injection {
	return injection{turn: make(chan struct{}, 1), none: map[string]time.Time{}}
}

// prepare puts the credentials of a document's host into a box's browser before
// the document is requested. Faults: credentials_unavailable, not_active.
func (ca *credentialAccess) prepare(ctx context.Context, box, rawURL string) error {
	sess := ca.sessions.byBox(box)
	if sess == nil { // it is being taken up, or has ended
		return fault.New(fault.CredentialsUnavailable, "the session is not ready for its credentials").
			Hinted("go there again")
	}
	host := ca.networks.door.Judge(box, rawURL).Host
	if host == "" || !ca.injects(sess, host) {
		return nil
	}
	_, err := ca.inject(ctx, sess, host)
	return err
}

// injects reports whether documents of a host get credentials in a session, if
// there are some.
func (ca *credentialAccess) injects(sess *openSession, host string) bool {
	sess.mu.Lock()
	defer sess.mu.Unlock()
	return ca.config.AutoInject || slices.ContainsFunc(sess.terms.Named, func(domain string) bool { return credentials.Within(host, domain) })
}

// inject puts a host's credentials into a session's browser, once for each
// version of them: the secrets are known before the browser has them, and that
// it has them is stored before. Who comes while another injects waits. found
// says whether there are some. Faults: credentials_unavailable.
func (ca *credentialAccess) inject(ctx context.Context, sess *openSession, host string) (found bool, err error) {
	select {
	case sess.injection.turn <- struct{}{}:
	case <-ctx.Done():
		return false, lateFault(ctx)
	}
	defer func() { <-sess.injection.turn }()
	if at, known := sess.injection.none[host]; known && time.Since(at) < noneTTL {
		return false, nil
	}
	set, err := ca.vault.For(ctx, sess.scope, host)
	if err != nil {
		err = unavailable(host, err)
		ca.injected(sess, credentials.Set{Domain: host}, err)
		return false, err
	}
	if set == nil || !set.Injects() {
		sess.injection.none[host] = time.Now()
		return false, nil
	}
	ca.learn(sess.id, *set)
	if v := sess.credentialVersion(set.Domain); v != "" && v == set.Version {
		return true, nil
	}
	return true, ca.put(ctx, sess, *set)
}

// learn makes the secrets of a set known.
func (ca *credentialAccess) learn(session string, set credentials.Set) {
	ca.known.Learn(session, redact.Secrets(set)...)
}

// put puts a set into a session's browser. The turn must be held.
func (ca *credentialAccess) put(ctx context.Context, sess *openSession, set credentials.Set) error {
	browser, err := sess.openBrowser()
	if err == nil {
		err = ca.prepares(ctx, sess, set.Domain)
	}
	if err == nil && len(set.LocalStorage)+len(set.SessionStorage) > 0 {
		err = ca.saver.changeTerms(ctx, sess, func(t *terms) { t.Stored = true })
	}
	if err == nil {
		err = browser.Inject(ctx, set)
	}
	if err == nil {
		err = ca.mark(ctx, sess, set.Domain, set.Version)
	}
	if err != nil {
		err = unavailable(set.Domain, err)
	}
	ca.injected(sess, set, err)
	if err != nil && !set.Required && ctx.Err() == nil {
		sess.mu.Lock()
		defer sess.mu.Unlock()
		sess.addNote("the stored credentials of " + set.Domain + " could not be put in: it is visited without them")
		return nil
	}
	return err
}

// mark stores that a session has the credentials of a domain: which version, or
// that it is about to, with none. From then on it is credentialed, for its life.
func (ca *credentialAccess) mark(ctx context.Context, sess *openSession, domain, version string) error {
	return ca.saver.changeTerms(ctx, sess, func(t *terms) {
		t.Credentialed = maps.Clone(t.Credentialed)
		if t.Credentialed == nil {
			t.Credentialed = map[string]string{}
		}
		if had := t.Credentialed[domain]; had != "" && version != "" && had != version {
			t.Rotated = true
		}
		if version != "" || t.Credentialed[domain] == "" {
			t.Credentialed[domain] = version
		}
	})
}

// changeTerms changes the terms of a session. What cannot be stored does not change.
func (w *saver) changeTerms(ctx context.Context, sess *openSession, change func(*terms)) error {
	sess.reaching.Lock()
	defer sess.reaching.Unlock()
	sess.mu.Lock()
	terms := sess.terms
	sess.mu.Unlock()
	change(&terms)
	if err := w.store.saveTerms(context.WithoutCancel(ctx), sess.id, terms); err != nil {
		return err
	}
	sess.mu.Lock()
	defer sess.mu.Unlock()
	sess.terms, sess.record.Credentialed = terms, terms.secretHosts()
	return nil
}

// domains are those whose credentials a session has, in order.
func (t terms) domains() []string { return slices.Sorted(maps.Keys(t.Credentialed)) }

// secretHosts are the domains whose credentials a session has, and the hosts
// whose login was imported into its profile, in order.
func (t terms) secretHosts() []string {
	all := append(t.domains(), t.Imported...)
	slices.Sort(all)
	return slices.Compact(all)
}

// credentialVersion is the version of a domain's credentials that a session's browser has;
// empty for none.
func (o *openSession) credentialVersion(domain string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.terms.Credentialed[domain]
}

// openBrowser is a session's browser. One that starts has none yet.
func (o *openSession) openBrowser() (Browser, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.browser == nil {
		return nil, notOpen(o.record)
	}
	return o.browser, nil
}

// injected records that credentials were put into a session, or were not.
func (ca *credentialAccess) injected(sess *openSession, set credentials.Set, err error) {
	record := sess.now()
	event := action.Record{
		EventType: "injection", Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, Domain: set.Domain, Result: "ok",
	}
	if err != nil {
		event.Result, event.Error = "fault", fault.From(err).Message
	}
	if set.Path != "" {
		event.Detail = fmt.Sprintf("%s from %s, version %q", set.Counted(), set.Path, set.Version)
	}
	ca.audit.record(event)
}

// authenticated records that a stored user name and password were given to a
// server that asked for them.
func (ca *credentialAccess) authenticated(box, domain, origin, scheme string) {
	sess := ca.sessions.byBox(box)
	if sess == nil {
		return
	}
	record := sess.now()
	ca.audit.record(action.Record{
		EventType: "injection", Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, Domain: domain, Result: "used",
		Detail: fmt.Sprintf("the stored user name and password answered HTTP authentication (%s) of %s", scheme, origin),
	})
}

// unavailable is what a caller is told of credentials that could not be put in.
func unavailable(domain string, err error) error {
	if fault.CodeOf(err) == fault.CredentialsUnavailable {
		return err
	}
	return fault.New(fault.CredentialsUnavailable, "the credentials of %s could not be put in", domain).
		Hinted("try again; an operator can ask glovebox vault check %s", domain).With("domain", domain).Because(err)
}

func lateFault(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fault.New(fault.CredentialsUnavailable, "the credentials did not come in time").Hinted("try again").Because(err)
}
