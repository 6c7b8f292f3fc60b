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
)

// What a set has for a site's storage must be there before the first script of
// the site runs, and no other document may be handed it. A script that is
// registered ahead (Page.addScriptToEvaluateOnNewDocument) is given to the
// renderer that the tab has until then, which is another site's, so it cannot
// hold the values. It holds a breakpoint: where it finds itself in the top frame
// of the origin, it stops there. The engine then hands the values over as
// arguments of a call into that document's isolated world, and lets it run on.
//
// From its start to its commit a navigation holds back all that is sent to a
// tab's renderer (Chromium 156), so the script must be there before: it is where
// a call names the address. Where a link, a form or a redirect leads to an origin
// for the first time, localStorage is filled from a hidden tab (hidden deposit),
// and what needs sessionStorage is refused: page.goto gets there.

const ambushLimit = 2 * time.Second // for a page to take in that a script is to wait; one that spins does not

// stops is the script that is registered ahead. It knows the origin only.
func stops(origin string) string {
	text, _ := json.Marshal(origin) //nolint:errchkjson // a string
	return "if (top === self && location.origin === " + string(text) + ") { debugger }"
}

// deposits puts items into the storage of its document and takes others out. It
// reports whether they are there.
const deposits = `(origin, local, session) => {
	if (top !== self || location.origin !== origin) return false;
	const put = (storage, {items, gone}) => {
		for (const name of gone) storage.removeItem(name);
		for (const [name, text] of items) storage.setItem(name, text);
		return items.every(([name, text]) => storage.getItem(name) === text);
	};
	return (!local || put(localStorage, local)) && (!session || put(sessionStorage, session));
}`

// items are what one storage gets, and the names that an earlier version had.
type items struct {
	Items [][2]string `json:"items"`
	Gone  []string    `json:"gone"`
}

// deposit is what a tab's document still lacks. nil members are in place.
type deposit struct {
	domain, origin string
	local, session *items
}

// ambush is the script that waits in a tab for a document, and its session.
type ambush struct {
	origin string
	script string // its identifier
}

// lacks returns what a document of an origin in a tab still has to get; nil for
// nothing. base.mu is held.
func (b *Browser) lacks(t *tab, origin string) *deposit {
	for domain, in := range b.injected {
		if in.origin != origin {
			continue
		}
		d := &deposit{domain: domain, origin: origin}
		if !in.stored {
			d.local = itemsOf(in.set.LocalStorage, in.before.LocalStorage)
		}
		if t.given[domain] != in {
			d.session = itemsOf(in.set.SessionStorage, in.before.SessionStorage)
		}
		if d.local != nil || d.session != nil {
			return d
		}
	}
	return nil
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

// lieInWait registers the script for a document that a call is about to ask
// for, where its storage lacks something. What waited before waits no more.
func (b *Browser) lieInWait(ctx context.Context, t *tab, address string) error {
	origin := originOf(address)
	b.mu.Lock()
	b.drop(t)
	wanted := b.lacks(t, origin) != nil
	b.mu.Unlock()
	if !wanted {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, ambushLimit)
	defer stop()
	s := t.main.session
	var added struct {
		Identifier string `json:"identifier"`
	}
	enabled := s.Send("Debugger.enable", map[string]int{"maxScriptsCacheSize": 0})
	script := s.Send("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": stops(origin), "worldName": injected.World})
	if err := errors.Join(enabled.Wait(ctx, nil), script.Wait(ctx, &added)); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t.ambush = &ambush{origin: origin, script: added.Identifier}
	return nil
}

func unready(err error) error {
	return fault.New(fault.CredentialsUnavailable, "the tab could not be made ready for stored credentials").
		Hinted("try again, or in a new tab").Because(err)
}

// drop takes the script out, if one waits. base.mu is held.
func (b *Browser) drop(t *tab) {
	if a := t.ambush; a != nil {
		t.ambush = nil
		b.work.add(func() { a.end(t) })
	}
}

func (a *ambush) end(t *tab) {
	t.main.session.Send("Page.removeScriptToEvaluateOnNewDocument", map[string]string{"identifier": a.script})
	t.main.session.Send("Debugger.disable", nil)
}

// depositEvents are of documents that a script waits for.
var depositEvents = map[string]eventHandler{
	"Debugger.paused": inTab(func(b *Browser, t *tab, from *target, _ struct{}) {
		if from == t.main {
			b.handOver(t)
		}
	}),
}

// handOver is called when a script in a tab stands still, whoever wrote it:
// only what the browser says of the top document counts. base.mu is held.
func (b *Browser) handOver(t *tab) {
	f, a := t.root, t.ambush
	s := t.main.session
	var d *deposit
	if a != nil && f.context != 0 && f.origin == a.origin {
		d = b.lacks(t, a.origin)
	}
	if d == nil {
		b.work.add(func() { s.Send("Debugger.resume", nil) })
		return
	}
	t.ambush = nil
	unique, in := f.unique, b.injected[d.domain]
	b.work.add(func() {
		b.own.Go(func() {
			b.deposited(t, d, in, hand(t, unique, d))
			s.Send("Debugger.resume", nil) // it would overtake the call
			a.end(t)
		})
	})
}

// hand hands the values of a deposit to a document.
func hand(t *tab, unique string, d *deposit) *cdp.Pending {
	return t.main.session.Send("Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": deposits, "uniqueContextId": unique, "returnByValue": true, "silent": true,
		"arguments": []any{value{d.origin}, value{d.local}, value{d.session}},
	})
}

// value is an argument of a call (CDP Runtime.CallArgument).
type value struct {
	Value any `json:"value"`
}

// deposited notes what became of a deposit.
func (b *Browser) deposited(t *tab, d *deposit, in *domainCredentials, put *cdp.Pending) {
	var answer struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	ctx, stop := context.WithTimeout(b.life, setupLimit)
	defer stop()
	err := put.Wait(ctx, &answer)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil || !answer.Result.Value {
		b.notes.add("the stored items of %s could not be put into the page's storage", d.domain)
		b.options.Log.Warn("cannot put stored items into a page", "domain", d.domain, "error", err)
		return
	}
	in.stored = true
	t.gave(d.domain, in)
}

// gave notes that a tab has what is for its sessionStorage. base.mu is held.
func (t *tab) gave(domain string, in *domainCredentials) {
	if t.given == nil {
		t.given = map[string]*domainCredentials{}
	}
	t.given[domain] = in
}

// originOf is the origin of an address; "" where it has none.
func originOf(address string) string {
	u, err := parser.Parse(address)
	if err != nil || u.Protocol() != "http:" && u.Protocol() != "https:" {
		return ""
	}
	return u.Protocol() + "//" + u.Host()
}
