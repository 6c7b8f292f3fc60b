package docker

import (
	"context"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const askAgain = time.Second // after the engine broke off a wait, as a restart of it does

// box is a container this driver holds (sandbox.Box).
type box struct {
	*bridge.Hold
	driver    *Driver
	container string        // the engine's id of it
	watched   chan struct{} // closed when the engine has been asked to tell of its end
	started   chan struct{} // closed when it runs
	released  chan struct{} // closed when the link is closed too

	mu   sync.Mutex
	info sandbox.Info
}

var _ sandbox.Box = (*box)(nil)

// hold watches a container. When it ends, or its guest is lost, or the driver
// closes, the box is done and its sockets are closed. A container that is not
// started yet is started after watched and before started is closed: the engine
// removes one that ends, and what it ended with.
func (d *Driver) hold(made string, link *bridge.Link, info sandbox.Info, running bool) *box {
	b := &box{
		driver: d, container: made, Hold: bridge.NewHold(link), info: info,
		watched: make(chan struct{}), started: make(chan struct{}), released: make(chan struct{}),
	}
	if running {
		close(b.started)
	}
	d.wg.Go(b.watch)
	return b
}

func (b *box) watch() {
	defer close(b.released)
	ctx, cancel := context.WithCancel(b.driver.ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		b.waitExit(ctx)
		cancel()
	})
	select {
	case <-b.Link().Done():
		b.finish(b.Link().Err())
	case <-b.Done():
	case <-ctx.Done():
	}
	cancel()
	wg.Wait()
	b.finish(ended(b.info.ID, "was let go by the gateway"))
	_ = b.Link().Close()
}

// waitExit returns when the container has ended, which it then says, or ctx.
func (b *box) waitExit(ctx context.Context) {
	watched := sync.OnceFunc(func() { close(b.watched) })
	defer watched()
	for ctx.Err() == nil {
		wait := b.driver.engine.ContainerWait(ctx, b.container, client.ContainerWaitOptions{Condition: b.end()})
		watched()
		select {
		case exit := <-wait.Result:
			if exit.Error == nil {
				b.finish(ended(b.info.ID, "ended with status %d", exit.StatusCode))
				return
			}
		case err := <-wait.Error:
			if errdefs.IsNotFound(err) {
				b.finish(ended(b.info.ID, "was removed"))
				return
			}
		}
		pause(ctx, askAgain)
	}
}

// end is what is waited for: one that is not started yet does not run either.
func (b *box) end() container.WaitCondition {
	select {
	case <-b.started:
		return container.WaitConditionNotRunning
	default:
		return container.WaitConditionNextExit
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// finish ends the box once.
func (b *box) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Finish(err) {
		b.info.State = "exited"
	}
}

// Info returns what is known of the box (sandbox.Box).
func (b *box) Info() sandbox.Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.info
}

// Assign gives the box to a scope and a session (sandbox.Box). The container
// gets the scope's name: by it the gateway's next life knows whose it is.
func (b *box) Assign(ctx context.Context, scope, session string) error {
	if err := b.Err(); err != nil {
		return err
	}
	if err := b.Link().Assign(ctx, scope, session); err != nil {
		return err
	}
	hash := sandbox.ScopeHash(scope)
	name := b.driver.name(hash, b.Info().ID)
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if _, err := b.driver.engine.ContainerRename(ctx, b.container, client.ContainerRenameOptions{NewName: name}); err != nil {
		return b.driver.engineFault(err, "rename the box")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.info.ScopeHash, b.info.Session, b.info.Name = hash, session, name
	return nil
}
