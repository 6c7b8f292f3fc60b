package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cookie is a cookie as the protocol has it (CDP Network.Cookie).
type cookie struct {
	Name      string          `json:"name"`
	Value     string          `json:"value"`
	Domain    string          `json:"domain"`
	Path      string          `json:"path"`
	Expires   float64         `json:"expires"`
	HTTPOnly  bool            `json:"httpOnly"`
	Secure    bool            `json:"secure"`
	SameSite  string          `json:"sameSite"`
	Partition json.RawMessage `json:"partitionKey,omitempty"`
}

// listCookies returns the cookies of the tab's browser context, or those that
// a request to a URL would carry. Faults: invalid_url.
func (b *Browser) listCookies(ctx context.Context, t *tab, a *action.CookieList, _ action.Pin) (any, error) {
	found, err := b.cookiesFor(ctx, t, a.URL)
	if err != nil {
		return nil, err
	}
	out := &action.CookieListing{Cookies: make([]action.Cookie, 0, len(found))}
	for _, c := range found {
		out.Cookies = append(out.Cookies, listed(c))
	}
	sortCookies(out.Cookies)
	return out, nil
}

func listed(c cookie) action.Cookie {
	return action.Cookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
		HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
	}
}

// sortCookies orders cookies by domain, path and name.
func sortCookies(cookies []action.Cookie) {
	slices.SortStableFunc(cookies, func(x, y action.Cookie) int {
		return cmp.Or(cmp.Compare(bare(x.Domain), bare(y.Domain)), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Name, y.Name))
	})
}

func (b *Browser) cookiesFor(ctx context.Context, t *tab, url string) ([]cookie, error) {
	if url == "" {
		return b.jar(ctx)
	}
	address, err := Address(url)
	if err != nil {
		return nil, err
	}
	var answer jar
	err = t.main.session.Call(ctx, "Network.getCookies", map[string]any{"urls": []string{address}}, &answer)
	return answer.Cookies, err
}

type jar struct {
	Cookies []cookie `json:"cookies"`
}

// jar returns all cookies of our tabs.
func (b *Browser) jar(ctx context.Context) ([]cookie, error) {
	var answer jar
	err := b.root.Call(ctx, "Storage.getCookies", b.storage(nil), &answer)
	return answer.Cookies, err
}

// storage names the browser context that the Storage domain is to act on: the
// browser's own unless told, also when it is called for a tab (Chromium 156).
func (b *Browser) storage(cookies []setCookie) map[string]any {
	b.mu.Lock()
	defer b.mu.Unlock()
	params := map[string]any{}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	if cookies != nil {
		params["cookies"] = cookies
	}
	return params
}

// setCookies sets cookies, all or none of them: each is checked first, and its
// host held against what the session may open. What the browser does not take
// all the same is told by number. Faults: invalid_request, blocked_domain.
func (b *Browser) setCookies(ctx context.Context, t *tab, a *action.CookieSet, _ action.Pin) (any, error) {
	b.mu.Lock()
	here, owns := t.root.url, b.options.Owns
	b.mu.Unlock()
	set := make([]setCookie, len(a.Cookies))
	for i, c := range a.Cookies {
		var err error
		if set[i], err = checkCookie(i, c, here); err != nil {
			return nil, err
		}
		if err := own(owns, set[i].host); err != nil {
			return nil, err
		}
	}
	err := b.root.Call(ctx, "Storage.setCookies", b.storage(set), nil)
	var refused *cdp.Error
	if errors.As(err, &refused) {
		return nil, fault.New(fault.InvalidRequest, "the browser did not take the cookies").
			Hinted("set them one by one to see which; a public suffix has no cookies").Because(err)
	}
	if err != nil {
		return nil, err
	}
	now, err := b.jar(ctx)
	if err != nil {
		return nil, err
	}
	for i, s := range set {
		if !slices.ContainsFunc(now, s.became) && !slices.ContainsFunc(set[i+1:], s.replacedBy) {
			return nil, invalidCookie(i, "name", "was not kept by the browser; others were").
				Hinted("a host keeps 180 cookies at most: delete some first")
		}
	}
	return &action.CookiesSet{OK: true}, nil
}

func own(owns func(string) error, host string) error {
	if owns == nil {
		return fault.New(fault.BlockedDomain, "this browser has no session: no host may have cookies").Hinted("start a session")
	}
	return owns(host)
}

// deleteCookies deletes the cookies that fit both filters, all of them when
// there is none. Faults: invalid_request.
func (b *Browser) deleteCookies(ctx context.Context, t *tab, a *action.CookieDelete, _ action.Pin) (any, error) {
	var domain string
	if a.Domain != nil {
		var known bool
		if domain, known = cookieHost(*a.Domain); !known {
			return nil, fault.New(fault.InvalidRequest, "domain is no host").
				Hinted("give a host, such as example.com; its sub-domains are meant too").With("field", "domain")
		}
	}
	all, err := b.jar(ctx)
	if err != nil {
		return nil, err
	}
	var sent []*cdp.Pending
	for _, c := range all {
		if a.Name != nil && c.Name != *a.Name || a.Domain != nil && !within(c.Domain, domain) {
			continue
		}
		sent = append(sent, t.main.session.Send("Network.deleteCookies", c.named()))
	}
	for _, p := range sent {
		err = errors.Join(err, p.Wait(ctx, nil))
	}
	if err != nil {
		return nil, err
	}
	return &action.CookiesDeleted{OK: true, Deleted: len(sent)}, nil
}

// named is what a cookie is deleted by.
func (c cookie) named() map[string]any {
	params := map[string]any{"name": c.Name, "domain": c.Domain, "path": c.Path}
	if c.Partition != nil {
		params["partitionKey"] = c.Partition
	}
	return params
}

// bare is a cookie's domain without the dot that stands for sub-domains.
func bare(domain string) string { return strings.TrimPrefix(domain, ".") }

// within reports whether a cookie's domain is a host or below it, at the
// border of a label (SPEC section 6.1).
func within(domain, host string) bool {
	return credentials.Within(bare(domain), host)
}
