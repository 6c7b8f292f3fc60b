package session

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Limits of look-ups without a match that agents may make in a session with
// credentials: a burst, and then one per interval. This allows 150 in the twenty
// minutes that a session lasts by default. Guessing a secret of 32 hexadecimal
// digits on a page digit by digit would need 256 on average.
const (
	lookupBurst = 30
	lookupEvery = 10 * time.Second
)

// lookupBudget limits failed look-ups, with a burst. The zero budget is full.
type lookupBudget struct {
	spent int
	since time.Time
}

// renew adds what was earned since the last call.
func (a *lookupBudget) renew(now time.Time, every time.Duration) {
	back := int(now.Sub(a.since) / every)
	if back <= 0 {
		return
	}
	if a.spent <= back {
		a.spent, a.since = 0, now
		return
	}
	a.spent -= back
	a.since = a.since.Add(time.Duration(back) * every)
}

// spend subtracts n from the budget, which may be more than is left.
func (a *lookupBudget) spend(now time.Time, n int) {
	if a.spent == 0 {
		a.since = now
	}
	a.spent += n
}

// checkLookup refuses a look-up of an agent whose budget is used up. Faults: limit_reached.
func (o *openSession) checkLookup(call action.Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if call.Caller.Role == action.Operator || !o.state.isCredentialed() || !looksUp(call.Args) {
		return nil
	}
	now := time.Now()
	o.state.lookups.renew(now, lookupEvery)
	if o.state.lookups.spent < lookupBurst {
		return nil
	}
	wait := o.state.lookups.since.Add(time.Duration(o.state.lookups.spent-lookupBurst+1) * lookupEvery).Sub(now)
	seconds := int((wait + time.Second - 1) / time.Second)
	return fault.New(fault.LimitReached, "too many look-ups found nothing: in a session with credentials an agent has %d of them at once, and then one each %d s", lookupBurst, int(lookupEvery/time.Second)).
		Hinted("wait %d s; take a snapshot to see what is there, and name elements by their refs", seconds).
		With("limit", "failing look-ups").With("max", lookupBurst).With(fault.WaitKey, seconds)
}

// countMisses subtracts the look-ups of a call that found nothing from the
// budget.
func (o *openSession) countMisses(call action.Call, result action.Result, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if call.Caller.Role == action.Operator || !o.state.isCredentialed() || !looksUp(call.Args) {
		return
	}
	if n := missCount(call.Args, result.Data, err); n > 0 {
		o.state.lookups.spend(time.Now(), n)
	}
}

// looksUp reports whether a call searches a page for a text or selector of the
// caller.
func looksUp(args any) bool {
	switch a := args.(type) {
	case *action.WaitFor, *action.Find, *action.Scrape, *action.Drag:
		return true
	case *action.ReadNetwork:
		return a.Pattern != ""
	case *action.TakeScreenshot:
		return a.Selector != ""
	case interface{ Asks() bool }:
		return a.Asks()
	}
	return false
}

// missCount counts the look-ups of a call that found nothing. A successful wait
// for something to disappear counts as one.
func missCount(args, data any, err error) int {
	if err != nil {
		if code := fault.CodeOf(err); code == fault.NotFound || code == fault.ActionTimeout {
			return 1
		}
		return 0
	}
	n := 0
	switch d := data.(type) {
	case *action.Waited:
		if a, waits := args.(*action.WaitFor); waits && d.Found == a.Absence() {
			n = 1
		}
	case *action.Matches:
		n = miss(d.Total)
	case *action.NetworkListing:
		n = miss(len(d.Requests))
	case *action.Scraped:
		for _, list := range d.Data {
			n += miss(len(list))
		}
	}
	return n
}

func miss(found int) int {
	if found == 0 {
		return 1
	}
	return 0
}
