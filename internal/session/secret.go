package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// secretFacts returns the facts by which the gate judges whether a secret may be
// typed. Faults: not_found, credentials_unavailable, invalid_request.
func (ca *credentialAccess) secretFacts(ctx context.Context, sess *openSession, call action.Call, address string) (*action.SecretFacts, error) {
	args, err := argsOf[action.FillSecret](call)
	if err != nil {
		return nil, err
	}
	set, err := ca.login(ctx, sess, args, address)
	if err != nil {
		return nil, err
	}
	return &action.SecretFacts{Name: args.Secret, Domain: set.Domain, Origin: originOf(*set), Free: set.FillUnasked}, nil
}

// login returns the credentials of a named secret: those of the domain in the
// arguments, or else of the host of an address.
func (ca *credentialAccess) login(ctx context.Context, sess *openSession, args *action.FillSecret, address string) (*credentials.Set, error) {
	if args.Domain != "" {
		address = "https://" + args.Domain + "/"
	}
	host := ca.networks.egress.Judge(sess.facts().Box, address).Host
	if host == "" {
		return nil, fault.New(fault.InvalidRequest, "there is no host to have credentials for").
			Hinted("go to the site's login page first, or give domain").With("field", "domain")
	}
	set, err := ca.lookUp(ctx, sess.scope, host)
	if err != nil {
		return nil, err
	}
	if set == nil || len(set.Login) == 0 || args.Domain != "" && set.Domain != host {
		return nil, fault.New(fault.NotFound, "there is nothing to log in to %s with", untrusted.Quoted(host)).
			Hinted("an operator can store it: docs/credentials.md; or ask a person: session.request_human")
	}
	if _, there := set.Login[args.Secret]; !there {
		return nil, fault.New(fault.NotFound, "the credentials of %s have no secret %s", set.Domain, untrusted.Quoted(args.Secret)).
			Hinted("username, password and totp are what they are called where the operator chose no other names").With("field", "secret")
	}
	return set, nil
}

// lookUp asks the vault. Faults: credentials_unavailable.
func (ca *credentialAccess) lookUp(ctx context.Context, scope, host string) (*credentials.Set, error) {
	if ca.vault == nil {
		return nil, fault.New(fault.CredentialsUnavailable, "this gateway has no source of credentials").
			Hinted("an operator can give it one: docs/credentials.md")
	}
	set, err := ca.vault.For(ctx, scope, host)
	var known *fault.Fault
	if err != nil && !errors.As(err, &known) {
		err = fault.New(fault.CredentialsUnavailable, "the credentials of %s cannot be had", host).
			Hinted("an operator can ask: glovebox vault check %s", host).Because(err)
	}
	return set, err
}

// originOf returns the only origin that gets the storage, headers and logins of a
// set.
func originOf(set credentials.Set) string { return strings.ToLower(set.HomeOrigin()) }

// fillSecret types a secret. Before the page gets it, the redaction knows it, and
// the session is marked as having the domain's credentials. Faults: those of
// secretFacts and of the page engine.
func (ca *credentialAccess) fillSecret(ctx context.Context, sess *openSession, call action.Call, pin action.Pin) (action.Result, error) {
	args, err := argsOf[action.FillSecret](call)
	if err != nil {
		return action.Result{}, err
	}
	set, err := ca.login(ctx, sess, args, sess.stage().browser.Page().URL)
	if err != nil {
		return action.Result{}, err
	}
	value, err := ca.typed(ctx, sess.scope, *set, args.Secret)
	if err != nil {
		return action.Result{}, err
	}
	if err := ca.beforeSecrets(ctx, sess, set.Domain, secretsIn(set, args.Secret, value)...); err != nil {
		return action.Result{}, err
	}
	filling := &engine.Filling{FillSecret: *args, Value: value, Origin: originOf(*set)}
	filling.Domain = set.Domain
	return sess.stage().browser.Do(ctx, call.Verb, filling, pin)
}

// secretsIn returns the values that no output may contain after a secret was
// typed: the secret, unless it is a user name, and the typed text.
func secretsIn(set *credentials.Set, name string, typed credentials.Secret) []credentials.Secret {
	secrets := redact.Secrets(credentials.Set{Login: map[string]credentials.Secret{name: set.Login[name]}})
	if typed != set.Login[name] {
		secrets = append(secrets, typed)
	}
	return secrets
}

// beforeSecrets is called before a session gets secrets of a domain. It makes
// them known to the redaction, stores that the session has them, and cancels the
// calls that agents may not make then. Faults: credentials_unavailable, internal.
func (ca *credentialAccess) beforeSecrets(ctx context.Context, sess *openSession, domain string, secrets ...credentials.Secret) error {
	ca.known.Learn(sess.id, secrets...)
	if err := ca.mark(ctx, sess, domain, ""); err != nil {
		return err
	}
	return sess.markCredentialed(ctx)
}

// typed returns what is typed for a secret: the secret itself, or for a seed the
// current code. Faults: credentials_unavailable.
func (ca *credentialAccess) typed(ctx context.Context, scope string, set credentials.Set, name string) (credentials.Secret, error) {
	secret := set.Login[name]
	if name != "totp" && !strings.HasPrefix(secret.Reveal(), "otpauth:") {
		return secret, nil
	}
	seed, err := credentials.ParseOneTime(secret)
	if err != nil {
		return credentials.Secret{}, fault.New(fault.CredentialsUnavailable, "the secret %s of %s makes no one-time codes: %s", name, set.Domain, err).
			Hinted("an operator has to store the seed as the site showed it, in base32 or as otpauth://totp/…")
	}
	return ca.codes.next(ctx, scope+" "+set.Domain+" "+name, seed)
}

// noteScripted records that an agent is about to run its own code in a session,
// since the code could later read what is typed there.
func (o *openSession) noteScripted(call action.Call) {
	if call.Caller.Role == action.Operator || !slices.Contains([]string{action.VerbPageExecute.Name, action.VerbCDPAttach.Name}, call.Verb) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.pause.Scripted, o.state.dirty = true, true
}

// minCodeLife is how long a one-time code must still be valid when it is typed,
// since the form is sent later.
const minCodeLife = 3 * time.Second

// usedCodes stores the one-time codes that were typed. None is typed twice, since
// a site accepts it once (RFC 6238, 5.2). The zero value is ready.
type usedCodes struct {
	mu   sync.Mutex
	used map[string]time.Time // by scope, domain and name: the end of the last period whose code was typed
}

// next returns an unused code that is valid long enough. It waits for one until
// ctx ends.
func (o *usedCodes) next(ctx context.Context, of string, seed credentials.OneTime) (credentials.Secret, error) {
	for {
		now := time.Now()
		code, ends := seed.Code(now)
		if left := ends.Sub(now); left > minCodeLife && o.claim(of, ends) {
			return code, nil
		}
		timer := time.NewTimer(time.Until(ends))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return credentials.Secret{}, context.Cause(ctx)
		}
	}
}

// claim reserves the code of the period that ends at ends. It returns false if
// the code was used.
func (o *usedCodes) claim(of string, ends time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.used[of].Before(ends) {
		return false
	}
	if o.used == nil {
		o.used = map[string]time.Time{}
	}
	o.used[of] = ends
	return true
}
