package outgoing

import (
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	mostActs     = 50  // that are remembered for later requests
	mostReceipts = 500 // of requests under way or answered
	mostOfAct    = 20  // effects that one answer names
)

// Ledger remembers which acts may have caused a request, and what became of
// requests. It is safe for concurrent use; the zero Ledger is ready.
type Ledger struct {
	mu       sync.Mutex
	acts     []act
	receipts []*receipt
}

type act struct {
	action.Act
	tab   string
	until time.Time // zero while it runs
}

type receipt struct {
	action.Effect
	request string // id in the protocol's events
	tab     string
	waits   bool // for a person
}

// Begin notes that an act begins in a tab.
func (l *Ledger) Begin(tab string, a action.Act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.acts) >= mostActs {
		l.acts = slices.Delete(l.acts, 0, 1)
	}
	l.acts = append(l.acts, act{Act: a, tab: tab})
}

// End notes that an act is done: what comes within its time is still its.
func (l *Ledger) End(id string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.acts {
		if l.acts[i].ID == id && l.acts[i].until.IsZero() {
			l.acts[i].until = now.Add(l.acts[i].Long)
		}
	}
}

// Live are the acts that may cause requests of some tabs, the newest first. With
// no tabs they are those of all.
func (l *Ledger) Live(now time.Time, tabs ...string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for _, a := range slices.Backward(l.acts) {
		if a.lives(now) && (len(tabs) == 0 || slices.Contains(tabs, a.tab)) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func (a *act) lives(now time.Time) bool { return a.until.IsZero() || now.Before(a.until) }

// All reports whether an act lives of which every request is to be held.
func (l *Ledger) All(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.acts, func(a act) bool { return a.All && a.lives(now) })
}

// Note adds a receipt of a request.
func (l *Ledger) Note(request, tab string, e action.Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.find(request, e.URL); old != nil {
		old.Effect, old.waits = e, e.State == action.EffectHeld
		return
	}
	if len(l.receipts) >= mostReceipts {
		l.receipts = slices.Delete(l.receipts, 0, 1)
	}
	l.receipts = append(l.receipts, &receipt{Effect: e, request: request, tab: tab, waits: e.State == action.EffectHeld})
}

// find returns the newest receipt of a request, to an address where one is
// given: hops of a redirect share the id of the request. mu is held.
func (l *Ledger) find(request, address string) *receipt {
	for _, r := range slices.Backward(l.receipts) {
		if r.request == request && request != "" && (address == "" || r.URL == address) {
			return r
		}
	}
	return nil
}

// Answered notes what a server answered to a request, of a redirect to the
// address that it came from, and returns the receipt where there is one that
// was open.
func (l *Ledger) Answered(request, address string, status int) (action.Effect, bool) {
	return l.close(request, address, func(e *action.Effect) { e.Status = status })
}

// Failed notes that a request which left came to nothing, as far as the browser
// knows.
func (l *Ledger) Failed(request, why string) (action.Effect, bool) {
	return l.close(request, "", func(e *action.Effect) { e.State, e.Why = action.EffectUnknown, why })
}

func (l *Ledger) close(request, address string, change func(*action.Effect)) (action.Effect, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.find(request, address)
	if r == nil || r.State != action.EffectSent || r.Status != 0 {
		return action.Effect{}, false
	}
	change(&r.Effect)
	return r.Effect, true
}

// Waiting reports whether requests of a tab wait for a person; with an empty
// tab, of any.
func (l *Ledger) Waiting(tab string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.receipts, func(r *receipt) bool { return r.waits && (tab == "" || r.tab == tab) })
}

// Holds reports whether a request waits for a person.
func (l *Ledger) Holds(request string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.find(request, "")
	return r != nil && r.waits
}

// Open reports whether a request of an act left and has no answer yet.
func (l *Ledger) Open(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.receipts, func(r *receipt) bool {
		return r.Act == id && r.State == action.EffectSent && r.Status == 0
	})
}

// Of are the effects of an act, oldest first, at most 20.
func (l *Ledger) Of(id string) []action.Effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []action.Effect
	for _, r := range l.receipts {
		if r.Act == id && id != "" && len(all) < mostOfAct {
			all = append(all, r.Effect)
		}
	}
	return all
}
