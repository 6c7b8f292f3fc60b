package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxDenials is how many denied requests of a session are remembered.
const maxDenials = 1000

// denial is a person's answer about a request that its page may send again: pages that work
// on a copy of their own try until the server has what they have.
type denial struct {
	at   time.Time
	told bool // the agent knows that the page tries again
}

// denialKey is equal for requests that send the same to the same address; empty where what a
// request sends is not known.
func denialKey(r action.Request) string {
	if key := r.Key(); key != "" || r.Unread {
		return key
	}
	fields, err := json.Marshal(r.Fields)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(fields)
	return r.Method + " " + r.URL + " fields " + hex.EncodeToString(sum[:])
}

// noteDenial remembers that a person refused the request.
func (o *outgoingRequest) noteDenial() {
	key := denialKey(o.request)
	if key == "" {
		return
	}
	d := &o.g.acts
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.session(o.session.ID)
	if s.denied == nil {
		s.denied = map[string]*denial{}
	}
	if len(s.denied) < maxDenials {
		s.denied[key] = &denial{at: time.Now()}
	}
}

// deniedBefore returns a fault if a person refused the same request before, and nobody has
// ordered it since: no act that is not LOW began. People are not asked again.
func (o *outgoingRequest) deniedBefore() error {
	d := &o.g.acts
	d.mu.Lock()
	defer d.mu.Unlock()
	past := d.session(o.session.ID).denied[denialKey(o.request)]
	if past == nil {
		return nil
	}
	if b := o.act(); b != nil && b.judged.Risk > action.Low && b.began.After(past.at) {
		return nil
	}
	o.silent, past.told = past.told, true
	return fault.New(fault.ApprovalDenied, "a person said no to the same request before, and the page sends it again; its own copy may show it as done").
		Hinted("reload the page to see what the server has, and go on without it")
}
