package xdisplay

import (
	"context"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

const (
	afterPing  = 10 * time.Millisecond // for its other connections: GTK in Chromium has its own
	maxAtoms   = 64                    // names of protocols that a window lists
	focusNone  = 0
	focusRoot  = 1  // PointerRoot: the window below the pointer has the focus
	clientData = 32 // bits of a client message's units

	mappingKeyboard = 1 // what a MappingNotify is about
)

// Tests of what programs read make these longer.
var (
	pingLimit = time.Second            // for a program to answer that it has read its events
	withoutIt = 250 * time.Millisecond // for one that does not answer pings: on a busy machine xterm needs more than 50 ms
)

// pings waits for the answers to _NET_WM_PING. A program answers it in the order of
// its events: it has then read all that came before.
type pings struct {
	mu      sync.Mutex
	last    uint32
	waiting map[uint32]chan struct{}
}

func (p *pings) begin() (uint32, chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	if p.waiting == nil {
		p.waiting = map[uint32]chan struct{}{}
	}
	answered := make(chan struct{})
	p.waiting[p.last] = answered
	return p.last, answered
}

func (p *pings) end(number uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, number)
}

// received handles a client message, which may be the answer to a ping.
func (p *pings) received(event *x11.Event, ping uint32) {
	r := event.Read(12)
	protocol, number := r.U32(), r.U32()
	if protocol != ping {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if answered, ok := p.waiting[number]; ok {
		delete(p.waiting, number)
		close(answered)
	}
}

// Settle waits until the program that has the focus has read all input that was sent.
func (d *Display) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	if err := d.take(ctx); err != nil {
		return d.toFault(err)
	}
	defer d.give()
	return d.toFault(d.settle(ctx))
}

// settle waits until the program that has the focus has read all events up to now.
// For a program that does not say so, it waits a fixed time.
func (d *Display) settle(ctx context.Context) error {
	uses := d.keys.uses
	window, err := d.pingableWindow(ctx)
	if err != nil {
		return err
	}
	pause := withoutIt
	if window != 0 {
		answered, err := d.ping(ctx, window)
		if err != nil {
			return err
		}
		if answered {
			pause = afterPing
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.conn.Done():
		return x11.ErrClosed
	case <-time.After(pause):
	}
	d.keys.settled = uses
	return nil
}

// announce tells programs that the keyboard has changed. Chromium reads the keyboard
// again only after the core protocol's event, and the server sends programs that use
// XKB another one. Without announce, the text is right and the "key" of the page's
// events is wrong.
func (s *server) announce(ctx context.Context) error {
	windows, err := s.clientWindows(ctx)
	if err != nil {
		return err
	}
	first, count := s.setup.MinKeycode, s.setup.MaxKeycode-s.setup.MinKeycode+1
	for _, window := range windows {
		_ = s.conn.Send(x11.NewRequest(opSendEvent, 0).U32(window, maskNone).
			U8(eventMapping, 0, 0, 0, mappingKeyboard, byte(first), byte(count), 0).U32(0, 0, 0, 0, 0, 0))
	}
	return nil
}

// ping sends a ping and waits for its answer. It reports false if none came in time.
func (s *server) ping(ctx context.Context, window uint32) (bool, error) {
	number, answered := s.pings.begin()
	defer s.pings.end(number)
	message := x11.NewRequest(opSendEvent, 0).U32(window, maskNone).
		U8(eventClientMessage, clientData, 0, 0).U32(window, s.atoms.protocols, s.atoms.ping, number, window, 0, 0)
	if err := s.conn.Send(message); err != nil {
		return false, err
	}
	limit := time.NewTimer(pingLimit)
	defer limit.Stop()
	select {
	case <-answered:
		return true, nil
	case <-limit.C:
		return false, nil
	case <-s.conn.Done():
		return false, x11.ErrClosed
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// pingableWindow returns the window that has the focus, or the parent of it that
// answers pings; 0 if there is none.
func (s *server) pingableWindow(ctx context.Context) (uint32, error) {
	reply, err := s.conn.Call(ctx, x11.NewRequest(opGetInputFocus, 0))
	if err != nil {
		return 0, err
	}
	window := x11.NewReader(reply, 8).U32()
	if window == focusNone || window == focusRoot || window == s.setup.Root {
		if window, err = s.windowBelowPointer(ctx); err != nil {
			return 0, err
		}
	}
	for range maxDepth {
		if window == 0 || window == s.setup.Root {
			return 0, nil
		}
		answers, err := s.answersPings(ctx, window)
		if err != nil || answers {
			return window, err
		}
		if window, err = s.parent(ctx, window); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (s *server) answersPings(ctx context.Context, window uint32) (bool, error) {
	protocols, err := s.property(ctx, window, s.atoms.protocols, maxAtoms*4)
	if err != nil {
		return false, err
	}
	for _, protocol := range protocols.Words() {
		if protocol == s.atoms.ping {
			return true, nil
		}
	}
	return false, nil
}
