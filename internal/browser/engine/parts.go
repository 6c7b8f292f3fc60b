package engine

import (
	"context"
	"sync/atomic"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// assemble makes the parts of a browser, innermost first: a part knows those
// before it only.
func (b *Browser) assemble() {
	b.clients = &clients{base: b.base}
	b.geometry = &geometry{base: b.base}
	b.effects = &effects{base: b.base}
	b.elements = &elements{base: b.base, geometry: b.geometry}
	b.reader = &reader{base: b.base, effects: b.effects}
	b.targets = &targets{base: b.base, clients: b.clients}
	b.certificates = &certificates{base: b.base, senders: newRecent[string](mostListed), passed: newRecent[bool](mostListed)}
	b.outgoing = &outgoingRequests{base: b.base, credentials: b}
	b.guard = &documentGuard{base: b.base, outgoing: b.outgoing, credentials: b, initiators: newRecent[string](mostInitiators)}
	b.observer = &observer{base: b.base, effects: b.effects, elements: b.elements, reader: b.reader}
	b.dialogs = &dialogs{base: b.base, effects: b.effects}
	b.input = &input{base: b.base, clients: b.clients, geometry: b.geometry, effects: b.effects, elements: b.elements}
	b.navigator = &navigator{
		base: b.base, effects: b.effects, reader: b.reader, targets: b.targets, guard: b.guard, observer: b.observer,
		credentials: b, files: b,
	}
	b.contents = &contents{base: b.base, effects: b.effects, elements: b.elements, reader: b.reader, navigator: b.navigator}
}

// credentialInjector is the part that puts credentials into the browser.
type credentialInjector interface {
	// stock has the storage of a document's origin in place before it is requested.
	stock(ctx context.Context, t *tab, address string) error
	// lieInWait has the next document of a tab given its storage as it begins.
	lieInWait(ctx context.Context, t *tab, address string) error
	// drop undoes lieInWait. base.mu is held.
	drop(t *tab)
	// goOn lets a paused request go on, with the headers of its origin if carries.
	goOn(p paused, carries bool)
	// untakenAuth reports whether the origin of an address refused the stored
	// user name and password.
	untakenAuth(address string) bool
	// intercept changes what requests are paused for, and tells the browser.
	intercept(ctx context.Context, change func()) error
}

// fileReader is the part that reads files which came instead of pages.
type fileReader interface {
	readFile(ctx context.Context, t *tab, n *action.Navigated)
}

// clients are the clients of the protocol that are attached, whose input frames
// let through.
type clients struct {
	*base
	attendance attendance
}

// geometry says where things are in the viewport of the tab, and waits until
// they are drawn there.
type geometry struct{ *base }

// effects waits for what an act sets off: navigations, popups and downloads.
type effects struct{ *base }

// elements finds the elements that calls name, and pins them.
type elements struct {
	*base
	geometry *geometry
	last     lastLook
}

// reader reads the frames of a tab.
type reader struct {
	*base
	effects *effects
}

// targets takes in what the browser lets us attach to, and opens and closes tabs.
type targets struct {
	*base
	clients *clients
}

// outgoingRequests judges requests that may change something outside of the
// browser, and keeps what became of them.
type outgoingRequests struct {
	*base
	credentials credentialInjector
	pausesAll   atomic.Bool // every request is paused, see pauseAll
	channels    channels
}

// documentGuard asks whether documents may be requested, and prepares for them.
type documentGuard struct {
	*base
	outgoing    *outgoingRequests
	credentials credentialInjector
	initiators  *recent[string] // for each host, the address of the document that asked for something there last
}

// observer says what an act changed on the page, for each viewer.
type observer struct {
	*base
	effects  *effects
	elements *elements
	reader   *reader
	audience audience
	sights   atomic.Int64 // the number of the last
}

// dialogs answers the dialogs that pages open.
type dialogs struct {
	*base
	effects *effects
}

// input acts on elements with pointer, keys and files.
type input struct {
	*base
	clients  *clients
	geometry *geometry
	effects  *effects
	elements *elements
}

// navigator takes tabs to addresses and along their history.
type navigator struct {
	*base
	effects     *effects
	reader      *reader
	targets     *targets
	guard       *documentGuard
	observer    *observer
	credentials credentialInjector
	files       fileReader
}

// contents answers the verbs that read a page.
type contents struct {
	*base
	effects   *effects
	elements  *elements
	reader    *reader
	navigator *navigator
}
