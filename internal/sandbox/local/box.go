package local

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// box is a running box (sandbox.Box).
type box struct {
	*bridge.BoxHandle
	driver *Driver
	guest  *os.File      // pidfd of its first process
	closed chan struct{} // closed when the link has been closed

	mu     sync.Mutex
	record record
}

var _ sandbox.Box = (*box)(nil)

// newBox returns the box of a guest and watches it: when the guest ends or is lost, or
// the driver closes, the box is done and its sockets are closed.
func (d *Driver) newBox(r record, link *bridge.Link) (*box, error) {
	guest, err := r.Guest.openPidfd()
	if err != nil {
		return nil, d.exitFault(r.ID, "ended at once", err)
	}
	b := &box{
		driver: d, guest: guest, BoxHandle: bridge.NewBoxHandle(link), record: r,
		closed: make(chan struct{}),
	}
	d.boxes.Go(b.watch)
	return b, nil
}

func (b *box) watch() {
	defer close(b.closed)
	ctx, cancel := context.WithCancel(b.driver.boxes.Context())
	id := b.Info().ID
	var wg sync.WaitGroup
	wg.Go(func() {
		if waitExit(ctx, b.guest) {
			b.Finish(endedFault(id, "ended"))
		}
		cancel()
	})
	select {
	case <-b.Link().Done():
		b.Finish(b.Link().Err())
	case <-b.Done():
	case <-ctx.Done():
	}
	cancel()
	wg.Wait()
	b.Finish(endedFault(id, "was let go by the gateway"))
	_, _ = b.guest.Close(), b.Link().Close()
}

// Info returns what the driver knows about the box (sandbox.Box).
func (b *box) Info() sandbox.Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.driver.info(b.record)
}

// Assign binds the box to a scope and a session (sandbox.Box). It stores both for a
// restarted gateway.
func (b *box) Assign(ctx context.Context, scope, session string) error {
	if err := b.Err(); err != nil {
		return err
	}
	if err := b.Link().Assign(ctx, scope, session); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.record.ScopeHash, b.record.Session = sandbox.ScopeHash(scope), session
	b.record.Name = sandbox.BoxName(b.driver.options.NamePrefix, b.record.ScopeHash, b.record.ID)
	return b.driver.saveRecord(b.record)
}

// Attach reconnects to a box that an earlier process of this gateway started
// (sandbox.Driver). It listens on the box's sockets again and waits for the guest,
// at most for the lease. It refuses a guest whose scope or session differs from the
// stored record.
func (d *Driver) Attach(ctx context.Context, id string, egress func(net.Conn)) (sandbox.Box, error) {
	if !sandbox.ValidID(id) {
		return nil, notFound(id)
	}
	if egress == nil {
		return nil, fault.New(fault.InvalidRequest, "nobody takes the box's connections").Hinted("pass egress")
	}
	b, err := d.boxes.Connect(ctx, id, func(ctx context.Context) (*box, error) { return d.attach(ctx, id, egress) })
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Driver) attach(ctx context.Context, id string, egress func(net.Conn)) (*box, error) {
	r, there, err := d.loadRecord(id)
	if err != nil {
		return nil, err
	}
	if !there || !r.Guest.alive() {
		return nil, notFound(id)
	}
	link, err := d.listen(bridge.LinkOptions{Box: id, Home: d.homeDir(id), Adopt: true, Headless: r.Headless, Egress: egress})
	if err != nil {
		return nil, err
	}
	b, err := d.verifyGuest(ctx, link, r)
	if err != nil {
		_ = link.Close()
		return nil, err
	}
	return b, nil
}

// verifyGuest waits for the guest and compares its scope and session with the record.
func (d *Driver) verifyGuest(ctx context.Context, link *bridge.Link, r record) (*box, error) {
	waiting, cancel := context.WithTimeout(ctx, d.options.Lease)
	defer cancel()
	if err := link.Connected(waiting); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, notFound(r.ID).Because(err)
	}
	if link.ScopeHash() != r.ScopeHash || link.Session() != r.Session {
		d.options.Log.Error("a guest says it is another scope's or session's", "box", r.ID)
		return nil, notFound(r.ID).Because(errors.New("the guest claims another scope or session"))
	}
	return d.newBox(r, link)
}
