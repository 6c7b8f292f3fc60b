package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const purgeLimit = 10 * time.Second // to remove credentials from a browser at the end of a session

// purge removes the credentials that a session got from its browser, before its
// box ends, and records that. After an error they may still be there, so the
// profile must not be saved. The same holds for credentials in storage, because
// Chromium appends to these files and deleted values remain. A profile with
// keepCredentials keeps them.
func (ca *credentialAccess) purge(ctx context.Context, sess *openSession, how ending) error {
	at := sess.snapshot()
	t, browser := at.terms, at.browser
	if len(t.Credentialed) == 0 {
		return nil
	}
	if keeps, err := ca.keeper.keeps(ctx, t); err != nil || keeps {
		return err
	}
	err := errors.New("there is no browser to ask")
	if browser != nil {
		err = sess.purgeBrowser(ctx, browser, t.domains())
	}
	record := sess.now()
	event := action.Record{
		EventType: action.EventInjection, CorrelationID: how.call, Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
		SessionID: record.ID, ContainerID: record.Box, Result: "purged",
		Detail: "cookies, storage and caches are gone from the browser: " + strings.Join(t.domains(), ", "),
	}
	if err != nil {
		ca.log.WarnContext(ctx, "a browser kept credentials; its box is destroyed", "session", sess.id, "error", err)
		err = unkeepable()
		event.Result, event.Error = "fault", "the browser did not let go of all; its box is destroyed"
		event.Detail = "not shown to be gone: " + strings.Join(t.domains(), ", ")
	}
	ca.audit.record(event)
	if err == nil && t.Profile != "" && t.Stored {
		err = unkeepable()
	}
	return err
}

// purgeBrowser removes the credentials of domains from a browser, and prevents
// further injections.
func (o *openSession) purgeBrowser(ctx context.Context, browser Browser, domains []string) error {
	ctx, stop := context.WithTimeout(ctx, purgeLimit)
	defer stop()
	if err := o.injection.stop(ctx); err != nil {
		return err
	}
	return browser.Purge(ctx, domains)
}

// learnAgain makes the secrets of a recovered browser known to the redaction:
// those that an earlier process injected, and an imported login. It is called
// before any call. Faults: credentials_unavailable if they cannot be known any
// more.
func (ca *credentialAccess) learnAgain(ctx context.Context, e entry, browser Browser) error {
	if err := ca.learnImported(ctx, e, browser); err != nil {
		return err
	}
	if len(e.terms.Credentialed) == 0 {
		return nil
	}
	if ca.vault == nil || e.terms.Rotated {
		return unknowable()
	}
	for domain, version := range e.terms.Credentialed {
		set, err := ca.vault.For(ctx, e.Scope, domain)
		switch {
		case err != nil:
			return err
		case set == nil, set.Domain != domain, version != "" && set.Version != version:
			return unknowable()
		}
		ca.learn(e.ID, *set)
		if version == "" {
			continue // the injection was not complete
		}
		if err := browser.Adopt(ctx, *set); err != nil {
			return err
		}
	}
	return ca.learnFresh(ctx, e.ID, browser, e.terms.domains())
}

func unknowable() error {
	return fault.New(fault.CredentialsUnavailable, "the credentials in the browser are not known any more").
		Hinted("start a new session; a profile that holds them needs the vault they came from")
}

// learnRotated makes values known to the redaction with which a site replaced its
// credentials, such as a new session cookie. It is called after a page was read
// and before the answer.
func (ca *credentialAccess) learnRotated(ctx context.Context, sess *openSession) error {
	at := sess.snapshot()
	domains, browser := at.record.Credentialed, at.browser
	if len(domains) == 0 || browser == nil || sess.over() != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), proofLimit)
	defer stop()
	return ca.learnFresh(ctx, sess.id, browser, domains)
}

func (ca *credentialAccess) learnFresh(ctx context.Context, session string, browser Browser, domains []string) error {
	values, err := browser.Fresh(ctx, domains)
	if err != nil {
		return fault.New(fault.RedactionFailed, "what the site made of its credentials could not be learned").
			Hinted("try again, or start a new session").Because(err)
	}
	ca.known.Learn(session, redact.WithoutSettings(values...)...)
	return nil
}

// knownFor is how long the secrets of a session stay known after its end, for
// answers, events and files that are still being sent.
const knownFor = time.Hour

// keepKnown records the end of a session with known secrets.
func (ca *credentialAccess) keepKnown(sess *openSession) {
	if len(sess.now().Credentialed) == 0 {
		return
	}
	ca.mu.Lock()
	defer ca.mu.Unlock()
	ca.endedAt[sess.id] = time.Now()
}

// forgetSecrets removes the secrets of sessions that ended long ago.
func (ca *credentialAccess) forgetSecrets(now time.Time) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	for id, ended := range ca.endedAt {
		if now.Sub(ended) > knownFor {
			ca.known.Forget(id)
			delete(ca.endedAt, id)
		}
	}
}
