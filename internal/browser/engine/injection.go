package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// injection puts credentials into the browser: cookies, storage, and headers and
// passwords of the requests that they are for.
type injection struct {
	*base
	cookies cookies
	empty   *emptyDocuments
	visited *origins
	sets    guarded.Value[credentialSets] // locked after the state, where both are needed
}

// credentialSets are the credentials that were put into the browser, and where they
// are. Functions that are handed them run while they are locked.
type credentialSets struct {
	domains map[string]*domainCredentials // by domain
	senders map[string]sender             // by request; of origins that get headers
	storage map[*tab]*tabStorage          // of open tabs
}

// domainCredentials are the credentials that were put in for a domain. The fields
// after cookies may change.
type domainCredentials struct {
	set     credentials.Set
	before  credentials.Set // the version that was there until then
	origin  string
	cookies []setCookie

	stored bool        // localStorage has its items
	auth   authAnswers // HTTP authentication
}

// inject puts the credentials of a domain into the browser: see Browser.Inject.
func (in *injection) inject(ctx context.Context, set credentials.Set) error {
	cookies, err := cookiesOf(set)
	if err != nil {
		return err
	}
	if set.Origin != "" && !within(pageHost(set.Origin), set.Domain) {
		return notTaken("the origin of the credentials of %s is of another domain", set.Domain)
	}
	before := in.forDomain(set.Domain)
	if err := in.putCookies(ctx, cookies); err != nil {
		return errors.Join(err, in.removeCookies(ctx, cookies))
	}
	gone := slices.DeleteFunc(slices.Clone(before.cookies), func(c setCookie) bool { return slices.ContainsFunc(cookies, c.replacedBy) })
	if err := in.removeCookies(ctx, gone); err != nil {
		return notTaken("the cookies of an earlier version could not be taken out").Because(err)
	}
	return in.intercept(ctx, func(_ *state, c *credentialSets) {
		in.visited.add(c.note(set, before, cookies).origin)
		in.notes.add("signed in to %s with stored credentials: %s", set.Domain, set.Counted())
	})
}

// adopt takes over what an earlier connection put into the browser: see
// Browser.Adopt.
func (in *injection) adopt(ctx context.Context, set credentials.Set) error {
	cookies, err := cookiesOf(set)
	if err != nil {
		return err
	}
	return in.intercept(ctx, func(s *state, c *credentialSets) {
		d := c.note(set, domainCredentials{}, cookies)
		in.visited.add(d.origin)
		d.stored = true
		for _, t := range s.tabs {
			c.storageOf(t).filled(set.Domain, d)
		}
	})
}

// clear forgets all credentials, so that requests get no headers any more.
func (in *injection) clear(ctx context.Context) error {
	return in.intercept(ctx, func(_ *state, c *credentialSets) { c.domains = nil })
}

// intercept changes which credentials there are, and tells the browser whether it is to
// ask for a user name and password. Without its answer the change is undone.
func (in *injection) intercept(ctx context.Context, change func(s *state, c *credentialSets)) error {
	var before credentialSets
	var paused map[string]any
	var same bool
	in.state.Do(func(s *state) {
		in.sets.Do(func(c *credentialSets) {
			before = credentialSets{domains: maps.Clone(c.domains)}
			change(s, c)
			paused, same = pausing(c.domains), answersAuth(before.domains) == answersAuth(c.domains)
		})
	})
	if same {
		return nil
	}
	err := in.root.Call(ctx, "Fetch.enable", paused, nil)
	if err != nil {
		in.sets.Do(func(c *credentialSets) { c.domains = before.domains })
	}
	return err
}

// note notes credentials that were put in.
func (c *credentialSets) note(set credentials.Set, before domainCredentials, cookies []setCookie) *domainCredentials {
	if c.domains == nil {
		c.domains = map[string]*domainCredentials{}
	}
	d := &domainCredentials{set: set, before: before.set, origin: originOf(set.HomeOrigin()), cookies: cookies}
	if before.origin == d.origin && maps.Equal(before.set.HTTPAuth, set.HTTPAuth) {
		d.auth = before.auth
	}
	c.domains[set.Domain] = d
	return d
}

// forDomain returns the credentials that were put in for a domain, empty ones for
// none.
func (in *injection) forDomain(domain string) domainCredentials {
	return guarded.Get(&in.sets, func(c *credentialSets) domainCredentials {
		if d := c.domains[domain]; d != nil {
			return *d
		}
		return domainCredentials{}
	})
}

// forget forgets a tab that is closed.
func (in *injection) forget(t *tab) {
	in.sets.Do(func(c *credentialSets) { delete(c.storage, t) })
}

// signedIn reports whether the browser has credentials for an address, or cannot
// tell: what the browser gets then differs from what others get.
func (in *injection) signedIn(ctx context.Context, address string) bool {
	prepare := in.options().Prepare
	if prepare == nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, prepareLimit)
	defer stop()
	if prepare(ctx, address) != nil {
		return true
	}
	host := pageHost(address)
	return guarded.Get(&in.sets, func(c *credentialSets) bool {
		for domain := range c.domains {
			if within(host, domain) {
				return true
			}
		}
		return false
	})
}

// cookiesOf are the cookies of a set as the browser takes them. A cookie for another
// domain than the set's is refused.
func cookiesOf(set credentials.Set) ([]setCookie, error) {
	cookies := make([]setCookie, len(set.Cookies))
	for i, c := range set.Cookies {
		value, expires := c.Value.Reveal(), (*float64)(nil)
		if c.Expires != nil {
			at := float64(c.Expires.Unix())
			expires = &at
		}
		domain := c.Domain
		if domain == "" {
			domain = set.Domain
		}
		checked, err := checkCookie(i, action.NewCookie{
			Name: c.Name, Value: &value, Domain: domain, Path: c.Path, Expires: expires,
			HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
		}, "")
		if err != nil {
			return nil, notTaken("the credentials of %s have an unsound cookie: %s", set.Domain, fault.From(err).Message)
		}
		if !within(checked.host, set.Domain) {
			return nil, notTaken("cookies.%d of the credentials of %s is for another domain", i, set.Domain)
		}
		cookies[i] = checked
	}
	return cookies, nil
}

// putCookies sets cookies and reads them back.
func (in *injection) putCookies(ctx context.Context, set []setCookie) error {
	lost, err := in.cookies.put(ctx, set, setCookie.keptAs)
	switch {
	case errors.Is(err, errCookiesRefused):
		return notTaken("the browser did not take the stored cookies")
	case err != nil:
		return err
	case lost >= 0:
		return notTaken("the browser did not keep the stored cookie %q as it is", set[lost].Name)
	}
	return nil
}

// keptAs reports whether c is s, with everything that decides which requests carry
// it.
func (s setCookie) keptAs(c cookie) bool {
	return s.became(c) && c.HTTPOnly == s.HTTPOnly && c.Secure == s.Secure && c.SameSite == s.SameSite &&
		strings.HasPrefix(c.Domain, ".") == (s.Domain != "") && (c.Expires == sessionEnd) == (s.Expires == nil)
}

// removeCookies deletes cookies, whatever their values are by now.
func (in *injection) removeCookies(ctx context.Context, cookies []setCookie) error {
	if len(cookies) == 0 {
		return nil
	}
	t := in.current()
	if t == nil {
		return noTab()
	}
	var sent []*cdp.Pending
	for _, c := range cookies {
		domain := c.host
		if c.Domain != "" {
			domain = c.Domain
		}
		sent = append(sent, t.main.session.Send("Network.deleteCookies", map[string]any{"name": c.Name, "domain": domain, "path": c.Path}))
	}
	var err error
	for _, p := range sent {
		err = errors.Join(err, p.Wait(ctx, nil))
	}
	return err
}

func notTaken(format string, args ...any) *fault.Fault {
	return fault.New(fault.CredentialsUnavailable, format, args...).
		Hinted("let an operator correct what is stored; glovebox vault check says what would be put in")
}

// credentialInjector is the part that puts credentials into the browser.
type credentialInjector interface {
	// fillStorage fills the storage of a document's origin before it is requested.
	fillStorage(ctx context.Context, t *tab, address string) error
	// arm has the next document of a tab given its storage as it begins.
	arm(ctx context.Context, t *tab, address string) error
	// disarm undoes arm.
	disarm(t *tab)
	// resume lets a paused request go on, with the headers of its origin or without.
	resume(p paused, headers bool)
	// passwordRefused reports whether the origin of an address refused the stored
	// user name and password.
	passwordRefused(address string) bool
}
