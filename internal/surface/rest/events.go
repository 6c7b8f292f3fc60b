package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	lastEventID  = "Last-Event-ID"
	retryAfterMS = 1000 // milliseconds until a client reconnects
)

// eventStreams are the open event streams. They are ended when the server shuts
// down, because it would wait for them.
type eventStreams struct {
	once sync.Once
	over chan struct{}
}

func newEventStreams() *eventStreams { return &eventStreams{over: make(chan struct{})} }

func (f *eventStreams) end() { f.once.Do(func() { close(f.over) }) }

// follow answers events.follow with server-sent events, starting after the last
// event that the client has received.
func (s *surface) follow(w http.ResponseWriter, r *http.Request, call action.Call, plain func(action.Result)) {
	if err := resume(r, call.Args); err != nil {
		fail(w, r, err)
		return
	}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	e := &events{w: w, end: stop}
	call.Events = &action.EventWatch{
		Begin: func() { e.write(fmt.Sprintf("retry: %d\n\n", retryAfterMS)) },
		Event: e.sendNumbered,
	}
	var beside sync.WaitGroup
	beside.Go(func() { e.keepAlive(ctx) })
	beside.Go(func() {
		select {
		case <-s.eventStreams.over:
			stop()
		case <-ctx.Done():
		}
	})
	result, err := s.call(r.WithContext(ctx), call)
	stop()
	beside.Wait()
	switch {
	case err != nil && !e.sent():
		fail(w, r, err)
	case err != nil:
		noteFault(r, fault.From(err))
	case !e.sent():
		plain(result)
	}
}

// resume reads the header that a client sends after it has lost its connection.
func resume(r *http.Request, args any) error {
	text := r.Header.Get(lastEventID)
	a, ok := args.(*action.FollowEvents)
	if text == "" || !ok {
		return nil
	}
	last, err := strconv.ParseInt(text, 10, 64)
	if err != nil || last < 0 {
		return fault.New(fault.InvalidRequest, "%s is no number of an event", lastEventID).
			Hinted("send the id of the last event, or leave it out").With("field", lastEventID)
	}
	a.After = &last
	return nil
}

// sendNumbered writes an event with its number.
func (e *events) sendNumbered(event action.Event) error {
	text, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("cannot write an event: %w", err)
	}
	e.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", event.ID, event.Kind, text))
	return e.failure()
}

// failure returns why nothing more can be written.
func (e *events) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}
