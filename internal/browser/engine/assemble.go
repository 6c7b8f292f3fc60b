package engine

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
	b.cookies = cookies{base: b.base}
	empty, visited := &emptyDocuments{base: b.base, targets: b.targets}, &origins{}
	b.injection = &injection{base: b.base, cookies: b.cookies, empty: empty, visited: visited}
	b.siteData = &siteData{base: b.base, cookies: b.cookies, targets: b.targets, empty: empty, injection: b.injection, visited: visited}
	b.outgoing = &outgoingRequests{base: b.base, credentials: b.injection, empty: empty}
	b.guard = &documentGuard{base: b.base, outgoing: b.outgoing, credentials: b.injection, initiators: newRecent[string](mostInitiators)}
	b.observer = &observer{base: b.base, effects: b.effects, elements: b.elements, reader: b.reader}
	b.dialogs = &dialogs{base: b.base, effects: b.effects}
	b.actor = &actor{base: b.base, clients: b.clients, geometry: b.geometry, effects: b.effects, elements: b.elements}
	b.navigator = &navigator{
		base: b.base, effects: b.effects, reader: b.reader, targets: b.targets, guard: b.guard, observer: b.observer,
		credentials: b.injection,
	}
	b.camera = &camera{
		base: b.base, geometry: b.geometry, elements: b.elements, reader: b.reader,
		secrets: &secretAreas{base: b.base, geometry: b.geometry},
	}
	b.contents = &contents{base: b.base, effects: b.effects, elements: b.elements, reader: b.reader, navigator: b.navigator}
}
