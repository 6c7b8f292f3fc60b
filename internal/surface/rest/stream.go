package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	heartbeat  = 10 * time.Second // between comments that keep a silent stream open
	writeLimit = 10 * time.Second // for one event to be taken by a slow reader
)

// wantsEvents reports whether a call is answered with server-sent events while
// it runs.
func wantsEvents(r *http.Request, verb string) bool {
	return (hasParts(verb) || verb == action.VerbEventsFollow.Name) && takesEvents(r)
}

// hasParts reports whether the parts of a verb's answer can be sent as soon as
// each is ready.
func hasParts(verb string) bool {
	return verb == action.VerbPageCrawl.Name || verb == action.VerbRunStart.Name
}

func takesEvents(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		if kind, _, err := mime.ParseMediaType(part); err == nil && kind == "text/event-stream" {
			return true
		}
	}
	return false
}

// events is an answer that is written while the call runs
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Nothing is
// sent before the first event, so that a refused call is answered like any
// other.
type events struct {
	w   http.ResponseWriter
	end context.CancelFunc // of the call, when its reader is gone

	mu    sync.Mutex
	begun bool
	err   error
}

// send writes one event.
func (e *events) send(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte("{}")
	}
	e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, text))
}

func (e *events) write(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return
	}
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.w.WriteHeader(http.StatusOK)
	}
	c := http.NewResponseController(e.w)
	_ = c.SetWriteDeadline(time.Now().Add(writeLimit)) // a writer that is not a connection has no deadline
	if _, e.err = e.w.Write([]byte(text)); e.err == nil {
		e.err = c.Flush()
	}
	if e.err != nil {
		e.end()
	}
}

// stop ends the answer. A call that continues after its client has gone writes
// no more events.
func (e *events) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = http.ErrHandlerTimeout
	}
}

func (e *events) sent() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// keepAlive sends comments while nothing happens, so that the connection stays
// open.
func (e *events) keepAlive(ctx context.Context) {
	t := time.NewTicker(heartbeat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if e.sent() {
				e.write(": still there\n\n")
			}
		}
	}
}

// stream makes a call and writes events while it runs: for a crawl "page" for
// each page, and "progress"; for a run "step" for each line of its log, and
// "state". The last event is "done" with the result without the pages, or
// "error" with a problem document. plain answers if there was no event and the
// call waits.
func (s *surface) stream(w http.ResponseWriter, r *http.Request, call action.Call, plain func(action.Result)) {
	if call.Verb == action.VerbEventsFollow.Name {
		s.follow(w, r, call, plain)
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	e := &events{w: w, end: stop}
	call.Crawl = &action.CrawlWatch{
		Page:     func(p action.CrawledPage) { e.send("page", p) },
		Progress: func(p action.CrawlProgress) { e.send("progress", p) },
	}
	call.Run = &action.RunWatch{
		Step:  func(line action.RunEntry) { e.send("step", line) },
		State: func(run action.Run) { e.send("state", stateOf(run)) },
	}
	var beats sync.WaitGroup
	beats.Go(func() { e.keepAlive(ctx) })
	result, err := s.call(r.WithContext(ctx), call)
	stop()
	beats.Wait()
	switch {
	case err != nil && !e.sent():
		fail(w, r, err)
	case err != nil:
		f := fault.From(ended(r.Context(), err))
		noteFault(r, f)
		e.send("error", shown(f, f.Code.Info().Status, correlation(r.Context())))
	case !e.sent() && result.Pending != nil:
		plain(result)
	default:
		if crawled, ok := result.Data.(*action.Crawled); ok {
			short := *crawled
			short.Pages = []action.CrawledPage{} // they were sent
			result.Data = &short
		}
		e.send("done", result)
	}
	e.stop()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}
