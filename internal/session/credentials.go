package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// credentialAccess injects credentials into the browsers of sessions. The
// redaction knows the secrets before a browser gets them.
type credentialAccess struct {
	config   Config
	vault    Vault
	known    *redact.SecretStore
	sessions *directory
	networks *networks
	keeper   *profileKeeper
	saver    *saver
	audit    auditor
	log      *slog.Logger
	codes    usedCodes

	mu      sync.Mutex
	endedAt map[string]time.Time // sessions that ended with secrets still known; guarded by mu
}

// noneTTL is how long the gateway caches that a host has no credentials, so that
// a page causes only one request to the vault.
const noneTTL = 3 * time.Second

// injection serialises the injections into a session's browser.
type injection struct {
	turn chan struct{}        // holds one value: a call must take it to inject
	none map[string]time.Time // hosts that had no credentials, and when; guarded by turn
}

// exclusively calls inject while no other call injects. none are the hosts
// without credentials, and when the vault was asked.
func (i *injection) exclusively(ctx context.Context, inject func(none map[string]time.Time)) error {
	select {
	case i.turn <- struct{}{}:
	case <-ctx.Done():
		return lateFault(ctx)
	}
	defer func() { <-i.turn }()
	inject(i.none)
	return nil
}

// stop prevents all further injections, and waits for a running one.
func (i *injection) stop(ctx context.Context) error {
	select {
	case i.turn <- struct{}{}: // never released
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func newInjection() injection {
	return injection{turn: make(chan struct{}, 1), none: map[string]time.Time{}}
}

// prepare injects the credentials of a document's host into a box's browser
// before the document is requested. Faults: credentials_unavailable, not_active.
func (ca *credentialAccess) prepare(ctx context.Context, box, rawURL string) error {
	sess := ca.sessions.byBox(box)
	if sess == nil { // it is being recovered, or has ended
		return fault.New(fault.CredentialsUnavailable, "the session is not ready for its credentials").
			Hinted("go there again")
	}
	host := ca.networks.egress.Judge(box, rawURL).Host
	if host == "" || !ca.injects(sess, host) {
		return nil
	}
	_, err := ca.inject(ctx, sess, host)
	return err
}

// injects reports whether documents of a host get the stored credentials, if
// there are any.
func (ca *credentialAccess) injects(sess *openSession, host string) bool {
	return ca.config.AutoInject || slices.ContainsFunc(sess.snapshot().terms.Named, func(domain string) bool { return credentials.Within(host, domain) })
}

// inject injects a host's credentials into a session's browser, once for each
// version of them. found reports whether there are any. Only one call at a time
// injects into a session; others wait. Faults: credentials_unavailable.
func (ca *credentialAccess) inject(ctx context.Context, sess *openSession, host string) (found bool, err error) {
	turnErr := sess.injection.exclusively(ctx, func(none map[string]time.Time) {
		if at, known := none[host]; known && time.Since(at) < noneTTL {
			return
		}
		if found, err = ca.injectNow(ctx, sess, host); err == nil && !found {
			none[host] = time.Now()
		}
	})
	return found, cmp.Or(err, turnErr)
}

// injectNow does the work of inject. Before the browser gets the secrets, the
// redaction knows them, and it is stored that the session has them.
func (ca *credentialAccess) injectNow(ctx context.Context, sess *openSession, host string) (found bool, err error) {
	set, err := ca.vault.For(ctx, sess.scope, host)
	if err != nil {
		err = unavailable(host, err)
		ca.recordInjection(sess, credentials.Set{Domain: host}, err)
		return false, err
	}
	if set == nil || !set.Injects() {
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

// put injects a set into a session's browser.
func (ca *credentialAccess) put(ctx context.Context, sess *openSession, set credentials.Set) error {
	browser, err := sess.openBrowser()
	if err == nil {
		err = ca.beforeSecrets(ctx, sess, set.Domain)
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
	ca.recordInjection(sess, set, err)
	if err != nil && !set.Required && ctx.Err() == nil {
		sess.with(func(st *sessionState) {
			st.addNote("the stored credentials of " + set.Domain + " could not be put in: it is visited without them")
		})
		return nil
	}
	return err
}

// mark stores which version of a domain's credentials a session has. An empty
// version means that it is about to get them. From then on the session is
// credentialed.
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

// domains returns the domains whose credentials a session has, sorted.
func (t terms) domains() []string { return slices.Sorted(maps.Keys(t.Credentialed)) }

// secretHosts returns the domains whose credentials a session has, and the hosts
// whose login was imported into its profile, sorted.
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
	return o.state.terms.Credentialed[domain]
}

// openBrowser returns a session's browser. Faults: not_active where it has none
// yet.
func (o *openSession) openBrowser() (Browser, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.browser == nil {
		return nil, notOpenFault(o.state.record)
	}
	return o.state.browser, nil
}

// recordInjection records that an injection succeeded or failed.
func (ca *credentialAccess) recordInjection(sess *openSession, set credentials.Set, err error) {
	record := sess.now()
	event := action.Record{
		EventType: action.EventInjection, Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
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
		EventType: action.EventInjection, Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, Domain: domain, Result: "used",
		Detail: fmt.Sprintf("the stored user name and password answered HTTP authentication (%s) of %s", scheme, origin),
	})
}

// unavailable is the fault of credentials that could not be injected.
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

const maxCredentialDomains = 50 // domains whose credentials a session asks for

// injectNamed injects the credentials of a domain that a navigation names, before
// the navigation starts. Faults: credentials_unavailable, also if there are none,
// and those of networks.domains.
func (ca *credentialAccess) injectNamed(ctx context.Context, sess *openSession, caller action.Caller, domain string) error {
	list, err := ca.networks.domains(caller, sess.reach(), []string{domain})
	if err != nil {
		return err
	}
	host := list[0]
	if ca.vault == nil {
		return noCredentials(host)
	}
	if err := ca.addDomain(ctx, sess, host); err != nil {
		return err
	}
	found, err := ca.inject(ctx, sess, host)
	if err == nil && !found {
		err = noCredentials(host)
	}
	return err
}

// addDomain notes that a session asks for the credentials of a domain.
func (ca *credentialAccess) addDomain(ctx context.Context, sess *openSession, host string) error {
	at := sess.snapshot()
	have := slices.Clone(at.terms.Named)
	switch {
	case slices.Contains(have, host):
		return nil
	case len(have) >= maxCredentialDomains:
		return fault.New(fault.LimitReached, "a session asks for the credentials of %d domains at most", maxCredentialDomains).
			Hinted("start another session").With("limit", "credentials").With("max", maxCredentialDomains)
	}
	return ca.saver.changeTerms(ctx, sess, func(t *terms) { t.Named = append(slices.Clone(t.Named), host) })
}

func noCredentials(host string) error {
	return fault.New(fault.CredentialsUnavailable, "there are no credentials for %s", host).
		Hinted("go there without domain_hint, or let an operator store some: glovebox vault set %s", host).With("domain", host)
}
