package session

import (
	"fmt"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// endNotices remembers, for a while, the sessions that ended without a call of
// their agent, so that the agent is told with its next answer. It also counts
// how many sessions of a connection gave out references before.
type endNotices struct {
	known *redact.SecretStore

	mu          sync.Mutex
	waiting     []endNotice
	generations generations
}

// maxEndNotices is how many ended sessions are remembered for their agents; the
// oldest are forgotten.
const maxEndNotices = 200

// connection is whose calls mean a session without naming it.
type connection struct{ scope, actor, name string }

// generations are how many sessions of a connection gave out references, for the
// newest connections.
type generations struct {
	byConnection map[connection]int
	order        []connection
}

// maxConnections is how many connections are remembered.
const maxConnections = 10_000

func (l *generations) set(h connection, n int) {
	if _, known := l.byConnection[h]; !known {
		l.order = append(l.order, h)
	}
	l.byConnection[h] = n
	if len(l.order) > maxConnections {
		delete(l.byConnection, l.order[0])
		l.order = l.order[1:]
	}
}

// endNotice is what the agent of an ended session is told with its next answer.
type endNotice struct {
	connection
	text string
}

// add remembers a session that did not end by a call of its agent. The next session
// of the connection gives out other references.
func (n *endNotices) add(record action.Session, t terms) {
	of := connection{record.Scope, record.Actor, t.Connection}
	words := n.known.Of(record.ID).Text("session " + label(record) + " " + howItEnded(record))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.generations.set(of, t.Lives+1)
	if n.waiting = append(n.waiting, endNotice{of, words}); len(n.waiting) > maxEndNotices {
		n.waiting = n.waiting[1:]
	}
}

// howItEnded says when a session ended, why, and where it was.
func howItEnded(record action.Session) string {
	said := "ended"
	if record.Closed != nil {
		said += " at " + record.Closed.UTC().Format("15:04:05 UTC on 2 January")
	}
	if record.Reason != "" {
		said += " (" + record.Reason + ")"
	}
	if at := bare(pageOf(record).URL); at != "" {
		said += "; it was at " + at
	}
	return said
}

// take returns, once, what the caller of a call has not been told yet about its
// sessions that ended; "" for nothing.
func (n *endNotices) take(call action.Call) (words string) {
	if call.Caller.Role != action.Agent || call.Peek || call.Quiet {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var rest []endNotice
	for _, f := range n.waiting {
		if f.scope != call.Caller.Scope || f.actor != call.Caller.Actor || call.Connection != "" && f.connection.name != call.Connection {
			rest = append(rest, f)
			continue
		}
		if words != "" {
			words += "; "
		}
		words += f.text
	}
	n.waiting = rest
	return words
}

// endedSinceFault is the fault of a call that names no session, where the agent's
// session ended without its doing.
func endedSinceFault(words string) *fault.Fault {
	return fault.New(fault.NotActive, "%s", words).
		Hinted("its references are gone with it: go on in a new session, by page.goto to where it was").With("state", "ended")
}

// livesOf is how many sessions of the same connection gave references before.
func (n *endNotices) livesOf(call action.Call) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.generations.byConnection[connection{call.Caller.Scope, call.Caller.Actor, call.Connection}]
}

// tell adds to an agent's answer which of its sessions ended.
func (n *endNotices) tell(call action.Call, result *action.Result) {
	if words := n.take(call); words != "" {
		result.Notes = append(result.Notes, fmt.Sprintf("%s; its references are gone with it", words))
	}
}
