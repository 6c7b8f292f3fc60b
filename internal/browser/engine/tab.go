package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// tab is one page of the browser.
type tab struct {
	id     string
	opener string
	group  string // id of the first tab of those that opened each other
	main   *target
	root   *frame
	frames map[string]*frame
	past   map[string]bool // sites of frames that the main document had, and of closed tabs of the group
	title  string
	refs   *snapshot.Refs
	ready  chan struct{} // closed when the tab is set up
	isSet  bool
	closed bool
	made   int // its number, in the order in which tabs were opened

	leaving bool // the engine closes it
	hidden  bool // of a crawl
	offline bool // see offlineTab
	visit   *visit

	crashed bool
	suspect bool // a verb timed out: its renderer may not answer any more
	dialog  *dialog
	dialogs int                   // opened by the document
	running map[*running]struct{} // verbs to interrupt

	method  string // of the last request for a main document
	posted  bool   // the document is the answer to a form that was posted
	moves   moves
	popups  counter
	dragged json.RawMessage // data of the drag that was intercepted
	opened  string          // where the last window.open led

	downloaded    string    // id of the newest download
	file          *document // the file that the last navigation returned instead of a page; nil if a page is shown
	chooser       chooser   // the last one that the page opened
	choosers      int       // opened so far
	awaitsChooser bool      // page.upload waits for one

	mediaType       string            // of the newest document that the main frame was sent
	status          map[string]int    // HTTP status of a document, by loader
	away            map[string]error  // refusals of documents by the egress proxy, by loader
	lost            string            // loader of the last navigation that failed
	failures        map[string]string // net:: error of a document, by loader
	refused         error             // the guard's last refusal of a main document
	uncertified     string            // the browser's error for a certificate of the last navigation that was not accepted
	judged          []judgedRequest   // about which a person may be asked
	held            []heldRequest     // about which a person is asked
	left            int               // pages that it has left
	relay           *heldPage         // by which the main frame is read; nil if no next document is held
	arriving        arrival           // the document that was held last, until the tab shows it
	channel         string            // of the relay
	preparedFor     string            // the address that a call has prepared for already
	cancelPreparing func()            // cancels the preparation for the next document; nil for none
	inflight        map[string]struct{}
	asking          map[string]string // endpoints of those that an act may wait for
	lastBusy        time.Time         // when a request last started or ended
}

// counter counts what was requested and what was done.
type counter struct{ asked, done int }

// moves counts the steps of the main frame's navigations.
type moves struct {
	asked     int // requested or started
	within    int // inside the document: fragments, history.pushState
	stopped   int // loading ended, with or without a new document
	downloads int
	scripts   int // javascript: URLs, of any frame
}

type running struct{ cancel context.CancelCauseFunc }

func newTab(_ *state, t *target, refs *snapshot.Refs) *tab {
	n := &tab{
		id: t.id, main: t, refs: refs,
		group:    t.id,
		frames:   make(map[string]*frame),
		past:     make(map[string]bool),
		ready:    make(chan struct{}),
		running:  make(map[*running]struct{}),
		status:   make(map[string]int),
		away:     make(map[string]error),
		failures: make(map[string]string),
		inflight: make(map[string]struct{}),
		asking:   make(map[string]string),
		lastBusy: time.Now(),
		channel:  randid.Word(),
	}
	n.root = &frame{id: t.id, target: t}
	n.frames[t.id] = n.root
	return n
}

func (t *tab) setUp() {
	if !t.isSet {
		t.isSet = true
		close(t.ready)
	}
}

// interrupt ends every verb that runs in the tab.
func (t *tab) interrupt(cause error) {
	for r := range t.running {
		r.cancel(cause)
	}
}

// enter returns the context of a verb in a tab. It ends at the verb's limit, and when
// a dialog opens or the tab crashes. The function that it returns must be called.
func (b *base) enter(ctx context.Context, t *tab, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLimit)
	r := &running{cancel: cancel}
	b.state.Do(func(*state) {
		if t.closed {
			cancel(errClosedTab)
		}
		t.running[r] = struct{}{}
	})
	return ctx, func() {
		b.state.Do(func(*state) { delete(t.running, r) })
		stop()
		cancel(nil)
	}
}

// maxDialogs is how many dialogs a document may open before a navigation is allowed
// while one is open: a page that opens dialogs without end must not keep the tab.
const maxDialogs = 3

// leavesPage reports whether a verb does not need the tab's next document.
func leavesPage(verb string) bool {
	return verb == action.VerbPageGoto.Name || verb == action.VerbPageDialog.Name
}

// admit refuses a verb that cannot run in the tab's present state. A document that a person
// has just allowed is waited for.
func (b *base) admit(ctx context.Context, t *tab, verb string) error {
	if !leavesPage(verb) {
		b.waitForArrival(ctx, t)
	}
	return guarded.Get(b.state, func(*state) error {
		if t.dialog != nil && verb != action.VerbPageDialog.Name && (verb != action.VerbPageGoto.Name || t.dialogs < maxDialogs) {
			return t.dialog.fault()
		}
		if t.crashed && verb != action.VerbPageGoto.Name && verb != action.VerbPageDialog.Name {
			return errCrashed
		}
		if h := t.heldDocument(); h != nil && verb != action.VerbPageGoto.Name && !readsHeld[verb] {
			return h.fault("nothing was done")
		}
		return nil
	})
}

var errCrashed = fault.New(fault.PageCrashed, "the page crashed").
	Hinted("navigate again with page.goto: the tab still works")

// crash notes that a target's renderer crashed.
func (ts *targets) crash(s *state, t *target) {
	if t == nil {
		return
	}
	ts.conn.Detach(t.session.ID(), errCrashed)
	if t.tab == nil {
		return
	}
	if t.kind != "page" {
		t.tab.lose(t)
		s.change()
		return
	}
	t.tab.crashed = true
	t.tab.lose(t)
	t.tab.dropDialog()
	t.tab.interrupt(errCrashed)
	s.change()
}

// page returns the address and title of the tab.
func (t *tab) page() action.Page { return action.Page{URL: t.root.url, Title: t.title} }

// facts returns the address and title of a tab.
func (b *base) facts(t *tab) action.Page {
	return guarded.Get(b.state, func(*state) action.Page { return t.page() })
}
