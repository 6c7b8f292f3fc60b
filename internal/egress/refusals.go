package egress

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxRefusals    = 1000             // kept for each box
	reportInterval = 10 * time.Second // one refusal of each host and reason is reported in that time
	maxReported    = 1000             // pairs of host and reason remembered for that
)

// refusalLog keeps the last refusals of a box.
type refusalLog struct {
	all      []action.Refusal
	next     int // where the next one goes once the ring is full
	reported map[refusalKey]time.Time
}

type refusalKey struct{ host, reason string }

// add keeps r and reports whether it is to be reported: many requests of a page for the
// same forbidden host are one event for people.
func (g *refusalLog) add(r action.Refusal) bool {
	if len(g.all) < maxRefusals {
		g.all = append(g.all, r)
	} else {
		g.all[g.next] = r
		g.next = (g.next + 1) % maxRefusals
	}
	key := refusalKey{r.Host, r.Reason}
	if last, ok := g.reported[key]; ok && r.Time.Sub(last) < reportInterval {
		return false
	}
	if g.reported == nil || len(g.reported) >= maxReported {
		g.reported = map[refusalKey]time.Time{}
	}
	g.reported[key] = r.Time
	return true
}

// list returns what is kept, oldest first.
func (g *refusalLog) list() []action.Refusal {
	all := make([]action.Refusal, 0, len(g.all))
	all = append(all, g.all[g.next:]...)
	return append(all, g.all[:g.next]...)
}

// A reason says, in words for people, why something was refused. The words are
// stable: they are in logs, in the audit trail and in the refusal's header.
type reason string

// Error returns the words.
func (r reason) Error() string { return string(r) }

const (
	noRules        reason = "this box may not reach anything"
	notAllowed     reason = "host is not on the allow list"
	notDocument    reason = "documents may not come from this host"
	badPort        reason = action.PortNotAllowed
	badScheme      reason = "only http and https are allowed"
	badURL         reason = "address cannot be parsed"
	userInfo       reason = "addresses with a user name or password are refused"
	oddSpelling    reason = "host is not in its canonical spelling"
	specialAddress reason = action.SpecialAddress
	ownAddress     reason = "address belongs to the gateway's machine"
	toGateway      reason = "requests to the gateway itself are refused"
	toProxy        reason = "requests to the proxy of the gateway are refused"
	otherServer    reason = "TLS server name differs from the host"
	notTLS         reason = "tunnel carries neither TLS nor a WebSocket handshake"
	otherHost      reason = "Host header differs from the address"
	malformed      reason = "request is malformed"
	headTooLarge   reason = "request head is too large"
	chained        reason = "request came through another proxy"
	tooManyConns   reason = "too many connections"
	tooOften       reason = "too many requests to this host"
	overBytes      reason = "session has moved all the bytes it may"
	tooLong        reason = "connection was open for too long"
)

// failure says why a request that was allowed failed. It is not a refusal: nothing is
// recorded, and the browser gets a 502.
type failure string

// Error returns the words.
func (f failure) Error() string { return string(f) }

const (
	unknownHost failure = "host has no address"
	unreachable failure = "host cannot be reached"
	broken      failure = "server's answer cannot be read"

	proxyAway    failure = "upstream proxy cannot be reached"
	proxyLogin   failure = "upstream proxy did not take the gateway's login"
	proxyRefused failure = "upstream proxy did not connect to the host"
)
