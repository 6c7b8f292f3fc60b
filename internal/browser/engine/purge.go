package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// Inject puts the credentials of a domain into the browser: all of them, or
// none. What an earlier version of the set put in and this one does not have is
// removed. Faults: credentials_unavailable, which names what the browser did not
// take and never repeats a value.
func (b *Browser) Inject(ctx context.Context, set credentials.Set) error {
	return b.injection.inject(ctx, set)
}

// Adopt takes over what an earlier connection put into the browser: requests
// get its headers again; cookies and storage are there. Faults: as Inject.
func (b *Browser) Adopt(ctx context.Context, set credentials.Set) error {
	return b.injection.adopt(ctx, set)
}

// Fresh returns the values of the cookies that requests to domains, and to what
// is below them, carry now.
func (b *Browser) Fresh(ctx context.Context, domains []string) ([]credentials.Secret, error) {
	all, err := b.siteData.cookies.all(ctx)
	if err != nil {
		return nil, err
	}
	var values []credentials.Secret
	for _, c := range all {
		if c.Value != "" && slices.ContainsFunc(domains, c.reaches) {
			values = append(values, credentials.Keep(c.Value))
		}
	}
	return values, nil
}

// reaches reports whether requests to a domain, or to what is below it, carry a
// cookie.
func (c cookie) reaches(domain string) bool {
	return within(c.Domain, domain) || strings.HasPrefix(c.Domain, ".") && within(domain, bare(c.Domain))
}

// Purge removes all that domains have in the browser: cookies, storage, caches and
// workers, injected or their own. Tabs are closed before, and requests get no
// headers any more. It reads back what it can: an error says that something is, or
// may be, left.
func (b *Browser) Purge(ctx context.Context, domains []string) error {
	return b.siteData.purge(ctx, domains)
}

func (sd *siteData) purge(ctx context.Context, domains []string) error {
	if err := sd.injection.clear(ctx); err != nil {
		return err
	}
	t, err := sd.onlyTab(ctx)
	if err != nil {
		return err
	}
	if err := sd.clearStorage(ctx, t, domains); err != nil {
		return err
	}
	return sd.clearCookies(ctx, t, domains)
}

// onlyTab opens an empty tab and closes the others: what runs in them may write.
func (sd *siteData) onlyTab(ctx context.Context) (*tab, error) {
	t, err := sd.targets.newTab(ctx)
	if err != nil {
		return nil, err
	}
	others := guarded.Get(sd.state, func(s *state) []*tab { return slices.Collect(maps.Values(s.tabs)) })
	for _, other := range others {
		if other == t {
			continue
		}
		if err := sd.targets.shut(ctx, other); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// clearStorage clears the storage of the origins of domains, and the cache of
// what was loaded.
func (sd *siteData) clearStorage(ctx context.Context, t *tab, domains []string) error {
	s := t.main.session
	sent := []*cdp.Pending{s.Send("Network.clearBrowserCache", nil)}
	seen := sd.visited.of(domains)
	origins := slices.Clone(seen)
	for _, d := range domains {
		origins = append(origins, "https://"+d, "http://"+d)
	}
	for _, origin := range origins {
		sent = append(sent, s.Send("Storage.clearDataForOrigin", map[string]string{"origin": origin, "storageTypes": "all"}))
	}
	var err error
	for _, p := range sent {
		err = errors.Join(err, p.Wait(ctx, nil))
	}
	for _, origin := range seen {
		if err == nil {
			err = sd.isEmpty(ctx, s, origin)
		}
	}
	return err
}

// isEmpty reads back that an origin has nothing.
func (sd *siteData) isEmpty(ctx context.Context, s *cdp.Session, origin string) error {
	var answer struct {
		Usage float64 `json:"usage"`
	}
	if err := s.Call(ctx, "Storage.getUsageAndQuota", map[string]string{"origin": origin}, &answer); err != nil {
		return err
	}
	if answer.Usage > 0 {
		return fmt.Errorf("%s still has %.0f bytes of storage", origin, answer.Usage)
	}
	left, err := sd.empty.countItems(ctx, origin)
	if err == nil && left > 0 {
		err = fmt.Errorf("%s still has %d stored items", origin, left)
	}
	return err
}

// clearCookies deletes the cookies of domains and reads back that none is left.
func (sd *siteData) clearCookies(ctx context.Context, t *tab, domains []string) error {
	all, err := sd.cookies.all(ctx)
	if err != nil {
		return err
	}
	var sent []*cdp.Pending
	for _, c := range all {
		if slices.ContainsFunc(domains, c.reaches) {
			sent = append(sent, t.main.session.Send("Network.deleteCookies", c.named()))
		}
	}
	for _, p := range sent {
		err = errors.Join(err, p.Wait(ctx, nil))
	}
	if err != nil {
		return err
	}
	if all, err = sd.cookies.all(ctx); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(c cookie) bool { return slices.ContainsFunc(domains, c.reaches) }) {
		return errors.New("cookies are left")
	}
	return nil
}
