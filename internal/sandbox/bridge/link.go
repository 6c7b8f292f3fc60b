// Package bridge connects the gateway with the guest of a box. The gateway owns
// a directory for each box and listens on two Unix sockets in it; the guest
// dials out, so that nothing outside can connect into a box. bridge.sock carries
// one multiplexed connection over which the gateway sends HTTP requests to the
// guest, each with its own token. egress.sock carries the bytes of the browser's
// network connections.
//
// Link is the gateway's side; Dialer, NewEndpoint and Forward are the guest's.
package bridge

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// LinkOptions are the settings of a link to one box.
type LinkOptions struct {
	Dir       string          // the gateway's directory for this box; Listen makes it, others must not be able to enter its parent
	Box       string          // box id
	Home      string          // where the browser writes its files, as a path inside the box (sandbox.Info.Dir)
	ScopeHash string          // of the box; empty while unassigned
	Session   string          // of the box; empty while unassigned
	Adopt     bool            // accept scope and session from the guest: an earlier process started the box
	Headless  bool            // the box has no display to wait for
	Profile   sandbox.Profile // sent when the guest has connected; nil for a box without a profile
	Key       *Key            // signs the tokens; the box was started with its public key
	Lease     time.Duration   // the link ends when the guest was disconnected for this long
	Egress    func(net.Conn)  // called with every connection of the browser, which it owns; nil refuses all
	Log       *slog.Logger    // may be nil
}

// Link is the gateway's side of the bridge to one box. The guest may disconnect
// and reconnect; calls wait for it. It is safe for concurrent use.
type Link struct {
	options LinkOptions
	ctx     context.Context // ends with the link
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	bridge  *net.UnixListener
	egress  *net.UnixListener

	freezer freezer

	mu         sync.Mutex
	scope      string
	session    string
	current    *guestConn    // nil while the guest is disconnected
	connected  chan struct{} // closed when current is set
	leaseTimer *time.Timer   // ends the link when the guest stays disconnected for the lease
	err        error
	done       chan struct{}
}

// Listen makes the directory and the sockets of a box and waits for its guest in
// the background. It replaces sockets left by an earlier process. Faults:
// invalid_request, internal when the sockets cannot be made.
func Listen(o LinkOptions) (*Link, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	bridge, egress, err := listenSockets(o.Dir)
	if err != nil {
		return nil, fault.New(fault.Internal, "the sockets of box %s cannot be made", o.Box).
			Hinted("make %s writable for the gateway; its path may have at most 90 characters", o.Dir).Because(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Link{
		options: o, ctx: ctx, cancel: cancel, bridge: bridge, egress: egress,
		scope: o.ScopeHash, session: o.Session,
		connected: make(chan struct{}), done: make(chan struct{}),
	}
	l.wg.Go(l.acceptGuests)
	l.wg.Go(l.acceptEgress)
	return l, nil
}

func (o *LinkOptions) check() error {
	bad := func(what string) error {
		return fault.New(fault.InvalidRequest, "a link needs %s", what).
			Hinted("this is a mistake in the driver: report it")
	}
	switch {
	case !sandbox.ValidID(o.Box):
		return bad("a box id")
	case o.Key == nil:
		return bad("a signing key")
	case o.Lease <= 0:
		return bad("a lease")
	case !scopePattern.MatchString(o.ScopeHash) || !sessionPattern.MatchString(o.Session):
		return bad("a scope hash and a session in their shape")
	}
	return nil
}

// ScopeHash returns the hash of the box's scope, empty while it is unassigned.
func (l *Link) ScopeHash() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scope
}

// Session returns the session of the box, empty while it is unassigned.
func (l *Link) Session() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// Connected waits until the guest is connected. Faults: not_active when the link
// has ended, cdp_error when ctx ends first.
func (l *Link) Connected(ctx context.Context) error {
	_, err := l.waitGuest(ctx)
	return err
}

// Done is closed when the link was closed, or its guest was disconnected longer
// than the lease. Err then returns the reason.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err returns why the link ended, nil while it works.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

var errClosed = errors.New("link closed")

// Close ends the link and all its connections, and waits for its goroutines. The
// guest and the directory stay, so that another process can attach to the box.
func (l *Link) Close() error {
	l.end(fault.New(fault.NotActive, "the link to box %s was closed", l.options.Box).Because(errClosed))
	<-l.done
	l.wg.Wait()
	return nil
}

// end ends the link without waiting. Only the first call has an effect.
func (l *Link) end(err error) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = err
	if l.leaseTimer != nil {
		l.leaseTimer.Stop()
	}
	last := l.current
	l.current = nil
	l.mu.Unlock()
	l.cancel()
	_, _ = l.bridge.Close(), l.egress.Close()
	if last != nil {
		last.close()
	}
	close(l.done)
}

// waitGuest waits until the guest is connected and returns its connection.
func (l *Link) waitGuest(ctx context.Context) (*guestConn, error) {
	for {
		l.mu.Lock()
		guest, arrived, err := l.current, l.connected, l.err
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
		if guest != nil {
			return guest, nil
		}
		select {
		case <-arrived:
		case <-l.done:
		case <-ctx.Done():
			return nil, fault.New(fault.CDPError, "the guest of box %s is not connected", l.options.Box).
				Hinted("it comes back by itself or the box is ended within the lease; try again").Because(ctx.Err())
		}
	}
}
