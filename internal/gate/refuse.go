package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	refusalInterval = time.Minute // between two records of counted refusals
	maxRefusalKinds = 256         // kinds with a count of their own in that time; others are counted together
	otherSources    = "other addresses"
)

// Refuse records a call that a surface refused, with intent and outcome as for
// any other call. Calls of unknown callers, and calls over a limit, must not fill
// the disk: the first of a kind is recorded, and then their number each minute.
// The call is not done.
func (g *Gate) Refuse(_ context.Context, call action.Call, why error) {
	f := fault.From(why)
	if f == nil {
		return
	}
	if !isID(call.ID) {
		call.ID = newID()
	}
	stranger := call.Caller == (action.Caller{})
	if (stranger || f.Code == fault.LimitReached) && !g.refusals.first(call, f.Code) {
		return
	}
	p := g.invocationOf(callInfo{g: g, call: call})
	outcome := p.journal.outcome(action.Result{}, f)
	outcome.Detail = p.withoutCredential(sanitized(call.Source.Request))
	if stranger {
		outcome.Detail = join(outcome.Detail, "from "+sanitized(call.Source.Address))
	}
	if lost := p.journal.recordOutcome(outcome); lost != nil {
		g.log.Error("a refused call was not recorded", "id", call.ID, "error", lost)
	}
}

// recordRefusals records the counts.
func (g *Gate) recordRefusals(records []action.Record) {
	if err := g.audit.Append(records...); err != nil {
		g.log.Error("refused calls were not recorded", "error", err)
	}
}

// refusalCounter counts refused calls that are not recorded one by one.
type refusalCounter struct {
	record func([]action.Record)

	mu    sync.Mutex
	seen  map[refusalKind]*refusalCount
	timer *time.Timer // runs while there are counts
}

// refusalKind is a group of refusals with one count.
type refusalKind struct {
	source string // the caller, or the address of an unknown one
	scope  string
	code   fault.Code
}

type refusalCount struct {
	caller action.Caller
	more   int // refusals since the last record
}

// first reports whether a call is the first of its kind in a minute. If not, it
// is counted.
func (n *refusalCounter) first(call action.Call, code fault.Code) bool {
	k := refusalKind{source: call.Source.Address, scope: call.Caller.Scope, code: code}
	if call.Caller.Actor != "" {
		k.source = call.Caller.Actor
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen = map[refusalKind]*refusalCount{}
	}
	if _, known := n.seen[k]; !known && len(n.seen) >= maxRefusalKinds {
		k = refusalKind{source: otherSources, code: code}
	}
	if n.timer == nil {
		n.timer = time.AfterFunc(refusalInterval, n.flush)
	}
	if t, known := n.seen[k]; known {
		t.more++
		return false
	}
	n.seen[k] = &refusalCount{caller: call.Caller}
	return true
}

// flush records the counts, and removes the kinds without calls.
func (n *refusalCounter) flush() { n.record(n.collect(true)) }

func (n *refusalCounter) collect(goOn bool) []action.Record {
	n.mu.Lock()
	defer n.mu.Unlock()
	var records []action.Record
	for k, t := range n.seen {
		if t.more == 0 {
			delete(n.seen, k)
			continue
		}
		records = append(records, action.Record{
			EventType: action.EventRefused, Actor: sanitized(t.caller.Actor), Role: t.caller.Role, Scope: t.caller.Scope,
			Result: "fault", Error: string(k.code), Detail: untrusted.Record(fmt.Sprintf("%d more calls from %s", t.more, k.source), maxText),
		})
		t.more = 0
	}
	if n.timer = nil; goOn && len(n.seen) > 0 {
		n.timer = time.AfterFunc(refusalInterval, n.flush)
	}
	return records
}

// stop stops the counting and records the counts.
func (n *refusalCounter) stop() {
	n.mu.Lock()
	if n.timer != nil {
		n.timer.Stop()
	}
	n.mu.Unlock()
	n.record(n.collect(false))
}
