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
	afterAct    = 5 * time.Second  // in which a request may belong to an act: the browser counts a press as the user's doing for as long
	afterHigh   = 30 * time.Second // likewise of an act that was judged HIGH
	mostDeeds   = 2000             // of all sessions
	serverLimit = 5 * time.Second  // for servers to answer what people let out
	keptDeeds   = 5 * time.Minute  // a deed is remembered for questions that wait
)

// deed is an act that may cause requests.
type deed struct {
	id     string
	call   action.Call
	key    string // of the same call made again
	facts  action.Facts
	pin    action.Pin
	named  string // the call, in words
	sealed policy.Act
	cover  policy.Cover // what the act names

	mu       sync.Mutex
	running  bool // its call has not answered
	ended    time.Time
	question action.Question // the newest about what it sends
	decision *decision       // the one that is waited for; nil when none is
	effects  []action.Effect
	refused  error         // what a person refused, or nobody answered, last
	news     chan struct{} // closed and replaced when effects change
}

// decision is what a person says of a request, for all that the same yes covers.
type decision struct {
	cover policy.Cover
	done  chan struct{}
	err   error // set before done is closed
}

// deeds are those of all sessions. The zero deeds are ready.
type deeds struct {
	mu       sync.Mutex
	all      map[string]*deed
	sessions map[string]*senders
}

// begin notes that a call's act begins.
func (d *deeds) begin(p *passage) *deed {
	b := &deed{id: newID(), call: p.call, key: keyOf(p.call), facts: p.facts, pin: p.pin, named: p.named(), running: true, news: make(chan struct{})}
	b.sealed = policy.Act{Operator: p.call.Caller.Role == action.Operator, Risk: p.verdict.Risk, Rule: p.verdict.Rule, Why: p.verdict.Why, Deferred: p.verdict.Deferred, Link: policy.OnlyNavigates(p.facts)}
	b.cover = p.policy.Covers(p.call, p.verb, p.facts, p.verdict.Risk)
	if p.hitl == approved {
		b.sealed.Approved, b.sealed.Cover = true, b.cover
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[string]*deed{}
	}
	d.forget(time.Now())
	d.all[b.id] = b
	return b
}

// forget drops what nobody can ask for any more. mu is held.
func (d *deeds) forget(now time.Time) {
	for id, b := range d.all {
		if b.isOver(now) || len(d.all) >= mostDeeds && !b.runs() {
			delete(d.all, id)
		}
	}
}

func (b *deed) isOver(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.running && b.decision == nil && now.Sub(b.ended) > keptDeeds
}

func (b *deed) runs() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running || b.decision != nil
}

// end notes that the call of an act answers.
func (b *deed) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running, b.ended = false, time.Now()
}

// of returns the acts of a session by their ids, in that order.
func (d *deeds) of(session string, ids []string) []*deed {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []*deed
	for _, id := range ids {
		if b := d.all[id]; b != nil && (b.facts.Session.ID == session || b.facts.Session.ID == "") {
			found = append(found, b)
		}
	}
	return found
}

// waiting returns the act of the same call, made before, of which something
// waits for a person, or was decided since and not told.
func (d *deeds) waiting(call action.Call) *deed {
	key := keyOf(call)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.all {
		if b.key == key && b.untold() {
			return b
		}
	}
	return nil
}

func (b *deed) untold() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.running && b.question.ID != ""
}

// keyOf tells a call from others of the same caller.
func keyOf(call action.Call) string {
	text, err := json.Marshal([]any{call.Caller, call.Connection, call.Session, call.Verb, call.Args})
	if err != nil {
		return newID() // like no other
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// policyDeed is the act as the policy sees it.
func (b *deed) policyDeed() policy.Act {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.sealed
	d.Running = b.running
	return d
}

// approve notes that a person allowed what the act sends.
func (b *deed) approve(c policy.Cover) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sealed.Approved {
		c.Kinds |= b.sealed.Cover.Kinds
		c.Hosts = append(slices.Clone(b.sealed.Cover.Hosts), c.Hosts...)
		c.Risk = max(c.Risk, b.sealed.Cover.Risk)
	}
	b.sealed.Approved, b.sealed.Cover = true, c
}

// note keeps what became of a request of the act.
func (b *deed) note(e action.Effect) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() {
		close(b.news)
		b.news = make(chan struct{})
	}()
	at := slices.IndexFunc(b.effects, func(old action.Effect) bool { return old.Method == e.Method && old.URL == e.URL })
	switch {
	case at >= 0:
		b.effects[at] = e
	case len(b.effects) < 20:
		b.effects = append(b.effects, e)
	}
}

// answered waits until every request of the act that left has its answer, at
// most for a while.
func (b *deed) answered(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	for {
		b.mu.Lock()
		news := b.news
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

// refusal is the fault of a call whose effect a person refused: the act was done,
// and what it would send did not leave.
func (b *deed) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := fault.From(b.refused)
	if f == nil || f.Code != fault.ApprovalDenied && f.Code != fault.ApprovalTimeout {
		return nil
	}
	return f.Hinted("%s; the page was acted on, and nothing that it would have sent left the browser: take a snapshot before you go on", f.Hint)
}

// over forgets a session.
func (d *deeds) over(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, session)
	for id, b := range d.all {
		if b.facts.Session.ID == session {
			delete(d.all, id)
		}
	}
}
