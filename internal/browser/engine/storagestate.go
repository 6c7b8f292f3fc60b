package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Unshown is why StorageState leaves an origin out whose localStorage it could
// not read.
const Unshown = "the browser shows no document of the origin"

func unshown(err error) bool {
	return errors.Is(err, errNoDocument) || errors.Is(err, context.DeadlineExceeded)
}

// readItems returns the entries of localStorage that JSON can carry, and how
// many it cannot: names and values with half of a surrogate pair.
const readItems = `() => {
	const names = Array.from({length: localStorage.length}, (_, i) => localStorage.key(i)); // Object.keys lacks "length" and the like
	const all = names.map(name => [name, localStorage.getItem(name)]);
	const items = all.filter(pair => pair.every(text => text.isWellFormed()));
	return {items, unreadable: all.length - items.length};
}`

// writeItems sets entries of localStorage and reports whether they are there.
const writeItems = `items => {
	try {
		for (const [name, text] of items) localStorage.setItem(name, text);
	} catch {
		return false;
	}
	return items.every(([name, text]) => localStorage.getItem(name) === text);
}`

// siteData reads, restores and removes what sites keep in the browser.
type siteData struct {
	*base
	cookies   cookies
	targets   *targets
	empty     *emptyDocuments
	injection *injection
	visited   *origins
}

// Origins are the origins that documents came from since the engine has the
// browser, in order; 500 at most.
func (b *Browser) Origins() []string { return b.siteData.visited.all() }

const mostOrigins = 500 // that documents came from

// origins are the origins that documents came from or that were given credentials.
type origins struct {
	mu   sync.Mutex
	seen map[string]bool
}

// add notes where a document came from.
func (o *origins) add(address string) {
	origin := originOf(address)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	if origin != "" && len(o.seen) < mostOrigins {
		o.seen[origin] = true
	}
}

func (o *origins) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.seen))
}

// of returns the origins of domains and of what is below them.
func (o *origins) of(domains []string) []string {
	return slices.DeleteFunc(o.all(), func(origin string) bool {
		host := pageHost(origin)
		return !slices.ContainsFunc(domains, func(d string) bool { return within(host, d) })
	})
}

// StorageState returns the cookies of the browser, and the localStorage of
// origins that have any. Cookies of one embedding site and what JSON cannot
// carry are left out, and said. Faults: not_active, cdp_error.
func (b *Browser) StorageState(ctx context.Context, origins []string) (action.StorageState, error) {
	return b.siteData.storageState(ctx, origins)
}

func (sd *siteData) storageState(ctx context.Context, origins []string) (action.StorageState, error) {
	all, err := sd.cookies.all(ctx)
	if err != nil {
		return action.StorageState{}, sd.stateFault(ctx, err)
	}
	out := action.StorageState{Cookies: []action.Cookie{}, Origins: []action.OriginState{}}
	for _, c := range all {
		if c.Partition != nil {
			out.Left = action.LeaveOut(out.Left, action.LeftOut{Host: bare(c.Domain), Why: "it counts in frames of one other site only", Cookies: 1})
			continue
		}
		out.Cookies = append(out.Cookies, listed(c))
	}
	sortCookies(out.Cookies)
	err = sd.empty.each(ctx, origins, func(ctx context.Context, t *tab, origin string) error {
		var s struct {
			Items      [][2]string `json:"items"`
			Unreadable int         `json:"unreadable"`
		}
		switch err := sd.empty.call(ctx, t, origin, readItems, nil, &s); {
		case unshown(err):
			out.Left = action.LeaveOut(out.Left, action.LeftOut{Host: pageHost(origin), Why: Unshown})
			return nil
		case err != nil:
			return err
		}
		if s.Unreadable > 0 {
			out.Left = action.LeaveOut(out.Left, action.LeftOut{Host: pageHost(origin), Why: "JSON cannot carry it", LocalStorage: s.Unreadable})
		}
		if len(s.Items) > 0 {
			out.Origins = append(out.Origins, action.OriginState{Origin: origin, LocalStorage: itemsIn(s.Items)})
		}
		return nil
	})
	if err != nil {
		return action.StorageState{}, sd.stateFault(ctx, err)
	}
	return out, nil
}

func itemsIn(pairs [][2]string) []action.StorageItem {
	items := make([]action.StorageItem, len(pairs))
	for i, p := range pairs {
		items[i] = action.StorageItem{Name: p[0], Value: p[1]}
	}
	slices.SortFunc(items, func(x, y action.StorageItem) int { return strings.Compare(x.Name, y.Name) })
	return items
}

// CheckCookie refuses a cookie that no browser would take, and says which host
// it is for. Faults: invalid_request, which begins with place and never repeats
// a value.
func CheckCookie(c action.NewCookie, place string) (host string, err error) {
	s, err := checkCookie(0, c, "")
	if err != nil {
		problem := strings.TrimPrefix(fault.From(err).Message, "cookies.0.")
		return "", fault.New(fault.InvalidRequest, "%s: %s", place, problem).Hinted("correct the file, or take that entry out; entries are counted from 0, lines from 1; nothing was imported").With("field", "file")
	}
	return s.host, nil
}

// Restore sets cookies and entries of localStorage, beside what there is. What
// has the same name is replaced. Where it faults some may be there and others
// not. Faults: invalid_request for what the browser does not take or keep.
func (b *Browser) Restore(ctx context.Context, cookies []action.NewCookie, origins []action.OriginState) error {
	return b.siteData.restore(ctx, cookies, origins)
}

func (sd *siteData) restore(ctx context.Context, cookies []action.NewCookie, origins []action.OriginState) error {
	set := make([]setCookie, len(cookies))
	for i, c := range cookies {
		var err error
		if set[i], err = checkCookie(i, c, ""); err != nil {
			return err
		}
	}
	if err := sd.restoreCookies(ctx, set); err != nil {
		return sd.stateFault(ctx, err)
	}
	of := map[string][][2]string{}
	var names []string
	for _, o := range origins {
		if _, has := of[o.Origin]; !has {
			names = append(names, o.Origin)
		}
		for _, item := range o.LocalStorage {
			of[o.Origin] = append(of[o.Origin], [2]string{item.Name, item.Value})
		}
	}
	err := sd.empty.each(ctx, names, func(ctx context.Context, t *tab, origin string) error {
		var kept bool
		switch err := sd.empty.call(ctx, t, origin, writeItems, []any{value{lastOf(of[origin])}}, &kept); {
		case unshown(err):
			return fault.New(fault.InvalidRequest, "the browser shows no document of %s", origin).
				Hinted("take that origin out of the file").Because(err)
		case err != nil:
			return err
		case !kept:
			return fault.New(fault.InvalidRequest, "the browser did not keep the localStorage of %s", origin).
				Hinted("an origin has 5 MiB at most; take the large entries out of the file")
		}
		return nil
	})
	return sd.stateFault(ctx, err)
}

// lastOf keeps the last value of each name.
func lastOf(pairs [][2]string) [][2]string {
	last := map[string]int{}
	for i, p := range pairs {
		last[p[0]] = i
	}
	out := [][2]string{}
	for i, p := range pairs {
		if last[p[0]] == i {
			out = append(out, p)
		}
	}
	return out
}

// restoreCookies sets cookies and reads them back.
func (sd *siteData) restoreCookies(ctx context.Context, set []setCookie) error {
	lost, err := sd.cookies.put(ctx, set, setCookie.became)
	switch {
	case errors.Is(err, errCookiesRefused):
		return fault.New(fault.InvalidRequest, "the browser did not take the cookies").
			Hinted("a public suffix has no cookies; import fewer hosts to see which it is").Because(err)
	case err != nil:
		return err
	case lost >= 0:
		return fault.New(fault.InvalidRequest, "the browser did not keep the cookie %q of %s", set[lost].Name, set[lost].host).
			Hinted("a host keeps 180 cookies at most: take some out of the file")
	}
	return nil
}

// stateFault makes a fault of an error; a fault stays as it is.
func (sd *siteData) stateFault(ctx context.Context, err error) error {
	if known := (*fault.Fault)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	return sd.toFault(ctx, "storage state", captureLimit, err)
}
