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

const purgeLimit = 10 * time.Second // for a browser to let go of what was put into it, at a session's end

// purge has a browser let go of the credentials that a session got, before its
// box ends, and records that they are gone. An error says that they may be
// there: the browser's profile must not be saved then. So it is of what was put
// into storage: Chromium appends to the files of it, and what was deleted stays
// in them. What a profile was made to keep stays.
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
		EventType: "injection", CorrelationID: how.call, Timestamp: time.Now().UTC(), Actor: record.Actor, Scope: record.Scope,
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

// purgeBrowser removes the credentials of domains from a browser, into which
// nothing is put any more.
func (o *openSession) purgeBrowser(ctx context.Context, browser Browser, domains []string) error {
	ctx, stop := context.WithTimeout(ctx, purgeLimit)
	defer stop()
	if err := o.injection.stop(ctx); err != nil {
		return err
	}
	return browser.Purge(ctx, domains)
}

// readopt is for a browser that an earlier process put credentials into: their
// secrets are known again before anybody may call, and so are those that were
// imported into its profile. Those that cannot be known any more are a fault.
func (ca *credentialAccess) readopt(ctx context.Context, e entry, browser Browser) error {
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
			continue // it never came to be there in whole
		}
		if err := browser.Adopt(ctx, *set); err != nil {
			return err
		}
	}
	return ca.freshen(ctx, e.ID, browser, e.terms.domains())
}

func unknowable() error {
	return fault.New(fault.CredentialsUnavailable, "the credentials in the browser are not known any more").
		Hinted("start a new session; a profile that holds them needs the vault they came from")
}

// relearn makes what a site has put in the place of its credentials known, such
// as a new cookie: it opens the account too. It is called when a page was read,
// before anybody is told what it says.
func (ca *credentialAccess) relearn(ctx context.Context, sess *openSession) error {
	at := sess.snapshot()
	domains, browser := at.record.Credentialed, at.browser
	if len(domains) == 0 || browser == nil || sess.over() != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), proofLimit)
	defer stop()
	return ca.freshen(ctx, sess.id, browser, domains)
}

func (ca *credentialAccess) freshen(ctx context.Context, session string, browser Browser, domains []string) error {
	values, err := browser.Fresh(ctx, domains)
	if err != nil {
		return fault.New(fault.RedactionFailed, "what the site made of its credentials could not be learned").
			Hinted("try again, or start a new session").Because(err)
	}
	ca.known.Learn(session, redact.Telling(values...)...)
	return nil
}

// knownFor is how long the secrets of a session stay known after its end: for
// answers, events and files of it that are on their way out.
const knownFor = time.Hour

// outlive notes that a session has ended whose secrets are known.
func (ca *credentialAccess) outlive(sess *openSession) {
	if len(sess.now().Credentialed) == 0 {
		return
	}
	ca.mu.Lock()
	defer ca.mu.Unlock()
	ca.over[sess.id] = time.Now()
}

// forgetSecrets lets go of the secrets of sessions that ended long ago.
func (ca *credentialAccess) forgetSecrets(now time.Time) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	for id, ended := range ca.over {
		if now.Sub(ended) > knownFor {
			ca.known.Forget(id)
			delete(ca.over, id)
		}
	}
}
