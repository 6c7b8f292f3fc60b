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

const retryPause = time.Second // before the next wait, when the engine ended one early, as its restart does

// box is a box that runs in a container (sandbox.Box).
type box struct {
	*bridge.BoxHandle
	driver    *Driver
	container string        // its id on the engine
	waiting   chan struct{} // closed when the engine has received the request to wait for its end
	started   chan struct{} // closed when the container runs
	closed    chan struct{} // closed when the link has been closed

	mu   sync.Mutex
	info sandbox.Info
}

var _ sandbox.Box = (*box)(nil)

// newBox returns the box of a container and watches it: when the container ends, its
// guest is lost, or the driver closes, the box is done and its sockets are closed.
// A container that does not run yet must be started after waiting is closed, and
// then started be closed, because the engine removes an ended container together
// with its exit status.
func (d *Driver) newBox(containerID string, link *bridge.Link, info sandbox.Info, running bool) *box {
	b := &box{
		driver: d, container: containerID, BoxHandle: bridge.NewBoxHandle(link), info: info,
		waiting: make(chan struct{}), started: make(chan struct{}), closed: make(chan struct{}),
	}
	if running {
		close(b.started)
	}
	d.boxes.Go(b.watch)
	return b
}

func (b *box) watch() {
	defer close(b.closed)
	ctx, cancel := context.WithCancel(b.driver.boxes.Context())
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
	b.finish(endedFault(b.info.ID, "was let go by the gateway"))
	_ = b.Link().Close()
}

// waitExit waits until the container has ended, which it records, or ctx ends.
func (b *box) waitExit(ctx context.Context) {
	watched := sync.OnceFunc(func() { close(b.waiting) })
	defer watched()
	for ctx.Err() == nil {
		wait := b.driver.engine.ContainerWait(ctx, b.container, client.ContainerWaitOptions{Condition: b.waitCondition()})
		watched()
		select {
		case exit := <-wait.Result:
			if exit.Error == nil {
				b.finish(endedFault(b.info.ID, "ended with status %d", exit.StatusCode))
				return
			}
		case err := <-wait.Error:
			if errdefs.IsNotFound(err) {
				b.finish(endedFault(b.info.ID, "was removed"))
				return
			}
		}
		sleep(ctx, retryPause)
	}
}

// waitCondition returns the condition to wait for. A container that has not been started is
// not running either, so it has a different one.
func (b *box) waitCondition() container.WaitCondition {
	select {
	case <-b.started:
		return container.WaitConditionNotRunning
	default:
		return container.WaitConditionNextExit
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// finish records why the box ended. Only the first call has an effect.
func (b *box) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Finish(err) {
		b.info.State = "exited"
	}
}

// Info returns what the driver knows about the box (sandbox.Box).
func (b *box) Info() sandbox.Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.info
}

// Assign binds the box to a scope and a session (sandbox.Box). It puts the scope
// hash into the container's name, from which a restarted gateway reads it.
func (b *box) Assign(ctx context.Context, scope, session string) error {
	if err := b.Err(); err != nil {
		return err
	}
	if err := b.Link().Assign(ctx, scope, session); err != nil {
		return err
	}
	hash := sandbox.ScopeHash(scope)
	name := sandbox.BoxName(b.driver.options.NamePrefix, hash, b.Info().ID)
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if _, err := b.driver.engine.ContainerRename(ctx, b.container, client.ContainerRenameOptions{NewName: name}); err != nil {
		return b.driver.engineFault(err, "rename the box")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.info.ScopeHash, b.info.Session, b.info.Name = hash, session, name
	return nil
}
