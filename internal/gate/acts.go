package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

const (
	requestWindow     = 5 * time.Second  // in which a request may belong to an act; the browser's user activation lasts as long
	highRequestWindow = 30 * time.Second // likewise of an act that was judged HIGH
	maxActs           = 2000             // of all sessions
	serverAnswerLimit = 5 * time.Second  // for servers to answer requests that people allowed
	actRetention      = 5 * time.Minute  // an act is remembered for its waiting questions
	cleaningInterval  = time.Second      // between two removals of old acts
)

// causingAct is an act that may cause requests.
type causingAct struct {
	gate  *Gate // takes screenshots of the element
	id    string
	call  action.Call
	key   string // equal for a repetition of the call
	facts action.Facts
	pin   action.Pin
	name  string // the call, in words

	picture string // a screenshot of the element before the act; empty if none was taken

	judged policy.Act
	cover  policy.Cover  // what the act names
	window time.Duration // in which a request may belong to the act, after its call

	mu       sync.Mutex
	running  bool // its call has not answered
	began    time.Time
	ended    time.Time
	question action.Question // the newest about what it sends
	decision *decision       // the one that is waited for; nil when none is
	effects  []action.Effect
	refused  error         // the last fault: refused by a person, or not answered
	data     any           // of the answer of its call
	changed  chan struct{} // closed and replaced when effects change
	givenUp  bool          // its page gave up the requests that people were asked about last

	askedBefore bool           // a person allowed the act before it was done, without a request of it
	harms       bool           // a person was asked about a request of it that does harm by itself
	sentOwn     bool           // a request that the act makes by itself has left
	failed      map[string]int // by Request.Key: how often a request that a person allowed failed on the network
	repeated    map[string]int // likewise: how often it was sent again
}

const (
	maxRepeats        = 3    // sends of a request that a person allowed, after failures on the network
	maxFailedRequests = 2000 // of one act that are remembered
)

// decision is a person's decision about requests of one act.
type decision struct {
	requests []*outgoingRequest
	asked    bool // the question was made: no further request joins
	done     chan struct{}
	err      error // set before done is closed; nil if a request was approved

	refused map[*outgoingRequest]error // those that were not, where others were
}

// of returns the answer about one of the requests. done must be closed.
func (d *decision) of(o *outgoingRequest) error {
	if o.unasked {
		return nil
	}
	if d.err != nil {
		return d.err
	}
	return d.refused[o]
}

// acts holds the acts of all sessions. The zero acts is ready for use.
type acts struct {
	mu       sync.Mutex
	all      map[string]*causingAct
	asked    map[string]*causingAct // those about which people were asked
	cleaned  time.Time              // when old ones were last removed
	sessions map[string]*sessionRequests
}

// begin stores the act of a starting call.
func (d *acts) begin(c *callInfo, wasApproved bool) *causingAct {
	b := &causingAct{gate: c.g, id: newID(), call: c.call, key: keyOf(c.call), facts: c.facts, pin: c.pin, picture: c.picture, name: c.name(), running: true, began: time.Now(), changed: make(chan struct{})}
	b.window = requestWindow
	if c.verdict.Risk >= action.High {
		b.window = highRequestWindow
	}
	b.judged = policy.Act{Operator: c.call.Caller.Role == action.Operator, Risk: c.verdict.Risk, Rule: c.verdict.Rule, Why: c.verdict.Why, Deferred: c.verdict.Deferred, Link: policy.OnlyNavigates(c.facts)}
	b.cover = c.policy.Covers(c.facts, c.verdict.Risk)
	if wasApproved {
		b.judged.Approved, b.judged.Cover, b.askedBefore = true, b.cover, true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all, d.asked = map[string]*causingAct{}, map[string]*causingAct{}
	}
	if now := time.Now(); now.Sub(d.cleaned) > cleaningInterval || len(d.all) >= maxActs {
		d.cleaned = now
		d.removeOld(now)
	}
	d.all[b.id] = b
	return b
}

// removeOld removes the acts that nothing can refer to any more. mu must be held.
func (d *acts) removeOld(now time.Time) {
	for id, b := range d.all {
		if b.isOver(now) || len(d.all) >= maxActs && !b.isActive() {
			delete(d.all, id)
			delete(d.asked, id)
		}
	}
}

// isOver reports whether nothing refers to the act any more: no request belongs to it,
// and no caller waits for the answer to a question about it.
func (b *causingAct) isOver(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	retention := b.window + cleaningInterval
	if b.question.ID != "" {
		retention = actRetention
	}
	return !b.running && b.decision == nil && now.Sub(b.ended) > retention
}

// ask notes the newest question about what an act sends, and reports whether its call
// still runs.
func (d *acts) ask(b *causingAct, q action.Question) (running bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.question = q
	if d.all[b.id] == b {
		d.asked[b.id] = b
	}
	return b.running
}

func (b *causingAct) isActive() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running || b.decision != nil
}

// end records that the call of the act has ended, and the data of its answer.
func (b *causingAct) end(data any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running, b.ended, b.data = false, time.Now(), data
}

// find returns the acts of a session by their ids, in that order.
func (d *acts) find(session string, ids []string) []*causingAct {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []*causingAct
	for _, id := range ids {
		if b := d.all[id]; b != nil && (b.facts.Session.ID == session || b.facts.Session.ID == "") {
			found = append(found, b)
		}
	}
	return found
}

// untold returns the acts of earlier, equal calls that have a question whose answer the
// caller does not know yet. Their sessions may be others.
func (d *acts) untold(call action.Call) (found []*causingAct) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.asked) == 0 {
		return nil
	}
	key := keyOf(call)
	for _, b := range d.asked {
		if b.key == key && b.isUntold() {
			found = append(found, b)
		}
	}
	return found
}

func (b *causingAct) isUntold() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.running && b.question.ID != ""
}

// keyOf returns a key that is equal for equal calls of one caller, whichever session they
// are for.
func keyOf(call action.Call) string {
	text, err := json.Marshal([]any{call.Caller.Scope, call.Caller.Actor, call.Caller.Role, call.Verb, action.Bound(call.Args)})
	if err != nil {
		return newID() // unique
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// policyAct returns the act for the policy.
func (b *causingAct) policyAct() policy.Act {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.judged
	d.Running, d.Harms = b.running, b.harms
	return d
}

// approve records that a person allowed a request of the act. After the document of the whole
// tab, what a new page reads is not judged by the act.
func (b *causingAct) approve(r action.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := policy.CoversEffect(r, b.cover)
	if b.judged.Approved {
		c.Hosts = append(slices.Clone(b.judged.Cover.Hosts), c.Hosts...)
	}
	b.judged.Approved, b.judged.Cover = true, c
	b.judged.Left = b.judged.Left || r.Top
}

// allows reports whether a person's approval of the act allows a request, and counts that
// it is sent: one that the element makes by itself, else one that names no harm; and one
// that was allowed and failed on the network, with the same bytes.
func (b *causingAct) allows(v policy.EffectVerdict, r action.Request) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := r.Key()
	switch {
	case !b.judged.Approved:
		return false
	case key != "" && b.repeated[key] < min(b.failed[key], maxRepeats):
		if b.repeated == nil {
			b.repeated = map[string]int{}
		}
		b.repeated[key]++
		return true
	case b.askedBefore && !b.sentOwn && (b.cover.OwnRequest(r) || b.cover.OpaqueRequest(v, r)):
		b.sentOwn = true
		return true
	}
	return false
}

// noteFailure records that a request of the act failed on the network.
func (b *causingAct) noteFailure(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if key == "" || len(b.failed) >= maxFailedRequests {
		return
	}
	if b.failed == nil {
		b.failed = map[string]int{}
	}
	b.failed[key]++
}

// noteEffect records the result of a request of the act.
func (b *causingAct) noteEffect(e action.Effect) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		close(b.changed)
		b.changed = make(chan struct{})
	}()
	at := slices.IndexFunc(b.effects, func(old action.Effect) bool { return old.Method == e.Method && old.URL == e.URL })
	switch {
	case at >= 0:
		b.effects[at] = e
	case len(b.effects) < 20:
		b.effects = append(b.effects, e)
	}
}

// awaitAnswers waits until every request that the act sent has its answer, but no
// longer than serverAnswerLimit.
func (b *causingAct) awaitAnswers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, serverAnswerLimit)
	defer cancel()
	for {
		b.mu.Lock()
		news := b.changed
		open := slices.ContainsFunc(b.effects, func(e action.Effect) bool {
			return e.State == action.EffectHeld || e.State == action.EffectSent && e.Status == 0
		})
		b.mu.Unlock()
		if !open {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

// refusalFault is the fault of a call whose requests a person refused: the act was
// done, and the requests were not sent.
func (b *causingAct) refusalFault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := fault.From(b.refused)
	if f == nil || f.Code != fault.ApprovalDenied && f.Code != fault.ApprovalTimeout {
		return nil
	}
	return f.Hinted("%s; the page was acted on, and nothing that it would have sent left the browser: take a snapshot before you go on. If the page shows it as done, that is its own copy: reload it", f.Hint)
}

// endSession forgets a session.
func (d *acts) endSession(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, session)
	for id, b := range d.all {
		if b.facts.Session.ID == session {
			delete(d.all, id)
			delete(d.asked, id)
		}
	}
}
