package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// wire shares one Chromium's pipe between the connections of successive tests:
// each gets a lane, and the newest lane is the one that hears.
type wire struct {
	under cdp.Transport
	mu    sync.Mutex
	lane  *lane
	over  chan struct{}
}

func share(under cdp.Transport) *wire {
	w := &wire{under: under, over: make(chan struct{})}
	go w.pump()
	return w
}

func (w *wire) pump() {
	defer close(w.over)
	for {
		message, err := w.under.Read()
		trace("<", message)
		w.mu.Lock()
		l := w.lane
		w.mu.Unlock()
		if l != nil {
			l.push(message, err)
		}
		if err != nil {
			return
		}
	}
}

// lane is a transport of one connection.
type lane struct {
	wire  *wire
	mu    sync.Mutex
	queue [][]byte
	err   error
	ready chan struct{}
	// before is asked before each call is sent: an answer instead of sending
	// it, or an error that ends the connection.
	before func(method string, id int64, session string) (answer []byte, err error)
	// overhear is told of each message, > or <. May be nil.
	overhear func(direction string, message []byte)
}

func (w *wire) join() *lane {
	l := &lane{wire: w, ready: make(chan struct{}, 1)}
	w.mu.Lock()
	w.lane = l
	w.mu.Unlock()
	return l
}

func (l *lane) push(message []byte, err error) {
	l.mu.Lock()
	if l.overhear != nil {
		l.overhear("<", message)
	}
	if message != nil {
		l.queue = append(l.queue, message)
	}
	if err != nil && l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
	select {
	case l.ready <- struct{}{}:
	default:
	}
}

func (l *lane) Read() ([]byte, error) {
	for {
		l.mu.Lock()
		if l.err != nil {
			l.mu.Unlock()
			return nil, l.err
		}
		if len(l.queue) > 0 {
			m := l.queue[0]
			l.queue = l.queue[1:]
			l.mu.Unlock()
			return m, nil
		}
		l.mu.Unlock()
		<-l.ready
	}
}

func (l *lane) Write(message []byte) error {
	trace(">", message)
	l.mu.Lock()
	err, before := l.err, l.before
	if l.overhear != nil {
		l.overhear(">", message)
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if before == nil {
		return l.wire.under.Write(message)
	}
	var m struct {
		ID      int64
		Method  string
		Session string `json:"sessionId"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return err
	}
	answer, err := before(m.Method, m.ID, m.Session)
	switch {
	case err != nil:
		l.push(nil, err)
		return err
	case answer != nil:
		l.push(answer, nil)
		return nil
	}
	return l.wire.under.Write(message)
}

func (l *lane) Close() error {
	l.push(nil, errors.New("the lane is closed"))
	return nil
}

func (l *lane) fail(before func(method string, id int64, session string) ([]byte, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = before
}

// trace prints the dialogue where GLOVEBOX_TEST_TRACE is set.
func trace(direction string, message []byte) {
	if os.Getenv("GLOVEBOX_TEST_TRACE") != "" {
		fmt.Fprintf(os.Stderr, "%s %s %.400s\n", time.Now().Format("05.000"), direction, message)
	}
}
