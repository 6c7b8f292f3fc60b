package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Keeper is a Vault that can be written.
type Keeper interface {
	// Put stores the credentials of set.Domain in a scope, in place of the
	// stored ones of that domain. Faults: credentials_unavailable,
	// invalid_request if the set is invalid.
	Put(ctx context.Context, scope string, set credentials.Set) error
}

// capture stores the login state of a session's browser in the vault. Faults:
// invalid_request, not_found if there is none, credentials_unavailable, and those
// of the page engine.
func (ca *credentialAccess) capture(ctx context.Context, call action.Call, args *action.Capture) (action.Result, error) {
	keeper, writes := ca.vault.(Keeper)
	if !writes {
		return action.Result{}, fault.New(fault.CredentialsUnavailable, "this gateway's source of credentials cannot be written").
			Hinted("use the encrypted file or HashiCorp Vault: security.credentials.vault_backend, docs/credentials.md")
	}
	sess, err := ca.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	defer leave()
	done, err := ca.captureIn(ctx, sess, args, keeper)
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	return action.Result{Session: sess.id, Data: done, Page: sess.now().Page}, nil
}

// captureIn reads the login state of the browser, makes the secrets known to the
// redaction, marks the session as credentialed, and stores the result.
func (ca *credentialAccess) captureIn(ctx context.Context, sess *openSession, args *action.Capture, keeper Keeper) (*action.Captured, error) {
	domain, err := ca.networks.domainOf(sess.facts().Box, args.Domain)
	if err != nil {
		return nil, err
	}
	end, err := endOf(args.Expires)
	if err != nil {
		return nil, err
	}
	set, left, err := sess.stage().browser.Capture(ctx, domain)
	if err != nil {
		return nil, err
	}
	narrow(&set, args, end)
	if !set.Injects() {
		return nil, fault.New(fault.NotFound, "the session has nothing of %s to save", untrusted.Quoted(domain)).
			Hinted("log in first, and stay on a page of the site for its storage").With("left", left)
	}
	if err := ca.beforeSecrets(ctx, sess, domain, redact.Secrets(set)...); err != nil {
		return nil, err
	}
	done := &action.Captured{
		OK: true, Domain: domain, Origin: set.Origin, Left: left,
		Cookies: len(set.Cookies), LocalStorage: len(set.LocalStorage), SessionStorage: len(set.SessionStorage),
	}
	had, err := ca.vault.For(ctx, sess.scope, domain)
	if err != nil {
		return nil, err
	}
	if had != nil && had.Domain == domain {
		if set, err = merged(*had, set, args); err != nil {
			return nil, err
		}
	}
	if err := keeper.Put(ctx, sess.scope, set); err != nil {
		return nil, err
	}
	return done, ca.markStored(ctx, sess, domain)
}

// markStored records that the session has the stored credentials of a domain, so
// that they are not injected again over newer ones of the site.
func (ca *credentialAccess) markStored(ctx context.Context, sess *openSession, domain string) error {
	kept, err := ca.vault.For(ctx, sess.scope, domain)
	if err != nil || kept == nil {
		return err
	}
	return ca.mark(ctx, sess, domain, kept.Version)
}

func endOf(expires string) (*time.Time, error) {
	if expires == "" {
		return nil, nil
	}
	end, err := time.Parse(time.RFC3339, expires)
	if err != nil || !end.After(time.Now()) {
		return nil, fault.New(fault.InvalidRequest, "expires is no time to come").
			Hinted("write it as in RFC 3339: 2030-01-31T00:00:00Z").With("field", "expires")
	}
	end = end.UTC()
	return &end, nil
}

// isWanted reports whether a kind must be captured: yes, unless the call says no.
func isWanted(kind *bool) bool { return kind == nil || *kind }

// narrow removes from a set what was not requested.
func narrow(set *credentials.Set, args *action.Capture, end *time.Time) {
	unnamed := func(name string) bool { return len(args.Only) > 0 && !slices.Contains(args.Only, name) }
	set.Cookies = slices.DeleteFunc(set.Cookies, func(c credentials.Cookie) bool { return !isWanted(args.Cookies) || unnamed(c.Name) })
	for i, c := range set.Cookies {
		if end != nil && (c.Expires == nil || c.Expires.After(*end)) {
			set.Cookies[i].Expires = end
		}
	}
	for kind, take := range map[*map[string]credentials.Secret]bool{
		&set.LocalStorage: isWanted(args.LocalStorage), &set.SessionStorage: isWanted(args.SessionStorage),
	} {
		for name := range *kind {
			if !take || unnamed(name) {
				delete(*kind, name)
			}
		}
	}
	if len(set.LocalStorage)+len(set.SessionStorage) == 0 {
		set.Origin = ""
	}
}

// merged joins the stored credentials of a domain with those that were captured. A
// captured kind replaces the stored one, or is added to it. Logins, headers and the
// operator's settings stay. Storage and headers are of one origin. Faults:
// invalid_request.
func merged(had, taken credentials.Set, args *action.Capture) (credentials.Set, error) {
	stored := len(taken.LocalStorage)+len(taken.SessionStorage) > 0
	others := len(had.Headers)+len(had.Login)+len(had.HTTPAuth) > 0 || args.Mode == "merge" && len(had.LocalStorage)+len(had.SessionStorage) > 0
	if stored && others && taken.Origin != originOf(had) {
		return had, fault.New(fault.InvalidRequest, "what is kept of %s is for the origin %s, and the page's is %s", had.Domain, originOf(had), taken.Origin).
			Hinted("capture without localStorage and sessionStorage, or remove the credentials that are kept")
	}
	merge := args.Mode == "merge"
	if isWanted(args.Cookies) {
		had.Cookies = cookiesOf(had.Cookies, taken.Cookies, merge)
	}
	if isWanted(args.LocalStorage) {
		had.LocalStorage = entriesOf(had.LocalStorage, taken.LocalStorage, merge)
	}
	if isWanted(args.SessionStorage) {
		had.SessionStorage = entriesOf(had.SessionStorage, taken.SessionStorage, merge)
	}
	if stored {
		had.Origin = taken.Origin
	}
	return had, nil
}

// cookiesOf returns the cookies to store. A cookie is identified by its name,
// domain and path (RFC 6265, 5.3).
func cookiesOf(had, taken []credentials.Cookie, merge bool) []credentials.Cookie {
	if !merge {
		return taken
	}
	all := slices.Clone(taken)
	for _, c := range had {
		if !slices.ContainsFunc(taken, func(t credentials.Cookie) bool { return t.Name == c.Name && t.Domain == c.Domain && t.Path == c.Path }) {
			all = append(all, c)
		}
	}
	return all
}

func entriesOf(had, taken map[string]credentials.Secret, merge bool) map[string]credentials.Secret {
	all := map[string]credentials.Secret{}
	if merge {
		maps.Copy(all, had)
	}
	maps.Copy(all, taken)
	return all
}
