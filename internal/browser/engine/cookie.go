package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// cookies lists, sets and deletes the cookies of the browser.
type cookies struct{ *base }

// list returns the cookies of the tab's browser context, or those that
// a request to a URL would carry. Faults: invalid_url.
func (ck cookies) list(ctx context.Context, t *tab, a *action.CookieList, _ action.Pin) (any, error) {
	found, err := ck.forURL(ctx, t, a.URL)
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

// sortCookies sorts cookies by domain, path and name.
func sortCookies(cookies []action.Cookie) {
	slices.SortStableFunc(cookies, func(x, y action.Cookie) int {
		return cmp.Or(cmp.Compare(bare(x.Domain), bare(y.Domain)), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Name, y.Name))
	})
}

func (ck cookies) forURL(ctx context.Context, t *tab, url string) ([]cookie, error) {
	if url == "" {
		return ck.all(ctx)
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

// all returns all cookies of our tabs.
func (ck cookies) all(ctx context.Context) ([]cookie, error) {
	var answer jar
	err := ck.root.Call(ctx, "Storage.getCookies", ck.params(nil), &answer)
	return answer.Cookies, err
}

// params are those of the Storage domain: they name the browser context of our
// tabs. Without it Chromium 156 uses its own, also when a tab is called.
func (ck cookies) params(cookies []setCookie) map[string]any {
	params := map[string]any{}
	ck.state.Do(func(s *state) { s.inContext(params) })
	if cookies != nil {
		params["cookies"] = cookies
	}
	return params
}

// set sets cookies, all or none of them: each is checked first, and its
// host held against what the session may open. What the browser does not take
// all the same is told by number. Faults: invalid_request, blocked_domain.
func (ck cookies) set(ctx context.Context, t *tab, a *action.CookieSet, _ action.Pin) (any, error) {
	here, owns := ck.facts(t).URL, ck.options().Owns
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
	lost, err := ck.put(ctx, set, setCookie.became)
	switch {
	case errors.Is(err, errCookiesRefused):
		return nil, fault.New(fault.InvalidRequest, "the browser did not take the cookies").
			Hinted("set them one by one to see which; a public suffix has no cookies").Because(err)
	case err != nil:
		return nil, err
	case lost >= 0:
		return nil, invalidCookie(lost, "name", "was not kept by the browser; others were").
			Hinted("a host keeps 180 cookies at most: delete some first")
	}
	return &action.CookiesSet{OK: true}, nil
}

// errCookiesRefused is that the browser took none of the cookies.
var errCookiesRefused = errors.New("the browser did not take the cookies")

// put sets cookies and reads them back. lost is the index of the first that the
// browser did not keep as same wants it; -1 for none. Cookies that a later one of
// the call replaces are not looked for.
func (ck cookies) put(ctx context.Context, set []setCookie, same func(setCookie, cookie) bool) (lost int, err error) {
	if len(set) == 0 {
		return -1, nil
	}
	err = ck.root.Call(ctx, "Storage.setCookies", ck.params(set), nil)
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
		return -1, fmt.Errorf("%w: %w", errCookiesRefused, err)
	}
	if err != nil {
		return -1, err
	}
	now, err := ck.all(ctx)
	if err != nil {
		return -1, err
	}
	for i, s := range set {
		kept := slices.ContainsFunc(now, func(c cookie) bool { return same(s, c) })
		if !kept && !slices.ContainsFunc(set[i+1:], s.replacedBy) {
			return i, nil
		}
	}
	return -1, nil
}

func own(owns func(string) error, host string) error {
	if owns == nil {
		return fault.New(fault.BlockedDomain, "this browser has no session: no host may have cookies").Hinted("start a session")
	}
	return owns(host)
}

// delete deletes the cookies that fit both filters, all of them when
// there is none. Faults: invalid_request.
func (ck cookies) delete(ctx context.Context, t *tab, a *action.CookieDelete, _ action.Pin) (any, error) {
	var domain string
	if a.Domain != nil {
		var known bool
		if domain, known = cookieHost(*a.Domain); !known {
			return nil, fault.New(fault.InvalidRequest, "domain is no host").
				Hinted("give a host, such as example.com; its sub-domains are meant too").With("field", "domain")
		}
	}
	all, err := ck.all(ctx)
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
// border of a label.
func within(domain, host string) bool {
	return credentials.Within(bare(domain), host)
}
