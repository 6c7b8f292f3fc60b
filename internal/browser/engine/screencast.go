package engine

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	maxAhead     = 4                      // pictures that wait; Chromium sends two before one is acknowledged
	castQuality  = 70                     // of JPEG
	castTabCheck = 250 * time.Millisecond // between two checks which tab is active
	castLimit    = 5 * time.Second        // for the browser to start a screencast
)

// castFrame is a picture of a tab as the browser reports it.
type castFrame struct {
	Data []byte `json:"data"` // a JPEG
	ID   int    `json:"sessionId"`
}

// CastFrame is a picture of the active tab.
type CastFrame struct {
	JPEG          []byte
	Width, Height int // in pixels
	At            time.Duration
}

// Screencast is a sequence of pictures of the active tab. The browser makes one when
// the page changes, and the next one when that was taken. One goroutine calls Next;
// Again and Close may be called by any.
type Screencast struct {
	b        *Browser
	every    time.Duration
	began    time.Time
	due      time.Time // when the next picture may be taken
	came     chan castFrame
	again    chan struct{}
	closed   chan struct{}
	once     sync.Once
	last     CastFrame // the last picture
	anything bool      // there was one

	mu   sync.Mutex
	on   *cdp.Session // of the tab that is shown; nil while none is
	over bool
}

// Screencast starts to take pictures of the active tab, whichever that is, at most
// fps a second. Only one can run at a time.
func (b *Browser) Screencast(fps int) *Screencast {
	return &Screencast{
		b: b, every: time.Second / time.Duration(max(fps, 1)), began: time.Now(),
		came: make(chan castFrame, maxAhead), again: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// Next waits for the next picture. It returns an error when the screencast was closed
// or the browser ended.
func (c *Screencast) Next() (CastFrame, error) {
	tick := time.NewTicker(castTabCheck)
	defer tick.Stop()
	for {
		if err := c.follow(); err != nil {
			return CastFrame{}, err
		}
		select {
		case f := <-c.came:
			frame, err := c.take(f)
			if err != nil {
				return CastFrame{}, err
			}
			return frame, nil
		case <-c.again:
			if c.anything {
				c.last.At = time.Since(c.began)
				return c.last, nil
			}
		case <-tick.C:
		case <-c.closed:
			return CastFrame{}, fmt.Errorf("the screencast was closed")
		case <-c.b.Done():
			return CastFrame{}, fmt.Errorf("the browser ended: %w", c.b.Err())
		}
	}
}

// take decodes a picture and has the browser make the next one.
func (c *Screencast) take(f castFrame) (CastFrame, error) {
	if wait := time.Until(c.due); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.closed:
		}
	}
	c.due = time.Now().Add(c.every)
	c.mu.Lock()
	if c.on != nil {
		c.on.Post("Page.screencastFrameAck", map[string]int{"sessionId": f.ID})
	}
	c.mu.Unlock()
	size, err := jpeg.DecodeConfig(bytes.NewReader(f.Data))
	if err != nil {
		return CastFrame{}, fmt.Errorf("the browser sent no JPEG: %w", err)
	}
	c.last, c.anything = CastFrame{JPEG: f.Data, Width: size.Width, Height: size.Height, At: time.Since(c.began)}, true
	return c.last, nil
}

// follow shows the active tab, if that is another one than before.
func (c *Screencast) follow() error {
	session := guarded.Get(c.b.state, func(s *state) *cdp.Session {
		if t := s.active(); t != nil {
			return t.main.session
		}
		return nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if session == nil || c.over || c.on != nil && c.on.ID() == session.ID() {
		return nil
	}
	c.leave()
	c.on = session
	c.b.state.Do(func(s *state) { s.cast, s.castOn = c.came, session.ID() })
	ctx, cancel := context.WithTimeout(context.Background(), castLimit)
	defer cancel()
	if err := session.Call(ctx, "Page.startScreencast", map[string]any{"format": "jpeg", "quality": castQuality}, nil); err != nil {
		c.leave() // the tab may have gone: the next one is shown then
		return c.b.Err()
	}
	return nil
}

// leave stops the pictures of the tab that is shown. The caller must hold mu.
func (c *Screencast) leave() {
	if c.on == nil {
		return
	}
	c.on.Post("Page.stopScreencast", nil)
	c.b.state.Do(func(s *state) {
		if s.castOn == c.on.ID() {
			s.cast, s.castOn = nil, ""
		}
	})
	c.on = nil
	for {
		select {
		case <-c.came:
		default:
			return
		}
	}
}

// Again has the last picture returned again, for a viewer that has none yet.
func (c *Screencast) Again() {
	select {
	case c.again <- struct{}{}:
	default:
	}
}

// Close ends the screencast.
func (c *Screencast) Close() {
	c.once.Do(func() {
		close(c.closed)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.over = true
		c.leave()
	})
}

var castEvents = map[string]eventHandler{
	"Page.screencastFrame": on(func(_ *Browser, s *state, session string, p castFrame) {
		if s.cast == nil || session != s.castOn {
			return
		}
		select {
		case s.cast <- p:
		default: // more than Chromium sends ahead
		}
	}),
}
