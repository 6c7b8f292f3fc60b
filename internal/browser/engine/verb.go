package engine

import (
	"context"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	verbLimit = 30 * time.Second // of a verb that gives none; SPEC section 15, timeout_seconds
	findLimit = 5 * time.Second  // for an element to appear and be ready
	slack     = 2 * time.Second  // for the answer of a page that waited until its own limit
)

// verb is what the engine does for a row of the table.
type verb struct {
	limit  func(args any) time.Duration // 0 for that of the browser
	target func(args any) (action.Locator, action.Timing, bool)
	do     func(b *Browser, ctx context.Context, t *tab, args any, pin action.Pin) (any, error)
	wide   func(b *Browser, ctx context.Context, args any) (any, error) // instead of do: see wideOf
}

// verbOf makes a verb of a function over its arguments. A function that did
// its work and was interrupted by a dialog returns its data with the error.
func verbOf[A any](limit func(*A) time.Duration, do func(*Browser, context.Context, *tab, *A, action.Pin) (any, error)) verb {
	return verb{
		limit: func(args any) time.Duration {
			if a, ok := args.(*A); ok && limit != nil {
				return limit(a)
			}
			return 0
		},
		do: func(b *Browser, ctx context.Context, t *tab, args any, pin action.Pin) (any, error) {
			a, ok := args.(*A)
			if !ok || a == nil {
				return nil, fault.New(fault.InvalidRequest, "the arguments are of the wrong kind").
					Hinted("use the argument type of the verb's row")
			}
			return do(b, ctx, t, a, pin)
		},
	}
}

// at says which element a verb acts on.
func (v verb) at(target func(any) (action.Locator, action.Timing, bool)) verb {
	v.target = target
	return v
}

func targetOf[A any](of func(*A) (action.Locator, action.Timing)) func(any) (action.Locator, action.Timing, bool) {
	return func(args any) (action.Locator, action.Timing, bool) {
		a, ok := args.(*A)
		if !ok || a == nil {
			return action.Locator{}, action.Timing{}, false
		}
		l, t := of(a)
		return l, t, true
	}
}

// limited is what a call says of its own limit, 0 for nothing.
func limited(t action.Timing) time.Duration { return t.Limit(0) }

var verbs = map[string]verb{
	"page.goto":    verbOf(func(a *action.Goto) time.Duration { return limited(a.Timing) }, (*Browser).visit),
	"page.back":    verbOf(nil, (*Browser).back),
	"page.forward": verbOf(nil, (*Browser).forward),
	"page.reload":  verbOf(func(a *action.Reload) time.Duration { return limited(a.Timing) }, (*Browser).reload),

	"page.click": verbOf(func(a *action.Click) time.Duration { return limited(a.Timing) }, (*Browser).click).
		at(targetOf(func(a *action.Click) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.hover": verbOf(func(a *action.Hover) time.Duration { return limited(a.Timing) }, (*Browser).hover).
		at(targetOf(func(a *action.Hover) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.type": verbOf(func(a *action.Type) time.Duration { return limited(a.Timing) }, (*Browser).typeText).
		at(targetOf(func(a *action.Type) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.press": verbOf(func(a *action.Press) time.Duration { return limited(a.Timing) }, (*Browser).press).
		at(targetOf(func(a *action.Press) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.select": verbOf(func(a *action.Select) time.Duration { return limited(a.Timing) }, (*Browser).choose).
		at(targetOf(func(a *action.Select) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.drag": verbOf(func(a *action.Drag) time.Duration { return limited(a.Timing) }, (*Browser).drag).
		at(targetOf(func(a *action.Drag) (action.Locator, action.Timing) { return a.From, a.Timing })),
	"page.upload": verbOf(func(a *action.Upload) time.Duration { return limited(a.Timing) }, (*Browser).upload).
		at(targetOf(func(a *action.Upload) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.fill_secret": verbOf(func(a *Filling) time.Duration { return a.Limit(0) }, (*Browser).fill).
		at(targetOf(func(a *action.FillSecret) (action.Locator, action.Timing) { return a.Locator, a.Timing })),
	"page.scroll": verbOf(func(a *action.Scroll) time.Duration { return limited(a.Timing) }, (*Browser).scroll),

	"page.resize": verbOf(nil, (*Browser).resize),

	"page.dialog":     verbOf(nil, (*Browser).answer),
	"page.wait_for":   verbOf(func(a *action.WaitFor) time.Duration { return waitLimit(a) + slack }, (*Browser).waitFor),
	"page.extract":    verbOf(nil, (*Browser).extract),
	"page.snapshot":   verbOf(nil, (*Browser).snapshot),
	"page.find":       verbOf(nil, (*Browser).find),
	"page.screenshot": verbOf(nil, (*Browser).screenshot),

	"cookie.list":   verbOf(nil, (*Browser).listCookies),
	"cookie.set":    verbOf(nil, (*Browser).setCookies),
	"cookie.delete": verbOf(nil, (*Browser).deleteCookies),
	"tab.list":      wideOf((*Browser).listTabs),
	"tab.open":      wideOf((*Browser).openTab),
	"tab.activate":  wideOf((*Browser).activateTab),
	"tab.close":     wideOf((*Browser).closeTab),
	"page.console":  wideOf(readConsole),
	"page.network":  wideOf(readNetwork),
	"page.har":      wideOf(exportHAR),

	"download.list":   wideOf(listDownloads),
	"download.get":    wideOf(getDownload),
	"download.read":   wideOf(readDownload),
	"download.cancel": wideOf(cancelDownload),

	"page.content":  verbOf(nil, (*Browser).content),
	"page.markdown": verbOf(nil, (*Browser).markdown),
	"page.links":    verbOf(nil, (*Browser).links),
	"page.scrape":   verbOf(func(a *action.Scrape) time.Duration { return limited(a.Timing) }, (*Browser).scrape),
	"page.execute":  verbOf(func(a *action.Execute) time.Duration { return limited(a.Timing) }, (*Browser).execute),
	"page.pdf":      verbOf(nil, (*Browser).pdf),
}

// acts lists the verbs that take turns.
func acts(verb string, args any) bool {
	row, known := action.Lookup(verb)
	return known && row.As(args).Class != action.Read && verb != "page.dialog"
}

// goes reports whether a verb takes the page to an address.
func goes(verb string, args any) bool {
	s, scrapes := args.(*action.Scrape)
	return verb == "page.goto" || scrapes && s != nil && s.Navigates()
}

// Do carries a verb out. args points to the verb's argument type; pin is what
// Look returned for the same arguments. Result.Modal is set when a dialog
// opened; what was done until then is in Result.Data. Faults: those of the
// verb, page_changed when the pin no longer holds, page_crashed, dialog_open,
// not_active, browser_action_timeout, cdp_error.
func (b *Browser) Do(ctx context.Context, name string, args any, pin action.Pin) (action.Result, error) {
	v, known := verbs[name]
	if !known {
		return action.Result{}, unknown(name)
	}
	limit := b.within(v.limit(args))
	if acts(name, args) {
		select {
		case <-b.turn:
			defer func() { b.turn <- struct{}{} }()
		case <-ctx.Done():
			return action.Result{}, b.trouble(ctx, name, limit, ctx.Err())
		}
	}
	t := b.current()
	if v.wide != nil {
		r := b.expect(ctx, t, name, limit, action.Pin{})
		followed := b.follow(ctx, t)
		out, err := b.doWide(ctx, name, v, args)
		if err == nil {
			b.tell(ctx, r, &out)
		}
		followed(&out)
		return out, err
	}
	if t == nil {
		return action.Result{}, b.trouble(ctx, name, limit, b.gone())
	}
	if err := b.admit(t, name); err != nil {
		return action.Result{Modal: b.modal(t)}, err
	}
	if goes(name, args) {
		var err error
		if t, err = b.revive(ctx, t); err != nil {
			return action.Result{}, b.trouble(ctx, name, limit, err)
		}
	}
	bound := limit
	if v.target != nil {
		bound += slack // an element that is not ready by then is told of as such
	}
	if acts(name, args) && name != "page.back" {
		b.putAside(t)
	}
	r := b.expect(ctx, t, name, limit, pin)
	followed := b.follow(ctx, t)
	inner, leave := b.enter(context.WithValue(ctx, reporting{}, r), t, bound)
	data, err := v.do(b, inner, t, args, pin)
	out, err := b.result(inner, t, name, limit, data, err)
	leave()
	if err == nil {
		b.tell(ctx, r, &out)
	}
	followed(&out)
	return out, err
}

func (b *Browser) result(ctx context.Context, t *tab, name string, limit time.Duration, data any, err error) (action.Result, error) {
	if err != nil {
		err = b.endedBy(ctx, t, name, limit, data, err)
	}
	return b.outcome(data, err)
}

// outcome adds what every result has.
func (b *Browser) outcome(data any, err error) (action.Result, error) {
	var out action.Result
	active := b.current()
	out.Modal = b.modal(active)
	here := b.Page()
	out.Page = &here
	out.Notes = b.notes.take()
	if err != nil {
		return out, err
	}
	out.Data = data
	return out, nil
}

// endedBy says how a verb that did not end well ended: nil when a dialog
// opened after it had done its work.
func (b *base) endedBy(ctx context.Context, t *tab, name string, limit time.Duration, data any, err error) error {
	if errors.Is(context.Cause(ctx), errDocumentHeld) {
		if data != nil {
			return nil // it was done, and what it would show waits
		}
		return errHeld
	}
	if errors.Is(context.Cause(ctx), errDialog) && isContext(err) || errors.Is(err, errDialog) {
		if data != nil {
			return nil
		}
		if err := b.admit(t, name); err != nil {
			return err
		}
		return errMoved // the dialog was answered before we got here
	}
	err = b.trouble(ctx, name, limit, err)
	if fault.CodeOf(err) == fault.ActionTimeout {
		b.mu.Lock()
		t.suspect = true
		b.mu.Unlock()
	}
	return err
}

func unknown(name string) error {
	return fault.New(fault.UnknownAction, "there is no verb %q of a page", name).
		Hinted("use one of the page verbs of the table")
}
