package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/randid"
)

const originLimit = 5 * time.Second // for an empty document of one origin, and a call into it

// emptyDocuments shows empty documents of any origin in hidden tabs, by which the
// storage of the origin can be read and written. No server is asked for them: the
// engine answers the request itself.
type emptyDocuments struct {
	*base
	targets *targets
}

// countItems counts the items that an origin's localStorage has.
func (ed *emptyDocuments) countItems(ctx context.Context, origin string) (int, error) {
	t, unique, err := ed.open(ctx, origin)
	if err != nil {
		return 0, err
	}
	defer ed.targets.discard(ctx, t)
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

// open opens a hidden tab that shows an empty document of an origin, and returns
// the script world of the document. The caller closes the tab.
func (ed *emptyDocuments) open(ctx context.Context, origin string) (_ *tab, unique string, err error) {
	t, err := ed.targets.newHiddenTab(ctx, hiddenTab{intercept: intercepted(true, false)})
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if err != nil {
			ed.targets.discard(ctx, t)
		}
	}()
	unique, err = ed.show(ctx, t, origin)
	return t, unique, err
}

// errNoDocument is that the browser shows no document of an origin, such as one with
// a port that it does not connect to.
var errNoDocument = errors.New("the browser shows no document of the origin")

// show has a hidden tab show an empty document of an origin, and returns the script
// world of the document.
func (ed *emptyDocuments) show(ctx context.Context, t *tab, origin string) (unique string, err error) {
	address := origin + "/.glovebox-" + randid.Word()
	ed.setVisit(t, &visit{address: address, reply: emptyDocument})
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
	err = ed.await(ctx, func(*state) bool {
		unique = t.root.unique
		return t.closed || t.crashed || t.root.context != 0 && t.root.origin == origin
	})
	return unique, err
}

// each calls f with each origin, one after the other, and a hidden tab to show
// documents in.
func (ed *emptyDocuments) each(ctx context.Context, origins []string, f func(ctx context.Context, t *tab, origin string) error) error {
	if len(origins) == 0 {
		return nil
	}
	t, err := ed.targets.newHiddenTab(ctx, hiddenTab{intercept: intercepted(true, false)})
	if err != nil {
		return err
	}
	defer ed.targets.discard(ctx, t)
	for _, origin := range origins {
		bounded, stop := context.WithTimeout(ctx, originLimit)
		err := f(bounded, t, origin)
		stop()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// call has a hidden tab show an empty document of an origin, and calls a function
// in it.
func (ed *emptyDocuments) call(ctx context.Context, t *tab, origin, function string, args []any, into any) error {
	unique, err := ed.show(ctx, t, origin)
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct{} `json:"exceptionDetails"`
	}
	answer.Result.Value = into
	params := map[string]any{"functionDeclaration": function, "uniqueContextId": unique, "returnByValue": true, "silent": true}
	if args != nil {
		params["arguments"] = args
	}
	err = t.main.session.Call(ctx, "Runtime.callFunctionOn", params, &answer)
	if err == nil && answer.Exception != nil {
		err = errors.New("the document gives no access to its storage")
	}
	return err
}

// emptyDocument is the reply to a request for an empty document.
var emptyDocument = &reply{document: response{body: []byte("<!doctype html>"), headers: map[string]string{
	"Content-Type": "text/html", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'",
}}}
