package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Live returns how many sessions are open, those that start or close included.
func (r *Registry) Live() int { return r.sessions.count() }

// Halt pauses a session from the gate's side and alerts. A session that is
// paused already stays as it is. Faults: session_not_found, not_active.
func (r *Registry) Halt(ctx context.Context, session, code, why string) error {
	return r.control.pauseByID(ctx, session, code, why)
}

// Wanted returns the host that a person could add to a session so that a
// document may come from an address; empty where no host would help, or none
// is missing. Private places that are not configured cannot be asked for.
func (r *Registry) Wanted(session, address string) string {
	return r.networks.missingHost(session, address)
}

// Remark adds a note to the next answer to an agent of a session, once. A
// session that is over takes none.
func (r *Registry) Remark(session, words string) { r.control.queueNotice(session, words) }

// Attach gives a client of the browser's protocol a place at the session's
// browser. heed is called for each of its messages. Faults: as Look,
// limit_reached, cdp_error.
func (r *Registry) Attach(ctx context.Context, call action.Call, pin action.Pin, heed func(action.Message)) (action.Attachment, error) {
	return r.pages.attach(ctx, call, pin, heed)
}

// Portrait keeps a picture of a page with what a pin names outlined, for the
// people who are asked about it: it may show what the agent may not read, so
// only operators can fetch the artifact whose id is returned. Faults:
// not_active, limit_reached, and those of the page engine.
func (r *Registry) Portrait(ctx context.Context, call action.Call, pin action.Pin) (string, error) {
	return r.pages.screenshot(ctx, call, pin)
}

// Refused records a request that the egress proxy or the page engine refused to
// a box; it does not wait. A page that asks without end is recorded in part,
// with how many were left out.
func (r *Registry) Refused(box string, refusal action.Refusal) { r.refusals.add(box, refusal) }

// Opens asks about a WebSocket that a box wants to open, and waits for a person
// where one is asked. An error refuses it.
func (r *Registry) Opens(ctx context.Context, box string, channel action.Channel) error {
	return r.pages.opensChannel(ctx, box, channel)
}

// SetNetwork changes what sessions may reach. Those that run lose what is not
// configured any more, unless an operator chose or allowed it, and gain
// nothing. Faults: invalid_request naming the entry that cannot be read; then
// nothing changes.
func (r *Registry) SetNetwork(n action.Network) error { return r.networks.set(n) }

// Recover takes up what an earlier process of this gateway left, removes what
// has grown old, and begins to fill the warm pool. Open sessions whose boxes
// live go on, with stale references; open ones without are failed; boxes
// without open sessions are ended. It is called once, before the first call. An
// engine that does not answer is no error: its boxes are ended when it does.
func (r *Registry) Recover(ctx context.Context) error { return r.life.recover(ctx) }

// Close ends everything, within 30 s or when ctx ends: warm boxes, and open
// sessions with theirs. With Config.KeepBoxes open sessions are left as they
// are, for the next process. What could not be ended is found by the next
// Recover.
func (r *Registry) Close(ctx context.Context) error { return r.life.shutdown(ctx) }
