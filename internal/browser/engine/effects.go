package engine

import (
	"context"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// effects waits for what an act sets off: navigations, popups and downloads.
type effects struct{ *base }

const (
	navigationLimit = 5 * time.Second        // for a navigation that an act began to show its document
	popupLimit      = 500 * time.Millisecond // for a new tab that an act asked for; the browser may refuse it
)

// mark is the state of a tab before an act.
type mark struct {
	moves  moves
	popups counter
	loader string
	tab    *tab
}

func (ef *effects) mark(t *tab) mark {
	return guarded.Get(ef.state, func(*state) mark {
		t.refused, t.uncertified = nil, ""
		return mark{moves: t.moves, popups: t.popups, loader: t.root.loader, tab: t}
	})
}

// waitForNavigation waits for what an act set off, without a fixed delay: after one
// round trip to the page, the browser has reported every navigation and popup that
// the act began. It reports whether the tab shows a new document. It is no error
// that a navigation takes longer; errors are those that end the verb.
func (ef *effects) waitForNavigation(ctx context.Context, t *tab, where *place, before mark) (bool, error) {
	return ef.waitForNavigationBy(ctx, t, where, before, readTitle)
}

// waitForNavigationBy is waitForNavigation with a round trip that runs a function.
func (ef *effects) waitForNavigationBy(ctx context.Context, t *tab, where *place, before mark, by closing) (bool, error) {
	if where == nil {
		if p, ok := ef.rootPlace(t); ok {
			where = &p
		}
	}
	if where != nil {
		if err := ef.roundTripAfter(ctx, t, *where, before, by); err != nil && !moved(err) {
			return false, err
		}
	}
	bounded, stop := context.WithTimeout(ctx, navigationLimit)
	defer stop()
	err := ef.await(bounded, func(*state) bool { return t.closed || t.crashed || t.navigationDone(before) || ef.ledger.Waiting(t.id) })
	if err := ended(ctx, err); err != nil {
		return false, err
	}
	if err := ended(ctx, ef.waitForDownload(ctx, t, before)); err != nil {
		return false, err
	}
	if err := ef.waitForPopup(ctx, t, before); err != nil {
		return false, err
	}
	var now *tab
	news := guarded.Get(ef.state, func(s *state) bool { now = s.active(); return t.root.loader != before.loader })
	if now != nil && (news || now != t) {
		if err := ended(ctx, ef.refreshTitle(bounded, now)); err != nil && !moved(err) {
			return news, err
		}
	}
	return news, nil
}

// oneTask answers when the tasks that wait in the frame have run. After input the
// browser paints first, which takes up to one animation frame.
const oneTask = "() => new Promise(done => { const c = new MessageChannel(); c.port1.onmessage = () => { c.port1.close(); done() }; c.port2.postMessage(0) })"

// roundTripAfter returns when the browser has reported everything that an act set
// off in its frame.
func (ef *effects) roundTripAfter(ctx context.Context, t *tab, where place, before mark, by closing) error {
	if err := ef.finishRoundTrip(ctx, t, where, by, reportOf(ctx).startRoundTrip(t, where, by)); err != nil {
		return err
	}
	if guarded.Get(ef.state, func(*state) bool { return t.moves.scripts > before.moves.scripts }) { // a javascript: link runs as a task of its own
		if err := runIn(ctx, where, oneTask); err != nil {
			return err
		}
	} else if where.frame == t.root {
		return nil
	}
	return ef.refreshTitle(ctx, t)
}

// refreshTitle reads a tab's title, if its document can be read now.
func (ef *effects) refreshTitle(ctx context.Context, t *tab) error {
	p, ok := ef.rootPlace(t)
	if !ok || ef.isHeld(t) {
		return nil
	}
	return ef.finishRoundTrip(ctx, t, p, readTitle, reportOf(ctx).startInNewDocument(p))
}

// ended returns err, but nil if only the time of a wait inside the verb is over.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil && isContext(err) {
		return nil
	}
	return err
}

// navigationDone reports whether no navigation that began after before is under
// way: it shows its document, or it came to nothing.
func (t *tab) navigationDone(before mark) bool {
	if t.root.loader != before.loader {
		return t.root.events["DOMContentLoaded"]
	}
	now := t.moves
	return now.asked == before.moves.asked ||
		now.within > before.moves.within ||
		now.downloads > before.moves.downloads ||
		now.stopped > before.moves.stopped
}

// waitForDownload waits for the browser to report a download, if a navigation of
// the act came to nothing. The browser reports the end of the navigation first.
func (ef *effects) waitForDownload(ctx context.Context, t *tab, before mark) error {
	const limit = 250 * time.Millisecond
	nothing := guarded.Get(ef.state, func(s *state) bool {
		return s.options.Downloads != "" && !t.closed && t.root.loader == before.loader &&
			t.moves.asked > before.moves.asked && t.moves.stopped > before.moves.stopped &&
			t.moves.within == before.moves.within && t.moves.downloads == before.moves.downloads
	})
	if !nothing {
		return nil
	}
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	return ef.await(bounded, func(*state) bool { return t.closed || t.moves.downloads > before.moves.downloads })
}

// waitForPopup waits until a new tab that the act asked for shows its document.
func (ef *effects) waitForPopup(ctx context.Context, t *tab, before mark) error {
	if guarded.Get(ef.state, func(*state) bool { return t.popups.asked <= before.popups.asked && t.popups.done <= before.popups.done }) {
		return nil
	}
	opening, stop := context.WithTimeout(ctx, popupLimit)
	defer stop()
	err := ef.await(opening, func(*state) bool { return t.closed || t.popups.done > before.popups.done })
	if err != nil {
		return ended(ctx, err)
	}
	loading, end := context.WithTimeout(ctx, navigationLimit)
	defer end()
	return ended(ctx, ef.await(loading, func(s *state) bool {
		now := s.active()
		if now == nil || now == t || now.dialog != nil || now.refused != nil || ef.ledger.Waiting(now.id) {
			return true
		}
		started := !leadsSomewhere(t.opened) || leadsSomewhere(now.root.url)
		return now.isSet && started && now.root.context != 0 && now.root.events["DOMContentLoaded"]
	}))
}

// leadsSomewhere distinguishes a new tab's own document from the empty document it
// starts with.
func leadsSomewhere(url string) bool { return url != "" && url != "about:blank" }

func (b *base) rootPlace(t *tab) (place, bool) {
	var p place
	ok := guarded.Get(b.state, func(*state) (ok bool) { p, ok = t.root.place(); return ok })
	return p, ok
}

// title reads the title, also if an element of the page is named "title".
const title = "() => String(Object.getOwnPropertyDescriptor(Document.prototype, 'title').get.call(document)).slice(0, 1024)"

// closing is a function that a round trip runs, which returns the title.
type closing struct {
	function string
	node     int       // its argument
	came     *delivery // takes what became of the act's input, with which the answer begins
}

var readTitle = closing{function: title}

// ask runs a function in a frame, and takes the tab's title from its answer if it is
// the main frame.
func (ef *effects) ask(ctx context.Context, t *tab, p place, by closing) error {
	if ef.isHeld(t) {
		return nil // the title is the one that is known
	}
	return ef.finishRoundTrip(ctx, t, p, by, startRoundTrip(p, by))
}

// roundTrip is a round trip that was sent. With a report, its answer begins with the
// answer to the report's question, on a line of its own.
type roundTrip struct {
	asked  *cdp.Pending
	report *report
}

// startRoundTrip begins a round trip.
func startRoundTrip(p place, by closing) roundTrip {
	return roundTrip{asked: p.session.Send("Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": by.function, "uniqueContextId": p.world.Unique, "returnByValue": true, "awaitPromise": true,
		"arguments": []map[string]int{{"value": by.node}},
	})}
}

// finishRoundTrip waits for the answer of a round trip.
func (ef *effects) finishRoundTrip(ctx context.Context, t *tab, p place, by closing, sent roundTrip) error {
	var answer struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	if err := sent.asked.Wait(ctx, &answer); err != nil {
		return err
	}
	shown := answer.Result.Value
	if sent.report != nil {
		var stable string
		stable, shown, _ = strings.Cut(shown, "\n")
		sent.report.asked.answer = []byte(stable)
	}
	if by.came != nil {
		said, rest, _ := strings.Cut(shown, "\n")
		if err := by.came.take(said); err != nil {
			return err
		}
		shown = rest
	}
	ef.setTitle(t, p, shown)
	return nil
}

// setTitle keeps the tab's title, if p is its own document and still there.
func (b *base) setTitle(t *tab, p place, title string) {
	b.state.Do(func(*state) {
		if p.frame == t.root && t.root.unique == p.document {
			t.title = untrusted.Title(title)
		}
	})
}
