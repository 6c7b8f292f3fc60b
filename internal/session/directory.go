package session

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// directory has the sessions that are not over, and the starts that wait for a
// free place.
type directory struct {
	config  Config
	store   recordStore
	notices *endNotices
	work    *sync.WaitGroup // counts each session until it has ended completely

	mu   sync.Mutex
	open roster // guarded by mu
}

// find returns the session that a call means: by id or name, or else the caller's
// own open session of the configured provider that was used last. A paused
// session counts too, so that a call does not reach another page because a person
// has taken over its own. nil if none is open.
func (d *directory) find(call action.Call) *openSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	if sess := d.open.byID[call.Session]; sess != nil && sess.scope == call.Caller.Scope {
		return sess
	}
	var best *openSession
	var bestRecord action.Session
	for _, sess := range d.open.byID {
		if sess.scope != call.Caller.Scope {
			continue
		}
		record := sess.now()
		wanted := record.Name == call.Session
		if call.Session == "" {
			wanted = isOpen(record.State) && record.Provider == d.config.Provider && sess.run == "" && sess.owned(call)
		}
		if wanted && (best == nil || better(record, bestRecord)) {
			best, bestRecord = sess, record
		}
	}
	return best
}

// owned reports whether a call without a session name may mean this one: its
// caller started it, over the same connection if the call came over one.
func (o *openSession) owned(call action.Call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state.record.Actor == call.Caller.Actor && (call.Connection == "" || call.Connection == o.state.terms.Connection)
}

// better prefers open sessions to ones that are ending or starting, then the one
// used last.
func better(a, b action.Session) bool {
	if isOpen(a.State) != isOpen(b.State) {
		return isOpen(a.State)
	}
	return a.LastUsed.After(b.LastUsed)
}

// withID returns the session of an id, nil when it is not open.
func (d *directory) withID(id string) *openSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open.byID[id]
}

// byBox returns the session of a box, nil when it has none.
func (d *directory) byBox(box string) *openSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, sess := range d.open.byID {
		if sess.now().Box == box {
			return sess
		}
	}
	return nil
}

// count returns the number of sessions, including those that are starting or
// closing.
func (d *directory) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open.byID)
}

// all returns the sessions that are not over.
func (d *directory) all() []*openSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]*openSession, 0, len(d.open.byID))
	for _, sess := range d.open.byID {
		list = append(list, sess)
	}
	return list
}

// admit returns the open session a call means. Faults: session_not_found,
// not_active.
func (d *directory) admit(ctx context.Context, call action.Call) (*openSession, error) {
	if sess := d.find(call); sess != nil {
		return sess, nil
	}
	record, err := d.ended(ctx, call)
	if err != nil {
		return nil, err
	}
	return nil, notOpenFault(record)
}

// recordOf returns the record of the session a call means, open or not.
func (d *directory) recordOf(ctx context.Context, call action.Call) (action.Session, action.SessionFacts, error) {
	if sess := d.find(call); sess != nil {
		return sess.shown(), sess.facts(), nil
	}
	record, err := d.ended(ctx, call)
	return record, action.SessionFacts{ID: record.ID, Box: record.Box, State: record.State, Actions: record.Actions, Credentialed: len(record.Credentialed) > 0}, err
}

// ended finds the record of a session that has ended. One of another scope is not
// found.
func (d *directory) ended(ctx context.Context, call action.Call) (action.Session, error) {
	if call.Session == "" {
		if words := d.notices.take(call); words != "" {
			return action.Session{}, endedSinceFault(words)
		}
		return action.Session{}, d.noneOpen(call)
	}
	e, found, err := d.store.byKey(ctx, call.Caller.Scope, call.Session)
	if err != nil {
		return action.Session{}, err
	}
	if !found {
		return action.Session{}, fault.New(fault.SessionNotFound, "there is no session %s", untrusted.Quoted(call.Session)).
			Hinted("list the sessions there are with session.list, or start one")
	}
	return e.Session, nil
}

// newest returns the current record for a stored one.
func (d *directory) newest(record action.Session) action.Session {
	sess := d.withID(record.ID)
	if sess == nil {
		return record
	}
	return sess.shown()
}

// userOf returns the session that uses a profile.
func (d *directory) userOf(profile string) (action.Session, bool) {
	for _, sess := range d.all() {
		if record := sess.now(); record.Profile == profile {
			return record, true
		}
	}
	return action.Session{}, false
}

// crowded returns a warning if many sessions of a scope are open.
func (d *directory) crowded(scope string) string {
	most, mine := d.config.MaxConcurrent, 0
	for _, sess := range d.all() {
		if sess.scope == scope && sess.over() == nil {
			mine++
		}
	}
	if most < 0 || mine*warnOf < most*warnAt {
		return ""
	}
	return fmt.Sprintf("%d of %d sessions of this scope are open (security.max_concurrent_sessions): close those that are not needed", mine, most)
}

// maxOthers is how many sessions of others a fault names.
const maxOthers = 5

// noneOpen is the fault of a call without a session name whose caller has no
// session. It lists sessions of others that the call could name.
func (d *directory) noneOpen(call action.Call) *fault.Fault {
	const start = "start one with session.start"
	var others []string
	for _, sess := range d.all() {
		if record := sess.now(); sess.scope == call.Caller.Scope && isOpen(record.State) && sess.run == "" {
			others = append(others, label(record))
		}
	}
	if len(others) == 0 {
		return fault.New(fault.NotActive, "no session is open").Hinted(start).With("state", "none")
	}
	slices.Sort(others)
	more := ""
	if len(others) > maxOthers {
		others, more = others[:maxOthers], ", …"
	}
	return fault.New(fault.NotActive, "no session of yours is open here").
		Hinted("%s; or name one that is open: %s%s", start, strings.Join(others, ", "), more).With("state", "none")
}

// idPattern is the shape of session ids; no session may be named like one.
var idPattern = regexp.MustCompile(`^s[0-9a-f]{16}$`)

func newID() string { return randid.New("s", 8) }
