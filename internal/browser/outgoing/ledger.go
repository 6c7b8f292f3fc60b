// Package outgoing handles the requests of a browser that may change something outside of
// it: which acts may have caused them, what they send, and their results.
package outgoing

import (
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxActs     = 50  // that are kept
	maxReceipts = 500 // of requests under way or answered
	maxEffects  = 20  // of one act that its answer names
)

// Ledger keeps the acts that may have caused a request, and the results of requests. The
// zero Ledger is empty and ready. It is safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	acts     []act
	receipts []*receipt
}

type act struct {
	action.Act
	tab   string
	reach Reach
	until time.Time // zero while it runs
}

type receipt struct {
	action.Effect
	request string // id in the events of the protocol
	tab     string
	waits   bool // a person is asked about it
}

// Begin adds an act that begins in a tab, with the part of the browser that can be told of
// it. The ledger keeps reach.
func (l *Ledger) Begin(tab string, reach Reach, a action.Act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.acts) >= maxActs {
		l.acts = slices.Delete(l.acts, 0, 1)
	}
	l.acts = append(l.acts, act{Act: a, tab: tab, reach: reach})
}

// End marks an act as done. Requests that follow within the act's time still belong to it.
func (l *Ledger) End(id string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.acts {
		if l.acts[i].ID == id && l.acts[i].until.IsZero() {
			l.acts[i].until = now.Add(l.acts[i].Long)
		}
	}
}

// Live returns the acts of all tabs that may cause requests, the newest first.
func (l *Ledger) Live(now time.Time) []string {
	return l.live(now, func(*act) bool { return true })
}

// live returns the acts that may cause requests and of which is holds, the newest first.
func (l *Ledger) live(now time.Time, is func(*act) bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []string
	for i := range slices.Backward(l.acts) {
		if a := &l.acts[i]; a.isLive(now) && is(a) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func (a *act) isLive(now time.Time) bool { return a.until.IsZero() || now.Before(a.until) }

// Note adds or replaces the receipt of a request.
func (l *Ledger) Note(request, tab string, e action.Effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.find(request, e.URL); old != nil {
		old.Effect, old.waits = e, e.State == action.EffectHeld
		return
	}
	if len(l.receipts) >= maxReceipts {
		l.receipts = slices.Delete(l.receipts, 0, 1)
	}
	l.receipts = append(l.receipts, &receipt{Effect: e, request: request, tab: tab, waits: e.State == action.EffectHeld})
}

// find returns the newest receipt of a request, to an address if one is given: the hops of
// a redirect have the same request id. The caller holds mu.
func (l *Ledger) find(request, address string) *receipt {
	for _, r := range slices.Backward(l.receipts) {
		if r.request == request && request != "" && (address == "" || r.URL == address) {
			return r
		}
	}
	return nil
}

// Answered stores the status of an answer. An address that is not empty names one hop of
// a chain of redirects; an empty one means the last hop. It returns the receipt that it
// completed; false where none was waiting for this answer.
func (l *Ledger) Answered(request, address string, status int) (action.Effect, bool) {
	return l.close(request, address, func(e *action.Effect) { e.Status = status })
}

// Failed stores that a request that had left failed, so that its effect is unknown. It
// returns the receipt, if there is one that was open.
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

// Waiting reports whether a request of a tab waits for a person; for an empty tab, whether
// any request does.
func (l *Ledger) Waiting(tab string) bool {
	return l.waits(func(r *receipt) bool { return tab == "" || r.tab == tab })
}

// WaitingFor reports whether a request of an act, or of its tab, waits for a person.
func (l *Ledger) WaitingFor(act, tab string) bool {
	return l.waits(func(r *receipt) bool { return r.tab == tab || r.Act == act })
}

func (l *Ledger) waits(is func(*receipt) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.receipts, func(r *receipt) bool { return r.waits && is(r) })
}

// Holds reports whether a request waits for a person.
func (l *Ledger) Holds(request string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.find(request, "")
	return r != nil && r.waits
}

// Open reports whether a request of an act has left and has no answer yet.
func (l *Ledger) Open(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.receipts, func(r *receipt) bool {
		return r.Act == id && r.State == action.EffectSent && r.Status == 0
	})
}

// Of returns the effects of an act, oldest first, at most 20.
func (l *Ledger) Of(id string) []action.Effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []action.Effect
	for _, r := range l.receipts {
		if r.Act == id && id != "" && len(all) < maxEffects {
			all = append(all, r.Effect)
		}
	}
	return all
}
