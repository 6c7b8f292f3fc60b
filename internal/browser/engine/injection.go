package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// injection puts credentials into the browser: cookies, storage, and headers and
// passwords of the requests that they are for.
type injection struct {
	*base
	cookies      cookies
	empty        *emptyDocuments
	certificates *certificates
	visited      *origins

	// state guards what follows, and what tabs have in tab.storage. Where base.mu is
	// needed too, it is taken first.
	state   sync.Mutex
	domains map[string]*domainCredentials // by domain
	senders map[string]sender             // by request; of origins that get headers
	paused  bool                          // every request is paused
}

// domainCredentials are the credentials that were put in for a domain. The fields
// after cookies are guarded by injection.state, the others never change.
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
	return in.intercept(ctx, func() {
		in.note(set, before, cookies)
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
	return in.intercept(ctx, func() {
		d := in.note(set, domainCredentials{}, cookies)
		d.stored = true
		for _, t := range in.tabs {
			t.storage.filled(set.Domain, d)
		}
	})
}

// clear forgets all credentials, so that requests get no headers any more.
func (in *injection) clear(ctx context.Context) error {
	return in.intercept(ctx, func() { in.domains = nil })
}

// pauseAll has every request paused, also those that only read, or not any more.
func (in *injection) pauseAll(ctx context.Context, all bool) error {
	return in.intercept(ctx, func() { in.paused = all })
}

// intercept changes which credentials there are, or which requests are paused, and
// tells the browser which requests to pause. Without its answer the change is
// undone.
func (in *injection) intercept(ctx context.Context, change func()) error {
	in.mu.Lock()
	in.state.Lock()
	old, paused := maps.Clone(in.domains), in.paused
	change()
	patterns, same := in.patternsLocked(), sameOrigins(old, in.domains) && paused == in.paused
	in.state.Unlock()
	in.mu.Unlock()
	if same {
		return nil
	}
	err := in.root.Call(ctx, "Fetch.enable", patterns, nil)
	if err != nil {
		in.state.Lock()
		defer in.state.Unlock()
		in.domains, in.paused = old, paused
	}
	return err
}

// note notes credentials that were put in. in.state is held.
func (in *injection) note(set credentials.Set, before domainCredentials, cookies []setCookie) *domainCredentials {
	if in.domains == nil {
		in.domains = map[string]*domainCredentials{}
	}
	d := &domainCredentials{set: set, before: before.set, origin: originOf(set.HomeOrigin()), cookies: cookies}
	if before.origin == d.origin && maps.Equal(before.set.HTTPAuth, set.HTTPAuth) {
		d.auth = before.auth
	}
	in.domains[set.Domain] = d
	in.visited.add(d.origin)
	return d
}

// forDomain returns the credentials that were put in for a domain, empty ones for
// none.
func (in *injection) forDomain(domain string) domainCredentials {
	in.state.Lock()
	defer in.state.Unlock()
	if d := in.domains[domain]; d != nil {
		return *d
	}
	return domainCredentials{}
}

// signedIn reports whether the browser has credentials for an address, or cannot
// tell: what the browser gets then differs from what others get.
func (in *injection) signedIn(ctx context.Context, address string) bool {
	in.mu.Lock()
	prepare := in.options.Prepare
	in.mu.Unlock()
	if prepare == nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, prepareLimit)
	defer stop()
	if prepare(ctx, address) != nil {
		return true
	}
	in.state.Lock()
	defer in.state.Unlock()
	host := pageHost(address)
	for domain := range in.domains {
		if within(host, domain) {
			return true
		}
	}
	return false
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
