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

// LinkOptions say which box a link is for.
type LinkOptions struct {
	Dir       string          // the gateway's directory for this box; made by Listen, its parent must be closed to others
	Box       string          // box id
	Home      string          // the folder its browser writes to, as it sees it (sandbox.Info.Dir)
	ScopeHash string          // of the box; empty while unassigned
	Session   string          // of the box; empty while unassigned
	Adopt     bool            // take scope and session from the guest: the box was started by an earlier process
	Headless  bool            // the box has no display to wait for
	Profile   sandbox.Profile // is sent when the guest has dialled; nil where the box keeps nothing
	Key       *Key            // signs the tokens; the box was started with its public half
	Lease     time.Duration   // Done closes when the guest was away for so long
	Egress    func(net.Conn)  // owns every connection the browser makes; nil refuses them all
	Log       *slog.Logger    // may be nil
}

// Link is the gateway's end of the wire to one box. The guest may come, go and
// come again; calls wait for it. It is safe for concurrent use.
type Link struct {
	o      LinkOptions
	ctx    context.Context // of the link's life, which no call owns
	cancel context.CancelFunc
	wg     sync.WaitGroup
	bridge *net.UnixListener
	egress *net.UnixListener

	freezer freezer

	mu      sync.Mutex
	scope   string
	session string
	current *wire         // nil while the guest is away
	arrived chan struct{} // closed when current is set
	away    *time.Timer   // runs out a lease after the guest left
	err     error
	done    chan struct{}
}

// Listen makes the directory and the sockets of a box and waits for its guest
// in the background. Sockets that an earlier process left are replaced.
// Faults: invalid_request, internal when the sockets cannot be made.
func Listen(o LinkOptions) (*Link, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	bridge, egress, err := listenBoth(o.Dir)
	if err != nil {
		return nil, fault.New(fault.Internal, "the sockets of box %s cannot be made", o.Box).
			Hinted("make %s writable for the gateway; its path may have at most 90 characters", o.Dir).Because(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Link{
		o: o, ctx: ctx, cancel: cancel, bridge: bridge, egress: egress,
		scope: o.ScopeHash, session: o.Session,
		arrived: make(chan struct{}), done: make(chan struct{}),
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

// ScopeHash returns the scope the box is assigned to, empty while it is not.
func (l *Link) ScopeHash() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scope
}

// Session returns the session the box is assigned to, empty while it is not.
func (l *Link) Session() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// Connected returns when the guest is connected. Faults: cdp_error when the
// link ended or ctx did.
func (l *Link) Connected(ctx context.Context) error {
	_, err := l.wire(ctx)
	return err
}

// Done is closed when the link was closed, or its guest was away longer than
// the lease; Err then says why.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err returns why the link ended, nil while it lives.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

var errClosed = errors.New("link closed")

// Close ends the link and every connection over it, and waits until all of it
// has gone. The guest and the directory stay: another process may take the box
// up again.
func (l *Link) Close() error {
	l.end(fault.New(fault.NotActive, "the link to box %s was closed", l.o.Box).Because(errClosed))
	<-l.done
	l.wg.Wait()
	return nil
}

// end is called once with effect; it does not wait.
func (l *Link) end(err error) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = err
	if l.away != nil {
		l.away.Stop()
	}
	gone := l.current
	l.current = nil
	l.mu.Unlock()
	l.cancel()
	_, _ = l.bridge.Close(), l.egress.Close()
	if gone != nil {
		gone.close()
	}
	close(l.done)
}

// wire waits for the guest to be connected.
func (l *Link) wire(ctx context.Context) (*wire, error) {
	for {
		l.mu.Lock()
		w, arrived, err := l.current, l.arrived, l.err
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
		if w != nil {
			return w, nil
		}
		select {
		case <-arrived:
		case <-l.done:
		case <-ctx.Done():
			return nil, fault.New(fault.CDPError, "the guest of box %s is not connected", l.o.Box).
				Hinted("it comes back by itself or the box is ended within the lease; try again").Because(ctx.Err())
		}
	}
}
