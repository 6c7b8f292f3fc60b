package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"mime"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"
)

// An offline tab lays out pages that the engine has fetched without the browser, so
// that they are read as any other page is. It is a hidden tab in a browser context
// of its own: it has no cookies and no storage of the session, and its proxy does
// not exist. The engine replies to its requests for the document and for style
// sheets; every other request fails.
type offlineTab struct {
	targets *targets
	turn    chan struct{} // holds a token while nobody uses the tab

	mu      sync.Mutex
	tab     *tab   // nil if there is none
	context string // its browser context
	origin  string // pages of it may take the place of the one that the tab shows; "" for none
	closed  bool
}

func newOfflineTab(ts *targets) *offlineTab {
	o := &offlineTab{targets: ts, turn: make(chan struct{}, 1)}
	o.turn <- struct{}{}
	return o
}

// take waits until nobody uses the tab, and opens it if there is none. The caller
// calls release.
func (o *offlineTab) take(ctx context.Context) (*tab, error) {
	select {
	case <-o.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	o.mu.Lock()
	t := o.tab
	o.mu.Unlock()
	if t != nil && o.targets.usable(t) {
		return t, nil
	}
	o.dispose(ctx, false)
	t, err := o.open(ctx)
	if err != nil {
		o.release(ctx, t, false)
		return nil, err
	}
	return t, nil
}

// release lets others use the tab. One that may hang is closed.
func (o *offlineTab) release(ctx context.Context, t *tab, usable bool) {
	if usable {
		o.targets.setVisit(t, nil)
	} else {
		o.dispose(ctx, false)
	}
	o.turn <- struct{}{}
}

// reuse notes the origin of which pages may take the place of the one that the tab
// shows.
func (o *offlineTab) reuse(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.origin = origin
}

// reusable reports whether a page may take the place of the one that the tab shows:
// a page of the same origin that is UTF-8, as its server says, and has no policy of
// its own. What a mobile page says of its viewport stays with the window.
func (o *offlineTab) reusable(v *visit) bool {
	o.mu.Lock()
	same := o.origin != "" && o.origin == originOf(v.address)
	o.mu.Unlock()
	mobile := o.targets.options().mobile()
	page := v.reply.document
	_, params, err := mime.ParseMediaType(page.headers["Content-Type"])
	return same && !mobile && err == nil && strings.EqualFold(params["charset"], "utf-8") && utf8.Valid(page.body) &&
		!bytes.HasPrefix(page.body, []byte("\ufeff")) && page.headers["Content-Language"] == "" && page.headers[policyHeader] == noScripts
}

// noProxy is an address of the box at which nothing listens.
const noProxy = "127.0.0.1:9"

// open opens the tab in a new browser context.
func (o *offlineTab) open(ctx context.Context) (*tab, error) {
	root := o.targets.root
	var made struct {
		ID string `json:"browserContextId"`
	}
	params := map[string]any{"disposeOnDetach": true, "proxyServer": noProxy, "proxyBypassList": "<-loopback>"}
	if err := root.Call(ctx, "Target.createBrowserContext", params, &made); err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.context = made.ID
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return nil, errClosedTab
	}
	denied := map[string]string{"behavior": "deny", "browserContextId": made.ID}
	if err := root.Call(ctx, "Browser.setDownloadBehavior", denied, nil); err != nil {
		return nil, err
	}
	t, err := o.targets.newHiddenTab(ctx, hiddenTab{context: made.ID, intercept: everyRequest, offline: true})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errClosedTab
	}
	o.tab = t
	return t, nil
}

// dispose closes the tab with its context, even if the call has ended. After the
// last time, none is opened.
func (o *offlineTab) dispose(ctx context.Context, last bool) {
	o.mu.Lock()
	in := o.context
	o.tab, o.context, o.origin = nil, "", ""
	o.closed = o.closed || last
	o.mu.Unlock()
	if in == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer stop()
	if err := o.targets.root.Call(ctx, "Target.disposeBrowserContext", map[string]string{"browserContextId": in}, nil); err != nil {
		o.targets.log().Debug("cannot close an offline tab", "error", err)
	}
}

// response is what a server sent, or what is sent in its place.
type response struct {
	body    []byte
	headers map[string]string
}

// reply is what a hidden tab gets in place of a server's answers.
type reply struct {
	document response
	// sheet returns a style sheet that the document needs; ok is false if it cannot be
	// had. It may block. nil: there are none.
	sheet func(address string) (r response, ok bool)
}

// replyTo answers a request of a hidden tab whose visit has a reply.
func (dg *documentGuard) replyTo(_ *state, t *tab, from *target, p paused) {
	v := t.visit
	fail := func() {
		from.session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "Aborted"})
	}
	switch {
	case p.Type == "Document" && p.Frame == t.root.id && !v.begun && sameDocument(v.address, p.Request.URL):
		v.begun = true
		dg.work.add(func() { fulfil(from, p, v.reply.document) })
	case p.Type == "Stylesheet" && v.reply.sheet != nil:
		dg.own.Go(func() {
			if r, ok := v.reply.sheet(p.Request.URL); ok {
				fulfil(from, p, r)
				return
			}
			dg.state.Do(func(*state) { v.missed = true })
			fail()
		})
	default: // pictures, fonts, what is fetched ahead: none of it changes text
		v.missed = v.missed || p.Type == "Document"
		dg.work.add(fail)
	}
}

// fulfil answers a paused request.
func fulfil(from *target, p paused, r response) {
	headers := []map[string]string{}
	for name, value := range r.headers {
		headers = append(headers, map[string]string{"name": name, "value": value})
	}
	from.session.Send("Fetch.fulfillRequest", map[string]any{
		"requestId": p.ID, "responseCode": http.StatusOK, "responseHeaders": headers, "body": base64.StdEncoding.EncodeToString(r.body),
	})
}
