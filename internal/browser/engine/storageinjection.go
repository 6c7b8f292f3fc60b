package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// The items that a set has for the storage of a site must be there before the first
// script of the site runs, and no other document may get them. A script that is
// registered for documents to come (Page.addScriptToEvaluateOnNewDocument) is given
// to the renderer that the tab has at that time, which is another site's, so it
// cannot hold the values. It has a breakpoint instead, at which it stops in the top
// frame of the origin. The engine then passes the values as arguments of a call into
// that document's isolated world, and lets it run on.
//
// From the start of a navigation to its commit Chromium 156 delays all that is sent
// to the renderer of a tab, so the script must be registered before: where a call
// names the address. Where a link, a form or a redirect leads to an origin for the
// first time, localStorage is filled from a hidden tab, and a set with items for
// sessionStorage is refused: page.goto gets there.

const armLimit = 2 * time.Second // for a page to take the script; a page that runs an endless loop does not

// breakpoint is the script that is registered. It knows the origin only.
func breakpoint(origin string) string {
	text, _ := json.Marshal(origin) //nolint:errchkjson // a string
	return "if (top === self && location.origin === " + string(text) + ") { debugger }"
}

// fillFunction sets items in the storage of its document and removes others. It
// reports whether they are there.
const fillFunction = `(origin, local, session) => {
	if (top !== self || location.origin !== origin) return false;
	const put = (storage, {items, gone}) => {
		for (const name of gone) storage.removeItem(name);
		for (const [name, text] of items) storage.setItem(name, text);
		return items.every(([name, text]) => storage.getItem(name) === text);
	};
	return (!local || put(localStorage, local)) && (!session || put(sessionStorage, session));
}`

// items are the items to set in one storage, and the names to remove, which an
// earlier version of the set had.
type items struct {
	Items [][2]string `json:"items"`
	Gone  []string    `json:"gone"`
}

// storageInjection are the items that a tab's document still lacks. nil members are
// in place.
type storageInjection struct {
	domain, origin string
	local, session *items
}

// tabStorage is what is known of the storage of a tab.
type tabStorage struct {
	armed *armedScript                  // nil when no script waits for a document
	has   map[string]*domainCredentials // the credentials that its sessionStorage has, by domain
}

// storageOf returns what is known of the storage of a tab, to change it.
func (c *credentialSets) storageOf(t *tab) *tabStorage {
	known := c.storage[t]
	if known == nil {
		if c.storage == nil {
			c.storage = map[*tab]*tabStorage{}
		}
		known = &tabStorage{}
		c.storage[t] = known
	}
	return known
}

// filled notes that a tab has the items of its sessionStorage.
func (s *tabStorage) filled(domain string, d *domainCredentials) {
	if s.has == nil {
		s.has = map[string]*domainCredentials{}
	}
	s.has[domain] = d
}

// armedScript is a script that waits in a tab for a document.
type armedScript struct {
	origin string
	script string // its identifier
}

// missing returns the items that a document of an origin in a tab still lacks, nil
// for none, and the credentials that they are of.
func (c *credentialSets) missing(t *tab, origin string) (*storageInjection, *domainCredentials) {
	for domain, d := range c.domains {
		if d.origin != origin {
			continue
		}
		s := &storageInjection{domain: domain, origin: origin}
		if !d.stored {
			s.local = itemsOf(d.set.LocalStorage, d.before.LocalStorage)
		}
		if known := c.storage[t]; known == nil || known.has[domain] != d {
			s.session = itemsOf(d.set.SessionStorage, d.before.SessionStorage)
		}
		if s.local != nil || s.session != nil {
			return s, d
		}
	}
	return nil, nil
}

func itemsOf(values, before map[string]credentials.Secret) *items {
	if len(values)+len(before) == 0 {
		return nil
	}
	out := &items{Items: [][2]string{}, Gone: []string{}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out.Items = append(out.Items, [2]string{name, values[name].Reveal()})
	}
	for name := range before {
		if _, has := values[name]; !has {
			out.Gone = append(out.Gone, name)
		}
	}
	return out
}

// arm registers the script for a document that a call is about to request, where the
// storage of the document lacks something. It replaces a script from before.
func (in *injection) arm(ctx context.Context, t *tab, address string) error {
	origin := originOf(address)
	in.disarm(t)
	if !guarded.Get(&in.sets, func(c *credentialSets) bool { s, _ := c.missing(t, origin); return s != nil }) {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, armLimit)
	defer stop()
	session := t.main.session
	var added struct {
		Identifier string `json:"identifier"`
	}
	enabled := session.Send("Debugger.enable", map[string]int{"maxScriptsCacheSize": 0})
	script := session.Send("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": breakpoint(origin), "worldName": injected.World})
	if err := errors.Join(enabled.Wait(ctx, nil), script.Wait(ctx, &added)); err != nil {
		return err
	}
	in.sets.Do(func(c *credentialSets) {
		c.storageOf(t).armed = &armedScript{origin: origin, script: added.Identifier}
	})
	return nil
}

func errNotReady(err error) error {
	return fault.New(fault.CredentialsUnavailable, "the tab could not be made ready for stored credentials").
		Hinted("try again, or in a new tab").Because(err)
}

// disarm removes the script, if one waits.
func (in *injection) disarm(t *tab) {
	if a := in.takeArmed(t); a != nil {
		in.work.add(func() { a.remove(t) })
	}
}

// takeArmed returns the script that waits in a tab, nil for none. It waits no more.
func (in *injection) takeArmed(t *tab) *armedScript {
	return guarded.Get(&in.sets, func(c *credentialSets) *armedScript {
		known := c.storage[t]
		if known == nil {
			return nil
		}
		a := known.armed
		known.armed = nil
		return a
	})
}

func (a *armedScript) remove(t *tab) {
	t.main.session.Send("Page.removeScriptToEvaluateOnNewDocument", map[string]string{"identifier": a.script})
	t.main.session.Send("Debugger.disable", nil)
}

// storageEvents are of documents that a script waits for.
var storageEvents = map[string]eventHandler{
	"Debugger.paused": inTab(func(b *Browser, s *state, t *tab, from *target, _ struct{}) {
		if from == t.main {
			b.injection.fillPaused(s, t)
		}
	}),
}

// fillPaused is called when a script in a tab has stopped, which may be a script of
// the page: only what the browser says of the top document counts.
func (in *injection) fillPaused(_ *state, t *tab) {
	f, session := t.root, t.main.session
	var s *storageInjection
	var d *domainCredentials
	var armed *armedScript
	in.sets.Do(func(c *credentialSets) {
		known := c.storage[t]
		if known == nil || known.armed == nil || f.context == 0 || f.origin != known.armed.origin {
			return
		}
		if s, d = c.missing(t, f.origin); s != nil {
			armed, known.armed = known.armed, nil
		}
	})
	if armed == nil {
		in.work.add(func() { session.Send("Debugger.resume", nil) })
		return
	}
	unique := f.unique
	in.work.add(func() {
		in.own.Go(func() {
			in.noteFilled(t, s, d, sendItems(t, unique, s))
			session.Send("Debugger.resume", nil) // it would overtake the call
			armed.remove(t)
		})
	})
}

// sendItems passes the items to a document.
func sendItems(t *tab, unique string, s *storageInjection) *cdp.Pending {
	return t.main.session.Send("Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": fillFunction, "uniqueContextId": unique, "returnByValue": true, "silent": true,
		"arguments": []any{value{s.origin}, value{s.local}, value{s.session}},
	})
}

// value is an argument of a call (CDP Runtime.CallArgument).
type value struct {
	Value any `json:"value"`
}

// noteFilled waits for the answer of a document that was passed items, and notes
// whether it has them.
func (in *injection) noteFilled(t *tab, s *storageInjection, d *domainCredentials, sent *cdp.Pending) {
	var answer struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	ctx, stop := context.WithTimeout(in.life, setupLimit)
	defer stop()
	err := sent.Wait(ctx, &answer)
	if err != nil || !answer.Result.Value {
		in.notes.add("the stored items of %s could not be put into the page's storage", s.domain)
		in.log().Warn("cannot put stored items into a page", "domain", s.domain, "error", err)
		return
	}
	in.sets.Do(func(c *credentialSets) {
		d.stored = true
		c.storageOf(t).filled(s.domain, d)
	})
}

// fillStorage fills what the storage of a document's origin lacks, where no script
// waits for the document. Faults: credentials_unavailable.
func (in *injection) fillStorage(ctx context.Context, t *tab, address string) error {
	origin := originOf(address)
	var s *storageInjection
	var d *domainCredentials
	var armed, again bool
	in.sets.Do(func(c *credentialSets) {
		s, d = c.missing(t, origin)
		if known := c.storage[t]; known != nil {
			armed = known.armed != nil && known.armed.origin == origin
			again = s != nil && known.has[s.domain] != nil
		}
	})
	switch {
	case s == nil || armed:
		return nil
	case s.session != nil && !again:
		return fault.New(fault.CredentialsUnavailable, "what is stored for %s can be put into a tab only where a call names the address", s.domain).
			Hinted("go there with page.goto").With("domain", s.domain)
	case s.local == nil:
		return nil
	}
	return in.fillFromHiddenTab(ctx, s, d)
}

// fillFromHiddenTab fills an origin's localStorage from a hidden tab.
func (in *injection) fillFromHiddenTab(ctx context.Context, s *storageInjection, d *domainCredentials) error {
	t, unique, err := in.empty.open(ctx, s.origin)
	if err != nil {
		return errNotReady(err)
	}
	defer in.empty.targets.discard(ctx, t)
	local := &storageInjection{domain: s.domain, origin: s.origin, local: s.local}
	in.noteFilled(t, local, d, sendItems(t, unique, local))
	if !guarded.Get(&in.sets, func(*credentialSets) bool { return d.stored }) {
		return fault.New(fault.CredentialsUnavailable, "what is stored for %s could not be put into its storage", s.domain).
			Hinted("try again; a site that blocks storage cannot be given any").With("domain", s.domain)
	}
	return nil
}

// originOf is the origin of an address; "" where it has none.
func originOf(address string) string {
	u, err := parser.Parse(address)
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return ""
	}
	return u.Protocol() + "//" + u.Host()
}
