package engine

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/nlnwa/whatwg-url/url"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// navigator takes tabs to addresses and along their history.
type navigator struct {
	*base
	effects     *effects
	reader      *reader
	targets     *targets
	guard       *documentGuard
	observer    *observer
	credentials credentialInjector
}

const titleLimit = 5 * time.Second // to read the title of a document that has loaded, on a busy machine

var (
	hostAndPort = regexp.MustCompile(`^[^/?#:@\s]+:\d{1,5}([/?#]|$)`)
	scheme      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	parser      = url.NewParser()
)

// Address returns the URL to which a navigation to raw goes, as the browser's own
// parser reads it (WHATWG URL). It takes http, https and about:blank. Without a
// scheme it takes http for servers of development and of the local network, as
// browsers do, and https for others. Faults: missing_url, invalid_url.
func Address(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return "", fault.New(fault.MissingURL, "no URL was given").Hinted("give an http or https URL")
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return "", invalidURL("it contains control characters")
	}
	if raw == "about:blank" {
		return raw, nil
	}
	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") || strings.HasPrefix(raw, ".") || strings.HasPrefix(raw, "?") || strings.HasPrefix(raw, "#") {
		return "", fault.New(fault.InvalidURL, "the URL cannot be visited: it is relative").Hinted("give the whole address, such as https://example.com/path")
	}
	if hostAndPort.MatchString(raw) || !scheme.MatchString(raw) {
		raw = strings.TrimPrefix(raw, "//")
		raw = likelyScheme(raw) + "://" + raw
	}
	u, err := parser.Parse(raw)
	if err != nil {
		return "", invalidURL("it cannot be parsed")
	}
	if p := u.Protocol(); p != "http:" && p != "https:" {
		return "", invalidURL("only http, https and about:blank can be visited")
	}
	if u.Username() != "" || u.Password() != "" {
		return "", invalidURL("it carries a user name or password")
	}
	return u.Href(false), nil
}

// likelyScheme is the scheme of an address that has none: http for an IP address, a
// name without a dot, a name of a local network, and a port that is not one of TLS.
func likelyScheme(address string) string {
	place, _, _ := strings.Cut(strings.NewReplacer("?", "/", "#", "/").Replace(address), "/")
	u, err := parser.Parse("https://" + place)
	if err != nil || strings.HasSuffix(place, ":443") || strings.HasSuffix(place, ":8443") {
		return "https"
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, notIP := netip.ParseAddr(strings.Trim(host, "[]")); notIP == nil || action.IsLocalHost(host) || u.Port() != "" {
		return "http"
	}
	return "https"
}

func invalidURL(why string) error {
	return fault.New(fault.InvalidURL, "the URL cannot be visited: %s", why).
		Hinted("give an http or https URL, such as https://example.com/")
}

var lifecycles = map[string]string{"": "load", "load": "load", "domcontentloaded": "DOMContentLoaded", "networkidle": "networkIdle"}

type navigated struct {
	Loader   string `json:"loaderId"`
	Error    string `json:"errorText"`
	Download bool   `json:"isDownload"`
}

// visit goes to an address. Faults: missing_url, invalid_url, invalid_request,
// navigation_failed, and those of the guard.
func (nv *navigator) visit(ctx context.Context, t *tab, a *action.Goto, _ action.Pin) (any, error) {
	address, err := Address(a.URL)
	if err != nil {
		return nil, err
	}
	event := lifecycles[a.WaitUntil]
	if err := nv.guard.prepareAhead(ctx, t, address); err != nil {
		return nil, err
	}
	defer nv.guard.endAhead(t)
	before := nv.effects.mark(t)
	var answer navigated
	err = t.main.session.Call(ctx, "Page.navigate", map[string]string{"url": address}, &answer)
	if err == nil {
		if stayed := nv.stayedAt(ctx, t, before, answer); stayed != nil {
			nv.readFile(ctx, t, stayed)
			return stayed, nil
		}
		if err := nv.failed(ctx, t, address, answer); err != nil {
			nv.state.Do(func(*state) { t.lost = answer.Loader })
			return nil, err
		}
		err = nv.loaded(ctx, t, before, answer.Loader, event)
	}
	if err == nil {
		err = errors.Join(nv.proxyRefusal(t), nv.truncated(t, address, answer.Loader))
	}
	if err != nil {
		nv.giveUp(t, err)
		if shown := nv.unfinished(ctx, t, a, before, answer.Loader); shown != nil {
			return shown, nil
		}
		return nv.partly(t, before, answer.Loader), err
	}
	n := nv.arrivedAt(ctx, t, answer.Loader)
	if a.WaitUntil != "domcontentloaded" {
		nv.completeAt(ctx, t, n)
	}
	return n, nil
}

// completeAt waits for the content that a loaded document renders by script.
func (nv *navigator) completeAt(ctx context.Context, t *tab, n *action.Navigated) {
	r, reports := ctx.Value(reportKey{}).(*report)
	if !reports {
		r = &report{}
	}
	n.Loading = nv.observer.waitRendered(ctx, t, r)
	now := nv.facts(t)
	n.URL, n.Title = now.URL, now.Title
	n.Document = nv.reader.documentShown(ctx, t)
}

// stayedAt returns the result of a navigation that did not fail and leaves the page
// as it is: the server sent a download, or nothing (204, 205). Otherwise nil.
func (nv *navigator) stayedAt(ctx context.Context, t *tab, before mark, n navigated) *action.Navigated {
	status := guarded.Get(nv.state, func(*state) int { return t.status[n.Loader] })
	switch {
	case n.Download && nv.options().Downloads != "":
		bounded, stop := context.WithTimeout(ctx, downloadLimit)
		defer stop()
		if nv.await(bounded, func(*state) bool { return t.moves.downloads > before.moves.downloads }) != nil {
			return nil
		}
	case n.Error == aborted && (status == http.StatusNoContent || status == http.StatusResetContent):
	default:
		return nil
	}
	here := nv.facts(t)
	out := &action.Navigated{URL: here.URL, Title: here.Title, Status: status}
	if n.Download {
		out.Download = guarded.Get(nv.state, func(*state) string { return t.downloaded })
	} else {
		nv.notes.add("the server sent no page (%d): the page before is still there", status)
	}
	return out
}

// aborted is Chromium's error for a navigation that was cancelled.
const aborted = "net::ERR_ABORTED"

// failed returns the fault of a navigation that the browser says has failed.
func (nv *navigator) failed(ctx context.Context, t *tab, address string, n navigated) error {
	var refused error
	var status int
	var uncertified string
	nv.state.Do(func(*state) { refused, status, uncertified = t.refused, t.status[n.Loader], t.uncertified })
	switch {
	case n.Download:
		return fault.New(fault.NavigationFailed, "%s is a download, not a page", host(address)).
			With("error", "download").Hinted("downloads are off: visit a page instead")
	case n.Error == "":
		return nil
	case refused != nil && strings.Contains(n.Error, "BLOCKED_BY"):
		return refused
	case n.Error == noBody && status != 0:
		return nil // a document without a body: the status is the result
	case n.Error == aborted && uncertified != "":
		return unloaded(address, uncertified)
	case n.Error == aborted:
		return fault.New(fault.NavigationFailed, "%s sent no page (%s): the page itself went elsewhere, or the request was given up", host(address), n.Error).
			With("error", n.Error).Hinted("the page before is still there; try another URL")
	}
	if n.Error == "net::ERR_INVALID_AUTH_CREDENTIALS" && nv.credentials.passwordRefused(address) {
		return unloaded(address, authUntaken)
	}
	return unloaded(address, nv.whyUnreachable(ctx, address, n.Error))
}

// proxyRefusal returns the fault of a tab's document if the egress proxy answered in
// place of its server.
func (nv *navigator) proxyRefusal(t *tab) error {
	return guarded.Get(nv.state, func(*state) error { return t.away[t.root.loader] })
}

// loaded waits for a lifecycle event of the loader's document, or of one that
// replaced it. The error page of an earlier navigation may come late and does not
// count.
func (nv *navigator) loaded(ctx context.Context, t *tab, before mark, loader, event string) error {
	if loader == "" {
		return nil // a navigation inside the document
	}
	f, shown := t.root, false
	arrived := func(*state) bool {
		return t.closed || f.loader != before.loader && f.loader != t.lost && f.events[event] || f.loader == loader && (f.events[event] || t.failures[loader] != "")
	}
	var p place
	err := nv.await(ctx, func(s *state) bool {
		p, shown = f.place()
		shown = shown && f.loader != before.loader
		return shown || arrived(s)
	})
	if err != nil || !shown {
		return err
	}
	reportOf(ctx).prepare(p)
	if event == "networkIdle" {
		return nv.idle(ctx, f, arrived)
	}
	return nv.await(ctx, arrived)
}

// idleWait is how long a document that is there is waited for until its requests have
// ended: an event stream never ends, and a server may not answer.
const idleWait = 5 * time.Second

// idle waits until a document is there, and for some time until it makes no requests.
func (nv *navigator) idle(ctx context.Context, f *frame, arrived func(*state) bool) error {
	err := nv.await(ctx, func(s *state) bool { return f.events["DOMContentLoaded"] || arrived(s) })
	if err != nil {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, idleWait)
	defer stop()
	err = nv.await(bounded, arrived)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		nv.notes.add("the page still makes requests after %s (an event stream, polling, or a server that does not answer): wait for what you expect instead of networkidle", idleWait)
		return nil
	}
	return err
}

// giveUp stops a load that took too long, so that the tab can be used.
func (nv *navigator) giveUp(t *tab, err error) {
	if !errors.Is(err, errDialog) {
		nv.guard.unprepare(t)
		t.main.session.Send("Page.stopLoading", nil)
	}
}

// partly returns the result of a navigation whose wait a dialog ended, nil if no
// new document is shown yet.
func (nv *navigator) partly(t *tab, before mark, loader string) any {
	return guarded.Get(nv.state, func(*state) any {
		if t.dialog == nil || t.root.loader == before.loader {
			return nil
		}
		return &action.Navigated{URL: t.root.url, Title: t.title, Status: t.status[cmp.Or(loader, t.root.loader)]}
	})
}

func (nv *navigator) arrivedAt(ctx context.Context, t *tab, loader string) *action.Navigated {
	bounded, stop := context.WithTimeout(ctx, titleLimit)
	defer stop()
	_ = nv.effects.refreshTitle(bounded, t)
	return guarded.Get(nv.state, func(*state) *action.Navigated {
		return &action.Navigated{URL: t.root.url, Title: t.title, Status: cmp.Or(t.status[t.root.loader], t.status[loader])}
	})
}
