package mcp

import (
	"container/list"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"
)

// Limits of what is kept for clients that lost a stream.
const (
	replayTime  = 2 * toolLimit // after a stream's last event; a running call may send nothing until it ends
	replayBytes = 32 << 20      // of all streams: the newest ones are kept
	replayEntry = 512           // bytes that are counted for an event or a stream in addition to its content
)

var errNotKept = errors.New("the stream is not kept any more")

// replays stores the events of streams, so that a client whose connection broke
// can resume a stream with Last-Event-ID. It is an event store for the library,
// with limits: when it is full, the streams that were silent longest are
// dropped. A stream is dropped as a whole, so that a replay is never
// incomplete.
type replays struct {
	most int // bytes
	now  func() time.Time

	mu      sync.Mutex
	bytes   int
	streams map[streamID]*list.Element
	quiet   list.List // of *stream, the one that was silent longest first
}

type streamID struct{ session, stream string }

type stream struct {
	id     streamID
	events [][]byte
	bytes  int
	last   time.Time
}

func newReplays() *replays {
	return &replays{most: replayBytes, now: time.Now, streams: map[streamID]*list.Element{}}
}

// Open adds a stream.
func (r *replays) Open(_ context.Context, session, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := streamID{session, id}
	if _, known := r.streams[key]; !known {
		r.streams[key] = r.quiet.PushBack(&stream{id: key})
		r.count(r.streams[key], 0)
	}
	return nil
}

// Append stores an event of a stream. It stores nothing for a stream that was
// dropped.
func (r *replays) Append(_ context.Context, session, id string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, known := r.streams[streamID{session, id}]
	if !known {
		return errNotKept
	}
	s := at.Value.(*stream)
	s.events = append(s.events, data)
	r.count(at, len(data))
	return nil
}

// After returns the events of a stream after a given one.
func (r *replays) After(_ context.Context, session, id string, index int) iter.Seq2[[]byte, error] {
	events, err := r.after(streamID{session, id}, index)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, data := range events {
			if !yield(data, nil) {
				return
			}
		}
	}
}

func (r *replays) after(id streamID, index int) ([][]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tidy()
	at, known := r.streams[id]
	if !known {
		return nil, errNotKept
	}
	events := at.Value.(*stream).events
	if index < -1 || index >= len(events) {
		return nil, errNotKept
	}
	return slices.Clone(events[index+1:]), nil
}

// SessionClosed drops the streams of a session of the protocol.
func (r *replays) SessionClosed(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, at := range r.streams {
		if id.session == session {
			r.forget(at)
		}
	}
	return nil
}

// count adds to the size of a stream, and drops streams beyond the limits. mu
// must be held.
func (r *replays) count(at *list.Element, bytes int) {
	s := at.Value.(*stream)
	s.bytes += bytes + replayEntry
	r.bytes += bytes + replayEntry
	s.last = r.now()
	r.quiet.MoveToBack(at)
	r.tidy()
}

func (r *replays) tidy() {
	for at := r.quiet.Front(); at != nil && (r.bytes > r.most || r.now().Sub(at.Value.(*stream).last) > replayTime); at = r.quiet.Front() {
		r.forget(at)
	}
}

func (r *replays) forget(at *list.Element) {
	s := r.quiet.Remove(at).(*stream)
	delete(r.streams, s.id)
	r.bytes -= s.bytes
}
