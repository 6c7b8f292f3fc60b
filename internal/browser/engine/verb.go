package engine

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	verbLimit = 30 * time.Second // of a verb, if neither the call nor timeout_seconds says another
	findLimit = 5 * time.Second  // for an element to appear and be ready
	slack     = 2 * time.Second  // for the answer of a page that waits until the limit itself
)

// verb is the engine's part of a verb of the table.
type verb struct {
	limit  func(args any) time.Duration // 0 for the browser's limit
	target func(args any) (action.Locator, action.Timing, bool)
	do     func(ctx context.Context, t *tab, args any, pin action.Pin) (any, error)
	whole  func(ctx context.Context, args any) (any, error) // instead of do: see browserVerb
}

// verbOf makes a verb of a function that acts on the active tab or reads it. A
// function that a dialog interrupted after its work returns its data with the error.
func verbOf[A any](do func(context.Context, *tab, *A, action.Pin) (any, error)) verb {
	v := verb{
		limit: func(args any) time.Duration {
			if a, ok := args.(interface {
				Limit(time.Duration) time.Duration
			}); ok {
				return a.Limit(0)
			}
			return 0
		},
		do: func(ctx context.Context, t *tab, args any, pin action.Pin) (any, error) {
			a, err := argsOf[A](args)
			if err != nil {
				return nil, err
			}
			return do(ctx, t, a, pin)
		},
	}
	if _, aims := any(new(A)).(action.Aiming); aims {
		v.target = func(args any) (action.Locator, action.Timing, bool) {
			a, ok := args.(action.Aiming)
			if !ok || reflect.ValueOf(a).IsNil() {
				return action.Locator{}, action.Timing{}, false
			}
			l, t := a.Aim()
			return l, t, true
		}
	}
	return v
}

// browserVerb makes a verb of a function of the whole browser. It also works while a
// dialog is open, when the page has crashed, and without a tab.
func browserVerb[A any](do func(context.Context, *A) (any, error)) verb {
	v := verbOf[A](nil)
	v.whole = func(ctx context.Context, args any) (any, error) {
		a, err := argsOf[A](args)
		if err != nil {
			return nil, err
		}
		return do(ctx, a)
	}
	return v
}

// of binds a function to a browser.
func of[A any](b *Browser, do func(*Browser, context.Context, *A) (any, error)) func(context.Context, *A) (any, error) {
	return func(ctx context.Context, a *A) (any, error) { return do(b, ctx, a) }
}

func argsOf[A any](args any) (*A, error) {
	if a, ok := args.(*A); ok && a != nil {
		return a, nil
	}
	return nil, wrongArgs()
}

func wrongArgs() error {
	return fault.New(fault.InvalidRequest, "the arguments are of the wrong kind").
		Hinted("use the argument type of the verb's row")
}

// onPage adds the function of a verb that acts on the active tab, or reads it.
func onPage[Args, Result any](table map[string]verb, v action.Definition[Args, Result], do func(context.Context, *tab, *Args, action.Pin) (any, error)) {
	table[v.Name] = verbOf(do)
}

// onBrowser adds the function of a verb of the whole browser.
func onBrowser[Args, Result any](table map[string]verb, v action.Definition[Args, Result], do func(context.Context, *Args) (any, error)) {
	table[v.Name] = browserVerb(do)
}

// verbTable returns what the engine does for each verb, by name.
func (b *Browser) verbTable() map[string]verb {
	all := map[string]verb{}
	onPage(all, action.VerbPageClick, b.actor.click)
	onPage(all, action.VerbPageCheck, b.actor.check)
	onPage(all, action.VerbPageHover, b.actor.hover)
	onPage(all, action.VerbPageType, b.actor.typeText)
	onPage(all, action.VerbPagePress, b.actor.press)
	onPage(all, action.VerbPageSelect, b.actor.selectOptions)
	onPage(all, action.VerbPageDrag, b.actor.drag)
	onPage(all, action.VerbPageUpload, b.actor.upload)
	all[action.VerbPageFillSecret.Name] = verbOf(b.actor.fillSecret) // its arguments have the secret too

	onPage(all, action.VerbPageGoto, b.navigator.visit)
	onPage(all, action.VerbPageBack, b.navigator.back)
	onPage(all, action.VerbPageForward, b.navigator.forward)
	onPage(all, action.VerbPageReload, b.navigator.reload)
	onPage(all, action.VerbPageScroll, b.actor.scroll)
	onPage(all, action.VerbPageResize, b.targets.resize)
	onPage(all, action.VerbPageDialog, b.dialogs.answer)
	onPage(all, action.VerbPageSnapshot, b.observer.snapshot)
	onPage(all, action.VerbPageFind, b.contents.find)
	onPage(all, action.VerbPageExtract, b.contents.extract)
	onPage(all, action.VerbPageContent, b.contents.content)
	onPage(all, action.VerbPageMarkdown, b.contents.markdown)
	onPage(all, action.VerbPageLinks, b.contents.links)
	onPage(all, action.VerbPageScrape, b.contents.scrape)
	onPage(all, action.VerbPageExecute, b.contents.execute)
	onPage(all, action.VerbPageScreenshot, b.camera.screenshot)
	onPage(all, action.VerbPagePDF, b.camera.pdf)
	onPage(all, action.VerbCookieList, b.cookies.list)
	onPage(all, action.VerbCookieSet, b.cookies.set)
	onPage(all, action.VerbCookieDelete, b.cookies.delete)
	wait := verbOf(b.contents.waitFor)
	wait.limit = func(args any) time.Duration {
		if a, ok := args.(*action.WaitFor); ok {
			return waitLimit(a) + slack
		}
		return 0
	}
	all[action.VerbPageWaitFor.Name] = wait

	onBrowser(all, action.VerbTabList, b.targets.listTabs)
	onBrowser(all, action.VerbTabOpen, b.navigator.openTab)
	onBrowser(all, action.VerbTabActivate, b.targets.activateTab)
	onBrowser(all, action.VerbTabClose, b.targets.closeTab)
	onBrowser(all, action.VerbPageConsole, of(b, readConsole))
	onBrowser(all, action.VerbPageNetwork, of(b, readNetwork))
	onBrowser(all, action.VerbPageHAR, of(b, exportHAR))
	onBrowser(all, action.VerbDownloadList, of(b, listDownloads))
	onBrowser(all, action.VerbDownloadGet, of(b, getDownload))
	onBrowser(all, action.VerbDownloadRead, of(b, readDownload))
	onBrowser(all, action.VerbDownloadCancel, of(b, cancelDownload))
	return all
}

// acts reports whether a verb acts: such verbs run one at a time.
func acts(verb string, args any) bool {
	row, known := action.Lookup(verb)
	return known && row.As(args).Class != action.Read && verb != action.VerbPageDialog.Name
}

// goes reports whether a verb takes the page to an address.
func goes(verb string, args any) bool {
	s, scrapes := args.(*action.Scrape)
	return verb == action.VerbPageGoto.Name || scrapes && s != nil && s.Navigates()
}

// Do carries out a verb. args points to the verb's argument type; pin is what Look
// returned for the same arguments. Result.Modal is set if a dialog opened; what was
// done until then is in Result.Data. Faults: those of the verb, page_changed if the
// pin is no longer valid, page_crashed, dialog_open, not_active,
// browser_action_timeout, cdp_error.
func (b *Browser) Do(ctx context.Context, name string, args any, pin action.Pin) (action.Result, error) {
	v, known := b.verbs[name]
	if !known {
		return action.Result{}, unknown(name)
	}
	limit := b.within(v.limit(args))
	if acts(name, args) {
		select {
		case <-b.turn:
			release := sync.OnceFunc(func() { b.turn <- struct{}{} })
			defer release()
			ctx = Yielding(ctx, release)
		case <-ctx.Done():
			return action.Result{}, b.toFault(ctx, name, limit, ctx.Err())
		}
	}
	t := b.current()
	if v.whole != nil {
		r := b.observer.beginReport(ctx, t, name, args, limit, action.Pin{})
		followed := b.outgoing.follow(ctx, t)
		out, err := b.doForBrowser(ctx, name, v, args)
		if err == nil {
			b.observer.finishReport(ctx, r, &out)
		}
		followed(&out)
		return out, err
	}
	if t == nil {
		return action.Result{}, b.toFault(ctx, name, limit, b.noTabReason())
	}
	if err := b.admit(ctx, t, name); err != nil {
		return action.Result{Modal: b.modal(t)}, err
	}
	if goes(name, args) {
		var err error
		if t, err = b.targets.replaceHungTab(ctx, t); err != nil {
			return action.Result{}, b.toFault(ctx, name, limit, err)
		}
	}
	bound := limit
	if v.target != nil {
		bound += slack // an element that is not ready at the limit has a fault of its own
	}
	if acts(name, args) && name != action.VerbPageBack.Name {
		b.dropFile(t)
	}
	r := b.observer.beginReport(ctx, t, name, args, limit, pin)
	followed := b.outgoing.follow(ctx, t)
	out, err := b.doInTab(context.WithValue(ctx, reportKey{}, r), t, call{name: name, args: args, pin: pin, limit: limit, bound: bound})
	if err == nil {
		b.observer.finishReport(ctx, r, &out)
	}
	followed(&out)
	return out, err
}

// call is a call of a verb in a tab.
type call struct {
	name  string
	args  any
	pin   action.Pin
	limit time.Duration // as faults name it
	bound time.Duration // after which the call is ended
}

// doInTab carries out a verb in a tab. A read during which a person begins to be asked
// about the tab's next document is made again, since its messages do not reach the page.
// So is a read during which the person has answered.
func (b *Browser) doInTab(ctx context.Context, t *tab, c call) (action.Result, error) {
	for {
		held := ""
		if readsHeld[c.name] && !goes(c.name, c.args) {
			held = b.heldNote(t)
		}
		inner, leave := b.enter(ctx, t, c.bound)
		data, err := b.verbs[c.name].do(inner, t, c.args, c.pin)
		begins := errors.Is(context.Cause(inner), errDocumentHeld) && readsHeld[c.name] && !goes(c.name, c.args)
		ends := held != "" && err != nil && moved(err) && !b.isHeld(t)
		if (begins || ends) && ctx.Err() == nil {
			leave()
			continue
		}
		out, err := b.result(inner, t, c.name, c.limit, data, err)
		leave()
		if held != "" && err == nil {
			out.Notes = append(out.Notes, held)
		}
		return out, err
	}
}

func (b *Browser) result(ctx context.Context, t *tab, name string, limit time.Duration, data any, err error) (action.Result, error) {
	if err != nil {
		err = b.endedBy(ctx, t, name, limit, data, err)
	}
	return b.outcome(data, err)
}

// outcome makes a result with the parts that every result has.
func (b *base) outcome(data any, err error) (action.Result, error) {
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

// endedBy returns the fault of a verb that ended with an error; nil if a dialog opened
// after the verb had done its work.
func (b *base) endedBy(ctx context.Context, t *tab, name string, limit time.Duration, data any, err error) error {
	if errors.Is(context.Cause(ctx), errDocumentHeld) {
		if data != nil {
			return nil // it was done; only the document that it would show waits
		}
		return b.refusedHeld(t)
	}
	if readsHeld[name] && b.isHeld(t) && errors.Is(err, injected.ErrNoMessages) {
		return b.unreadableHeld(t)
	}
	if errors.Is(context.Cause(ctx), errDialog) && isContext(err) || errors.Is(err, errDialog) {
		if data != nil {
			return nil
		}
		if err := b.admit(ctx, t, name); err != nil {
			return err
		}
		return errMoved // the dialog was answered before we got here
	}
	err = b.toFault(ctx, name, limit, err)
	if fault.CodeOf(err) == fault.ActionTimeout {
		b.state.Do(func(*state) { t.suspect = true })
	}
	return b.slowWhileHeld(t, err)
}

func unknown(name string) error {
	return fault.New(fault.UnknownAction, "there is no verb %q of a page", name).
		Hinted("use one of the page verbs of the table")
}

// lookAtBrowser returns the facts of a verb of the whole browser. Their page is that
// of the tab which the arguments name, otherwise of the active tab.
func (b *Browser) lookAtBrowser(args any) (action.Facts, action.Pin, error) {
	var facts action.Facts
	var pin action.Pin
	b.state.Do(func(s *state) {
		t := s.active()
		if named, ok := args.(*action.ByID); ok && named != nil && s.tabs[named.ID] != nil {
			t = s.tabs[named.ID]
		}
		if t != nil {
			facts.Page, pin.Tab = t.page(), t.id
		}
	})
	if o, ok := args.(*action.OpenTab); ok && o != nil && o.URL != "" {
		address, err := Address(o.URL)
		if err != nil {
			return facts, pin, err
		}
		facts.Destination = &action.Destination{URL: address}
	}
	return facts, pin, nil
}

func (b *Browser) doForBrowser(ctx context.Context, name string, v verb, args any) (action.Result, error) {
	limit := b.within(v.limit(args))
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLimit)
	defer stop()
	var data any
	err := b.conn.Err()
	if err == nil {
		data, err = v.whole(ctx, args)
	}
	if err != nil {
		err = b.toFault(ctx, name, limit, err)
	}
	return b.outcome(data, err)
}
