package session

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Of look-ups that find nothing agents have so many at once in a session with
// credentials, and then one in so long: 150 in the twenty minutes that a session
// lasts by default. A secret of 32 hexadecimal digits that a page spelled out
// letter by letter would take 256 on average.
const (
	questionBurst = 30
	questionEvery = 10 * time.Second
)

// allowance lets so much be spent at once, and gives it back with time. The zero
// allowance is full.
type allowance struct {
	spent int
	since time.Time
}

// renew gives back what the time since has earned.
func (a *allowance) renew(now time.Time, every time.Duration) {
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

// spend takes n, which may be more than is left: it is paid back with time.
func (a *allowance) spend(now time.Time, n int) {
	if a.spent == 0 {
		a.since = now
	}
	a.spent += n
}

// mayAsk refuses a look-up of an agent that has asked too often for what is not
// there. Faults: limit_reached.
func (l *live) mayAsk(call action.Call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call.Caller.Role == action.Operator || !l.isCredentialed() || !asks(call.Args) {
		return nil
	}
	now := time.Now()
	l.questions.renew(now, questionEvery)
	if l.questions.spent < questionBurst {
		return nil
	}
	wait := l.questions.since.Add(time.Duration(l.questions.spent-questionBurst+1) * questionEvery).Sub(now)
	seconds := int((wait + time.Second - 1) / time.Second)
	return fault.New(fault.LimitReached, "too many look-ups found nothing: in a session with credentials an agent has %d of them at once, and then one each %d s", questionBurst, int(questionEvery/time.Second)).
		Hinted("wait %d s; take a snapshot to see what is there, and name elements by their refs", seconds).
		With("limit", "failing look-ups").With("max", questionBurst).With(fault.WaitKey, seconds)
}

// heard counts what a call was told is not there.
func (l *live) heard(call action.Call, result action.Result, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call.Caller.Role == action.Operator || !l.isCredentialed() || !asks(call.Args) {
		return
	}
	if n := misses(call.Args, result.Data, err); n > 0 {
		l.questions.spend(time.Now(), n)
	}
}

// asks reports whether a call looks for something on a page by its own words.
func asks(args any) bool {
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

// misses counts the times that a call was told that something is not there.
// Waiting for something to go away is told so by success.
func misses(args, data any, err error) int {
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
