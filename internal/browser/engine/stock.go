package engine

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// stock fills what the storage of a document's origin lacks, where no script
// waits for the document. Faults: credentials_unavailable.
func (b *Browser) stock(ctx context.Context, t *tab, address string) error {
	origin := originOf(address)
	b.mu.Lock()
	d := b.lacks(t, origin)
	waited := t.ambush != nil && t.ambush.origin == origin
	again := t.given != nil && d != nil && t.given[d.domain] != nil
	in := (*domainCredentials)(nil)
	if d != nil {
		in = b.injected[d.domain]
	}
	b.mu.Unlock()
	switch {
	case d == nil || waited:
		return nil
	case d.session != nil && !again:
		return fault.New(fault.CredentialsUnavailable, "what is stored for %s can be put into a tab only where a call names the address", d.domain).
			Hinted("go there with page.goto").With("domain", d.domain)
	case d.local == nil:
		return nil
	}
	return b.stockApart(ctx, d, in)
}

// stockApart fills an origin's localStorage from a hidden tab.
func (b *Browser) stockApart(ctx context.Context, d *deposit, in *domainCredentials) error {
	t, unique, err := b.emptyDocument(ctx, d.origin)
	if err != nil {
		return unready(err)
	}
	defer b.targets.discard(ctx, t)
	only := &deposit{domain: d.domain, origin: d.origin, local: d.local}
	b.deposited(t, only, in, hand(t, unique, only))
	b.mu.Lock()
	defer b.mu.Unlock()
	if !in.stored {
		return fault.New(fault.CredentialsUnavailable, "what is stored for %s could not be put into its storage", d.domain).
			Hinted("try again; a site that blocks storage cannot be given any").With("domain", d.domain)
	}
	return nil
}

// leftIn counts the items that an origin's localStorage has.
func (b *Browser) leftIn(ctx context.Context, origin string) (int, error) {
	t, unique, err := b.emptyDocument(ctx, origin)
	if err != nil {
		return 0, err
	}
	defer b.targets.discard(ctx, t)
	var answer struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
	}
	err = t.main.session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": "() => localStorage.length", "uniqueContextId": unique, "returnByValue": true,
	}, &answer)
	return answer.Result.Value, err
}

// emptyDocument opens a hidden tab that shows an empty document of an origin,
// for which no server is asked, and returns the world in it. Close it.
func (b *Browser) emptyDocument(ctx context.Context, origin string) (_ *tab, unique string, err error) {
	t, err := b.newHiddenTab(ctx, CrawlOptions{})
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if err != nil {
			b.targets.discard(ctx, t)
		}
	}()
	unique, err = b.showEmpty(ctx, t, origin)
	return t, unique, err
}

// errNoDocument: the browser shows no document of an origin, such as one with a
// port that it does not connect to.
var errNoDocument = errors.New("the browser shows no document of the origin")

// showEmpty has a hidden tab show an empty document of an origin, and returns
// the world in it.
func (b *Browser) showEmpty(ctx context.Context, t *tab, origin string) (unique string, err error) {
	address := origin + "/.glovebox-" + rand.Text()
	b.mu.Lock()
	t.visit = &visit{address: address, empty: true}
	b.mu.Unlock()
	s := t.main.session
	bypass := s.Send("Network.setBypassServiceWorker", map[string]bool{"bypass": true})
	var answer struct {
		Error string `json:"errorText"`
	}
	if err := s.Call(ctx, "Page.navigate", map[string]string{"url": address}, &answer); err != nil {
		return "", err
	}
	if answer.Error != "" {
		return "", fmt.Errorf("%w: %s", errNoDocument, answer.Error)
	}
	if err := bypass.Wait(ctx, nil); err != nil {
		return "", err
	}
	err = b.await(ctx, func() bool {
		unique = t.root.unique
		return t.closed || t.crashed || t.root.context != 0 && t.root.origin == origin
	})
	return unique, err
}

// answerEmpty answers a document's request with an empty document.
func (dg *documentGuard) answerEmpty(from *target, p paused) {
	headers := []map[string]string{
		{"name": "Content-Type", "value": "text/html"}, {"name": "Cache-Control", "value": "no-store"},
		{"name": "Content-Security-Policy", "value": "default-src 'none'"},
	}
	dg.work.add(func() {
		from.session.Send("Fetch.fulfillRequest", map[string]any{
			"requestId": p.ID, "responseCode": http.StatusOK, "responseHeaders": headers,
			"body": base64.StdEncoding.EncodeToString([]byte("<!doctype html>")),
		})
	})
}
