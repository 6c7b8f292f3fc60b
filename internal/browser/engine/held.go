package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// While the browser has paused the request for a tab's next document, the old document
// lives on, but Chromium keeps back every message of the protocol to its main frame until
// the navigation ends: that includes sessions that are attached meanwhile (Chromium 156).
// As long as a person is asked about such a request, reads of the page therefore go
// through a heldPage, and acts are refused.

// heldRequest is a request of a tab about which a person is asked.
type heldRequest struct {
	key      string // see paused.key
	hop      string // see paused.hop
	question string // its id
	method   string
	url      string
	document bool // for the tab's next document
	outlives bool // its page need not be there any more: a beacon
	gone     func()
}

// judgedRequest is a request of a tab that is being judged: its page may end or give it up
// before a person is asked.
type judgedRequest struct {
	key    string // see paused.key
	hop    string // see paused.hop
	left   int    // how many pages the tab had left
	failed bool
}

// gaveUp reports whether the page of a request that is being judged gave it up, or has ended, or
// whether it is decided about already: a question may be about several requests. The requests of
// the page that follows are among those under way.
func (t *tab) gaveUp(h heldRequest) bool {
	i := slices.IndexFunc(t.judged, func(j judgedRequest) bool { return j.hop == h.hop })
	if i < 0 {
		return true
	}
	_, ofThisPage := t.inflight[h.key]
	return t.judged[i].failed || t.judged[i].left != t.left && !h.document && !h.outlives && !ofThisPage
}

// heldDocument returns the request for the tab's next document about which a person is
// asked, nil if there is none.
func (t *tab) heldDocument() *heldRequest {
	for _, h := range t.held {
		if h.document {
			return &h
		}
	}
	return nil
}

// hold notes that a person is asked about a request of a tab. If its page gave it up while
// it was judged, it ends at once.
func (og *outgoingRequests) hold(t *tab, h heldRequest) {
	og.state.Do(func(s *state) {
		defer s.change()
		if t == nil {
			return
		}
		if t.gaveUp(h) {
			h.gone()
			return
		}
		if t.closed {
			return
		}
		t.held = append(t.held, h)
		if !h.document {
			return
		}
		if t.relay == nil {
			t.relay = newHeldPage(s, og.base, og.empty, t)
		}
		t.interrupt(errDocumentHeld)
	})
}

// arrival is a document that a person allowed, and that the tab does not show yet.
type arrival struct {
	before mark      // the tab when it was allowed
	until  time.Time // nobody waits longer for it; zero if there is none
}

// release notes that a person allowed a request. If it is for the tab's next document, the
// next calls wait for that.
func (og *outgoingRequests) release(t *tab, key string) {
	og.state.Do(func(*state) {
		if t == nil || !slices.ContainsFunc(t.held, func(h heldRequest) bool { return h.key == key && h.document }) {
			return
		}
		t.arriving = arrival{before: mark{moves: t.moves, loader: t.root.loader}, until: time.Now().Add(serverLimit)}
	})
}

// waitForArrival waits for the document that a person allowed, unless another one is asked
// about meanwhile.
func (b *base) waitForArrival(ctx context.Context, t *tab) {
	until := guarded.Get(b.state, func(*state) time.Time { return t.arriving.until })
	if until.IsZero() {
		return
	}
	bounded, stop := context.WithDeadline(ctx, until)
	defer stop()
	_ = b.await(bounded, func(*state) bool {
		was, now := t.arriving.before, t.moves
		shown := t.root.loader != was.loader && t.root.events["DOMContentLoaded"]
		return t.closed || t.crashed || t.dialog != nil || t.heldDocument() != nil || shown || now.stopped > was.moves.stopped || now.downloads > was.moves.downloads
	})
	if ctx.Err() != nil {
		return
	}
	b.state.Do(func(*state) {
		if t.arriving.until.Equal(until) { // another document may have been allowed meanwhile
			t.arriving = arrival{}
		}
	})
}

// unhold notes that a request is not held any more.
func (og *outgoingRequests) unhold(t *tab, p paused) {
	og.state.Do(func(s *state) {
		if t != nil {
			t.judged = slices.DeleteFunc(t.judged, func(j judgedRequest) bool { return j.hop == p.hop() })
			t.forgetHeld(func(h heldRequest) bool { return h.hop == p.hop() })
		}
		s.change()
	})
}

// takeBack notes that the browser cannot send some held requests any more, because their page
// gave them up or ended.
func (t *tab) takeBack(which func(heldRequest) bool) {
	for _, h := range t.held {
		if which(h) {
			h.gone()
		}
	}
	t.forgetHeld(which)
}

// leavePage forgets the held requests of a page that ends. Beacons can still be sent.
func (t *tab) leavePage() {
	t.left++
	t.takeBack(func(h heldRequest) bool { return !h.document && !h.outlives })
	t.forgetHeld(func(heldRequest) bool { return true })
}

// forgetHeld forgets held requests of the tab. Without a held document, the relay is
// closed.
func (t *tab) forgetHeld(which func(heldRequest) bool) {
	t.held = slices.DeleteFunc(t.held, which)
	if t.relay != nil && t.heldDocument() == nil {
		t.relay.close()
		t.relay = nil
	}
}

// isHeld reports whether a person is being asked about the tab's next document.
func (b *base) isHeld(t *tab) bool {
	return t != nil && guarded.Get(b.state, func(*state) bool { return t.heldDocument() != nil })
}

// readsHeld are the verbs that read a page whose next document is held.
var readsHeld = map[string]bool{
	action.VerbPageSnapshot.Name: true, action.VerbPageFind.Name: true, action.VerbPageExtract.Name: true,
	action.VerbPageMarkdown.Name: true, action.VerbPageLinks.Name: true, action.VerbPageScrape.Name: true,
	action.VerbPageContent.Name: true, action.VerbPageScreenshot.Name: true, action.VerbPageWaitFor.Name: true,
}

// errDocumentHeld ends the verbs that run in a tab whose next document is held.
var errDocumentHeld = errors.New("the next document waits for a person")

// asked names the question and the request.
func (h *heldRequest) asked() string {
	question := ""
	if h.question != "" {
		question = "question " + h.question + ", "
	}
	return fmt.Sprintf(" (%s%s %s)", question, h.method, h.url)
}

// fault refuses a call that cannot be carried out before a person has answered.
func (h *heldRequest) fault(what string) *fault.Fault {
	return fault.New(fault.NotActionable, "%s: a person is being asked about what this page sends because of an earlier act%s", what, h.asked()).
		Hinted("do not make this call again now, and wait for the answer: approval.status with the id of the question says whether it was given. Until then read the page with page.snapshot, or go elsewhere with page.goto").
		With("reason", "held").With("approvalId", h.question).Final()
}

// refusedHeld refuses an act in a tab whose next document is held.
func (b *base) refusedHeld(t *tab) error {
	return b.heldFault(t, "nothing was done")
}

// unreadableHeld refuses what cannot be read of a tab whose next document is held.
func (b *base) unreadableHeld(t *tab) error {
	return b.heldFault(t, "this cannot be read of the page now")
}

func (b *base) heldFault(t *tab, what string) error {
	return guarded.Get(b.state, func(*state) error {
		if len(t.held) == 0 {
			return errMoved // a person has answered meanwhile
		}
		return t.held[0].fault(what)
	})
}

// note says in the answer of a read that the page waits for a person.
func (h *heldRequest) note() string {
	return fmt.Sprintf("a person is being asked about what this page sends%s: this is the page as it is until then. It can be read, and nothing else can be done on it. "+
		"browser_approval_status with the question's id tells the answer", h.asked())
}

// heldNote returns the note for the answer of a read, empty if nothing is held.
func (b *base) heldNote(t *tab) string {
	return guarded.Get(b.state, func(*state) string {
		if h := t.heldDocument(); h != nil {
			return h.note()
		}
		return ""
	})
}

// slowWhileHeld explains why a page does not answer while one of its requests is held: a
// script may wait for the request and do nothing else meanwhile (a synchronous
// XMLHttpRequest). It returns err if nothing is held.
func (b *base) slowWhileHeld(t *tab, err error) error {
	if fault.CodeOf(err) != fault.ActionTimeout {
		return err
	}
	return guarded.Get(b.state, func(*state) error {
		if len(t.held) == 0 {
			return err
		}
		return t.held[0].fault("the page does not answer, as it may wait for the request itself").Because(err)
	})
}

// heldPage reads the main frame of a tab whose next document is held. It shows an empty
// document of the same origin in a hidden tab, which passes calls to the page and answers
// back over a channel: see serveRelay in the script.
type heldPage struct {
	*base
	injected.Relay
	empty    *emptyDocuments
	of       *tab
	document string // of the page
	origin   string
	channel  string

	turn   chan struct{} // holds a token while nobody uses what follows
	tab    *tab          // nil while it is not open
	unique string        // its world
	closed bool
}

func newHeldPage(_ *state, b *base, empty *emptyDocuments, t *tab) *heldPage {
	p := &heldPage{base: b, empty: empty, of: t, document: t.root.unique, origin: t.root.origin, channel: t.channel, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	p.Run = p.run
	return p
}

// errNoRelay is that the page's origin has no other documents that could reach it.
var errNoRelay = fmt.Errorf("no other document can reach the page: %w", injected.ErrNoMessages)

// errReplaced is that the page was replaced, or is not held any more.
var errReplaced = fmt.Errorf("the page is not held any more: %w", cdp.ErrDetached)

// open opens the hidden tab, if it is not open.
func (p *heldPage) open(ctx context.Context) (t *tab, unique string, err error) {
	if !strings.HasPrefix(p.origin, "http") {
		return nil, "", errNoRelay
	}
	select {
	case <-p.turn:
		defer func() { p.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, "", context.Cause(ctx)
	}
	if p.closed {
		return nil, "", errReplaced
	}
	if p.tab == nil || !p.usable(p.tab) {
		if p.tab, p.unique, err = p.empty.open(ctx, p.origin); err != nil {
			p.tab = nil
		}
	}
	return p.tab, p.unique, err
}

// close closes the hidden tab, without waiting for that.
func (p *heldPage) close() {
	p.own.Go(func() {
		<-p.turn
		defer func() { p.turn <- struct{}{} }()
		p.closed = true
		if p.tab != nil {
			p.empty.targets.discard(p.life, p.tab)
		}
	})
}

// run calls a function of our script in the page. It ends when the page is replaced.
func (p *heldPage) run(ctx context.Context, function, arg string) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p.own.Go(func() {
		if p.await(ctx, func(*state) bool { return p.of.closed || p.of.crashed || p.of.root.unique != p.document }) == nil {
			stop(errReplaced)
		}
	})
	answer, err := p.call(ctx, function, arg)
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errReplaced):
		return "", errReplaced
	case err == nil && answer.Error != "":
		err = fault.New(fault.Internal, "the page could not be read").Hinted("take a new snapshot, or reload the page").Because(errors.New(answer.Error))
	}
	return answer.Value, err
}

func (p *heldPage) call(ctx context.Context, function, arg string) (answer injected.RelayAnswer, err error) {
	t, unique, err := p.open(ctx)
	if err != nil {
		return answer, err
	}
	var said struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	arguments := []map[string]string{}
	for _, value := range []string{p.channel, randid.Word(), function, arg} {
		arguments = append(arguments, map[string]string{"value": value})
	}
	err = t.main.session.Call(ctx, "Runtime.callFunctionOn", map[string]any{
		"functionDeclaration": injected.RelayFunction, "uniqueContextId": unique, "returnByValue": true, "awaitPromise": true, "arguments": arguments,
	}, &said)
	if err != nil {
		return answer, fmt.Errorf("cannot call %s in a page whose next document is held: %w", function, err)
	}
	return answer, json.Unmarshal([]byte(said.Result.Value), &answer)
}
