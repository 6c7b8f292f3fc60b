// Package snapshot merges the trees of a page's frames to one page for agents,
// with references, as a tree or as text in the grammar of docs/snapshot.md. It
// does not use a browser.
package snapshot

import (
	"strconv"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Place is the target of a reference: an element of a document.
type Place struct {
	Document string // loader id of the frame's document
	Node     int    // number of the element, given by the injected script
}

// Refs gives references (e1, e2, …) to elements of a session's pages. A reference
// is never reused, so it cannot resolve to another element than its own. The zero
// Refs is ready. It is safe for concurrent use.
type Refs struct {
	mu        sync.Mutex
	last      int
	earlier   int // the last number that an earlier process may have used
	places    map[int]Place
	documents map[string]map[int]int // document → node → number of the reference
}

// life is how many references one process of the gateway can give in a session
// before they could collide with those of the next process. Small numbers use
// fewer tokens.
const life = 1_000_000

// Begin sets the first reference to one that no earlier process gave: number is
// how many processes had the session before. It must be called before the first
// Ref.
func (r *Refs) Begin(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.earlier = number*life, number*life
}

// Ref returns the reference of an element, always the same.
func (r *Refs) Ref(p Place) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	nodes := r.documents[p.Document]
	if number, known := nodes[p.Node]; known {
		return format(number)
	}
	if r.places == nil {
		r.places, r.documents = map[int]Place{}, map[string]map[int]int{}
	}
	if nodes == nil {
		nodes = map[int]int{}
		r.documents[p.Document] = nodes
	}
	r.last++
	r.places[r.last], nodes[p.Node] = p, r.last
	return format(r.last)
}

// Resolve returns the target of a reference. It accepts e12, @e12 and ref=e12.
// Faults: invalid_request for another text, stale_ref if the document is gone or
// the reference was never given.
func (r *Refs) Resolve(ref string) (Place, error) {
	number, valid := parse(ref)
	if !valid {
		return Place{}, fault.New(fault.InvalidRequest, "%q is not a reference", short(ref)).
			Hinted("give a reference as the snapshot shows it in brackets, for example e12")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.places[number]
	if !known && number <= r.earlier {
		return Place{}, fault.New(fault.StaleRef, "reference %s was given in an earlier browser, which has ended", short(format(number))).
			Hinted("take a new snapshot and use a reference from it")
	}
	if !known {
		return Place{}, Stale(format(number))
	}
	return p, nil
}

// Forget removes the references of a document that is gone. Resolve faults with
// stale_ref for them.
func (r *Refs) Forget(document string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, number := range r.documents[document] {
		delete(r.places, number)
	}
	delete(r.documents, document)
}

// Stale is the fault for a reference without a target.
func Stale(ref string) error {
	return fault.New(fault.StaleRef, "reference %s is not on the page any more", short(ref)).
		Hinted("take a new snapshot and use a reference from it")
}

func format(number int) string { return "e" + strconv.Itoa(number) }

func parse(ref string) (int, bool) {
	ref = strings.TrimSpace(ref)
	ref = strings.TrimPrefix(strings.TrimPrefix(ref, "ref="), "@")
	digits, found := strings.CutPrefix(ref, "e")
	if !found || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	number, err := strconv.Atoi(digits)
	return number, err == nil
}

const quotedInput = 40 // characters of a caller's input in a message

func short(s string) string { return untrusted.Shorten(s, quotedInput) }
