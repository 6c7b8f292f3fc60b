// Package netlog keeps what the pages of one browser wrote to the console and
// which requests they made, for callers to list, and limits what a page can write.
package netlog

import (
	"sync"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// Log keeps the newest console messages and requests of one browser, those of
// frames and workers included. It is safe for concurrent use.
type Log struct {
	host Host

	mu       sync.Mutex
	console  ring[consoleEvent]
	written  uint64 // console messages so far
	rate     meter  // of all sources together
	requests ring[*exchange]
	open     map[string]*exchange // requests that still run, by key
}

// Host are the functions of the browser that a Log needs. They must not call
// the Log.
type Host struct {
	Later func(job func())                 // runs a job after this event, in order
	Go    func(task func())                // runs a task that the browser waits for when it closes
	Done  <-chan struct{}                  // closed when the browser is gone
	Note  func(format string, args ...any) // adds a note to the next result
	// ProxyAnswer returns why the egress proxy answered a request itself; nil
	// if a server answered.
	ProxyAnswer func(url string, headers map[string]string) error
}

// New makes an empty log.
func New(h Host) *Log { return &Log{host: h, open: make(map[string]*exchange)} }

// noBodies are parameters of Network.enable. Bodies are not read here, so the
// browser need not keep them.
var noBodies = map[string]int{"maxTotalBufferSize": 1, "maxResourceBufferSize": 1}

// topOfStack are parameters of Runtime.setMaxCallStackSizeToCapture. Only the
// top of a stack is read. Without a limit the browser sends up to 200 calls, 30
// KB, with each message.
var topOfStack = map[string]int{"size": 1}

// Listen sends the commands that make the browser report the console messages
// and requests of a target.
func Listen(send func(method string, params any)) {
	send("Runtime.enable", nil)
	send("Runtime.setMaxCallStackSizeToCapture", topOfStack)
	send("Log.enable", nil)
	send("Network.enable", noBodies)
}

// relisten makes the browser report messages, and every script world, again.
// With messages false, the messages that the browser kept are dropped.
func relisten(s *cdp.Session, messages bool) {
	s.Send("Runtime.disable", nil) // a second Runtime.enable alone does nothing
	if !messages {
		s.Send("Runtime.discardConsoleEntries", nil)
	}
	s.Send("Runtime.enable", nil)
	s.Send("Runtime.setMaxCallStackSizeToCapture", topOfStack)
}
