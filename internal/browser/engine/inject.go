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
)

// domainCredentials is what was put in for a domain. Its fields are guarded by
// Browser.mu.
type domainCredentials struct {
	set     credentials.Set
	before  credentials.Set // the version that was there until then
	origin  string
	cookies []setCookie
	stored  bool // what is for localStorage is there

	answered authAnswers // HTTP authentication
}

// Inject puts the credentials of a domain into the browser: all of them, or
// none. What an earlier version of the set put in and this one has not is taken
// out. Faults: credentials_unavailable, which names what the browser did not
// take and never repeats a value.
func (b *Browser) Inject(ctx context.Context, set credentials.Set) error {
	cookies, err := cookiesOf(set)
	if err != nil {
		return err
	}
	if set.Origin != "" && !within(pageHost(set.Origin), set.Domain) {
		return untaken("the origin of the credentials of %s is of another domain", set.Domain)
	}
	before := b.injectedFor(set.Domain)
	if err := b.injectCookies(ctx, cookies); err != nil {
		return errors.Join(err, b.withdraw(ctx, cookies))
	}
	gone := slices.DeleteFunc(slices.Clone(before.cookies), func(c setCookie) bool { return slices.ContainsFunc(cookies, c.replacedBy) })
	if err := b.withdraw(ctx, gone); err != nil {
		return untaken("the cookies of an earlier version could not be taken out").Because(err)
	}
	return b.intercept(ctx, func() {
		b.inject(set, before, cookies)
		b.notes.add("signed in to %s with stored credentials: %s", set.Domain, set.Counted())
	})
}

// intercept changes what is injected, and has the browser ask about the
// requests that it is for. Without an answer nothing has changed.
func (b *Browser) intercept(ctx context.Context, change func()) error {
	b.mu.Lock()
	old, paused := maps.Clone(b.injected), b.outgoing.pausesAll.Load()
	change()
	patterns, same := b.patterns(), sameOrigins(old, b.injected) && paused == b.outgoing.pausesAll.Load()
	b.mu.Unlock()
	if same {
		return nil
	}
	err := b.root.Call(ctx, "Fetch.enable", patterns, nil)
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.injected = old
		b.outgoing.pausesAll.Store(paused)
	}
	return err
}

// inject notes what was put in. base.mu is held.
func (b *Browser) inject(set credentials.Set, before domainCredentials, cookies []setCookie) *domainCredentials {
	if b.injected == nil {
		b.injected = map[string]*domainCredentials{}
	}
	in := &domainCredentials{set: set, before: before.set, origin: originOf(set.HomeOrigin()), cookies: cookies}
	if before.origin == in.origin && maps.Equal(before.set.HTTPAuth, set.HTTPAuth) {
		in.answered = before.answered
	}
	b.injected[set.Domain] = in
	b.cameFrom(in.origin)
	return in
}

// injectedFor is what was put in for a domain; an empty one for none.
func (b *Browser) injectedFor(domain string) domainCredentials {
	b.mu.Lock()
	defer b.mu.Unlock()
	if in := b.injected[domain]; in != nil {
		return *in
	}
	return domainCredentials{}
}

// cookiesOf are the cookies of a set as the browser takes them. One for another
// domain than the set's is none of its.
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
			return nil, untaken("the credentials of %s have an unsound cookie: %s", set.Domain, fault.From(err).Message)
		}
		if !within(checked.host, set.Domain) {
			return nil, untaken("cookies.%d of the credentials of %s is for another domain", i, set.Domain)
		}
		cookies[i] = checked
	}
	return cookies, nil
}

// injectCookies sets cookies and reads them back.
func (b *Browser) injectCookies(ctx context.Context, cookies []setCookie) error {
	if len(cookies) == 0 {
		return nil
	}
	err := b.root.Call(ctx, "Storage.setCookies", b.storage(cookies), nil)
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
		return untaken("the browser did not take the stored cookies")
	}
	if err != nil {
		return err
	}
	now, err := b.jar(ctx)
	if err != nil {
		return err
	}
	for i, c := range cookies {
		if !slices.ContainsFunc(now, c.stands) && !slices.ContainsFunc(cookies[i+1:], c.replacedBy) {
			return untaken("the browser did not keep the stored cookie %q as it is", c.Name)
		}
	}
	return nil
}

// stands reports whether c is s, with all that it says of who gets it.
func (s setCookie) stands(c cookie) bool {
	return s.became(c) && c.HTTPOnly == s.HTTPOnly && c.Secure == s.Secure && c.SameSite == s.SameSite &&
		strings.HasPrefix(c.Domain, ".") == (s.Domain != "") && (c.Expires == sessionEnd) == (s.Expires == nil)
}

// withdraw takes cookies out, whatever their values are by now.
func (b *Browser) withdraw(ctx context.Context, cookies []setCookie) error {
	if len(cookies) == 0 {
		return nil
	}
	t := b.current()
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

func untaken(format string, args ...any) *fault.Fault {
	return fault.New(fault.CredentialsUnavailable, format, args...).
		Hinted("let an operator correct what is stored; glovebox vault check says what would be put in")
}
