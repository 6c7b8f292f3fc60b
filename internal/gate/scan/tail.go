package scan

import (
	"sync"
	"unicode/utf8"
)

const (
	maxTail    = 2048 // bytes kept of what was typed into one element
	maxTargets = 512  // elements
)

// Target is an element that texts are typed into.
type Target struct {
	Session, Document, Node string
}

// TypedTexts keeps the end of what was typed into each element, so that a credential
// that is typed letter by letter is found. It is in memory only. Of more than 512
// elements it forgets those that were typed into first. The zero TypedTexts is empty and
// ready. It is safe for concurrent use.
type TypedTexts struct {
	mu    sync.Mutex
	clock uint64
	kept  map[Target]typedEnd
}

type typedEnd struct {
	text string
	used uint64
}

// Join returns what the element holds, as far as it is known, followed by text.
func (t *TypedTexts) Join(at Target, text string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept[at].text + text
}

// Keep stores what an element holds now.
func (t *TypedTexts) Keep(at Target, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil {
		t.kept = map[Target]typedEnd{}
	}
	if _, known := t.kept[at]; !known && len(t.kept) >= maxTargets {
		t.forgetOldest()
	}
	t.clock++
	t.kept[at] = typedEnd{text: LastBytes(text, maxTail), used: t.clock}
}

// Forget removes the texts of a session.
func (t *TypedTexts) Forget(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for at := range t.kept {
		if at.Session == session {
			delete(t.kept, at)
		}
	}
}

func (t *TypedTexts) forgetOldest() {
	var oldest Target
	least := t.clock + 1
	for at, kept := range t.kept {
		if kept.used < least {
			oldest, least = at, kept.used
		}
	}
	delete(t.kept, oldest)
}

// LastBytes returns at most so many bytes from the end of a text, whole characters.
func LastBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}
