package engine

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const captureLimit = 15 * time.Second // for cookies and each frame's storage; a page may be busy

// Capture returns what the browser is logged in with: the cookies of a domain
// and of what is below it, and what an origin there keeps, of the first frame of
// the active tab that is one of them. left says what was left out, and why.
// Faults: dialog_open, page_crashed, not_active, cdp_error.
func (b *Browser) Capture(ctx context.Context, domain string) (set credentials.Set, left []string, err error) {
	return b.siteData.capture(ctx, domain)
}

func (sd *siteData) capture(ctx context.Context, domain string) (set credentials.Set, left []string, err error) {
	const name = "capture"
	t := sd.current()
	if t == nil {
		return set, nil, sd.toFault(ctx, name, captureLimit, sd.noTabReason())
	}
	if err := sd.admit(ctx, t, name); err != nil {
		return set, nil, err
	}
	ctx, leave := sd.enter(ctx, t, captureLimit)
	defer leave()
	set = credentials.Set{Domain: domain}
	if left, err = sd.captureCookies(ctx, &set); err == nil {
		var more []string
		more, err = sd.captureStorage(ctx, t, &set)
		left = append(left, more...)
	}
	if err != nil {
		return credentials.Set{}, nil, sd.endedBy(ctx, t, name, captureLimit, nil, err)
	}
	return set, left, nil
}

func (sd *siteData) captureCookies(ctx context.Context, set *credentials.Set) (left []string, err error) {
	all, err := sd.cookies.all(ctx)
	if err != nil {
		return nil, err
	}
	now := float64(time.Now().Unix())
	for _, c := range all {
		wider := !within(c.Domain, set.Domain)
		switch {
		case wider && !within(set.Domain, bare(c.Domain)):
			continue // of another site
		case wider:
			left = append(left, fmt.Sprintf("cookie %s: it is for %s, which is more than %s", untrusted.Shorten(c.Name, mostQuote), c.Domain, set.Domain))
		case c.Expires >= 0 && c.Expires <= now:
			left = append(left, fmt.Sprintf("cookie %s: it has expired", untrusted.Shorten(c.Name, mostQuote)))
		case c.Partition != nil:
			left = append(left, fmt.Sprintf("cookie %s: it counts in frames of one other site only", untrusted.Shorten(c.Name, mostQuote)))
		default:
			set.Cookies = append(set.Cookies, captured(c))
		}
	}
	return left, nil
}

func captured(c cookie) credentials.Cookie {
	out := credentials.Cookie{
		Name: c.Name, Value: credentials.Keep(c.Value), Domain: c.Domain, Path: c.Path,
		HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
	}
	if c.Expires >= 0 {
		end := time.Unix(int64(c.Expires), 0).UTC()
		out.Expires = &end
	}
	return out
}

func (sd *siteData) captureStorage(ctx context.Context, t *tab, set *credentials.Set) (left []string, err error) {
	if _, err := sd.main(ctx, t); err != nil {
		return nil, err
	}
	for _, p := range sd.places(t) {
		if u, err := url.Parse(p.url); err != nil || !within(strings.ToLower(u.Hostname()), set.Domain) {
			continue
		}
		s, err := p.world.Stored(ctx)
		switch {
		case err != nil && p.frame != t.root && moved(err):
			continue
		case err != nil:
			return nil, err
		case s.Cut:
			return nil, fault.New(fault.LimitReached, "%s keeps more than can be captured", s.Origin).
				Hinted("name what is needed by a person's own store: docs/credentials.md")
		case s.Origin == "null" || len(s.Local)+len(s.Session) == 0 || s.Origin == set.Origin:
		case set.Origin != "":
			left = append(left, fmt.Sprintf("storage of %s: credentials hold that of one origin, %s", s.Origin, set.Origin))
		default:
			set.Origin, set.LocalStorage, set.SessionStorage = s.Origin, kept(s.Local), kept(s.Session)
		}
	}
	return left, nil
}

// kept makes secrets of pairs of name and value.
func kept(pairs [][2]string) map[string]credentials.Secret {
	all := make(map[string]credentials.Secret, len(pairs))
	for _, p := range pairs {
		all[p[0]] = credentials.Keep(p[1])
	}
	return all
}
