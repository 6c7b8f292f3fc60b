package engine

import (
	"context"
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
		credentials: b,
	}
	b.camera = &camera{
		base: b.base, geometry: b.geometry, elements: b.elements, reader: b.reader,
		secrets: &secretAreas{base: b.base, geometry: b.geometry},
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
